import { afterEach, expect, test } from 'bun:test';
import { startFakeAnthropic } from '../../../../test/support/fake-anthropic.ts';
import { startFakeChat } from '../../../../test/support/fake-openai-chat.ts';
import { startFakeResponses } from '../../../../test/support/fake-openai-responses.ts';
import { collectReply } from '../../../../test/support/wire-asking.ts';
import { createMemoryClock } from '../../../system/memory/clock.ts';
import { createMemoryEnvironment } from '../../../system/memory/environment.ts';
import { createModels } from '../catalog.ts';
import { NO_MODEL_SETTINGS, type ProviderSettings } from '../model-settings.ts';
import { readHeaderLines } from './own-headers.ts';

const CANARY = 'canary-of-another-service';
const VARIABLES = ['OPENAI_CUSTOM_HEADERS', 'ANTHROPIC_CUSTOM_HEADERS'] as const;
const before = VARIABLES.map((name) => process.env[name]);
afterEach(() => {
  for (const [index, name] of VARIABLES.entries()) {
    if (before[index] === undefined) delete process.env[name];
    else process.env[name] = before[index];
  }
});

const START = {
  'openai-chat': startFakeChat,
  'openai-responses': startFakeResponses,
  anthropic: startFakeAnthropic,
} as const;

test.each(Object.keys(START) as (keyof typeof START)[])(
  'headers out of the environment go to their vendor alone, never to another %s provider (PRV-1)',
  async (api) => {
    const lines = `Authorization: Bearer ${CANARY}\nX-Canary: ${CANARY}\nUser-Agent: ${CANARY}`;
    // The vendors' libraries look into the environment of the process itself.
    for (const name of VARIABLES) process.env[name] = lines;
    const server = await START[api](['ok', 'ok']);
    const path = api === 'anthropic' ? '' : '/v1';
    const own: ProviderSettings = {
      api,
      baseUrl: `${server.url}${path}`,
      apiKeyEnv: 'MINE_KEY',
      headers: { 'x-mine': 'yes' },
      models: [],
    };
    const models = createModels({
      environment: createMemoryEnvironment({
        variables: {
          MINE_KEY: 'key-of-mine-123',
          OPENAI_API_KEY: 'key-of-openai-1',
          ANTHROPIC_API_KEY: 'key-of-anthropic',
          OPENAI_BASE_URL: `${server.url}/v1`,
          ANTHROPIC_BASE_URL: server.url,
          OPENAI_CUSTOM_HEADERS: lines,
          ANTHROPIC_CUSTOM_HEADERS: lines,
        },
      }),
      network: { fetch: globalThis.fetch },
      clock: createMemoryClock(),
      images: { fit: async () => null },
      settings: { ...NO_MODEL_SETTINGS, providers: { mine: own } },
    });
    const ask = async (provider: string) => {
      const opened = await models.open({ provider, model: 'some-model' });
      if (!opened.ok) throw new Error(opened.refusal.message);
      await collectReply(opened.value);
      return server.requests.at(-1)!.headers;
    };
    const mine = await ask('mine');
    expect(JSON.stringify(mine)).not.toContain(CANARY);
    expect(mine.authorization).toBe('Bearer key-of-mine-123');
    expect(mine['x-mine']).toBe('yes');
    if (api !== 'openai-chat') {
      const vendor = await ask(api === 'anthropic' ? 'anthropic' : 'openai');
      expect(vendor['x-canary']).toBe(CANARY);
      expect(vendor['x-mine']).toBeUndefined();
    }
    await server.close();
  },
);

test('lines that cannot be headers are left out', () => {
  expect(readHeaderLines('A: b\nno colon\n : x\nC-D:e:f\nbad name: x\nG: \u00e4')).toEqual({ A: 'b', 'C-D': 'e:f' });
});
