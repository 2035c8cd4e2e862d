import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { ModelRef } from '../../protocol/message.ts';
import type { Clock } from '../../system/clock.ts';
import type { Environment } from '../../system/environment.ts';
import type { Images } from '../../system/images.ts';
import type { Network } from '../../system/network.ts';
import { BUILT_IN_PROVIDERS, type BuiltInProvider } from './built-in-providers.ts';
import { type Choice, chooseModel } from './choose.ts';
import { type ClaudeWireParts, createClaudeWire } from './claude-cli/claude-wire.ts';
import { type Credentials, createCredentials } from './credentials.ts';
import { type FreshFacts, NO_FRESH_FACTS } from './facts/fresh-facts.ts';
import { offersFast } from './fast.ts';
import { withFittingImages } from './fit-images.ts';
import type { Model, ModelFacts, Wire } from './model.ts';
import { modelRefText, parseModelRef } from './model-ref.ts';
import type { CustomModel, ModelSettings, ProviderSettings } from './model-settings.ts';
import { createPilot, PILOT_FACTS, PILOT_REF, type PilotOptions } from './pilot.ts';
import { anthropicWire } from './providers/anthropic.ts';
import { googleWire } from './providers/google.ts';
import { openaiChatWire } from './providers/openai-chat.ts';
import { openaiResponsesWire } from './providers/openai-responses.ts';
import { readHeaderLines } from './providers/own-headers.ts';
import { type Accounts, NO_ACCOUNTS } from './sign-in/accounts.ts';
import { withKeyAdvice, withSignInAdvice } from './sign-in/advice.ts';
import { findClaude } from './sign-in/claude-cli.ts';
import { listeningFetch } from './usage-watch.ts';

/** Ways to speak to a service, by the name settings use. A new one is a file and a line here. */
const WIRES: Readonly<Record<string, Wire>> = {
  anthropic: anthropicWire,
  'openai-responses': openaiResponsesWire,
  'openai-chat': openaiChatWire,
  google: googleWire,
};

const NOTHING_KNOWN: ModelFacts = {
  contextWindow: null,
  maxOutput: null,
  images: true,
  thinking: false,
  efforts: [],
  price: null,
};

export interface ModelRow {
  readonly ref: ModelRef;
  readonly facts: ModelFacts;
  readonly provider: string;
  /** False while its key is missing. */
  readonly ready: boolean;
}

export interface ChoiceSources {
  /** As typed: `-m`, `/model`. */
  readonly explicit: string | null;
  /** What a resumed session used last. */
  readonly session: ModelRef | null;
  /** Somebody is looking: only then may the built-in pilot answer where nothing is configured. */
  readonly interactive: boolean;
}

export interface Models {
  /** `provider:model` (or `provider/model`) as typed. Refuses with `unknown-provider` or `unknown-model`. */
  parse(text: string): Outcome<ModelRef>;
  /** Refuses with `unknown-provider`, `unknown-model` or `no-credential`. Contacts nobody. */
  open(ref: ModelRef): Promise<Outcome<Model>>;
  /** Which model to use: explicit, session, settings, a key at hand, the pilot. Refuses with `no-model` and those of `parse`. */
  configured(sources: ChoiceSources): Outcome<Choice>;
  /** Every model that is known by name, for pickers and `houston models`. */
  list(): readonly ModelRow[];
  /**
   * Learns what may have changed: facts from the public catalogue, at most once a day, where that is allowed, and names
   * from servers whose models nobody lists. For idle time; bounded, and fails in silence.
   */
  learn(allowed: { readonly catalogue: boolean }): Promise<void>;
  /** The public catalogue and such servers, asked however lately they were; false where the catalogue was not reached. */
  refresh(): Promise<boolean>;
  /** Takes a provider up that was connected just now, in place of one with the same id. */
  adopt(id: string, provider: ProviderSettings): void;
  /** Whether there is a provider of this id: built in, or of the person's own. */
  knows(id: string): 'built-in' | 'own' | null;
  /** Loads what the first request to this model needs; for idle time after the first frame. Never rejects. */
  warm(ref: ModelRef): Promise<void>;
}

export interface ModelsOptions {
  readonly environment: Environment;
  readonly network: Pick<Network, 'fetch'>;
  readonly clock: Clock;
  readonly images: Images;
  readonly settings: ModelSettings;
  /** What was learned of models since this version; missing: nothing. */
  readonly fresh?: FreshFacts;
  /** Who is signed in; missing: nobody. */
  readonly accounts?: Accounts;
  /** Hears the headers of every answer of a service, by the name people call it. */
  readonly hear?: (label: string, headers: Headers) => void;
  /** What running the person's own `claude` takes; missing: it is not run. */
  readonly claude?: Omit<ClaudeWireParts, 'clock' | 'environment' | 'keyVariables'>;
  /** How the built-in `demo:pilot` flies: `tour` only in the throw-away project of `--demo`. */
  readonly demo?: Omit<PilotOptions, 'clock'>;
}

