import { expect, test } from 'bun:test';
import { sessionFolder } from '../core/journal/catalog.ts';
import { createJournal } from '../core/journal/file-journal.ts';
import { projectFolder } from '../core/journal/project.ts';
import { places } from '../core/settings/paths.ts';
import { openHostFiles } from '../link/host-files.ts';
import { createMemorySystem } from '../system/memory/system.ts';
import { parseArguments } from './arguments.ts';
import { chooseSession } from './choose-session.ts';
import { withWayIn } from './open-elsewhere.ts';

const FOLDER = '/yard';
const IDS = [1, 2, 3, 4].map((n) => `0198abc${n}-0000-7000-8000-00000000000${n}`);

async function withSessions(titles: readonly string[]) {
  const system = createMemorySystem();
  const state = places(system.environment).state!;
  const { files, clock, ids } = system;
  for (const [index, title] of titles.entries()) {
    await clock.advance(1000);
    const session = IDS[index]!;
    const folder = sessionFolder(state, await projectFolder(files, FOLDER), session);
    const first = { kind: 'session', version: 1, session, folder: FOLDER, build: 't', forkedFrom: null } as const;
    const made = await createJournal({ files, clock, ids, folder, session, first });
    if (!made.ok) throw new Error(made.refusal.message);
    await made.value.append([{ kind: 'name', name: title, by: 'person' }]).durable;
    await made.value.close();
  }
  const choose = async (...words: string[]) => {
    const line = parseArguments(words);
    if (!line.ok) throw new Error(line.refusal.message);
    const chosen = await chooseSession(system, line.value, FOLDER);
    return chosen.ok ? chosen.value.session : chosen.refusal;
  };
  return { system, state, choose };
}

test('an id that does not exist is answered by one line with the nearest that do', async () => {
  const { choose } = await withSessions(['one', 'two\u001b[31m', 'three '.repeat(20), 'four']);
  expect(await choose('-c=0198abc2')).toBe(IDS[1]!);
  const near = await choose('-c', '0198abc9');
  expect(near).toMatchObject({ identifier: 'session-not-found' });
  const { message } = near as { message: string };
  expect(message).toStartWith(`there is no session 0198abc9; the nearest here: ${IDS[3]} (four), ${IDS[2]} (three`);
  expect(message).toContain(IDS[1]!);
  expect(message).not.toContain(IDS[0]!);
  expect(message).not.toMatch(/[\u001b\n]/);
  // Too short to be one, or nothing like one.
  for (const typed of ['0198', 'zzz'])
    expect(await choose(`--resume=${typed}`)).toMatchObject({
      identifier: 'session-id-invalid',
      message: expect.stringContaining(`the nearest here: ${IDS[3]} (four)`),
    });
  expect(await choose('--fork', 'deadbeef')).toMatchObject({ message: expect.stringContaining('the nearest here') });
  const none = await withSessions([]);
  expect(await none.choose('-c', 'deadbeef')).toMatchObject({
    message: 'there is no session deadbeef; none was saved here yet',
  });
});

test('a session that is open in a host is spoken to there, and the refusal says how', async () => {
  const { system, state } = await withSessions(['one']);
  const refusal = { identifier: 'session-open', message: 'the session is open in process 7' };
  expect(await withWayIn(system, IDS[0]!, refusal)).toEqual(refusal);
  const hosts = await openHostFiles(system, state);
  await hosts.prepare();
  const at = { host: 'aa', session: IDS[0]!, pid: system.processes.ownPid, startTime: null, folder: FOLDER } as const;
  const shown = { title: '', model: '', started: 1, updated: 1, attached: 0, unseen: false } as const;
  const built = { protocol: 1, build: 't', fingerprint: '1', socket: '/run/aa.sock', log: '/logs/aa.log' } as const;
  await hosts.write({ ...at, ...shown, ...built, state: 'idle' });
  expect((await withWayIn(system, IDS[0]!, refusal)).message).toBe(
    'the session is open in process 7: houston -p TEXT --attach 0198abc1-0000 says it there',
  );
  expect(await withWayIn(system, IDS[1]!, refusal)).toEqual(refusal);
  const other = { identifier: 'session-unwritable', message: 'no' };
  expect(await withWayIn(system, IDS[0]!, other)).toEqual(other);
});
