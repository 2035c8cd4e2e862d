import { expect, test } from 'bun:test';
import { createMemoryClock } from '../../system/memory/clock.ts';
import { createMemoryEnvironment } from '../../system/memory/environment.ts';
import { createModels } from '../models/catalog.ts';
import { CHAT_DIALECTS } from '../models/providers/openai-chat-dialects.ts';
import { PROVIDER_SCHEMA, readProviders } from './provider-schema.ts';

const BASE = { api: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1' };

test('a dialect has the name its habits are kept under, and no other is taken', () => {
  const { dialect } = (PROVIDER_SCHEMA as { properties: { dialect: { enum: readonly string[] } } }).properties;
  expect([...dialect.enum].sort()).toEqual(Object.keys(CHAT_DIALECTS).sort());
  expect(readProviders({ a: { ...BASE, dialect: 'llama.cpp' } }).a!.dialect).toBe('llama.cpp');
  expect(readProviders({ a: { ...BASE, dialect: 'klingon' } }).a!.dialect).toBeNull();
});

test('what a person knows of a model is what is shown of it; an odd value costs itself only (PRV-4)', async () => {
  const providers = readProviders({
    mine: {
      ...BASE,
      label: 'My box',
      models: [
        {
          id: 'big',
          contextWindow: 64_000,
          maxOutput: -1,
          images: false,
          thinking: true,
          efforts: ['high', 'low', 'huge'],
          price: { input: 1, output: 2, cacheRead: 0.1, fast: { input: 3, output: 4 } },
        },
        { id: 'half', contextWindow: 'many', price: { input: 1 } },
        'plain',
        { name: 'no id' },
      ],
    },
    wrong: { api: 'carrier-pigeon' },
  });
  expect(Object.keys(providers)).toEqual(['mine']);
  const models = createModels({
    environment: createMemoryEnvironment({}),
    network: { fetch: globalThis.fetch },
    clock: createMemoryClock(),
    images: { fit: async () => null },
    settings: { model: null, providers },
  });
  const rows = models.list().filter((row) => row.ref.provider === 'mine');
  expect(rows.map((row) => [row.provider, row.ref.model])).toEqual([
    ['My box', 'big'],
    ['My box', 'half'],
    ['My box', 'plain'],
  ]);
  expect(rows[0]!.facts).toMatchObject({
    contextWindow: 64_000,
    maxOutput: null,
    images: false,
    thinking: true,
    efforts: ['low', 'high'],
    price: {
      ...{ input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 },
      fast: { input: 3, output: 4, cacheRead: 3, cacheWrite: 3 },
    },
  });
  expect(rows[1]!.facts).toMatchObject({ contextWindow: null, price: null });
});
