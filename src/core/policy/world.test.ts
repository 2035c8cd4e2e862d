import { beforeEach, describe, expect, test } from 'bun:test';
import type { Effect } from '../../protocol/effect.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { createMemorySystem, type MemorySystem } from '../../system/memory/system.ts';
import type { FactScope } from './facts.ts';
import { gatherFacts } from './gather-facts.ts';
import { consume, type Grant, issueGrant } from './grant.ts';
import { NO_RULES } from './rules.ts';
import { type GrantedWrite, openWorld } from './world.ts';

let system: MemorySystem;
let written: GrantedWrite[];
let ran: string[];

const scope: FactScope = {
  workspace: '/yard',
  roots: [],
  trust: new Map([['/yard', true]]),
  home: null,
  own: [],
  outputs: null,
  path: '/usr/bin',
};
const read = (path: string): Effect => ({ kind: 'read', path, label: TRUSTED_PUBLIC });
const HASH_OF_HI = '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4';

beforeEach(async () => {
  system = createMemorySystem();
  written = [];
  ran = [];
  await system.files.createNew('/yard/a.txt', new TextEncoder().encode('hi'), 0o644);
  await system.files.createNew('/yard/b.txt', new TextEncoder().encode('other'), 0o644);
});

async function grant(...effects: readonly Effect[]): Promise<Grant> {
  return issueGrant(effects, await gatherFacts(effects, scope, system));
}

function open(permission: Grant) {
  return openWorld({
    grant: permission,
    call: 'c1',
    files: system.files,
    processes: system.processes,
    rules: NO_RULES,
    signal: new AbortController().signal,
    runLine: async ({ line }) => ran.push(line),
    runHelper: async () => null,
    write: async (write) => void written.push(write),
  });
}

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );

describe('a granted world', () => {
  test('PR-9: a grant is used once, and only one that was issued', async () => {
    const permission = await grant(read('/yard/a.txt'));
    open(permission);
    expect(() => open(permission)).toThrow('already used');
    expect(consume({ effects: permission.effects, facts: permission.facts })).toBe(false);
    expect(() => Object.assign(permission.effects[0]!, { path: '/yard/b.txt' })).toThrow();
  });

  test('PR-9: covers its own path and nothing beside it', async () => {
    const { files } = open(await grant(read('/yard/a.txt')));
    expect(new TextDecoder().decode(await files.read('/yard/a.txt'))).toBe('hi');
    expect(await code(files.read('/yard/b.txt'))).toBe('EPERM');
    expect(await code(files.list('/yard'))).toBe('EPERM');
    expect(await code(files.write('/yard/a.txt', new Uint8Array(), null))).toBe('EPERM');
  });

  test('PR-9: the path must still lead where it led when it was decided', async () => {
    const { files } = open(await grant(read('/yard/a.txt')));
    await system.files.remove('/yard/a.txt');
    await system.files.makeLink('/yard/b.txt', '/yard/a.txt');
    expect(await code(files.read('/yard/a.txt'))).toBe('EPERM');
    expect(await code(files.readRange('/yard/a.txt', 0, 10))).toBe('EPERM');
    expect(await code(files.stat('/yard/a.txt'))).toBe('EPERM');
  });

  test('a walk covers what is below, but no link out, and contents only when granted', async () => {
    await system.files.makeFolder('/else', 0o755);
    await system.files.createNew('/else/x', new TextEncoder().encode('x'), 0o644);
    await system.files.makeLink('/else', '/yard/out');
    const walk = (contents: boolean): Effect => ({ kind: 'walk', path: '/yard', contents, label: TRUSTED_PUBLIC });
    const names = open(await grant(walk(false)));
    expect((await names.files.list('/yard')).map((entry) => entry.name).sort()).toEqual(['a.txt', 'b.txt', 'out']);
    expect(await code(names.files.read('/yard/a.txt'))).toBe('EPERM');
    expect(await code(names.files.list('/yard/out'))).toBe('EPERM');
    const contents = open(await grant(walk(true)));
    expect(await code(contents.files.read('/yard/a.txt'))).toBe('done');
    expect(await code(contents.files.read('/yard/out/x'))).toBe('EPERM');
    expect(contents.files.covers('/yard/.git/config')).toBe(false);
  });

  test('PR-9: a write must be the very bytes that were approved, and happens once', async () => {
    const effect: Effect = {
      kind: 'write',
      path: '/yard/n.txt',
      content: { change: 'create', before: null, after: HASH_OF_HI, bytes: 2 },
      label: TRUSTED_PUBLIC,
    };
    const { files } = open(await grant(effect));
    expect(await code(files.write('/yard/n.txt', new TextEncoder().encode('ho'), null))).toBe('EPERM');
    expect(await code(files.write('/yard/n.txt', new TextEncoder().encode('hi'), null))).toBe('done');
    expect(await code(files.write('/yard/n.txt', new TextEncoder().encode('hi'), null))).toBe('EPERM');
    expect(written).toMatchObject([{ call: 'c1', path: '/yard/n.txt', real: '/yard/n.txt', expected: null }]);
  });

  test('UP-53: a command runs as it was approved, once', async () => {
    const effect: Effect = {
      kind: 'run',
      line: 'ls',
      folder: '/yard',
      background: false,
      terminal: false,
      timeoutMs: 1,
      label: TRUSTED_PUBLIC,
    };
    const world = open(await grant(effect));
    await world.runLine(() => {});
    expect(await code(world.runLine(() => {}))).toBe('EPERM');
    expect(ran).toEqual(['ls']);
  });
});
