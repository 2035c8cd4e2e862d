import { describe, expect, test } from 'bun:test';
import * as make from '../../../test/support/entries.ts';
import type { Entry } from '../../protocol/entry.ts';
import { createMemorySystem, type MemorySystem } from '../../system/memory/system.ts';
import { createJournal, openJournal } from './file-journal.ts';
import { forkSession } from './fork.ts';
import type { Journal } from './journal.ts';
import { loadWaiting, recover } from './recover.ts';
import { loadSaid } from './said.ts';

const FROM = '/state/from';
const TO = '/state/to';

async function original(system: MemorySystem): Promise<Journal> {
  const made = await createJournal({ ...system, folder: FROM, session: 'first', first: make.sessionBody('first') });
  if (!made.ok) throw new Error(made.refusal.message);
  return made.value;
}

async function fork(system: MemorySystem, at?: string): Promise<Journal> {
  const forked = await forkSession({
    ...system,
    from: FROM,
    to: TO,
    session: 'second',
    build: 'b',
    ...(at === undefined ? {} : { at }),
  });
  if (!forked.ok) throw new Error(forked.refusal.message);
  const opened = await openJournal({ ...system, folder: TO });
  if (!opened.ok) throw new Error(opened.refusal.message);
  expect(opened.value.damaged).toEqual([]);
  expect(opened.value.leaf).toBe(forked.value.leaf);
  return opened.value;
}

function kinds(entries: readonly Entry[]): string[] {
  return entries.map(({ kind }) => kind);
}

