import { expect, test } from 'bun:test';
import { createMemoryClock } from '../../system/memory/clock.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { readProviders } from '../settings/provider-schema.ts';
import { createModels } from './catalog.ts';
import { offersFast } from './fast.ts';

test("the vendor's own large models are served faster, small ones and those of others are not known to be (FA-7)", () => {
  const offered = ['gpt-6.2-sol', 'gpt-5.1', 'gpt-5', 'gpt-10'].map((model) => offersFast('openai', model));
  expect(offered).toEqual([true, true, true, true]);
  const others = ['gpt-5-mini', 'gpt-5.4-nano', 'gpt-4o', 'o3', 'whatever'].map((model) => offersFast('openai', model));
  expect(others).toEqual([false, false, false, false, false]);
  expect([offersFast('anthropic', 'gpt-5'), offersFast(null, 'gpt-5')]).toEqual([false, false]);
});

test('a model of the person’s own is served faster where they say so, and the vendor’s is not where they deny it (FA-7)', async () => {
  const { environment, network, images } = createMemorySystem();
  const models = [{ id: 'quick', fastMode: true }, 'slow'];
  const providers = readProviders({
    mine: { api: 'openai-responses', baseUrl: 'http://127.0.0.1:9/v1', models },
    openai: { api: 'openai-responses', models: [{ id: 'gpt-6.2-sol', fastMode: false }] },
  });
  const own = createModels({
    environment,
    network,
    images,
    clock: createMemoryClock(),
    settings: { model: null, providers },
  });
  const fast = (provider: string, model: string) =>
    own.list().find(({ ref }) => ref.provider === provider && ref.model === model)?.facts.fast ?? false;
  expect([fast('mine', 'quick'), fast('mine', 'slow')]).toEqual([true, false]);
  expect([fast('openai', 'gpt-6.2-sol'), fast('openai', 'gpt-6.1-sol')]).toEqual([false, true]);
});
