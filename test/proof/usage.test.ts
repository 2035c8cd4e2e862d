// The real program keeps count: what one-shot runs cost is told by `houston usage`, and a spent limit ends the next run.
import { afterAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { startFakeAnthropic } from '../support/fake-anthropic.ts';
import { makePlace } from '../support/houston-place.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

const PROVIDER = (url: string) => ({
  api: 'anthropic',
  baseUrl: url,
  apiKeyEnv: 'MINE_KEY',
  models: [{ id: 'priced', price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } }, 'unpriced'],
});

async function prepare(settings: object) {
  const usage = { input: 1_000, cacheRead: 9_000, output: 100 };
  const fake = await startFakeAnthropic([{ parts: ['ok'], usage }], { repeatLast: true });
  const place = await makePlace();
  place.environment.MINE_KEY = 'sk-mine';
  place.settings({ providers: { mine: PROVIDER(fake.url) }, ...settings });
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  return { fake, place };
}

test('houston usage adds up what every run cost, by day, model and session, and names what has no price (UP-56)', async () => {
  const { fake, place } = await prepare({});
  expect((await place.run(['usage'])).err).toContain('nothing was used in the last 30 days');
  for (const model of ['priced', 'priced', 'unpriced']) {
    const ran = await place.run(['-p', `say ${model}`, '-m', `mine:${model}`]);
    expect({ code: ran.code, out: ran.out }).toEqual({ code: 0, out: 'ok\n' });
  }
  expect((await place.run(['-p', 'unseen', '-m', 'mine:priced', '--no-save'])).code).toBe(0);
  const told = await place.run(['usage', '7']);
  expect(told.code).toBe(0);
  const line = (name: string) => told.out.split('\n').find((one) => one.includes(name));
  // Two runs at 0.0072; what leaves nothing behind leaves no figures.
  expect(line('mine:priced')).toMatch(/\$0\.0144 +2 requests +20000 in +18000 cached +200 out/);
  expect(line('mine:unpriced')).toMatch(/unknown +1 requests +10000 in/);
  expect(line('Last 7 days')).toMatch(/\$0\.0144 \+ \? +3 requests +30000 in +27000 cached +300 out/);
  expect(line('say unpriced')).toMatch(/unknown +1 requests/);
  expect(told.err).toBe(
    'houston: price-unknown: nobody says what 1 of these requests cost; they are not in the sums\n',
  );
  expect(fake.billed).toMatchObject({ input: 4_000, cacheRead: 36_000, output: 400 });
  expect((await place.run(['usage', '0'])).code).toBe(2);
}, 60_000);

test('a day that is spent ends the next run before it asks anything, with one line that says so', async () => {
  const { fake, place } = await prepare({ limits: { spending: { day: 0.0075 } } });
  const first = await place.run(['-p', 'one', '-m', 'mine:priced']);
  expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: '' });
  const second = await place.run(['-p', 'two', '-m', 'mine:priced']);
  expect({ code: second.code, out: second.out }).toEqual({ code: 0, out: 'ok\n' });
  expect(second.err).toMatch(
    /^houston: spending-near: 96% of today's spending limit is used: \$0\.0072 of \$0\.0075\.\n$/,
  );
  const third = await place.run(['-p', 'three', '-m', 'mine:priced']);
  expect({ code: third.code, out: third.out }).toEqual({ code: 1, out: '' });
  expect(third.err).toBe(
    "houston: spending-limit: Today's spending limit is reached: $0.0144 of $0.0075 (limits.spending.day)\n",
  );
  expect(fake.requests).toHaveLength(2);
  const unknown = await place.run(['-p', 'four', '-m', 'mine:unpriced', '--no-save']);
  expect(unknown.err).toMatch(/^houston: spending-unknown: Nobody says what mine:unpriced costs/m);
  expect(readdirSync(path.join(place.home, '.local', 'state', 'houston', 'usage'))).toHaveLength(1);
}, 60_000);
