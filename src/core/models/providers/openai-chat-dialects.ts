import type { Effort } from '../../../protocol/message.ts';

/**
 * Habits of the services that speak Chat Completions. All of them answer to the same requests; what each takes beyond
 * that, or takes under another name, stands here and nowhere else.
 */
export interface ChatDialect {
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
  /** How effort is asked for: as a word, in an object of its own, or not at all. */
  readonly effort: 'reasoning_effort' | 'reasoning' | null;
  /** Levels it knows where the model's own are unknown. */
  readonly efforts: readonly Effort[];
  /**
   * How thinking goes back to the model that made it: `details` exactly as received, always; `field` in the field it
   * came in, while the calls it led to are being answered; null not at all.
   */
  readonly thinkingBack: 'details' | 'field' | null;
  /** Thinking may stand in the text, between `<think>` and `</think>`. */
  readonly thinkTags: boolean;
  readonly cacheKey: boolean;
  readonly tiers: boolean;
  readonly parallel: boolean;
  /** Recognised by the address, for a provider of the person's own. */
  readonly address: RegExp;
}

const USUAL: readonly Effort[] = ['low', 'medium', 'high'];

const LOCAL = {
  maxTokens: 'max_tokens',
  effort: 'reasoning_effort',
  efforts: USUAL,
  thinkTags: true,
  cacheKey: false,
  tiers: false,
  parallel: false,
} as const;

export const CHAT_DIALECTS: Readonly<Record<string, ChatDialect>> = {
  openai: {
    maxTokens: 'max_completion_tokens',
    effort: 'reasoning_effort',
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
    thinkingBack: null,
    thinkTags: false,
    cacheKey: true,
    tiers: true,
    parallel: true,
    address: /^https:\/\/(?:[a-z]+\.)?api\.openai\.com\b/,
  },
  openrouter: {
    maxTokens: 'max_tokens',
    effort: 'reasoning',
    efforts: ['low', 'medium', 'high', 'xhigh'],
    thinkingBack: 'details',
    thinkTags: false,
    cacheKey: false,
    tiers: false,
    parallel: false,
    address: /\bopenrouter\.ai\b/,
  },
  ollama: { ...LOCAL, thinkingBack: 'field', address: /:11434\b/ },
  'llama.cpp': { ...LOCAL, effort: null, thinkingBack: 'field', address: /:8080\b/ },
  vllm: { ...LOCAL, thinkingBack: 'field', address: /:8000\b/ },
  lmstudio: { ...LOCAL, thinkingBack: null, address: /:1234\b/ },
  /** What every server takes. */
  generic: { ...LOCAL, thinkingBack: null, address: /^$/ },
};

export function chatDialect(name: string | null, address: string): ChatDialect {
  if (name !== null && Object.hasOwn(CHAT_DIALECTS, name)) return CHAT_DIALECTS[name]!;
  return Object.values(CHAT_DIALECTS).find((dialect) => dialect.address.test(address)) ?? CHAT_DIALECTS.generic!;
}

/** Something a service turned out not to take; `max-tokens`: it wants the other name. */
export type ChatLack =
  | 'tools'
  | 'max-tokens'
  | 'usage'
  | 'effort'
  | 'tool-choice'
  | 'parallel'
  | 'cache-key'
  | 'thinking';

/** Words by which services say so, in the order in which they are looked for. */
const LACKS: readonly (readonly [RegExp, ChatLack])[] = [
  [
    /does not support tools|support tool use|tools? (?:use |calling )?(?:is|are) not supported|--enable-auto-tool-choice/i,
    'tools',
  ],
  [/max_(?:completion_)?tokens/i, 'max-tokens'],
  [/stream_options|include_usage/i, 'usage'],
  [/reasoning_content|reasoning_details|messages\S*\.reasoning/i, 'thinking'],
  [/reasoning[._]effort|does not support (?:thinking|reasoning)|'reasoning'/i, 'effort'],
  [/tool_choice/i, 'tool-choice'],
  [/parallel_tool_calls/i, 'parallel'],
  [/prompt_cache_key/i, 'cache-key'],
];
const NOT_TAKEN =
  /not support|unsupported|unknown|unrecogni[sz]ed|not permitted|extra (?:inputs|fields)|unexpected|requires --|no endpoints/i;

/** What a refusal says is not taken; null when it is about something else. */
export function chatLack(said: string): ChatLack | null {
  return NOT_TAKEN.test(said) ? (LACKS.find(([words]) => words.test(said))?.[1] ?? null) : null;
}
