import { describe, expect, test } from 'bun:test';
import * as make from '../../../test/support/entries.ts';
import type { EntryBody } from '../../protocol/entry.ts';
import { createMemorySystem, type MemorySystem } from '../../system/memory/system.ts';
import { findSession, isSessionId, listSessions, sessionFolder, sideFolder } from './catalog.ts';
import { createJournal } from './file-journal.ts';

const STATE = '/state';

function id(number: number): string {
  return `0199aaa${number}-0000-7000-8000-00000000000${number}`;
}

async function newSession(
  system: MemorySystem,
  number: number,
  project: string,
  ...bodies: EntryBody[]
): Promise<string> {
  const folder = sessionFolder(STATE, project, id(number));
  const made = await createJournal({
    ...system,
    folder,
    session: id(number),
    first: make.sessionBody(id(number), project),
  });
  if (!made.ok) throw new Error(made.refusal.message);
  for (const body of bodies) {
    await system.clock.advance(1_000);
    made.value.append([body]);
  }
  await made.value.close();
  await system.clock.advance(1_000);
  return `${folder}/journal.jsonl`;
}

const TURN = [
  make.inputBody('/model', 'command'),
  make.inputBody('first prompt\nmore'),
  make.turnStartBody(1),
  make.assistantBody(1, [make.textPart('hi')]),
  make.turnEndBody(1),
];

describe('the list', () => {
  test('newest first, with title, first prompt, model, turns and true last time', async () => {
    const system = createMemorySystem();
    await newSession(system, 1, '/yard/a', ...TURN);
    await newSession(system, 2, '/yard/a', { kind: 'name', name: 'old', by: 'model' }, ...TURN, {
      kind: 'name',
      name: 'Named',
      by: 'person',
    });
    await newSession(system, 3, '/yard/b', ...TURN, { kind: 'model', model: make.OTHER_MODEL, effort: 'high' });
    const all = await listSessions(system, STATE, null);
    expect(all.map((session) => session.id)).toEqual([id(3), id(2), id(1)]);
    expect(all.map(({ title }) => title)).toEqual(['first prompt', 'Named', 'first prompt']);
    expect(all.map(({ model }) => model)).toEqual([make.OTHER_MODEL, make.MODEL, make.MODEL]);
    expect(all[2]).toMatchObject({ firstPrompt: 'first prompt\nmore', turns: 1, folder: '/yard/a', forkedFrom: null });
    expect(all[2]!.updated - all[2]!.created).toBe(5_000);
    expect((await listSessions(system, STATE, '/yard/a')).map((session) => session.id)).toEqual([id(2), id(1)]);
    expect(await listSessions(system, STATE, '/yard/none')).toEqual([]);
  });

  test('UP-32 a torn end and broken lines hide neither the session nor its last time', async () => {
    const system = createMemorySystem();
    const path = await newSession(system, 1, '/yard/a', ...TURN);
    const [before] = await listSessions(system, STATE, null);
    const text = system.files.textOf(path).split('\n');
    system.files.seed(path, `${[text[0], '\0\0\0', '{"type":', ...text.slice(1)].join('\n')}{"id":"torn`);
    await system.clock.advance(100_000);
    const [after] = await listSessions(system, STATE, null);
    expect(after).toEqual({ ...before!, bytes: after!.bytes });
  });

  test('only both ends of a long journal are read, and a name in between is still found', async () => {
    const system = createMemorySystem();
    const filler = Array.from({ length: 40 }, (_, number) => make.resultBody(2, `c${number}`, 'x'.repeat(10_000)));
    const last = make.resultBody(3, 'big', 'y'.repeat(300_000));
    await newSession(
      system,
      1,
      '/yard/a',
      ...TURN,
      ...filler,
      { kind: 'name', name: 'In the middle', by: 'model' },
      ...filler,
      make.turnStartBody(3),
      last,
    );
    const [session] = await listSessions(system, STATE, null);
    expect(session).toMatchObject({ title: 'In the middle', firstPrompt: 'first prompt\nmore' });
    expect(session!.updated).toBe(system.clock.now() - 1_000);
  });

  test('SD-4 links, strangers and what is no journal are passed over', async () => {
    const system = createMemorySystem();
    const path = await newSession(system, 1, '/yard/a', ...TURN);
    const project = '/state/sessions/yard+a';
    await system.files.makeLink(`${project}/${id(1)}`, `${project}/${id(2)}`);
    await system.files.makeLink(project, '/state/sessions/yard+link');
    system.files.seedFolder(`${project}/${id(3)}`);
    await system.files.makeLink(path, `${project}/${id(3)}/journal.jsonl`);
    system.files.seedOther(`${project}/${id(4)}/journal.jsonl`);
    system.files.seed(`${project}/${id(5)}/journal.jsonl`, '');
    system.files.seed(`${project}/notes/journal.jsonl`, 'x\n');
    expect((await listSessions(system, STATE, null)).map((session) => session.id)).toEqual([id(1)]);
    expect(await listSessions(system, '/elsewhere', null)).toEqual([]);
  });
});

describe('one session', () => {
  test('by its id or the first eight characters; none and several are different refusals', async () => {
    const system = createMemorySystem();
    await newSession(system, 1, '/yard/a');
    await newSession(system, 2, '/yard/b');
    system.files.seed(`/state/sessions/yard+b/0199aaa2-0000-7000-8000-0000000000ff/journal.jsonl`, 'x\n');
    const found = { ok: true, value: { id: id(1), place: `/state/sessions/yard+a/${id(1)}` } } as const;
    expect(await findSession(system, STATE, null, id(1))).toEqual(found);
    expect(await findSession(system, STATE, null, ' 0199AAA1')).toEqual(found);
    expect(await findSession(system, STATE, null, '0199aaa10000')).toEqual(found);
    const refusal = async (typed: string, project: string | null = null) => {
      const result = await findSession(system, STATE, project, typed);
      return result.ok ? null : result.refusal.identifier;
    };
    expect(await refusal('0199aaa2')).toBe('session-ambiguous');
    expect(await refusal(id(2))).toBeNull();
    expect(await refusal('0199aaa9')).toBe('session-not-found');
    expect(await refusal('0199aaa1', '/yard/b')).toBe('session-not-found');
    for (const typed of ['', '0199aaa', '../../../etc', '0199aaa1/..', 'nonsense'])
      expect(await refusal(typed)).toBe('session-id-invalid');
  });

  test('SD-4 what is no id never becomes a path', () => {
    expect(isSessionId(id(1))).toBe(true);
    for (const text of ['..', '', `${id(1)}/..`, id(1).toUpperCase(), `${id(1)}\n`]) {
      expect(isSessionId(text)).toBe(false);
      expect(() => sessionFolder(STATE, '/yard', text)).toThrow('not a session id');
    }
  });
});

test('a side conversation lies apart and is never listed nor found by its id, nor is a project taken for it (SI-7)', async () => {
  const system = createMemorySystem();
  const journal = await newSession(system, 1, '/side', ...TURN);
  const folder = sideFolder(STATE, id(2));
  expect(folder).toBe(`/state/sessions/side/${id(2)}`);
  const made = await createJournal({ ...system, folder, session: id(2), first: make.sessionBody(id(2), '/side') });
  expect(made.ok).toBe(true);
  expect(journal.startsWith('/state/sessions/side/')).toBe(false);
  for (const project of ['/side', null])
    expect((await listSessions(system, STATE, project)).map((one) => one.id)).toEqual([id(1)]);
  expect(await findSession(system, STATE, null, id(2))).toMatchObject({ ok: false });
  expect(() => sideFolder(STATE, '../x')).toThrow();
});
