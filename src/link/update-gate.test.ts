import { describe, expect, test } from 'bun:test';
import { createMemoryClock } from '../system/memory/clock.ts';
import { PART_BYTES } from './frame-reader.ts';
import { createUpdateGate, isCalm } from './update-gate.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function opened() {
  const clock = createMemoryClock();
  const sent: string[] = [];
  const gate = createUpdateGate(clock, 20, (encoded) => sent.push(new TextDecoder().decode(encoded)));
  return { clock, gate, sent };
}

describe('updates that wait for each other', () => {
  test('the first calm one goes at once, those close behind it together and in order', async () => {
    const { clock, gate, sent } = opened();
    gate.give(bytes('a'), true);
    expect(sent).toEqual(['a']);
    gate.give(bytes('b'), true);
    gate.give(bytes('c'), true);
    expect(sent).toEqual(['a']);
    await clock.advance(20);
    expect(sent).toEqual(['a', 'bc']);
    expect(clock.timers).toBe(0);
  });

  test('one that matters goes at once, behind what waits', () => {
    const { clock, gate, sent } = opened();
    for (const [text, calm] of [
      ['a', true],
      ['b', true],
      ['ask', false],
    ] as const)
      gate.give(bytes(text), calm);
    expect(sent).toEqual(['a', 'bask']);
    expect(clock.timers).toBe(0);
  });

  test('more than a part holds never goes as one', () => {
    const { gate, sent } = opened();
    const long = 'x'.repeat(PART_BYTES - 1);
    gate.give(bytes('a'), true);
    gate.give(bytes('b'), true);
    gate.give(bytes(long), true);
    gate.give(bytes('cd'), false);
    expect(sent.map((one) => one.length)).toEqual([1, 1 + long.length, 2]);
  });

  test('what was dropped is never sent', async () => {
    const { clock, gate, sent } = opened();
    gate.give(bytes('a'), true);
    gate.give(bytes('b'), true);
    gate.drop();
    await clock.advance(100);
    expect(sent).toEqual(['a']);
    expect(clock.timers).toBe(0);
  });

  test('whoever has to act is told at once', () => {
    const call = { type: 'call', call: 'c' } as const;
    expect(isCalm({ ...call, state: 'running' })).toBe(true);
    expect(isCalm({ ...call, state: 'asking' })).toBe(false);
    expect(isCalm({ type: 'ask-closed', ask: 'a', by: 'me', answer: 'y' })).toBe(false);
    expect(isCalm({ type: 'flash', client: null, level: 'info', text: 'x' })).toBe(false);
  });
});
