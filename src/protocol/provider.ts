/** A way to connect to model services, as `/login` shows it. No key is ever in it. */
export interface ProviderRow {
  readonly id: string;
  readonly label: string;
  /** What opening it does: sign in with a browser, show what to do, or fill in a form (after what to do, if any). */
  readonly way: 'sign-in' | 'guidance' | 'form';
  readonly connected: boolean;
  /** In words: `signed in as pat@example.org`, `connected by ANTHROPIC_API_KEY`, `not connected`. */
  readonly status: string;
  readonly guidance: readonly string[];
  /** What the form begins with. */
  readonly form: NewProvider;
}

/** A provider of the person's own, as typed; empty texts for what was left out. */
export interface NewProvider {
  readonly label: string;
  readonly baseUrl: string;
  /** The name of the environment variable that holds the key, never the key. */
  readonly apiKeyEnv: string;
  /** Its name in the public catalogue of models (models.dev). */
  readonly catalogue: string;
}

export const NO_PROVIDER: NewProvider = { label: '', baseUrl: '', apiKeyEnv: '', catalogue: '' };

/** How far a sign-in is. */
export interface SignInStage {
  /** `browser`: the person is to open `url`. From `saving` on it cannot be cancelled. */
  readonly stage: 'browser' | 'checking' | 'saving';
  /** Good for one attempt; never kept or logged. */
  readonly url: string | null;
  readonly note: string | null;
}

/** The sign-in that runs now; one at a time. */
export interface SignIn extends SignInStage {
  /** Whose command it is. */
  readonly client: string;
  readonly ref: string;
  readonly provider: string;
  readonly label: string;
}
