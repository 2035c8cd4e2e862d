import { expect, test } from 'bun:test';
import * as make from '../../../test/support/entries.ts';
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
