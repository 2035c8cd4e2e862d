import { expect, test } from 'bun:test';
import { openHouse, SESSION_FOLDER } from '../../../test/support/controller.ts';
import * as make from '../../../test/support/entries.ts';
import { scriptedModel } from '../../../test/support/script.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { damageWarning } from './damage.ts';
import { createJournal, openJournal } from './file-journal.ts';

test('damage is told once, with its number; more of it is told again (UP-32)', async () => {
  const { files, clock, ids } = createMemorySystem();
  await files.makeFolder('/s', 0o700);
  const place = { files, clock, ids, folder: '/s' };
  const made = await createJournal({ ...place, session: 's', first: make.sessionBody() });
  if (!made.ok) throw new Error(made.refusal.message);
  expect(await damageWarning(made.value)).toEqual([]);
  await made.value.close();
  const damaged = async (bytes: string) => {
    const file = await files.openAppend('/s/journal.jsonl', 0o600);
    await file.append(new TextEncoder().encode(bytes));
    await file.close();
    const journal = await openJournal(place);
    if (!journal.ok) throw new Error(journal.refusal.message);
    const bodies = await damageWarning(journal.value);
    await journal.value.append(bodies).durable;
    const again = await damageWarning(journal.value);
    await journal.value.close();
    return { texts: bodies.map((body) => (body.kind === 'note' ? body.text : '')), again };
  };
  const first = await damaged('{"type":\n');
  expect(first.texts).toEqual([expect.stringContaining('1 damaged line of this session')]);
  expect(first.again).toEqual([]);
  const second = await damaged('\n\0\0\0\n');
  expect(second.texts).toEqual([expect.stringContaining('3 damaged lines of this session')]);
  expect(second.again).toEqual([]);
});

test('what seems to wait only because the line is lost that said it ran is held, not run again (UP-32)', async () => {
  const system = createMemorySystem();
  const first = await openHouse({ system, script: scriptedModel(['done it']) });
  await first.seat('one').say('do it');
  await first.idle();
  await system.clock.runUntil(first.session.close());
  const file = `${SESSION_FOLDER}/journal.jsonl`;
  const text = new TextDecoder().decode(await system.files.read(file, 1_000_000));
  const torn = text
    .split('\n')
    .map((line) => (line.includes('"kind":"taken"') ? line.slice(0, 40) : line))
    .join('\n');
  await system.files.writeAtomic(file, new TextEncoder().encode(torn), { mode: 0o600, flush: false });
  const script = scriptedModel(['never', 'never']);
  const again = await openHouse({ system, script });
  const seat = again.seat('two');
  await seat.until(({ head }) => head.ready);
  await again.idle();
  expect(script.requests).toEqual([]);
  expect(seat.view.queue).toMatchObject({
    rows: [{ text: 'do it', held: true }],
    paused: { message: expect.stringContaining('damaged') },
  });
});
