import type { Json } from '../../../base/json.ts';
import { done, type Outcome, refuse } from '../../../base/refusal.ts';
import { type NewProvider, NO_PROVIDER, type ProviderRow } from '../../../protocol/provider.ts';
import type { Clock } from '../../../system/clock.ts';
import type { Ids } from '../../../system/environment.ts';
import type { Network } from '../../../system/network.ts';
import type { AuthFile } from './auth-file.ts';
import { type ClaudeCliParts, claudeSignIn, findClaude, withoutKeys } from './claude-cli.ts';
import type { CodexService } from './codex.ts';
import { signedInAs, signInToCodex } from './codex-sign-in.ts';
import { readNewProvider } from './new-provider.ts';
import type { SignInAttempt } from './way.ts';

/** How providers are connected: what `/login` and `/logout` stand on. */
export interface Connections {
  /** In the order they are shown. `look: false` asks no program, so it comes at once. */
  rows(look: boolean): Promise<readonly ProviderRow[]>;
  /** The row a person named, by id or by label; null for none. */
  find(name: string): Promise<ProviderRow | null>;
  /** Resolves to who is signed in, in words. Refuses with `no-sign-in` where a provider has none, and as the sign-in itself. */
  signIn(provider: string, attempt: SignInAttempt): Promise<Outcome<string>>;
  /** The program that signs in by itself when it is run on a terminal; null where there is none, or it is not here. */
  ownProgram(provider: string): Promise<OwnProgram | null>;
  /** Forgets a sign-in of ours; a name of null: all of them. Resolves to what was done, in words. */
  signOut(provider: string | null): Promise<Outcome<string>>;
  /**
   * Writes a provider into the settings and takes it up. Refuses with `provider-unfitting`, `provider-exists` (unless it may be
   * replaced) and `not-saved`. Cannot be called off.
   */
  save(form: NewProvider, replace: boolean): Promise<Outcome<{ readonly id: string }>>;
}

