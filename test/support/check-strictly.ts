import { expect } from 'bun:test';
import type { CallResult, Message } from '../../src/core/models/model.ts';
import type { ModelRef } from '../../src/protocol/message.ts';

/** What every service asks of a request; throws with the first thing that would be refused. */
export function checkStrictly(messages: readonly Message[], target: ModelRef): void {
  const seen = new Set<string>();
  const fine = (text: string, what: string) => {
    if (text.trim() === '') throw new Error(`empty ${what}`);
    if (!text.isWellFormed()) throw new Error(`lone surrogate in ${what}`);
  };
  const results = (list: readonly CallResult[], calls: readonly string[]) => {
    expect(list.map(({ call }) => call)).toEqual([...calls]);
    for (const { text } of list) fine(text, 'result');
  };
  if (messages.length === 0) return;
  expect(messages[0]!.role).toBe('user');
  expect(messages.at(-1)!.role).not.toBe('assistant');
  for (const [at, message] of messages.entries()) {
    const next = messages[at + 1];
    if (message.role === 'user') {
      expect(message.parts.length).toBeGreaterThan(0);
      for (const part of message.parts) {
        if (part.type === 'text') fine(part.text, 'user text');
        else if (part.base64 === '' || !part.name.isWellFormed()) throw new Error('bad image');
      }
      if (next) expect(next.role).toBe('assistant');
    } else if (message.role === 'assistant') {
      expect(message.parts.length).toBeGreaterThan(0);
      expect(message.parts.at(-1)!.type).not.toBe('thinking');
      const own = message.from.provider === target.provider && message.from.model === target.model;
      const calls: string[] = [];
      for (const part of message.parts) {
        if (part.type === 'text') fine(part.text, 'assistant text');
        if (part.type === 'thinking') expect(own && part.opaque !== undefined).toBe(true);
        if (!own) expect(part.opaque).toBeUndefined();
        if (part.type !== 'call') continue;
        if (seen.has(part.call)) throw new Error('a call twice');
        seen.add(part.call);
        calls.push(part.call);
        expect(part.tool).not.toBe('');
        expect(part.input !== null && typeof part.input === 'object' && !Array.isArray(part.input)).toBe(true);
        expect(JSON.stringify(part.input)).not.toMatch(/\\ud[89a-f]/);
      }
      if (calls.length === 0) expect(next?.role).toBe('user');
      else if (next?.role === 'results') results(next.results, calls);
      else throw new Error('calls without results');
    } else {
      expect(messages[at - 1]?.role).toBe('assistant');
      if (next) expect(['user', 'assistant']).toContain(next.role);
    }
  }
}
