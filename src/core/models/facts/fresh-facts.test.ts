import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createMemoryClock } from '../../../system/memory/clock.ts';
import { createMemorySystem } from '../../../system/memory/system.ts';
import { createFreshFacts, type FreshFactsOptions } from './fresh-facts.ts';
import { readModelsDev } from './models-dev.ts';

const CATALOGUE = {
  openai: {
    id: 'openai',
    models: {
      'gpt-7': {
        reasoning: true,
        tool_call: true,
        reasoning_options: [{ type: 'effort', values: ['none', 'low', 'max'] }],
        cost: {
          input: 2,
          output: 10,
          cache_read: 0.2,
          tiers: [{ tier: { size: 272_000 }, input: 4, output: 15, cache_read: 0.4 }],
        },
        limit: { context: 1_050_000, output: 128_000 },
        modalities: { input: ['text', 'image'] },
        experimental: {
          modes: {
            fast: {
              cost: { input: 4, output: 20, tiers: [{ tier: { size: 272_000 }, input: 8, output: 30 }] },
              provider: { body: { service_tier: 'priority' } },
            },
          },
        },
      },
      'gpt-8': {
        cost: { input: 1, output: 1 },
        experimental: { modes: { fast: { cost: { input: 2, output: 2 }, provider: { body: { speed: 'fast' } } } } },
      },
      'bare\u001b[31m': {},
      bare: { limit: { context: 'much' }, cost: { input: -1 } },
      'gpt-image': { tool_call: false },
    },
  },
  elsewhere: { models: { x: {} } },
};

const BARE = { contextWindow: null, maxOutput: null, images: false, thinking: false, efforts: [], price: null };

const GPT_7 = {
  contextWindow: 1_050_000,
  maxOutput: 128_000,
  images: true,
  thinking: true,
  efforts: ['low', 'max'],
  price: {
    input: 2,
    output: 10,
    cacheRead: 0.2,
    cacheWrite: 2,
    long: { tokens: 272_000, price: { input: 4, output: 15, cacheRead: 0.4, cacheWrite: 4 } },
    fast: {
      input: 4,
      output: 20,
      cacheRead: 4,
      cacheWrite: 4,
      long: { tokens: 272_000, price: { input: 8, output: 30, cacheRead: 8, cacheWrite: 8 } },
    },
  },
} as const;

function facts(answer: () => Promise<Response>, more: Partial<FreshFactsOptions> = {}) {
  const { files } = createMemorySystem();
  const clock = createMemoryClock();
  let asked = 0;
  const fetch = Object.assign(
    () => {
      asked++;
      return answer();
    },
    { preconnect: () => {} },
  ) as unknown as typeof globalThis.fetch;
  const options = {
    files,
    clock,
    network: { fetch },
    state: '/state/houston',
    providers: ['openai', 'google'],
    ...more,
  };
  return { options, made: createFreshFacts(options), asked: () => asked };
}

test('the catalogue is read as far as it can be trusted; what is odd in it is unknown', () => {
  expect(readModelsDev(CATALOGUE, ['openai', 'google'])).toEqual({
    openai: {
      'gpt-7': GPT_7,
      // Another way of being fast than the one that is asked for has another price.
      'gpt-8': { ...BARE, price: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } },
      bare: BARE,
    },
  });
  fc.assert(fc.property(fc.json(), (text) => void readModelsDev(JSON.parse(text), ['openai'])));
  fc.assert(
    fc.property(fc.jsonValue(), (value) => void readModelsDev({ openai: { models: { m: value } } }, ['openai'])),
  );
});

test('what was learned is kept for the next run, and learned anew after a day at the earliest', async () => {
  const { options, made, asked } = facts(async () => Response.json(CATALOGUE));
  expect(made.of('openai', 'gpt-7')).toBeNull();
  await made.refresh();
  await made.refresh();
  expect(made.of('openai', 'gpt-7')).toEqual(GPT_7);
  expect(asked()).toBe(1);

  const later = createFreshFacts(options);
  await later.refresh();
  expect(later.names('openai')).toEqual(['gpt-7', 'gpt-8', 'bare']);
  expect(later.of('toString', 'x')).toBeNull();
  expect(asked()).toBe(1);
  const tomorrow = createFreshFacts({ ...options, clock: { ...options.clock, now: () => Date.UTC(2050, 0) } });
  await tomorrow.refresh();
  expect(asked()).toBe(2);
});

test.each<[string, () => Promise<Response>]>([
  ['offline', () => Promise.reject(new Error('no network'))],
  ['refused', async () => new Response('no', { status: 403 })],
  ['a login page', async () => new Response('<html>')],
  ['something else', async () => Response.json([1])],
])('%s: nothing is learned, nothing is said, nothing is lost', async (_, answer) => {
  const { options, made } = facts(answer);
  await made.refresh();
  expect(made.names('openai')).toEqual([]);
  await options.files.makeFolder('/state/houston', 0o700);
  await options.files.writeAtomic('/state/houston/models.json', new TextEncoder().encode('{damaged'), {
    mode: 0o600,
    flush: false,
  });
  const again = createFreshFacts(options);
  await again.load();
  expect(again.names('openai')).toEqual([]);
});
