import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type FakeRegistry, fakeRegistry, releases } from '../../test/support/fake-registry.ts';
import { createBunSystem } from '../system/bun/system.ts';
import { createMemoryClock } from '../system/memory/clock.ts';
import { createMemoryEnvironment } from '../system/memory/environment.ts';
import { parseArguments } from './arguments.ts';
import { findUpdate, installUpdate, reopening, watchReleases } from './updates.ts';

let registry: FakeRegistry;
beforeEach(() => {
  registry = fakeRegistry();
  registry.answer = () => releases('0.2.0');
});
afterEach(() => registry.close());

const ROOT = '/opt/lib/node_modules/houston';
const system = () => ({
  ...createBunSystem(),
  environment: createMemoryEnvironment({ variables: { npm_config_registry: registry.url } }),
});

test('there is something to install only where a newer release is told of and a package manager holds this one (UP-2)', async () => {
  expect(await findUpdate(system(), '0.1.0', ROOT)).toMatchObject({
    ok: true,
    value: { version: '0.2.0', manager: 'npm' },
  });
  expect(await findUpdate(system(), '0.2.0', ROOT)).toMatchObject({ ok: false, refusal: { identifier: 'newest' } });
  const asked = registry.asked.length;
  expect(await findUpdate(system(), '0.1.0', '/src/houston')).toMatchObject({
    refusal: { identifier: 'update-not-installed' },
  });
  expect(registry.asked).toHaveLength(asked);
});

test('the session is opened again after a successful update, and only then (UP-2)', async () => {
  const found = { manager: 'npm', argv: ['npm', 'install'], version: '0.2.0' } as const;
  for (const [code, runs] of [
    [0, ['npm install', '/houston --resume=1']],
    [1, ['npm install']],
    [null, ['npm install']],
  ] as const) {
    const ran: string[] = [];
    const run = async (argv: readonly string[]) => {
      ran.push(argv.join(' '));
      return argv[0] === 'npm' ? code : 0;
    };
    expect(await installUpdate(found, run, ['/houston', '--resume=1'], 'houston --resume 1')).toBe(code === 0 ? 0 : 1);
    expect(ran).toEqual([...runs]);
  }
});

test('what opens it again names exactly this session and never the prompt it was started with (UP-2, UP-3)', () => {
  const parsed = parseArguments(['--prompt', 'delete it all', '--theme', 'dark', '--no-host', '-m', 'a:b']);
  if (!parsed.ok) throw new Error(parsed.refusal.message);
  const words = reopening(parsed.value, '/project', '0123456789abcdef');
  expect(words).toEqual(['--cd', '/project', '--resume=0123456789abcdef', '--theme', 'dark', '--no-host']);
  expect(parseArguments(words)).toMatchObject({ ok: true, value: { prompt: null, subcommand: null } });
  const typed = parseArguments(['delete it all']);
  if (typed.ok) expect(reopening(typed.value, '/p', 'aa').join(' ')).not.toContain('delete');
});

test('houston update is the subcommand; with more words it is a prompt', () => {
  expect(parseArguments(['update'])).toMatchObject({ ok: true, value: { subcommand: { name: 'update', words: [] } } });
  expect(parseArguments(['update', 'the', 'readme'])).toMatchObject({
    ok: true,
    value: { subcommand: null, prompt: 'update the readme' },
  });
});

test('nobody is asked about releases for a checkout or a dependency of a project; a global install asks (UP-1)', async () => {
  for (const [root, asks] of [
    ['/src/houston', 0],
    ['/yard/node_modules/houston', 0],
    [ROOT, 1],
  ] as const) {
    const clock = createMemoryClock();
    const before = registry.asked.length;
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    registry.answer = () => {
      resolve();
      return releases('0.2.0');
    };
    const stop = watchReleases({ ...system(), clock }, root).watch(() => {});
    await clock.advance(10_000);
    if (asks > 0) await answered;
    stop();
    expect(registry.asked.length - before).toBe(asks);
  }
});
