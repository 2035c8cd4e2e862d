import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createMemoryClock } from '../../system/memory/clock.ts';
import { createMemoryEnvironment } from '../../system/memory/environment.ts';
import { createModels, type Models } from './catalog.ts';
import { modelRefText, parseModelRef } from './model-ref.ts';
import { type ModelSettings, NO_MODEL_SETTINGS, type ProviderSettings } from './model-settings.ts';

const OWN: ProviderSettings = {
  api: 'anthropic',
  baseUrl: 'http://localhost:1',
  apiKeyEnv: null,
  headers: {},
  models: [],
};

function models(variables: Record<string, string> = {}, settings: Partial<ModelSettings> = {}): Models {
  return createModels({
    environment: createMemoryEnvironment({ variables }),
    network: { fetch: globalThis.fetch },
    clock: createMemoryClock(),
    settings: { ...NO_MODEL_SETTINGS, ...settings },
  });
}

const NOBODY = { explicit: null, session: null, interactive: false };

test('a reference splits at its first colon; a slash counts only after a known provider', () => {
  const known = (provider: string) => provider === 'anthropic';
  expect(parseModelRef('anthropic:claude-x', known)).toEqual({ provider: 'anthropic', model: 'claude-x' });
  expect(parseModelRef('ollama:qwen3:8b', known)).toEqual({ provider: 'ollama', model: 'qwen3:8b' });
  expect(parseModelRef('anthropic/claude-x', known)).toEqual({ provider: 'anthropic', model: 'claude-x' });
  expect(parseModelRef('openrouter:meta/llama:free', known)).toEqual({
    provider: 'openrouter',
    model: 'meta/llama:free',
  });
  for (const text of ['meta/llama', 'claude-x', ':x', 'x:', ' ', '']) expect(parseModelRef(text, known)).toBeNull();
});

test('any reference can be written and read back', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]*$/);
  fc.assert(
    fc.property(name, fc.stringMatching(/^[a-z0-9][a-z0-9:/.-]*$/), (provider, model) => {
      expect(parseModelRef(modelRefText({ provider, model }), () => false)).toEqual({ provider, model });
    }),
  );
});

test('explicit comes before session, settings, a key at hand and the pilot', () => {
  const session = { provider: 'anthropic', model: 'of-the-session' };
  const full = models({ ANTHROPIC_API_KEY: 'k' }, { model: 'anthropic:of-the-settings' });
  const from = (made: Models, sources: object) => made.configured({ ...NOBODY, interactive: true, ...sources });
  expect(from(full, { explicit: 'anthropic:typed', session })).toMatchObject({
    value: { ref: { model: 'typed' }, from: 'explicit' },
  });
  expect(from(full, { session })).toMatchObject({ value: { ref: session, from: 'session' } });
  expect(from(full, {})).toMatchObject({ value: { ref: { model: 'of-the-settings' }, from: 'settings' } });
  expect(from(models({ ANTHROPIC_API_KEY: 'k' }), {})).toMatchObject({
    value: { ref: { provider: 'anthropic' }, from: 'environment' },
  });
  expect(from(models(), {})).toMatchObject({ value: { ref: { provider: 'demo', model: 'pilot' }, from: 'demo' } });
  expect(models().configured(NOBODY)).toMatchObject({ ok: false, refusal: { identifier: 'no-model' } });
});

test('a wrong name is refused, never passed over for the next source', () => {
  const made = models({ ANTHROPIC_API_KEY: 'k' }, { model: 'nowhere:x' });
  expect(made.configured(NOBODY)).toMatchObject({ ok: false, refusal: { identifier: 'unknown-provider' } });
  expect(made.configured({ ...NOBODY, explicit: 'claude' })).toMatchObject({
    ok: false,
    refusal: { identifier: 'unknown-model' },
  });
});

test('a missing key is named by its variable, and no refusal holds a key', async () => {
  const ref = { provider: 'anthropic', model: 'claude-opus-5-5' };
  expect(await models().open(ref)).toMatchObject({
    ok: false,
    refusal: { identifier: 'no-credential', message: expect.stringContaining('ANTHROPIC_API_KEY') },
  });
  const broken = await models({ ANTHROPIC_API_KEY: 'sk-one\nsk-two' }).open(ref);
  expect(broken).toMatchObject({ ok: false, refusal: { identifier: 'no-credential' } });
  expect(JSON.stringify(broken)).not.toContain('sk-one');
  expect(await models({ ANTHROPIC_API_KEY: ' sk-one\n' }).open(ref)).toMatchObject({ ok: true, value: { ref } });
});

test('what is known of a model comes from the settings first, then its vendor, else it is unknown', async () => {
  const custom = { id: 'claude-opus-5-5', contextWindow: 5_000, maxOutput: null };
  const made = models(
    { ANTHROPIC_API_KEY: 'k' },
    { providers: { mine: { ...OWN, models: [custom, { id: 'small', contextWindow: null, maxOutput: 9 }] } } },
  );
  const facts = async (provider: string, model: string) => {
    const opened = await made.open({ provider, model });
    return opened.ok ? opened.value.facts : null;
  };
  expect(await facts('anthropic', 'claude-haiku-4-5-20251001')).toMatchObject({
    contextWindow: 200_000,
    price: { input: 1 },
  });
  expect(await facts('anthropic', 'claude-of-tomorrow')).toMatchObject({
    contextWindow: null,
    maxOutput: null,
    price: null,
    efforts: [],
  });
  expect(await facts('mine', 'claude-opus-5-5')).toMatchObject({ contextWindow: 5_000, maxOutput: 128_000 });
  expect(await facts('mine', 'small')).toMatchObject({ contextWindow: null, maxOutput: 9, price: null });
  expect(await made.open({ provider: 'mine', model: 'large' })).toMatchObject({
    ok: false,
    refusal: { identifier: 'unknown-model' },
  });
});

test.each<[Partial<ProviderSettings>, string]>([
  [{ api: 'telepathy' }, 'telepathy'],
  [{ baseUrl: null }, 'baseUrl'],
  [{ baseUrl: 'localhost:1' }, 'http'],
])('a provider that cannot be reached as set, %j, is refused with what is wrong', async (change, word) => {
  const made = models({}, { providers: { mine: { ...OWN, ...change } } });
  expect(await made.open({ provider: 'mine', model: 'x' })).toMatchObject({
    ok: false,
    refusal: { identifier: 'unknown-provider', message: expect.stringContaining(word) },
  });
});

test('the list names every known model, with the pilot last, and says where a key is missing', () => {
  const rows = models(
    {},
    { providers: { mine: { ...OWN, models: [{ id: 'm', contextWindow: null, maxOutput: null }] } } },
  ).list();
  expect(rows.find((row) => row.ref.model === 'claude-opus-5-5')).toMatchObject({
    ready: false,
    provider: 'Anthropic',
  });
  expect(rows.filter((row) => row.ref.provider === 'mine')).toMatchObject([{ ref: { model: 'm' }, ready: true }]);
  expect(rows.at(-1)?.ref).toEqual({ provider: 'demo', model: 'pilot' });
});