describe('a copy of a session', () => {
  test('SC-20.9 has its own id, names the original, and reads it only', async () => {
    const system = createMemorySystem();
    const journal = await original(system);
    const [input] = journal.append([make.inputBody('hi')]).entries;
    journal.append([
      make.takenBody(input!.id, 1),
      make.turnStartBody(1),
      make.assistantBody(1, [make.textPart('yes')]),
      make.turnEndBody(1),
    ]);
    await journal.flush();
    const before = new Map(system.files.paths(FROM).map((path) => [path, system.files.textOf(path)]));
    const copy = await fork(system);
    expect(new Map(system.files.paths(FROM).map((path) => [path, system.files.textOf(path)]))).toEqual(before);
    expect(copy.session).toBe('second');
    expect(copy.branch()).toEqual(journal.branch());
    const [first, ...rest] = await copy.load(copy.branch());
    expect(first).toMatchObject({
      kind: 'session',
      session: 'second',
      build: 'b',
      folder: '/yard',
      forkedFrom: { session: 'first', entry: journal.leaf },
    });
    expect(rest).toEqual((await journal.load(journal.branch())).slice(1));
    copy.append([make.noteBody('mine')]);
    await copy.flush();
    expect(system.files.textOf(`${FROM}/journal.jsonl`)).toBe([...before.values()][0]!);
  });

  test('an unfinished turn is copied up to its last settled step, and what waits stays behind', async () => {
    const system = createMemorySystem();
    const journal = await original(system);
    const [input] = journal.append([make.inputBody('hi')]).entries;
    journal.append([
      {
        kind: 'queue',
        order: [],
        edited: [{ input: input!.id, text: 'hello', delivery: 'queue' }],
        paused: { because: 'stopped', message: '' },
      },
    ]);
    journal.append([
      make.takenBody(input!.id, 1),
      make.turnStartBody(1),
      make.assistantBody(1, [make.callPart('a')]),
      make.callBody(1, 'a'),
      make.resultBody(1, 'a'),
    ]);
    journal.append([
      make.assistantBody(1, [make.callPart('b'), make.callPart('c')]),
      make.callBody(1, 'b'),
      make.resultBody(1, 'b'),
      make.callBody(1, 'c'),
    ]);
    journal.append([make.inputBody('waits')]);
    await journal.flush();
    const copy = await fork(system);
    const entries = await copy.load(copy.branch());
    expect(kinds(entries)).toEqual(['session', 'taken', 'turn-start', 'assistant', 'call', 'result', 'turn-end']);
    expect(entries.at(-1)).toMatchObject({ reason: 'interrupted', turn: 1 });
    expect([...(await loadSaid(copy, entries)).values()].map(({ text }) => text)).toEqual(['hello']);
    expect(await loadWaiting(copy)).toMatchObject({ inputs: [], paused: null });
    expect(await recover(copy)).toEqual([]);
    expect(copy.ofKind('call')).toHaveLength(1);
  });

  test('a copy from an earlier place stands there and still has the whole tree', async () => {
    const system = createMemorySystem();
    const journal = await original(system);
    const [a, b] = journal.append([make.noteBody('a'), make.noteBody('b')]).entries;
    journal.append([{ kind: 'name', name: 'n', by: 'person' }]);
    await journal.flush();
    const copy = await fork(system, a!.id);
    expect(copy.leaf).toBe(a!.id);
    expect(copy.branch(b!.id)).toEqual(journal.branch(b!.id));
    expect(copy.ofKind('name')).toHaveLength(1);
  });

  test('attachments and outputs that are named go along, and no name leads out of the folder', async () => {
    const system = createMemorySystem();
    const journal = await original(system);
    const attachment = { kind: 'image' as const, name: 'x', mediaType: 'image/png', bytes: 3, hash: 'abc' };
    const [input] = journal.append([
      { ...make.inputBody('see'), attachments: [attachment, { ...attachment, hash: '../secret' }] },
    ]).entries;
    journal.append([
      make.takenBody(input!.id, 1),
      { ...make.resultBody(1, 'a'), output: 'a.log' },
      { ...make.resultBody(1, 'b'), output: '../secret' },
      make.turnEndBody(1),
    ]);
    await journal.flush();
    system.files.seed(`${FROM}/attachments/abc`, 'png');
    system.files.seed(`${FROM}/outputs/a.log`, 'x'.repeat(3_000_000));
    system.files.seed(`${FROM}/outputs/other.log`, 'not named');
    system.files.seed(`${FROM}/secret`, 's');
    await fork(system);
    expect(system.files.paths(TO)).toEqual([`${TO}/attachments/abc`, `${TO}/journal.jsonl`, `${TO}/outputs/a.log`]);
    expect(system.files.textOf(`${TO}/outputs/a.log`)).toHaveLength(3_000_000);
  });

  test('of a damaged original leaves the damage there', async () => {
    const system = createMemorySystem();
    const journal = await original(system);
    journal.append([make.noteBody('a'), make.noteBody('b'), make.noteBody('c')]);
    await journal.close();
    const path = `${FROM}/journal.jsonl`;
    const lines = system.files.textOf(path).split('\n');
    const damaged = `${[lines[0], lines[1], '{', lines[3]].join('\n')}\n{"torn`;
    system.files.seed(path, damaged);
    const copy = await fork(system);
    expect(kinds(await copy.load(copy.branch()))).toEqual(['session', 'note', 'note']);
    expect(system.files.textOf(path)).toBe(damaged);
    expect(system.files.paths(FROM)).toEqual([path]);
  });

  test('is there whole or not at all', async () => {
    const system = createMemorySystem();
    const journal = await original(system);
    journal.append([make.noteBody('a')]);
    await journal.flush();
    const options = { ...system, from: FROM, to: TO, session: 'second', build: 'b' };
    const heal = system.files.fail({ operation: 'append', path: TO, code: 'ENOSPC', tornBytes: 10 });
    expect(await forkSession(options)).toMatchObject({ ok: false, refusal: { identifier: 'fork-failed' } });
    expect(await system.files.stat(TO)).toBeNull();
    heal();
    expect(await forkSession({ ...options, at: 'nobody' })).toMatchObject({
      ok: false,
      refusal: { identifier: 'entry-not-found' },
    });
    expect(await forkSession({ ...options, from: '/nowhere' })).toMatchObject({
      ok: false,
      refusal: { identifier: 'session-not-found' },
    });
    expect(await forkSession(options)).toMatchObject({ ok: true });
    expect(await forkSession(options)).toMatchObject({ ok: false, refusal: { identifier: 'session-exists' } });
  });
});
