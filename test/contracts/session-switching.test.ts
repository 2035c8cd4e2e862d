// A whole session under a person who changes the model, aims prompts elsewhere, shows pictures, compacts, stops and starts again
// in any order: no service ever refuses what it is sent.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createBunClock } from '../../src/system/bun/clock.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { ALL_RIGS } from '../support/claude-rig.ts';
import { ESCAPE, openHouse } from '../support/controller.ts';
import type { FakeStep } from '../support/fake-service.ts';
import { pngHeader } from '../support/image-size.ts';
import type { AnyBody } from '../support/wire-rigs.ts';

const PICTURE = {
  kind: 'image',
  name: 'a.png',
  mediaType: 'image/png',
  base64: pngHeader(40, 30).toString('base64'),
} as const;

const act = fc.record({
  what: fc.constantFrom('say', 'say', 'aim', 'show', 'stop', 'compact', 'restart'),
  switches: fc.boolean(),
  wire: fc.nat({ max: ALL_RIGS.length - 1 }),
});
const replies = fc.array(fc.constantFrom<FakeStep>(...anyReply()), { minLength: 1, maxLength: 30 });

function anyReply(): FakeStep[] {
  const look = { tool: 'look', input: { at: 'x' } };
  return [
    { parts: [{ thinking: 'hm' }, 'I look.', look, look] },
    { parts: [{ thinking: 'over' }, { redacted: 'c2VhbGVk' }, look] },
    { parts: ['Said 🚀.'] },
    { parts: [{ thinking: 'long' }, 'and said.'] },
    { parts: ['half', look, { cut: 'quiet' }] },
    { status: 500 },
  ];
}

test('any life of a session over all wires is accepted by each of them (UP-24)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 16 }), replies, async (acts, answers) => {
      let at = 0;
      const served = [];
      for (const rig of ALL_RIGS) {
        const script = ({ body }: { body: AnyBody }): FakeStep => {
          const answer = answers[at++] ?? { parts: ['Done.'] };
          return rig.forbidsCalls(body) ? { parts: ['In short: a look.'] } : answer;
        };
        const fake = await rig.start([script], { repeatLast: true });
        served.push({ fake, model: rig.connect(fake) });
      }
      try {
        const real = createBunClock();
        const clock = { ...real, sleep: (ms: number, signal?: AbortSignal) => real.sleep(Math.min(ms, 1), signal) };
        const system = { ...createMemorySystem(), clock };
        const [script, ...others] = served.map(({ model }) => model);
        const open = () => openHouse({ system: system as never, script: script!, others });
        let house = await open();
        let seat = house.seat('person');
        for (const [index, { what, wire, switches }] of acts.entries()) {
          const { ref } = served[wire]!.model;
          await seat.send({ type: 'queue-resume' });
          if (switches) await seat.send({ type: 'set-model', model: ref, effort: null });
          if (what === 'aim') await seat.say(`$${ref.provider}:${ref.model} And you?`);
          else if (what === 'show') {
            const said = { type: 'say', ref: `p${index}`, text: 'see', delivery: 'steering' } as const;
            await seat.send({ ...said, attachments: [PICTURE] });
          } else if (what === 'compact')
            await seat.send({ type: 'command', ref: `c${index}`, name: 'compact', argument: '' });
          else if (what === 'restart') {
            await house.session.close();
            house = await open();
            seat = house.seat(`person-${index}`);
          } else await seat.say(`Prompt ${index} ${'word '.repeat(500)}`);
          if (what === 'stop') {
            await Bun.sleep(wire * 3);
            await seat.send(ESCAPE);
          }
          await house.session.idle();
        }
        await house.session.close();
        const refused = served.flatMap(({ fake }) => fake.requests.map((request) => request.refused));
        expect(refused.filter((one) => one !== null && one.status < 500)).toEqual([]);
      } finally {
        for (const { fake } of served) await fake.close();
      }
    }),
    { numRuns: 20 },
  );
}, 120_000);
