// What a session says it used, over every wire, against what the service billed: the person's bill and ours are one.
import { afterEach, expect, test } from 'bun:test';
import { USAGE_FOLDER } from '../../src/core/session/usage-desk.ts';
import { ledgerFile, readLedgerFile } from '../../src/core/session/usage-ledger.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import { joinSums, NO_USAGE_SUM, type UsageSum } from '../../src/protocol/usage.ts';
import { createBunClock } from '../../src/system/bun/clock.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { lookTool, openHouse } from '../support/controller.ts';
import type { FakeEntry } from '../support/fake-service.ts';
import { type AnyBody, type AnyFake, WIRE_RIGS, type WireRig } from '../support/wire-rigs.ts';

const STATE = '/home/pat/state';
const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

const fakes: AnyFake[] = [];
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close();
});

function counts({ input, output, cacheRead, cacheWrite }: UsageSum) {
  return { input, output, cacheRead, cacheWrite };
}

/** Every kind of request there is: a reply that breaks, one of a delegate, a title, a summary, one that is refused. */
function script(rig: WireRig): FakeEntry<AnyBody> {
  let round = 0;
  return ({ raw, body }) => {
    if (raw.includes('You name conversations')) return { parts: ['A title'], usage: { input: 11, output: 3 } };
    if (rig.forbidsCalls(body))
      return { parts: ['In short: a look.'], usage: { input: 501, output: 41, cacheRead: 7 } };
    if (/You are d1, a /.test(raw))
      return { parts: ['Nothing there.'], usage: { input: 31, output: 5, cacheRead: 13 } };
    switch (round++) {
      case 0:
        return {
          parts: ['broken', { cut: 'quiet' }],
          usage: rig.countsBroken ? { input: 71, cacheRead: 3 } : { input: 0, output: 0 },
        };
      case 1: {
        const input = { kind: 'reader', task: 'Look around.', why: 'to know' };
        return { parts: [{ tool: 'spawn_agent', input }], usage: { input: 101, output: 17, cacheRead: 900 } };
      }
      case 2:
        return { status: 500 };
      case 3:
        return { parts: [{ tool: 'look', input: { at: 'x' } }], usage: { input: 1_003, output: 19 } };
      case 4:
        return { parts: ['Seen.'], usage: { input: 29, output: 23, cacheRead: 1_009 } };
      default:
        return { parts: ['Still here.'], usage: { input: 37, output: 2 } };
    }
  };
}

test.each(WIRE_RIGS.map((rig) => [rig.name, rig] as const))(
  'over %s every count is what the service billed: turns, failed tries, title, delegate, compaction (UP-56, SC-37.7)',
  async (_name, rig) => {
    const fake = await rig.start([script(rig)], { repeatLast: true });
    fakes.push(fake);
    const model = rig.connect(fake, { facts: { price: PRICE } });
    const real = createBunClock();
    const clock = { ...real, sleep: (ms: number, signal?: AbortSignal) => real.sleep(Math.min(ms, 2), signal) };
    const system = { ...createMemorySystem(), clock };
    const { session, seat } = await openHouse({
      system: system as never,
      script: model,
      tools: [...createTools(), lookTool],
      naming: true,
      usage: { state: STATE, limits: { session: 100, day: 100 }, sleeps: 0, fast: false },
    });
    const person = seat('person');
    await person.say(`Look around. ${'word '.repeat(30_000)}`);
    await session.idle();
    await person.say('Go on.');
    await session.idle();
    await person.send({ type: 'command', ref: 'c', name: 'compact', argument: '' });
    await session.idle();
    await person.say('And now?');
    await session.idle();

    const answer = await session.read({ type: 'usage', fresh: true });
    if (!answer.ok) throw new Error(answer.refusal.message);
    const { session: rows, today, spending } = answer.value;
    const purposes = rows.map(({ purpose }) => purpose).sort();
    expect(purposes).toEqual(['compaction', 'delegate', ...(rig.countsBroken ? ['retry'] : []), 'title', 'turn']);
    const sum = rows.reduce<UsageSum>(joinSums, NO_USAGE_SUM);
    expect(counts(sum)).toEqual(fake.billed);
    const { input, output, cacheRead } = fake.billed;
    const cost = (input * PRICE.input + output * PRICE.output + cacheRead * PRICE.cacheRead) / 1e6;
    expect(sum.cost).toBeCloseTo(cost, 9);
    expect(sum.unpriced).toBe(0);
    // The same in the figures on the border, in the limits, and in what outlives the session.
    expect(person.view.head.totals).toMatchObject({ ...fake.billed, requests: sum.requests });
    expect(spending.map(({ spent }) => spent.toFixed(9))).toEqual([cost.toFixed(9), cost.toFixed(9)]);
    expect(counts((today ?? []).reduce<UsageSum>(joinSums, NO_USAGE_SUM))).toEqual(fake.billed);
    await session.close();
    const lines = await readLedgerFile(system.files, `${STATE}/${USAGE_FOLDER}/${ledgerFile(clock.now())}`);
    expect(lines).toHaveLength(sum.requests);
    expect(lines.every((line) => line.session === 's1')).toBe(true);
  },
);