export function createModels(options: ModelsOptions): Models {
  const { environment, network, clock, settings } = options;
  const accounts = options.accounts ?? NO_ACCOUNTS;
  const credentials = createCredentials(environment, accounts);
  const own: Record<string, ProviderSettings> = { ...settings.providers };
  const fresh = options.fresh ?? NO_FRESH_FACTS;
  const isKnown = (provider: string) =>
    provider === PILOT_REF.provider || Object.hasOwn(BUILT_IN_PROVIDERS, provider) || Object.hasOwn(own, provider);

  const discovered = new Map<string, readonly string[]>();
  const { hear } = options;
  const listened = (label: string, fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
    hear === undefined ? fetch : listeningFetch(fetch, (headers) => hear(label, headers));

  const { claude } = options;
  const keyVariables = () => Object.values(own).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []);
  const wires = claude
    ? { ...WIRES, [CLAUDE_API]: createClaudeWire({ ...claude, clock, environment, keyVariables }) }
    : WIRES;
  let hasClaude = false;
  const lookForClaude = async (): Promise<boolean> => {
    if (claude === undefined || environment.platform === 'other') return false;
    hasClaude = (await findClaude({ ...claude, clock, environment })) !== null;
    return hasClaude;
  };

  const described = (provider: string): Outcome<Described> =>
    describe(provider, Object.hasOwn(own, provider) ? own[provider] : undefined, environment, wires);
  const names = () =>
    [...new Set([...Object.keys(BUILT_IN_PROVIDERS), ...Object.keys(own), PILOT_REF.provider])].join(', ');

  const check = (ref: ModelRef): Outcome<Described | 'pilot'> => {
    if (ref.provider === PILOT_REF.provider && !Object.hasOwn(own, ref.provider)) {
      if (ref.model === PILOT_REF.model) return done('pilot');
      return refuse('unknown-model', `demo has one model: ${modelRefText(PILOT_REF)}`);
    }
    if (!isKnown(ref.provider)) {
      return refuse('unknown-provider', `No provider is called "${ref.provider}"; known are ${names()}`);
    }
    const found = described(ref.provider);
    if (!found.ok) return found;
    const listed = found.value.models.map((model) => model.id);
    // A built-in provider takes any name, since its vendor adds models faster than we do.
    if (!Object.hasOwn(BUILT_IN_PROVIDERS, ref.provider) && listed.length > 0 && !listed.includes(ref.model)) {
      return refuse(
        'unknown-model',
        `${ref.provider} has no model "${ref.model}"; the settings name ${listed.join(', ')}`,
      );
    }
    return found;
  };

  const parse = (text: string): Outcome<ModelRef> => {
    const ref = parseModelRef(text, isKnown);
    if (ref === null) {
      return refuse(
        'unknown-model',
        `"${text}" names no model: write provider:model, such as anthropic:claude-opus-5-5`,
      );
    }
    const checked = check(ref);
    return checked.ok ? done(ref) : checked;
  };

  /** Servers whose models nobody lists are asked for their names. */
  const askServers = async (): Promise<void> => {
    const stop = new AbortController();
    const stopTimer = clock.after(LONGEST_ASKING_MS, () => stop.abort());
    const ask = async (provider: string): Promise<void> => {
      const found = described(provider);
      if (!found.ok || !found.value.asked) return;
      const { wire, keyVariable, baseUrl, headers, dialect } = found.value;
      const key = await credentials.keyOf(provider, keyVariable);
      if (!key.ok) return;
      const ref = { provider, model: '' };
      const connection = { ref, facts: NOTHING_KNOWN, baseUrl, key: key.value, headers, dialect };
      const names = await wire.names?.({ ...connection, fetch: network.fetch, clock }, stop.signal);
      discovered.set(provider, names ?? []);
    };
    await Promise.all([...[...Object.keys(BUILT_IN_PROVIDERS), ...Object.keys(own)].map(ask), lookForClaude()]);
    stopTimer();
  };

  return {
    parse,
    async open(ref) {
      const checked = check(ref);
      if (!checked.ok) return checked;
      if (checked.value === 'pilot') return done(createPilot({ ...options.demo, clock }));
      const { wire, keyVariable, baseUrl, headers, dialect, label } = checked.value;
      await fresh.load();
      const facts = factsOf(ref.model, checked.value, fresh);
      const { secrets } = accounts;
      if (checked.value.signsIn) {
        const signed = await accounts.signed(ref.provider);
        if (!signed.ok) return signed;
        const { api } = signed.value;
        const fetch = listened(label, signed.value.fetch);
        const connection = { ref, facts, baseUrl: api, key: null, headers, dialect, fetch, clock, secrets };
        return done(
          withFittingImages(withSignInAdvice(wire.open(connection), ref.provider), options.images, wire.images),
        );
      }
      const key = await credentials.keyOf(ref.provider, keyVariable);
      if (!key.ok) return key;
      const { ownProgram } = checked.value;
      if (ownProgram && !(await lookForClaude())) return refuse('no-credential', NO_CLAUDE);
      const connection = {
        ref,
        facts,
        baseUrl,
        key: key.value,
        headers,
        dialect,
        fetch: listened(label, network.fetch),
        clock,
        secrets,
      };
      const opened = wire.open(connection);
      // One that is kept in `auth.json` is in no variable.
      const isGiven = keyVariable !== null && environment.get(keyVariable)?.trim() === key.value;
      const model = isGiven ? withKeyAdvice(opened, keyVariable) : opened;
      return done(withFittingImages(model, options.images, wire.images));
    },
    configured: (sources) =>
      chooseModel({
        explicit: sources.explicit,
        session: sources.session,
        settings: settings.model,
        atHand: usualOfKeyAtHand(credentials),
        demo: sources.interactive ? PILOT_REF : null,
        parse,
      }),
    list() {
      const rows: ModelRow[] = [];
      for (const provider of new Set([...Object.keys(BUILT_IN_PROVIDERS), ...Object.keys(own)])) {
        const found = described(provider);
        if (!found.ok) continue;
        const { models, label, ofVendor, vendor, wire } = found.value;
        const ready = credentials.isReady(provider, found.value);
        // An account's models are for whoever has one.
        if (found.value.signsIn && !ready) continue;
        if (found.value.ownProgram && !hasClaude) continue;
        const known = ofVendor && Object.hasOwn(BUILT_IN_PROVIDERS, provider) ? wire.known : [];
        const learned = vendor === null ? [] : fresh.names(vendor);
        for (const model of new Set([
          ...models.map(({ id }) => id),
          ...known,
          ...learned,
          ...(discovered.get(provider) ?? []),
        ])) {
          rows.push({ ref: { provider, model }, facts: factsOf(model, found.value, fresh), provider: label, ready });
        }
      }
      rows.push({ ref: PILOT_REF, facts: PILOT_FACTS, provider: 'Built in, offline', ready: true });
      return rows;
    },
    async learn({ catalogue }) {
      await askServers();
      await (catalogue ? fresh.refresh() : fresh.load());
    },
    async refresh() {
      await askServers();
      return fresh.refresh(true);
    },
    adopt(id, provider) {
      own[id] = provider;
      discovered.delete(id);
      const found = described(id);
      if (found.ok && found.value.vendor !== null) fresh.want(found.value.vendor);
    },
    knows: (id) => (Object.hasOwn(own, id) ? 'own' : isKnown(id) ? 'built-in' : null),
    async warm(ref) {
      const checked = check(ref);
      // Failing to load is told by the request that needs it.
      if (checked.ok && checked.value !== 'pilot') await checked.value.wire.warm().catch(() => {});
    },
  };
}

