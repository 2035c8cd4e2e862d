import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { startFakeAnthropic } from '../../../test/support/fake-anthropic.ts';
import { collectReply } from '../../../test/support/wire-asking.ts';
import { createMemoryClock } from '../../system/memory/clock.ts';
import { createMemoryEnvironment } from '../../system/memory/environment.ts';
import { createModels, type Models } from './catalog.ts';
import type { FreshFacts } from './facts/fresh-facts.ts';
import { modelRefText, parseModelRef } from './model-ref.ts';
import { type ModelSettings, NO_MODEL_SETTINGS, type ProviderSettings } from './model-settings.ts';

const OWN: ProviderSettings = {
  api: 'anthropic',
  baseUrl: 'http://localhost:1',
  apiKeyEnv: null,
  headers: {},
  models: [],
};

function models(
  variables: Record<string, string> = {},
  settings: Partial<ModelSettings> = {},
  fresh?: FreshFacts,
): Models {
  return createModels({
    environment: createMemoryEnvironment({ variables }),
    network: { fetch: globalThis.fetch },
    clock: createMemoryClock(),
    images: { fit: async () => null },
    settings: { ...NO_MODEL_SETTINGS, ...settings },
    ...(fresh === undefined ? {} : { fresh }),
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

test('a key the service does not accept is named by its variable, one that may not use the model is not blamed (PRV-6)', async () => {
  const said: [number, string][] = [];
  for (const status of [401, 403]) {
    const fake = await startFakeAnthropic([{ status }]);
    const opened = await models({ ANTHROPIC_API_KEY: 'sk-one', ANTHROPIC_BASE_URL: fake.url }).open({
      provider: 'anthropic',
      model: 'claude-opus-5-5',
    });
    if (!opened.ok) throw new Error(opened.refusal.message);
    const { result } = (await collectReply(opened.value)).end;
    if (result.outcome === 'failed') said.push([status, result.failure.message]);
    await fake.close();
  }
  expect(said).toEqual([
    [401, 'The service does not accept the key in ANTHROPIC_API_KEY (401)'],
    [403, 'The key is not allowed to use this model (403)'],
  ]);
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

test.each([
  ['openai:gpt-6-sol', 'OPENAI_API_KEY', 1_050_000],
  ['google:gemini-4-neon', 'GEMINI_API_KEY', 1_048_576],
  ['openrouter:meta/llama:free', 'OPENROUTER_API_KEY', null],
  ['ollama:qwen3:8b', null, null],
  ['lmstudio:any', null, null],
  ['llamacpp:any', null, null],
  ['vllm:any', null, null],
])('%s needs %p and nothing else (PRV-1)', async (name, variable, contextWindow) => {
  const all = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'];
  const others = Object.fromEntries(all.filter((one) => one !== variable).map((one) => [one, 'k']));
  const open = async (variables: Record<string, string>) => {
    const made = models(variables);
    const ref = made.parse(name);
    return ref.ok ? made.open(ref.value) : ref;
  };
  const opened = await open({ ...others, ...(variable === null ? {} : { [variable]: 'k' }) });
  expect(opened).toMatchObject({ ok: true, value: { facts: { contextWindow } } });
  if (variable === null) return;
  expect(await open(others)).toMatchObject({
    ok: false,
    refusal: { identifier: 'no-credential', message: expect.stringContaining(variable) },
  });
});

test.each(['openai-responses', 'openai-chat', 'google'])(
  'a provider of the person speaks by its api: %s',
  async (api) => {
    const made = models({}, { providers: { mine: { ...OWN, api } } });
    expect(await made.open({ provider: 'mine', model: 'x' })).toMatchObject({
      ok: true,
      value: { ref: { model: 'x' } },
    });
  },
);

test('what was learned of a model since counts before what this version knows, not before the settings', async () => {
  const learned = { contextWindow: 7, maxOutput: null, images: false, thinking: true, efforts: [], price: null };
  const fresh: FreshFacts = {
    of: (provider, model) => (provider === 'openai' && ['gpt-6-sol', 'gpt-9'].includes(model) ? learned : null),
    names: (provider) => (provider === 'openai' ? ['gpt-6-sol', 'gpt-9'] : []),
    load: async () => {},
    want: () => {},
    refresh: async () => true,
  };
  const custom = { id: 'gpt-9', contextWindow: 9, maxOutput: null };
  const own = { ...OWN, api: 'openai-responses', baseUrl: null, apiKeyEnv: 'OPENAI_API_KEY', models: [custom] };
  const rows = models({}, {}, fresh).list();
  expect(rows.find(({ ref }) => ref.model === 'gpt-9')?.facts).toEqual(learned);
  expect(rows.find(({ ref }) => ref.model === 'gpt-6-sol')?.facts).toMatchObject({
    contextWindow: 7,
    maxOutput: 128_000,
    price: { input: 2 },
    images: false,
  });
  expect(rows.filter(({ ref }) => ref.model === 'gpt-6-sol')).toHaveLength(1);
  const set = models({}, { providers: { openai: own } }, fresh).list();
  expect(set.find(({ ref }) => ref.model === 'gpt-9')?.facts.contextWindow).toBe(9);
});

test('a server on this machine is asked for its models, and its names borrow no facts of others', async () => {
  const asked: string[] = [];
  const answer = async (url: string) => {
    asked.push(url);
    return Response.json({ data: [{ id: 'gpt-5' }, { id: 'qwen3:8b' }, { id: 'odd\u001b[31m' }, null, {}] });
  };
  const made = createModels({
    environment: createMemoryEnvironment({ variables: { OLLAMA_HOST: 'box:1' } }),
    network: { fetch: Object.assign(answer, { preconnect: () => {} }) as unknown as typeof globalThis.fetch },
    clock: createMemoryClock(),
    images: { fit: async () => null },
    settings: { ...NO_MODEL_SETTINGS, providers: { mine: { ...OWN, api: 'openai-chat' } } },
  });
  expect(made.list().filter((row) => row.ref.provider === 'ollama')).toEqual([]);
  await made.learn({ catalogue: false });
  expect(asked.sort()).toEqual([
    'http://127.0.0.1:1234/v1/models',
    'http://box:1/v1/models',
    'http://localhost:1/models',
  ]);
  const rows = made.list().filter((row) => row.ref.provider === 'ollama');
  expect(rows.map((row) => row.ref.model)).toEqual(['gpt-5', 'qwen3:8b']);
  expect(rows[0]).toMatchObject({ ready: true, facts: { contextWindow: null, price: null } });
});

test('a server that does not answer is not waited for', async () => {
  const clock = createMemoryClock();
  const never = (_: string, { signal }: { signal: AbortSignal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
  const made = createModels({
    environment: createMemoryEnvironment({}),
    network: { fetch: Object.assign(never, { preconnect: () => {} }) as unknown as typeof globalThis.fetch },
    clock,
    images: { fit: async () => null },
    settings: NO_MODEL_SETTINGS,
  });
  await clock.runUntil(made.learn({ catalogue: false }));
  expect(clock.ticks()).toBeLessThan(2_000);
});
