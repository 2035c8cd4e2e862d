import type { ModelFacts } from './model.ts';

/** What this room wants from the settings; the settings room reads it from files. */
export interface ModelSettings {
  /** The default model as written, such as `anthropic:claude-opus-5-5`; null for none. */
  readonly model: string | null;
  /** Further providers by id, and changes to the built-in ones. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
}

export interface ProviderSettings {
  /** How it speaks: the name of a wire, such as `anthropic`. */
  readonly api: string;
  /** Null: the vendor's own address, for a built-in provider. */
  readonly baseUrl: string | null;
  /** Environment variable that holds the key; without one, a provider of the person's own is asked without a key. */
  readonly apiKeyEnv: string | null;
  /** What it is called on the screen; null or missing: its id. */
  readonly label?: string | null;
  /** Habits of a shared wire, by the names of `openai-chat-dialects.ts`; null or missing: found out by the address. */
  readonly dialect?: string | null;
  /** Its name in the public catalogue of models; null or missing: its id. */
  readonly catalogue?: string | null;
  /** Sent to this provider and to no other. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where any is named, a provider of the person's own has only these. */
  readonly models: readonly CustomModel[];
}

/** What the person knows of a model; what is null or missing is what its vendor publishes, or unknown. */
export interface CustomModel extends Partial<Omit<ModelFacts, 'contextWindow' | 'maxOutput'>> {
  readonly id: string;
  readonly contextWindow: number | null;
  readonly maxOutput: number | null;
}

export const NO_MODEL_SETTINGS: ModelSettings = { model: null, providers: {} };
