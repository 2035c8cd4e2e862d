// Wish C11, through the door: two sessions of one project, each with a journal of its own, one disk.
import { expect, test } from 'bun:test';
import { createMemoryJournal } from '../../src/core/journal/memory-journal.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { FOLDER, openHouse } from '../support/controller.ts';
import { scriptedModel } from '../support/script.ts';

test('a session that edits what another one edits says so in both transcripts, and the model is told nothing', async () => {
  const system = createMemorySystem();
  system.files.seed(`${FOLDER}/a.txt`, 'one\ntwo\n');
  const live = { ...system, processes: { ...system.processes, isAlive: () => true } };
  const open = async (session: string, from: string, to: string) => {
    const first = { kind: 'session', version: 1, session, folder: FOLDER, build: 'test', forkedFrom: null } as const;
    const script = scriptedModel(
      [
        [{ tool: 'read_file', input: { path: 'a.txt', why: 'w' }, call: `${session}-r` }],
        [
          {
            tool: 'edit_file',
            input: { path: 'a.txt', edits: [{ old_text: from, new_text: to }], why: 'w' },
            call: `${session}-e`,
          },
        ],
        'done',
        'more',
      ],
      { repeatLast: true },
    );
    const house = await openHouse({
      script,
      system: live as never,
      journal: createMemoryJournal({ clock: system.clock, ids: system.ids, session, first }),
      tools: createTools(),
      mode: 'edits',
      editing: '/home/pat/state/editing/yard',
    });
    const seat = house.seat('one');
    await seat.until(({ head }) => head.ready);
    await seat.say(`change ${from}`);
    await house.idle();
    return { house, seat, script };
  };
  const notes = ({ seat }: Awaited<ReturnType<typeof open>>): string[] =>
    seat.view.transcript.items.flatMap((item) =>
      item.kind === 'note' && item.identifier === 'same-file' ? [item.text] : [],
    );
  const a = await open('01aaaaaa-1111', 'one', 'ONE');
  expect(notes(a)).toEqual([]);
  const b = await open('01bbbbbb-2222', 'two', 'TWO');
  await system.clock.advance(1_000);
  expect(notes(b)).toEqual([expect.stringContaining('The session “change one” (01aaaaaa-1111) changes a.txt too')]);
  expect(notes(a)).toEqual([expect.stringContaining('The session “change two” (01bbbbbb-2222) changes a.txt too')]);
  await b.seat.say('go on');
  await b.house.idle();
  expect(JSON.stringify(b.script.requests.at(-1)?.messages)).not.toContain('Neither sees');
  await a.house.session.close();
  await b.house.session.close();
  expect(await system.files.list('/home/pat/state/editing/yard')).toEqual([]);
});
