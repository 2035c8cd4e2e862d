import { afterEach, expect, test } from 'bun:test';
import { createBunEnvironment } from './environment.ts';
import { LARGE_PAGES } from './large-pages.ts';

const before = process.env[LARGE_PAGES];
afterEach(() => {
  if (before === undefined) delete process.env[LARGE_PAGES];
  else process.env[LARGE_PAGES] = before;
});

test('what the launcher asks of this process alone is handed on to none that it starts', () => {
  process.env[LARGE_PAGES] = '1';
  const environment = createBunEnvironment();
  expect(environment.get('PATH')).toBe(process.env.PATH);
  expect(environment.all()).not.toHaveProperty(LARGE_PAGES);
});
