import { expect, test } from 'bun:test';
import { createBunClock } from './clock.ts';
import { createBunEnvironment, createBunIds } from './environment.ts';

test('sleeping ends with its time or its signal', async () => {
  const clock = createBunClock();
  const before = clock.ticks();
  expect(await clock.sleep(5)).toBe(true);
  expect(clock.ticks() - before).toBeGreaterThanOrEqual(4);
  const stop = new AbortController();
  const sleeping = clock.sleep(60_000, stop.signal);
  stop.abort();
  expect(await sleeping).toBe(false);
  expect(await clock.sleep(60_000, stop.signal)).toBe(false);
});

test('a very long wait does not end at once, and can be taken back', async () => {
  const clock = createBunClock();
  let fired = false;
  const back = clock.after(2 ** 40, () => {
    fired = true;
  });
  await clock.sleep(3);
  back();
  expect(fired).toBe(false);
});

test('ids made in one go sort in their order', () => {
  const ids = createBunIds();
  const made = Array.from({ length: 500 }, () => ids.uuid());
  expect(made).toEqual([...made].sort());
  expect(new Set(made).size).toBe(500);
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids.hex(5)).toMatch(/^[0-9a-f]{10}$/);
});

test('the environment is a copy that knows no inherited names', () => {
  const environment = createBunEnvironment();
  expect(environment.get('constructor')).toBeUndefined();
  expect(environment.get('PATH')).toBe(process.env.PATH as string);
  expect(environment.folder).toBe(process.cwd());
});

test('a home that is no absolute path is none; a working folder that is gone is still named', async () => {
  const module = JSON.stringify(`${import.meta.dir}/environment.ts`);
  const program = `import { createBunEnvironment } from ${module};
    const { home, folder } = createBunEnvironment(); console.log(JSON.stringify({ home, folder }));`;
  const line = 'd=$(mktemp -d) && cd "$d" && rmdir "$d" && echo "$d" && exec "$@"';
  const child = Bun.spawn(['bash', '-c', line, 'bash', process.execPath, '-e', program], {
    env: { PATH: process.env.PATH, HOME: 'relative' },
    stdout: 'pipe',
  });
  const [folder, answer = ''] = (await new Response(child.stdout).text()).split('\n');
  expect(JSON.parse(answer)).toEqual({ home: null, folder });
});