export interface OwnProgram {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface ConnectionsParts extends ClaudeCliParts {
  readonly network: Pick<Network, 'fetch' | 'answerLoopback'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly auth: AuthFile;
  readonly codex: CodexService;
  /** Which providers there are, and how a new one is taken up. */
  readonly knows: (id: string) => 'built-in' | 'own' | null;
  readonly ownProviders: () => readonly string[];
  readonly adopt: (id: string, setting: { readonly [key: string]: Json }) => Promise<void>;
  /** Null: there is no place for settings. False: it could not be. */
  readonly write: ((id: string, setting: Json) => Promise<boolean>) | null;
}

/** One way to connect: how it stands, and what it needs. */
interface Way {
  readonly id: string;
  readonly label: string;
  readonly way: ProviderRow['way'];
  readonly guidance?: readonly string[];
  readonly form?: NewProvider;
  readonly stands: (look: boolean) => Promise<{ readonly connected: boolean; readonly status: string }>;
  readonly signIn?: (attempt: SignInAttempt) => Promise<Outcome<string>>;
  readonly ownProgram?: () => Promise<OwnProgram | null>;
  /** Why `/logout` cannot end it. */
  readonly staysSignedIn?: string;
}

const CODEX_ID = 'openai-codex';

const OPENAI_FORM: NewProvider = {
  label: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  apiKeyEnv: 'OPENAI_API_KEY',
  catalogue: 'openai',
};

export function createConnections(parts: ConnectionsParts): Connections {
  const { auth, environment } = parts;
  const isSet = (variable: string) => (environment.get(variable)?.trim() ?? '') !== '';

  const byKey = (provider: string, variable: string) => async () => {
    if (isSet(variable)) return { connected: true, status: `connected by ${variable}` };
    const kept = auth.record(provider)?.type === 'api-key';
    return { connected: kept, status: kept ? `connected by ${auth.path}` : 'not connected' };
  };

  const codexStands = async () => {
    const loaded = await auth.load();
    if (!loaded.ok) return { connected: false, status: loaded.refusal.message };
    const record = auth.record(CODEX_ID);
    if (record?.type !== 'oauth') return { connected: false, status: 'not connected' };
    return { connected: true, status: signedInAs(record) };
  };

  const claudeStands = async (look: boolean) => {
    if (environment.platform === 'other') return { connected: false, status: 'needs macOS, Linux or WSL' };
    const program = await findClaude(parts);
    if (program === null) return { connected: false, status: 'claude is not installed' };
    if (!look) return { connected: false, status: 'claude is installed' };
    const found = await claudeSignIn(parts, program);
    if (found === null) return { connected: false, status: 'claude does not say who is signed in' };
    if (!found.signedIn) return { connected: false, status: 'not signed in' };
    return { connected: true, status: found.email === null ? 'signed in' : `signed in as ${found.email}` };
  };

  const ownStand = async () => {
    const own = parts.ownProviders();
    return { connected: own.length > 0, status: own.length === 0 ? 'none yet' : own.join(', ') };
  };

  const ways: readonly Way[] = [
    {
      id: CODEX_ID,
      label: 'OpenAI Codex',
      way: 'sign-in',
      stands: codexStands,
      signIn: (attempt) => signInToCodex({ ...parts, service: parts.codex }, CODEX_ID, attempt),
    },
    {
      id: 'anthropic',
      label: 'Anthropic',
      way: 'guidance',
      guidance: [
        'Houston reads the key from the environment and keeps none.',
        '1. Make a key at console.anthropic.com',
        '2. In your shell: export ANTHROPIC_API_KEY=…',
        '3. Start Houston there',
      ],
      stands: byKey('anthropic', 'ANTHROPIC_API_KEY'),
      staysSignedIn: 'Anthropic is connected by ANTHROPIC_API_KEY: unset it and start Houston again',
    },
    {
      id: 'claude-subscription',
      label: 'Claude Subscription',
      way: 'guidance',
      guidance: [
        'The claude program signs in itself; Houston keeps nothing of it.',
        '1. In another terminal: claude auth login',
        '2. Come back here to see how it stands',
        '3. Then /model claude-subscription:sonnet, or opus, or haiku',
        'claude only carries the words: tools and questions stay here.',
      ],
      stands: claudeStands,
      ownProgram: async () => {
        const program = await findClaude(parts);
        if (program === null) return null;
        return { argv: [program, 'auth', 'login'], environment: withoutKeys(environment.all()) };
      },
      staysSignedIn: 'claude keeps this sign-in itself: claude auth logout ends it',
    },
    {
      id: 'openai',
      label: 'OpenAI',
      way: 'form',
      guidance: ['Houston reads the key from the environment: export OPENAI_API_KEY=… and start it there.'],
      form: OPENAI_FORM,
      stands: byKey('openai', 'OPENAI_API_KEY'),
      staysSignedIn: 'OpenAI is connected by OPENAI_API_KEY: unset it and start Houston again',
    },
    { id: 'custom', label: 'Custom Provider', way: 'form', stands: ownStand },
  ];

  const rowOf = async ({ id, label, way, guidance, form, stands }: Way, look: boolean): Promise<ProviderRow> => ({
    id,
    label,
    way,
    ...(await stands(look)),
    guidance: guidance ?? [],
    form: form ?? NO_PROVIDER,
  });
  const wayOf = (name: string): Way | null => {
    const plain = name.trim().toLowerCase();
    return ways.find(({ id, label }) => id === plain || label.toLowerCase() === plain) ?? null;
  };

  return {
    rows: (look) => Promise.all(ways.map((way) => rowOf(way, look))),
    find: async (name) => {
      const way = wayOf(name);
      return way === null ? null : rowOf(way, true);
    },
    signIn: async (provider, attempt) => {
      const way = wayOf(provider);
      if (way?.signIn === undefined) return refuse('no-sign-in', `There is no sign-in for ${provider}`);
      return way.signIn(attempt);
    },
    ownProgram: async (provider) => (await wayOf(provider)?.ownProgram?.()) ?? null,
    signOut: async (provider) => {
      const loaded = await auth.load();
      if (!loaded.ok) return loaded;
      const way = provider === null ? null : wayOf(provider);
      if (provider !== null && way === null) return refuse('unknown-provider', unknownText(provider, ways));
      const found = provider === null ? ways.filter(({ id }) => isOurs(auth, id)) : way === null ? [] : [way];
      const ours = found.filter(({ id }) => isOurs(auth, id));
      for (const { id } of ours) {
        const kept = await auth.alone(() => auth.keep(id, null));
        if (!kept.ok) return kept;
      }
      if (ours.length > 0) return done(`Signed out of ${ours.map(({ label }) => label).join(', ')}`);
      return done(way?.staysSignedIn ?? 'Nobody is signed in');
    },
    save: async (form, replace) => {
      const prefilled = form.baseUrl.trim().replace(/\/+$/, '') === OPENAI_FORM.baseUrl;
      const read = readNewProvider(form, prefilled ? 'openai-responses' : 'openai-chat');
      if (!read.ok) return read;
      const { id, setting } = read.value;
      const known = parts.knows(id);
      // The form we filled in ourselves only writes down what is built in.
      const isOwnPreset = known === 'built-in' && prefilled && form.label.trim() === OPENAI_FORM.label;
      if (isAccount(ways, id) || id === 'demo')
        return refuse('provider-unfitting', `Label: ${id} is the name of another way to connect`);
      if (known !== null && !replace && !isOwnPreset)
        return refuse('provider-exists', `There is a provider ${id} already: all the settings say of it is replaced`);
      if (parts.write === null)
        return refuse('not-saved', 'There is no place for settings: neither HOME nor HOUSTON_HOME is set');
      if (!(await parts.write(id, setting)))
        return refuse('not-saved', 'The settings file could not be written, or is not understood: it is as it was');
      await parts.adopt(id, setting);
      return done({ id });
    },
  };
}

/** Only what we keep ourselves can be ended by us; a key a person put there is theirs. */
function isOurs(auth: AuthFile, id: string): boolean {
  return auth.record(id)?.type === 'oauth';
}

function isAccount(ways: readonly Way[], id: string): boolean {
  return ways.some((way) => way.id === id && way.form === undefined && way.signIn !== undefined);
}

function unknownText(name: string, ways: readonly Way[]): string {
  return `No way to connect is called "${name}": ${ways.map(({ id }) => id).join(', ')}`;
}
