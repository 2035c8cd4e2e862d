// Whoever attaches in the middle of something sees it as one who was there from the start, and goes on seeing it so.
import { describe, expect, test } from 'bun:test';
import { parseRules } from '../../src/core/policy/rules.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { doTool, scriptedLine } from '../support/controller.ts';
import { LINKS, openLinked } from '../support/linked-house.ts';
import { gate, scriptedModel } from '../support/script.ts';

const streamed = ({ live }: View): string =>
  live?.parts.map((part) => (part.type === 'call' ? '' : part.text)).join('') ?? '';
const running = ({ transcript }: View): string[] =>
  transcript.items.flatMap((item) => (item.kind === 'call' && item.state === 'running' ? [item.tail] : []));

for (const kind of LINKS)
  describe(`joining ${kind}`, () => {
    test('text that streams and a command that runs go on in place, as for a client that watched from the start (SC-28.3.2)', async () => {
      const system = createMemorySystem();
      const output = gate();
      const end = gate();
      const line = scriptedLine();
      const text = { text: 'half of the text', piece: 8, every: 1_000 };
      const script = scriptedModel([[text, { tool: 'do', input: { line: 'build' } }], 'built'], {
        clock: system.clock,
      });
      const linked = await openLinked(kind, {
        script,
        system,
        tools: [doTool],
        rules: parseRules({ allow: ['Bash(build)'] }, 'test').rules,
        runLine: async (order, signal, onOutput) => {
          onOutput('compiling\n');
          await output.opened;
          onOutput('linking\n');
          await end.opened;
          return line(order, signal, () => {});
        },
      });
      const watched = await linked.sit('from-the-start');
      await watched.say('go');
      const pass = async (ms: number): Promise<void> => {
        await system.clock.advance(ms);
        await linked.settle();
      };

      await pass(1_500);
      expect(streamed(watched.view)).toBe('half of ');
      const inText = await linked.sit('in-the-text');
      expect(inText.changes[0]?.type).toBe('snapshot');
      expect(streamed(inText.view)).toBe('half of ');
      expect(inText.view).toEqual(watched.view);

      await pass(700);
      expect(inText.changes.flatMap((change) => (change.type === 'delta' ? [change.text] : []))).toEqual(['the text']);
      await pass(300);
      expect(running(watched.view)).toEqual(['compiling\n']);
      const inCommand = await linked.sit('in-the-command');
      for (const { view } of [inText, inCommand]) {
        expect(running(view)).toEqual(['compiling\n']);
        expect(view).toEqual(watched.view);
      }

      output.open();
      await pass(300);
      for (const { view } of [inText, inCommand]) {
        expect(running(view)).toEqual(['compiling\nlinking\n']);
        expect(view).toEqual(watched.view);
      }
      end.open();
      await linked.idle();
      expect(watched.view.transcript.items.map((item) => item.kind)).toEqual([
        'user',
        'assistant',
        'call',
        'assistant',
        'turn-end',
      ]);
      for (const { view } of [inText, inCommand]) expect(view).toEqual(watched.view);
      // None was shown everything anew in between.
      for (const { changes } of [inText, inCommand])
        expect(changes.filter(({ type }) => type === 'snapshot')).toHaveLength(1);
    });
  });
