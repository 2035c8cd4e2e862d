// Naming a session, seen from the door.
import { expect, test } from 'bun:test';
import { createMemoryJournal } from '../../src/core/journal/memory-journal.ts';
import { readSummary } from '../../src/core/journal/summary.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { openHouse, SESSION_FOLDER, type Seat } from '../support/controller.ts';
import { scriptedModel } from '../support/script.ts';
import { flashes } from '../support/what-was-said.ts';

let refs = 0;
const rename = async (seat: Seat, argument: string) => {
  const ref = `n-${++refs}`;
  await seat.send({ type: 'command', ref, name: 'rename', argument });
  await seat.until(() => seat.outcome(ref)?.state === 'done');
};

test('a name is one short line; bare tells it, - goes back to the title (SC-21.1, SC-21.4)', async () => {
  const house = await openHouse({ script: scriptedModel(['hello']) });
  const seat = house.seat('one');
  await seat.until((view) => view.head.ready);
  await rename(seat, '');
  expect(flashes(seat).at(-1)).toContain('no name yet');
  await seat.say('the first prompt');
  await house.idle();
  expect(seat.view.head.title).toBe('the first prompt');
  await rename(seat, `  My \n  own\t\u0007name ${'x'.repeat(200)}`);
  expect(seat.view.head.title).toStartWith('My own name xxx');
  expect([...seat.view.head.title]).toHaveLength(80);
  const named = seat.updates.findIndex(({ changes }) =>
    changes.some((change) => change.type === 'entry' && change.entry.kind === 'name' && change.entry.by === 'person'),
  );
  const told = seat.updates.findIndex(({ changes }) =>
    changes.some((change) => change.type === 'flash' && change.text.includes('takes the name away')),
  );
  expect(named).toBeLessThan(told);
  await rename(seat, '');
  expect(flashes(seat).at(-1)).toContain('My own name');
  await rename(seat, '-');
  expect(seat.view.head.title).toBe('the first prompt');
});

test('what is not saved takes no name: it would be lost (SC-21.1)', async () => {
  const system = createMemorySystem();
  const first = {
    kind: 'session',
    version: 1,
    session: 's1',
    folder: '/yard',
    build: 'test',
    forkedFrom: null,
  } as const;
  const journal = createMemoryJournal({ ...system, session: 's1', first });
  const house = await openHouse({ script: scriptedModel(['hello']), system, journal, notSaved: 'incognito' });
  const seat = house.seat('one');
  await seat.say('the first prompt');
  await house.idle();
  const sent = await seat.send({ type: 'command', ref: 'unsaved', name: 'rename', argument: 'mine' });
  expect(sent).toMatchObject({ accepted: false, refusal: { identifier: 'not-saved' } });
  expect(seat.view.head.title).toBe('the first prompt');
  expect(flashes(seat)).toEqual([]);
});

test('saving a name does not change when the session was last worked in (SC-21.1)', async () => {
  const house = await openHouse({ script: scriptedModel(['hello']) });
  const seat = house.seat('one');
  await seat.say('the first prompt');
  await house.idle();
  await house.journal.flush();
  const file = `${SESSION_FOLDER}/journal.jsonl`;
  const before = await readSummary(house.system.files, file);
  await house.system.clock.advance(3_600_000);
  await rename(seat, 'a name');
  await house.journal.flush();
  const after = await readSummary(house.system.files, file);
  expect(after?.title).toBe('a name');
  expect(after?.updated).toBe(before!.updated);
});
