import path from 'node:path';
import { CATALOGUED_VENDORS } from '../core/models/built-in-providers.ts';
import { createModels, type Models, type ModelsOptions } from '../core/models/catalog.ts';
import { createFreshFacts } from '../core/models/facts/fresh-facts.ts';
import { type Accounts, createAccounts } from '../core/models/sign-in/accounts.ts';
import { createAuthFile } from '../core/models/sign-in/auth-file.ts';
import { CODEX, type CodexService } from '../core/models/sign-in/codex.ts';
import { type Connections, type ConnectionsParts, createConnections } from '../core/models/sign-in/connections.ts';
import { codexAccount } from '../core/models/usage-codex.ts';
import { createUsageWatch, type UsageWatch } from '../core/models/usage-watch.ts';
import { places } from '../core/settings/paths.ts';
import { readProviders } from '../core/settings/provider-schema.ts';
import type { Settings } from '../core/settings/schema.ts';
import type { System } from '../system/system.ts';
import { settingsSavers } from './save-settings.ts';

export interface OpenedModels {
  readonly models: Models;
  readonly connections: Connections;
  readonly accounts: Accounts;
  /** What services say of their allowances. */
  readonly watch: UsageWatch;
}

export interface OpenModelsOptions {
  readonly demo?: ModelsOptions['demo'];
  /** Hears the variable of a provider that was connected: it holds a key from now on. */
  readonly onKeyVariable?: (name: string) => void;
  /** Where accounts sign in; left out: the true service. */
  readonly codex?: CodexService;
}

/** How long connecting a provider waits for what is known of its models. */
const LEARN_LIMIT_MS = 3_000;

/** The models these settings give, with what was learned of them since this version was made, and how more are connected. */
export async function openModels(
  system: System,
  settings: Pick<Settings, 'model' | 'providers' | 'updateCheck' | 'claudeIdleProcesses' | 'claudeIdleMinutes'>,
  { demo, onKeyVariable, codex = CODEX }: OpenModelsOptions = {},
): Promise<OpenedModels> {
  const { environment, network, clock, files, images, processes, ids } = system;
  const { state, config } = places(environment);
  const auth = createAuthFile({ files, clock, environment, state });
  // One that is not fit to be read counts as nothing; whoever needs it is told why.
  await auth.load();
  const accounts = createAccounts({ auth, service: codex, network, clock });
  const watch = createUsageWatch({ clock, accounts: [codexAccount(auth, accounts)] });
  const own = Object.entries(settings.providers).map(([id, { catalogue }]) => catalogue ?? id);
  const models = createModels({
    environment,
    network,
    clock,
    images,
    settings: { model: settings.model, providers: settings.providers },
    fresh: createFreshFacts({ files, network, clock, state, providers: [...CATALOGUED_VENDORS, ...own] }),
    accounts,
    hear: watch.heard,
    claude: {
      ...{ processes, files, ids },
      folder: claudeFolder(state, system),
      idle: { processes: settings.claudeIdleProcesses ?? 1, minutes: settings.claudeIdleMinutes ?? 10 },
    },
    ...(demo === undefined ? {} : { demo }),
  });
  const ownIds = new Set(Object.keys(settings.providers));
  const adopt: ConnectionsParts['adopt'] = async (id, setting) => {
    const provider = readProviders({ [id]: setting })[id];
    if (provider === undefined) return;
    models.adopt(id, provider);
    ownIds.add(id);
    if (provider.apiKeyEnv !== null) onKeyVariable?.(provider.apiKeyEnv);
    const stop = new AbortController();
    const learned = models.learn({ catalogue: settings.updateCheck }).finally(() => stop.abort());
    await Promise.race([learned, clock.sleep(LEARN_LIMIT_MS, stop.signal)]);
  };
  const connections = createConnections({
    ...{ environment, network, clock, files, processes, ids, auth, codex, adopt },
    knows: models.knows,
    ownProviders: () => [...ownIds],
    write: config === null ? null : settingsSavers(system, config).saveProvider,
  });
  return { models, connections, accounts, watch };
}

/** Where the person's own `claude` runs; it holds nothing that could steer it. */
function claudeFolder(state: string | null, { environment, ids }: Pick<System, 'environment' | 'ids'>): string {
  if (state !== null) return path.join(state, 'claude-cli');
  return path.join(environment.temp, `houston-claude-${ids.hex(8)}`);
}

/** After everything that is waited for: nothing of a start depends on what is learned. */
const LEARN_AFTER_MS = 3_000;

/** Learns of models in the background; the returned function calls it off. */
export function learnLater({ clock }: Pick<System, 'clock'>, models: Models, settings: Settings): () => void {
  return clock.after(LEARN_AFTER_MS, () => void models.learn({ catalogue: settings.updateCheck }));
}

/** While a person looks at the first frame; nobody's first request should pay for loading a vendor's library. */
const WARM_AFTER_MS = 20;

/**
 * Loads what the first request needs, before it is made: at once where nobody watches, else a moment after the session
 * stands. The returned function calls it off.
 */
export function warmSoon(
  { clock }: Pick<System, 'clock'>,
  models: Models,
  wish: { explicit: string | null; watched: boolean },
): () => void {
  const choice = models.configured({ explicit: wish.explicit, session: null, interactive: wish.watched });
  if (!choice.ok) return () => {};
  const warm = (): void => void models.warm(choice.value.ref);
  if (wish.watched) return clock.after(WARM_AFTER_MS, warm);
  warm();
  return () => {};
}
