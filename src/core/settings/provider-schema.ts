import type { Json } from '../../base/json.ts';
import { isRecord } from './record.ts';

const APIS = ['anthropic', 'openai-responses', 'openai-chat', 'google', 'claude-cli'] as const;
/** Services that speak Chat Completions, each with habits of its own; `generic` takes what every server takes. */
const DIALECTS = ['openai', 'openrouter', 'ollama', 'llama.cpp', 'vllm', 'lmstudio', 'generic'] as const;
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export interface ProviderSetting {
  readonly api: (typeof APIS)[number];
  readonly baseUrl: string | null;
  readonly apiKeyEnv: string | null;
  readonly label: string | null;
  readonly dialect: (typeof DIALECTS)[number] | null;
  readonly catalogue: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly ModelSetting[];
}

/** What is missing is as the vendor publishes it, or unknown. */
export interface ModelSetting {
  readonly id: string;
  readonly contextWindow: number | null;
  readonly maxOutput: number | null;
  readonly images?: boolean;
  readonly thinking?: boolean;
  readonly efforts?: readonly (typeof EFFORTS)[number][];
  readonly fast?: boolean;
  readonly price?: PriceSetting;
}

/** US dollars a million tokens. */
interface PriceSetting {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Of the faster service; missing: not known. */
  readonly fast?: PriceSetting;
}

const TEXT = { type: 'string' } as const;
const TOKENS = { type: 'integer', minimum: 1 } as const;
const DOLLARS = { type: 'number', minimum: 0 } as const;
const PRICES = { input: DOLLARS, output: DOLLARS, cacheRead: DOLLARS, cacheWrite: DOLLARS } as const;

export const PROVIDER_SCHEMA: Json = {
  type: 'object',
  required: ['api'],
  properties: {
    api: { enum: APIS, description: 'How it speaks; claude-cli: through the installed claude program.' },
    baseUrl: { ...TEXT, description: 'Its address, up to and with the version, such as http://localhost:8000/v1.' },
    apiKeyEnv: { ...TEXT, description: 'Name of the environment variable that holds the key; never the key.' },
    label: { ...TEXT, description: 'What it is called on the screen.' },
    dialect: {
      enum: DIALECTS,
      description: 'Whose habits it has; with api openai-chat. Found by its address if unset.',
    },
    catalogue: { ...TEXT, description: 'Its name at models.dev, where prices and sizes come from; its id if unset.' },
    headers: { type: 'object', additionalProperties: TEXT, description: 'Sent to it and to no other provider.' },
    models: {
      type: 'array',
      description: 'Its models, by id or with what is known of them.',
      items: {
        anyOf: [
          TEXT,
          {
            type: 'object',
            required: ['id'],
            properties: {
              id: TEXT,
              contextWindow: TOKENS,
              maxOutput: TOKENS,
              images: { type: 'boolean' },
              thinking: { type: 'boolean' },
              fastMode: { type: 'boolean', description: 'Whether its service has a faster, dearer way (`/fast`).' },
              efforts: { type: 'array', items: { enum: EFFORTS } },
              price: {
                type: 'object',
                description:
                  'US dollars a million tokens; unset cache prices are those of input. `fast`: the same of the faster service.',
                required: ['input', 'output'],
                properties: { ...PRICES, fast: { type: 'object', required: ['input', 'output'], properties: PRICES } },
              },
            },
          },
        ],
      },
    },
  },
};

/** A provider without a known `api` is left out; any other odd value costs itself only. */
export function readProviders(value: { readonly [key: string]: Json }): Readonly<Record<string, ProviderSetting>> {
  const providers: Record<string, ProviderSetting> = {};
  for (const [id, entry] of Object.entries(value)) {
    if (!isRecord(entry)) continue;
    const api = APIS.find((one) => one === entry.api);
    if (api === undefined) continue;
    const models = Array.isArray(entry.models) ? entry.models : [];
    providers[id] = {
      api,
      baseUrl: textOf(entry.baseUrl),
      apiKeyEnv: textOf(entry.apiKeyEnv),
      label: textOf(entry.label),
      dialect: DIALECTS.find((one) => one === entry.dialect) ?? null,
      catalogue: textOf(entry.catalogue),
      headers: Object.fromEntries(
        Object.entries(isRecord(entry.headers) ? entry.headers : {}).filter(
          (pair): pair is [string, string] => typeof pair[1] === 'string',
        ),
      ),
      models: models.flatMap((model) => readModel(model) ?? []),
    };
  }
  return providers;
}

/** Why providers are left out, in words: without one, whoever asks for it would only hear that it is not known. */
export function faultsOfProviders(value: { readonly [key: string]: Json }): string[] {
  const apis = `${APIS.slice(0, -1).join(', ')} or ${APIS.at(-1)}`;
  return Object.entries(value).flatMap(([id, entry]) => {
    if (!isRecord(entry)) return [`providers.${id} is not an object`];
    const { api } = entry;
    if (APIS.some((one) => one === api)) return [];
    if (api === undefined) return [`providers.${id}.api is missing: ${apis}`];
    return [`providers.${id}.api is not ${apis}, but ${JSON.stringify(api)}`];
  });
}

function readModel(model: Json): ModelSetting | null {
  if (typeof model === 'string') return { id: model, contextWindow: null, maxOutput: null };
  if (!isRecord(model) || typeof model.id !== 'string') return null;
  const { id, contextWindow, maxOutput, images, thinking, efforts, fastMode } = model;
  const price = readPrice(model.price);
  return {
    id,
    contextWindow: tokensOf(contextWindow),
    maxOutput: tokensOf(maxOutput),
    ...(typeof images === 'boolean' ? { images } : {}),
    ...(typeof thinking === 'boolean' ? { thinking } : {}),
    ...(typeof fastMode === 'boolean' ? { fast: fastMode } : {}),
    ...(Array.isArray(efforts) ? { efforts: EFFORTS.filter((one) => efforts.includes(one)) } : {}),
    ...(price === null ? {} : { price }),
  };
}

/** Half a price is none: a cost made of it would be a guess. */
function readPrice(value: Json | undefined): PriceSetting | null {
  if (!isRecord(value)) return null;
  const { input, output, cacheRead, cacheWrite } = value;
  const fast = readPrice(value.fast);
  if (!isDollars(input) || !isDollars(output)) return null;
  return {
    input,
    output,
    cacheRead: isDollars(cacheRead) ? cacheRead : input,
    cacheWrite: isDollars(cacheWrite) ? cacheWrite : input,
    ...(fast === null ? {} : { fast }),
  };
}

function isDollars(value: Json | undefined): value is number {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}

function tokensOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
