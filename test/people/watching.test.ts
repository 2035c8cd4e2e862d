// Two people look at one session: who watched from the beginning and who came later see the same.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Entry } from '../../src/protocol/entry.ts';
import type { Change } from '../../src/protocol/update.ts';
import { drive } from '../support/driver.ts';
import { growBodies } from '../support/random-entries.ts';

/** What streams before an entry closes it: parts of all kinds, or nothing. */
const streamed: fc.Arbitrary<readonly Change[]> = fc.oneof(
  fc.constant([]),
  fc
    .array(fc.constantFrom('word ', '**bold** ', '\n\n- item\n', '| a | b |\n|---|---|\n', '```ts\nconst a', '状态 '), {
      maxLength: 6,
    })
    .map((words): Change[] => [
      { type: 'live-start', turn: 1, round: 1 },
      { type: 'delta', part: 0, kind: 'thinking', text: 'hm' },
      ...words.map((text): Change => ({ type: 'delta', part: 1, kind: 'text', text })),
      { type: 'live-call', part: 2, call: 'c1', tool: 'read', title: 'Read', inputBytes: words.length * 10 },
    ]),
);

test('a session that was watched and one that is attached to are drawn alike, whatever happened in it (INV-24)', async () => {
  const size = fc.record({ columns: fc.integer({ min: 20, max: 130 }), rows: fc.integer({ min: 6, max: 40 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.gen(),
      size,
      fc.array(streamed, { maxLength: 12 }),
      fc.boolean(),
      async (seed, at, streams, ends) => {
        const watching = await drive({ ...at, client: 'watching' });
        const entries: Entry[] = [];
        growBodies(
          seed,
          streams.length * 2,
          () => entries,
          (body) => {
            const entry = { id: `e${entries.length}`, parent: null, time: entries.length, ...body } as Entry;
            entries.push(entry);
            watching.session.publish([...(streams[entries.length >> 1] ?? []), { type: 'entry', entry }]);
          },
        );
        if (ends) watching.session.publish([{ type: 'live-end' }]);
        await watching.wait(400);
        const attached = await drive({ ...at, client: 'attached', session: watching.session });
        await attached.wait(400);
        expect(watching.screenText()).toBe(attached.screenText());
        for (const key of ['pageup', 'alt-e', 'ctrl-home', 'pagedown', 'ctrl-end']) {
          await watching.press(key);
          await attached.press(key);
          await watching.wait(200);
          await attached.wait(200);
          expect([key, watching.screenText()]).toEqual([key, attached.screenText()]);
        }
      },
    ),
    { numRuns: 15 },
  );
}, 30_000);
