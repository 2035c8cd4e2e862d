/** A provider that needs no settings. */
export interface BuiltInProvider {
  /** How it speaks: the name of a wire. */
  readonly api: string;
  readonly label: string;
  /** The ecosystem's own variables; a key of null: the service asks for none. */
  readonly keyVariable: string | null;
  readonly urlVariable: string | null;
  /** Used by whoever signed in, and by nobody with a key; what it costs is a matter of their plan. */
  readonly signsIn?: true;
  /** The vendor's variable for further headers, a line each; null: it has none. */
  readonly headersVariable: string | null;
  /** Its address from what `urlVariable` holds. */
  readonly readUrl: (text: string) => string;
  /** Where it is when nobody says; null: the vendor's own address, which its wire knows. */
  readonly address: string | null;
  /** Habits of a shared wire; null: it is the wire's own vendor, and has its models. */
  readonly dialect: string | null;
  /** Its name in the public catalogue of models; null: there are as many lists as there are machines. */
  readonly vendor: string | null;
  /** Whether its own port is asked for names unbidden; ports that anything may use are not. */
  readonly askUnbidden: boolean;
  /** Used where a key is at hand and nobody chose; null: that cannot be known. */
  readonly usual: string | null;
}

const asGiven = (text: string) => text;

/** A server on this machine: no key, and whatever models the person has put there. */
function local(label: string, dialect: string, port: number): BuiltInProvider {
  return {
    api: 'openai-chat',
    label,
    keyVariable: null,
    urlVariable: null,
    headersVariable: null,
    readUrl: asGiven,
    address: `http://127.0.0.1:${port}/v1`,
    dialect,
    vendor: null,
    askUnbidden: false,
    usual: null,
  };
}

/** In the order in which a key at hand makes one the default. */
export const BUILT_IN_PROVIDERS: Readonly<Record<string, BuiltInProvider>> = {
  anthropic: {
    api: 'anthropic',
    label: 'Anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
    headersVariable: 'ANTHROPIC_CUSTOM_HEADERS',
    readUrl: asGiven,
    address: null,
    dialect: null,
    vendor: 'anthropic',
    askUnbidden: false,
    usual: 'claude-opus-5-5',
  },
  openai: {
    api: 'openai-responses',
    label: 'OpenAI',
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    headersVariable: 'OPENAI_CUSTOM_HEADERS',
    readUrl: asGiven,
    address: null,
    dialect: null,
    vendor: 'openai',
    askUnbidden: false,
    usual: 'gpt-6.2-sol',
  },
  'openai-codex': {
    api: 'openai-responses',
    label: 'OpenAI Codex',
    signsIn: true,
    keyVariable: null,
    urlVariable: null,
    headersVariable: null,
    readUrl: asGiven,
    address: null,
    dialect: null,
    vendor: 'openai',
    askUnbidden: false,
    usual: 'gpt-6.2-sol',
  },
  'claude-subscription': {
    api: 'claude-cli',
    label: 'Claude Subscription',
    keyVariable: null,
    urlVariable: null,
    headersVariable: null,
    readUrl: asGiven,
    address: null,
    dialect: null,
    vendor: null,
    askUnbidden: false,
    // Nobody's subscription is used unasked.
    usual: null,
  },
  google: {
    api: 'google',
    label: 'Google',
    keyVariable: 'GEMINI_API_KEY',
    urlVariable: 'GOOGLE_GEMINI_BASE_URL',
    headersVariable: null,
    readUrl: asGiven,
    address: null,
    dialect: null,
    vendor: 'google',
    askUnbidden: false,
    usual: 'gemini-4-neon',
  },
  openrouter: {
    api: 'openai-chat',
    label: 'OpenRouter',
    keyVariable: 'OPENROUTER_API_KEY',
    urlVariable: null,
    headersVariable: null,
    readUrl: asGiven,
    address: 'https://openrouter.ai/api/v1',
    dialect: 'openrouter',
    vendor: 'openrouter',
    askUnbidden: false,
    usual: 'openrouter/auto',
  },
  ollama: {
    ...local('Ollama', 'ollama', 11434),
    urlVariable: 'OLLAMA_HOST',
    readUrl: ollamaAddress,
    askUnbidden: true,
  },
  lmstudio: { ...local('LM Studio', 'lmstudio', 1234), askUnbidden: true },
  llamacpp: local('llama.cpp', 'llama.cpp', 8080),
  vllm: local('vLLM', 'vllm', 8000),
};

/** Providers whose models the public catalogue knows. */
export const CATALOGUED_VENDORS: readonly string[] = [
  ...new Set(Object.values(BUILT_IN_PROVIDERS).flatMap(({ vendor }) => (vendor === null ? [] : [vendor]))),
];

/**
 * `OLLAMA_HOST` as Ollama reads it: with or without a scheme and a port. It may also be what the server listens on
 * (`0.0.0.0`), which is this machine.
 */
export function ollamaAddress(text: string): string {
  const bare = text.replace(/\/+$/, '');
  const scheme = /^https?:\/\//i.exec(bare)?.[0].toLowerCase();
  const rest = scheme === undefined ? bare : bare.slice(scheme.length);
  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const folder = slash < 0 ? '' : rest.slice(slash);
  const [, named = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(authority) ?? [null, authority, undefined];
  const host = named === '' || named === '0.0.0.0' || named === '[::]' ? '127.0.0.1' : named;
  const usual = scheme === undefined ? ':11434' : '';
  return `${scheme ?? 'http://'}${host}${port === undefined ? usual : `:${port}`}${folder}/v1`;
}
