// What is said of how full the conversation is, from the session to the words on the screen.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { plainText } from '../../src/front/tui/piece.ts';
import { footerFigures } from '../../src/front/tui/regions/footer-figures.ts';
import { contextReading } from '../../src/front/tui/regions/hint-parts.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { LINKS, openLinked } from '../support/linked-house.ts';
import { gate, scriptedModel } from '../support/script.ts';

const TWO = { provider: 'other', model: 'two' } as const;
const footer = (view: View): string => plainText(footerFigures(view, 0)[0]!);

for (const kind of LINKS) {
  test(`no figure is claimed while starting, after a failed start and without a model, and the footer stands (SC-19.11) ${kind}`, async () => {
    const held = gate();
    const starting = await openLinked(kind, {
      script: scriptedModel([]),
      skills: async () => {
        await held.opened;
        return { list: [], load: async () => null };
      },
    });
    const problem = { identifier: 'no-model', message: 'There is no model' };
    const failed = await openLinked(kind, { script: scriptedModel([]), problem });
    const broken = await openLinked(kind, {
      script: scriptedModel([]),
      skills: async () => {
        throw new Error('a bug');
      },
    });
    for (const linked of [starting, failed, broken]) {
      const { view } = await linked.sit('one');
      expect(view.head.contextTokens).toBeNull();
      expect(contextReading(view)).toEqual({ words: 'context not measured yet', figure: false });
      expect(footer(view)).toMatch(/Current Ctx: +—%/);
    }
    held.open();
  });

  test(`it measures what the next request would send against the window, or the cap in force (SC-19.19) ${kind}`, async () => {
    const system = createMemorySystem();
    const script = scriptedModel(
      [
        { parts: ['a'], usage: { input: 20_000, cacheRead: 10_000 } },
        { parts: ['b'], usage: { input: 50_000 } },
        { parts: ['c'], usage: { input: 25_000 } },
      ],
      { facts: { contextWindow: 200_000, maxOutput: null } },
    );
    const unknown = scriptedModel([{ parts: ['d'], usage: { input: 26_000 } }], {
      ref: TWO,
      facts: { contextWindow: null },
    });
    const linked = await openLinked(kind, { script, system, others: [unknown], saveDefaults: async () => true });
    const seat = await linked.sit('one');
    const ask = async (text: string): Promise<string> => {
      await seat.say(text);
      await linked.idle();
      return contextReading(seat.view).words;
    };
    // 90 % of the window is the budget: 180,000.
    expect(await ask('one')).toBe('context 17%');
    expect(footer(seat.view)).toMatch(/Current Ctx: +15%/);
    expect(await ask('two')).toBe('context 28%');
    await seat.command('autocompact', '100k');
    await linked.idle();
    expect(contextReading(seat.view).words).toBe('context 50%');
    // Another branch is another history.
    await seat.command('undo');
    await linked.idle();
    expect(contextReading(seat.view).words).toBe('context 30%');
    expect(await ask('three')).toBe('context 25%');
    await seat.send({ type: 'set-model', model: TWO, effort: null });
    await linked.idle();
    expect(contextReading(seat.view).words).toBe('context not measured yet');
    expect(await ask('four')).toBe('context 26k tokens, window unknown');
  });
}

test('whatever figures come, the footer is drawn and says nothing that is no figure (SC-19.11)', async () => {
  const linked = await openLinked('in process', { script: scriptedModel([]) });
  const { view } = await linked.sit('one');
  const odd = fc.option(fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constant(0)), { nil: null });
  const share = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null });
  fc.assert(
    fc.property(odd, odd, share, (contextTokens, contextWindow, compactAt) => {
      Object.assign(view.head, { contextTokens, contextWindow, compactAt });
      for (const line of footerFigures(view, 0)) expect(plainText(line)).not.toMatch(/NaN|Infinity|undefined|null/);
      expect(contextReading(view).words).not.toMatch(/NaN|Infinity|undefined|null|-\d/);
    }),
  );
});
