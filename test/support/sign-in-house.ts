// A true session and true models on a system in memory, with a sign-in service of the tests' own.
import { openModels } from '../../src/cli/open-models.ts';
import { loadSettings, settingsLayers } from '../../src/core/settings/load.ts';
import { places } from '../../src/core/settings/paths.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { type House, openHouse } from './controller.ts';
import { createFakeOAuth, type FakeOAuth } from './fake-oauth.ts';
import { scriptedModel } from './script.ts';

// Loaded when first needed: a load from the disk takes no time of a clock by hand.
await Promise.all([import('openai/client'), import('jsonc-parser')]);

export interface SignInHouse extends House {
  readonly oauth: FakeOAuth;
  readonly state: string;
  readonly settingsFile: string;
  text(path: string): Promise<string | null>;
}

export interface SignInHouseOptions {
  readonly system?: MemorySystem;
  readonly variables?: Readonly<Record<string, string>>;
  /** What the settings file holds at first. */
  readonly settings?: string;
  readonly canAsk?: boolean;
  readonly oauth?: FakeOAuth;
}

/** Where the product listens in these tests: as registered, since nothing in memory is taken. */
export const PORT = 1455;

export async function openSignInHouse(options: SignInHouseOptions = {}): Promise<SignInHouse> {
  const system =
    options.system ?? createMemorySystem({ environment: { variables: { PATH: '/usr/bin', ...options.variables } } });
  const oauth = options.oauth ?? createFakeOAuth();
  system.network.answer ??= (request) => oauth.answer(request);
  const own = places(system.environment);
  const settingsFile = `${own.config}/settings.json`;
  if (options.settings !== undefined) system.files.seed(settingsFile, options.settings);
  const layers = settingsLayers({ config: own.config, project: null, argument: null });
  const { settings } = await loadSettings(system.files, layers);
  const { models, connections } = await openModels(system, settings, { codex: oauth.service(PORT) });
  const house = await openHouse({
    system,
    script: scriptedModel([]),
    models,
    connections,
    canAsk: options.canAsk ?? true,
  });
  return {
    ...house,
    oauth,
    state: own.state!,
    settingsFile,
    text: async (path) => {
      const bytes = await system.files.read(path).catch(() => null);
      return bytes === null ? null : new TextDecoder().decode(bytes);
    },
  };
}
