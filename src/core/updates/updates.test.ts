import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type FakeRegistry, fakeRegistry, releases } from '../../../test/support/fake-registry.ts';
import { createBunSystem } from '../../system/bun/system.ts';
import { createMemoryClock } from '../../system/memory/clock.ts';
import { createMemoryEnvironment } from '../../system/memory/environment.ts';
import { createMemoryFiles } from '../../system/memory/files.ts';
import { askRegistry, type Found } from './ask-registry.ts';
import { installPlan } from './install-plan.ts';
import { isNewer } from './releases.ts';
import { createUpdateWatch, EVERY_MS, FIRST_MS } from './update-watch.ts';

let registry: FakeRegistry;
beforeEach(() => {
  registry = fakeRegistry();
});
afterEach(() => {
  expect(registry.faults).toEqual([]);
  registry.close();
});

function parts(variables?: Readonly<Record<string, string>>) {
  const clock = createMemoryClock();
  const environment = createMemoryEnvironment({ variables: variables ?? { npm_config_registry: `${registry.url}/` } });
  return { network: createBunSystem().network, files: createMemoryFiles(clock), environment, clock };
}

const ask = (own = '0.1.0'): Promise<Found> => askRegistry(parts(), own);

test('only a stable release that nobody withdrew and that is newer counts; the newest of them is named (UP-1, UP-4)', async () => {
  registry.answer = () =>
    releases('0.1.0', '0.2.0', '0.10.0', '0.9.9', '1.0.0-rc.1', ['0.11.0', { deprecated: 'broken' }], '0.0.9');
  expect(await ask()).toEqual({ kind: 'newer', version: '0.10.0' });
  expect(await ask('0.10.0')).toEqual({ kind: 'none' });
  expect(await ask('0.10.0-next.1')).toEqual({ kind: 'newer', version: '0.10.0' });
  expect(registry.asked).toEqual(['GET /houston', 'GET /houston', 'GET /houston']);
});

test('a package of the same name that is somebody else’s is no release', async () => {
  registry.answer = () => releases(['9.0.0', { bin: { houston: 'x' }, dependencies: {} }], ['9.0.1', { bin: {} }]);
  expect(await ask()).toEqual({ kind: 'none' });
});

test('whatever a registry answers, nothing fails and nothing is told (UP-1)', async () => {
  const answers: (() => Response)[] = [
    () => new Response('nothing', { status: 500 }),
    () => new Response('{"versions": {', { status: 200 }),
    () => Response.json({ versions: [] }),
    () => new Response('x'.repeat(5 * 1024 * 1024)),
    () => Response.redirect('https://example.com/houston'),
  ];
  for (const answer of answers) {
    registry.answer = answer;
    expect((await ask()).kind).not.toBe('newer');
  }
  registry.answer = () => new Response('', { status: 404 });
  expect(await ask()).toEqual({ kind: 'none' });
});

test('a registry that does not answer is waited for no longer than ten seconds (UP-1)', async () => {
  const arrived = Promise.withResolvers<void>();
  registry.answer = () => {
    arrived.resolve();
    return new Promise<Response>(() => {});
  };
  const own = parts();
  const asked = askRegistry(own, '0.1.0');
  await arrived.promise;
  await own.clock.advance(10_000);
  expect(await asked).toEqual({ kind: 'unknown' });
});

test('the registry of the person’s .npmrc is asked where no variable names one', async () => {
  registry.answer = () => releases('0.2.0');
  const own = parts({ HOME: '/home/pat' });
  await own.files.makeFolder(own.environment.home!, 0o700);
  const text = new TextEncoder().encode(`fund=false\nregistry = ${registry.url}\n`);
  await own.files.writeAtomic(`${own.environment.home}/.npmrc`, text, { mode: 0o600, flush: false });
  expect(await askRegistry(own, '0.1.0')).toEqual({ kind: 'newer', version: '0.2.0' });
});

test('it looks a while after it began and every four hours, tells of each release once, and nothing once it is stopped (UP-1)', async () => {
  const clock = createMemoryClock();
  let looks = 0;
  let newest = '0.2.0';
  const watch = createUpdateWatch({
    clock,
    look: async () => {
      looks++;
      return { kind: 'newer', version: newest };
    },
  });
  const told: string[] = [];
  const stop = watch.watch((version) => told.push(version));
  expect(looks).toBe(0);
  await clock.advance(FIRST_MS);
  expect(told).toEqual(['0.2.0']);
  await clock.advance(EVERY_MS - 1);
  expect(looks).toBe(1);
  await clock.advance(1);
  expect([looks, told.length]).toEqual([2, 1]);
  newest = '0.3.0';
  await clock.advance(EVERY_MS);
  expect(told).toEqual(['0.2.0', '0.3.0']);
  stop();
  await clock.advance(EVERY_MS * 3);
  expect(looks).toBe(3);
  // Another window of this program knows it already, and asks nobody again before its time.
  const later: string[] = [];
  watch.watch((version) => later.push(version))();
  expect([later, looks]).toEqual([['0.3.0'], 3]);
});

test('versions are told apart by their numbers', () => {
  expect(isNewer('0.10.0', '0.9.0')).toBe(true);
  expect(isNewer('1.0.0', '1.0.0')).toBe(false);
  expect(isNewer('1.0.0', '1.0.0-beta.2')).toBe(true);
  expect(isNewer('0.9.9', '1.0.0-beta.2')).toBe(false);
});

test('the package manager that installed it is asked to install the other version; what none installed is left alone (UP-2)', () => {
  const argvOf = (root: string) => {
    const plan = installPlan(root, '0.2.0');
    return plan.ok ? plan.value.argv.join(' ') : plan.refusal.identifier;
  };
  expect(argvOf('/usr/local/lib/node_modules/houston')).toBe('npm install --global --prefix /usr/local houston@0.2.0');
  expect(argvOf('/home/p/.local/share/pnpm/global/5/.pnpm/houston@0.1.0/node_modules/houston')).toBe(
    'pnpm add --global houston@0.2.0',
  );
  expect(argvOf('/home/p/.bun/install/global/node_modules/houston')).toBe('bun add --global houston@0.2.0');
  expect(argvOf('/home/p/.config/yarn/global/node_modules/houston')).toBe('yarn global add houston@0.2.0');
  expect(argvOf('/home/p/site/node_modules/houston')).toBe('update-of-a-project');
  expect(argvOf('/home/p/code/houston')).toBe('update-not-installed');
});