/** The wire that is a program of the person's own. */
const CLAUDE_API = 'claude-cli';

const NO_CLAUDE =
  'claude-subscription needs the claude program, which is not on PATH nor in ~/.local/bin; it runs on macOS, Linux and WSL';

/** How long servers are waited for that are asked for their models. */
const LONGEST_ASKING_MS = 1_500;

interface Described {
  readonly wire: Wire;
  readonly label: string;
  readonly baseUrl: string | null;
  readonly keyVariable: string | null;
  readonly signsIn: boolean;
  /** Carried by a program that signs in by itself: there where that is installed. */
  readonly ownProgram: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly CustomModel[];
  readonly dialect: string | null;
  /** Whether it serves the models of its wire's vendor: a local server has its own, also under the same names. */
  readonly ofVendor: boolean;
  /** Whether the server itself is asked what it has. */
  readonly asked: boolean;
  /** Its name in the public catalogue of models. */
  readonly vendor: string | null;
}

/** A provider from its built-in part, the settings and the environment; the settings say more than the environment. */
function describe(
  id: string,
  own: ProviderSettings | undefined,
  environment: Environment,
  wires: Readonly<Record<string, Wire>>,
): Outcome<Described> {
  const builtIn = Object.hasOwn(BUILT_IN_PROVIDERS, id) ? BUILT_IN_PROVIDERS[id] : undefined;
  // Whoever signed in is served at one address alone: settings could only send the account elsewhere.
  if (builtIn?.signsIn && own !== undefined)
    return refuse('unknown-provider', `provider '${id}' requires provider-keyed OAuth auth: take providers.${id} out`);
  const api = own?.api ?? builtIn?.api;
  const wire = api !== undefined && Object.hasOwn(wires, api) ? wires[api] : undefined;
  if (wire === undefined) {
    const known = Object.keys(WIRES).join(', ');
    return refuse(
      'unknown-provider',
      `providers.${id}.api is ${api === undefined ? 'missing' : `"${api}"`}; it can be ${known}`,
    );
  }
  const baseUrl = own?.baseUrl ?? addressOf(builtIn, environment);
  if (baseUrl === null && builtIn === undefined) {
    return refuse('unknown-provider', `providers.${id}.baseUrl is missing: the address of the service`);
  }
  if (baseUrl !== null && !/^https?:\/\/./.test(baseUrl)) {
    return refuse('unknown-provider', `The address of ${id} must begin with http:// or https://, not "${baseUrl}"`);
  }
  return done({
    wire,
    label: own?.label ?? builtIn?.label ?? id,
    baseUrl,
    keyVariable: own?.apiKeyEnv ?? builtIn?.keyVariable ?? null,
    signsIn: builtIn?.signsIn === true,
    ownProgram: api === CLAUDE_API,
    headers: { ...headersOf(builtIn, own, environment), ...own?.headers },
    models: own?.models ?? [],
    dialect: own?.dialect ?? builtIn?.dialect ?? null,
    ofVendor: builtIn?.dialect == null,
    asked: own !== undefined ? own.models.length === 0 && builtIn?.vendor == null : builtIn?.askUnbidden === true,
    vendor: own?.catalogue ?? builtIn?.vendor ?? (builtIn === undefined ? id : null),
  });
}

