// Whatever happens in a session, what it says it used is what the service billed: not one token less, none twice.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createTools } from '../../src/core/tools/registry.ts';
import { joinSums, NO_USAGE_SUM, type UsageSum } from '../../src/protocol/usage.ts';
import { createBunClock } from '../../src/system/bun/clock.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { lookTool, openHouse } from '../support/controller.ts';
import type { FakeStep } from '../support/fake-service.ts';
import { type AnyBody, type AnyFake, WIRE_RIGS } from '../support/wire-rigs.ts';

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

type Kind = 'text' | 'look' | 'spawn' | 'cut' | 'error' | 'busy';

const draw = fc.record({
  kind: fc.constantFrom<Kind>('text', 'look', 'look', 'spawn', 'cut', 'error', 'busy'),
  usage: fc.record({ input: fc.nat(2_000), output: fc.nat(300), cacheRead: fc.nat(9_000) }),
});
type Draw = typeof draw extends fc.Arbitrary<infer T> ? T : never;

const life = fc.record({
  wire: fc.nat({ max: WIRE_RIGS.length - 1 }),
  draws: fc.array(draw, { minLength: 1, maxLength: 25 }),
  person: fc.array(fc.constantFrom('say', 'say', 'compact', 'restart'), { minLength: 1, maxLength: 5 }),
});

/** What the service answers: as drawn, and words once nothing is left. */
function answer(drawn: Draw | undefined, at: number, isMain: boolean, countsBroken: boolean): FakeStep {
  const { kind, usage } = drawn ?? { kind: 'text', usage: { input: 5, output: 5, cacheRead: 0 } };
  switch (kind) {
    case 'cut':
      return { parts: ['broken', { cut: 'quiet' }], usage: countsBroken ? usage : { input: 0, output: 0 } };
    case 'error':
      return { status: 500 };
    case 'busy':
      return { status: 429, headers: { 'retry-after': '1' } };
    case 'spawn': {
      if (!isMain) return { parts: [{ tool: 'look', input: { at: `${at}` } }], usage };
      const input = { kind: 'reader', task: `Look at ${at}.`, why: 'to know' };
      return { parts: [{ tool: 'spawn_agent', input }], usage };
    }
    case 'look':
      return { parts: [{ tool: 'look', input: { at: `${at}` } }], usage };
    case 'text':
      return { parts: [`Said ${at}.`], usage };
  }
}

test('any life of a session adds up to what was billed: retries, delegates, titles, compactions, restarts (UP-56)', async () => {
  await fc.assert(
    fc.asyncProperty(life, async ({ wire, draws, person: does }) => {
      const rig = WIRE_RIGS[wire]!;
      let at = 0;
      const script = ({ raw, body }: { raw: string; body: AnyBody }): FakeStep => {
        const forbids = rig.forbidsCalls(body) || raw.includes('You name conversations');
        const drawn = draws[at];
        at++;
        const step = answer(drawn, at, !/You are d\d+, a /.test(raw), rig.countsBroken);
        const calls = step.parts?.some((part) => typeof part === 'object' && 'tool' in part) === true;
        return forbids && calls ? { parts: ['In short.'], ...(step.usage ? { usage: step.usage } : {}) } : step;
      };
      const fake: AnyFake = await rig.start([script], { repeatLast: true });
      try {
        const real = createBunClock();
        const clock = { ...real, sleep: (ms: number, signal?: AbortSignal) => real.sleep(Math.min(ms, 1), signal) };
        const system = { ...createMemorySystem(), clock };
        const open = () =>
          openHouse({
            system: system as never,
            script: rig.connect(fake, { facts: { price: PRICE } }),
            tools: [...createTools(), lookTool],
            naming: true,
            usage: { state: '/home/pat/state', limits: { session: null, day: null }, sleeps: 0, fast: false },
          });
        let { session, seat } = await open();
        let person = seat('person');
        for (const [index, what] of does.entries()) {
          if (what === 'restart') {
            await session.close();
            ({ session, seat } = await open());
            person = seat(`person-${index}`);
          } else if (what === 'compact')
            await person.send({ type: 'command', ref: `c${index}`, name: 'compact', argument: '' });
          else {
            await person.send({ type: 'queue-resume' });
            await person.say(`Prompt ${index} ${'word '.repeat(3_000)}`);
          }
          await session.idle();
        }
        await session.close();
        ({ session, seat } = await open());
        const answered = await session.read({ type: 'usage', fresh: false });
        if (!answered.ok) throw new Error(answered.refusal.message);
        const { session: rows, today } = answered.value;
        for (const sum of [rows, today ?? []].map((all) => all.reduce<UsageSum>(joinSums, NO_USAGE_SUM))) {
          const { input, output, cacheRead, cacheWrite } = sum;
          expect({ input, output, cacheRead, cacheWrite }).toEqual(fake.billed);
          expect(sum.cost).toBeCloseTo((input * 3 + output * 15 + cacheRead * 0.3) / 1e6, 9);
        }
        const last = seat('last');
        await session.idle();
        const { input, output, cacheRead, cacheWrite } = last.view.head.totals;
        expect({ input, output, cacheRead, cacheWrite }).toEqual(fake.billed);
        await session.close();
      } finally {
        await fake.close();
      }
    }),
    { numRuns: 20 },
  );
}, 120_000);