/** Headers of the vendor's own variable, for the vendor alone: a provider at another address is somebody else. */
function headersOf(
  builtIn: BuiltInProvider | undefined,
  own: ProviderSettings | undefined,
  environment: Environment,
): Readonly<Record<string, string>> {
  const name = own?.baseUrl == null ? (builtIn?.headersVariable ?? null) : null;
  return name === null ? {} : readHeaderLines(environment.get(name) ?? '');
}

function addressOf(builtIn: BuiltInProvider | undefined, environment: Environment): string | null {
  if (builtIn === undefined) return null;
  const given = builtIn.urlVariable === null ? '' : (environment.get(builtIn.urlVariable)?.trim() ?? '');
  return given === '' ? builtIn.address : builtIn.readUrl(given);
}

/** What the settings say of a model counts before what was learned of it, then what this version knows; the rest is unknown. */
function factsOf(model: string, provider: Described, fresh: FreshFacts): ModelFacts {
  const learned = provider.vendor === null ? null : fresh.of(provider.vendor, model);
  const known = provider.ofVendor ? provider.wire.facts(model) : null;
  const listed = newerFacts({ ...NOTHING_KNOWN, ...known }, learned);
  const vendor = provider.ofVendor ? provider.vendor : null;
  const served = known !== null && offersFast(vendor, model) ? { ...listed, fast: true } : listed;
  const bySubscription = provider.signsIn || provider.ownProgram;
  const published = bySubscription ? { ...served, price: null, included: true } : served;
  const own = provider.models.find(({ id }) => id === model);
  if (own === undefined) return published;
  const { id: _, contextWindow, maxOutput, ...rest } = own;
  return {
    ...published,
    ...rest,
    contextWindow: contextWindow ?? published.contextWindow,
    maxOutput: maxOutput ?? published.maxOutput,
  };
}

function newerFacts(old: ModelFacts, learned: ModelFacts | null): ModelFacts {
  if (learned === null) return old;
  return {
    contextWindow: learned.contextWindow ?? old.contextWindow,
    maxOutput: learned.maxOutput ?? old.maxOutput,
    images: learned.images,
    thinking: learned.thinking,
    efforts: learned.efforts.length > 0 || !learned.thinking ? learned.efforts : old.efforts,
    price: learned.price ?? old.price,
  };
}

function usualOfKeyAtHand(credentials: Credentials): ModelRef | null {
  for (const [provider, { keyVariable, signsIn = false, usual }] of Object.entries(BUILT_IN_PROVIDERS)) {
    if (usual === null || (keyVariable === null && !signsIn)) continue;
    if (credentials.isReady(provider, { keyVariable, signsIn })) return { provider, model: usual };
  }
  return null;
}
