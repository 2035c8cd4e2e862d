import path from 'node:path';
import { makeScratch } from '../core/jobs/left-scratch.ts';
import type { Confine } from '../core/jobs/line.ts';
import { type SettledSandbox, settleSandbox } from '../core/sandbox/settle-sandbox.ts';
import type { LoadedSettings } from '../core/settings/load.ts';
import type { Places } from '../core/settings/paths.ts';
import type { Environment } from '../system/environment.ts';
import type { System } from '../system/system.ts';
import type { SessionRequest } from './session-request.ts';

export interface SessionConfinement {
  /** A command waits until it is known how it is confined; nothing else does. */
  readonly confine: Confine;
  /** What is enforced, for people, once it is known. */
  readonly description: Promise<string>;
  /** Finds out; called once the session stands. */
  settle(): void;
  /** The session's folder for throw-away files (TRUST-7); null where none could be made. */
  readonly scratch: string | null;
  close(): Promise<void>;
}

export interface ConfinementScope {
  readonly folder: string;
  readonly roots: readonly string[];
  /** Houston's own folders. */
  readonly own: readonly string[];
  /** Where jobs are written down; null where none are. */
  readonly jobs: string | null;
}

export async function confineSession(
  system: System,
  request: Pick<SessionRequest, 'sandbox'>,
  loaded: Pick<LoadedSettings, 'settings' | 'sources'>,
  scope: ConfinementScope,
): Promise<SessionConfinement> {
  const { files } = system;
  const scratch = await makeScratch({ ...system, root: scope.jobs });
  const { promise: settled, resolve } = Promise.withResolvers<SettledSandbox>();
  return {
    confine: async (argv, order, left) => (await settled).confine(argv, order, left),
    description: settled.then((sandbox) => sandbox.description),
    settle: () => resolve(findSandbox(system, request, loaded, scope, scratch)),
    scratch,
    close: async () => {
      if (scratch !== null) await files.remove(scratch, { recursive: true }).catch(() => undefined);
    },
  };
}

/** What this system can do of what was asked for, on the command line or in the settings. */
export async function findSandbox(
  system: System,
  request: Pick<SessionRequest, 'sandbox'>,
  { settings, sources }: Pick<LoadedSettings, 'settings' | 'sources'>,
  { folder, roots, own }: Omit<ConfinementScope, 'jobs'>,
  scratch: string | null,
): Promise<SettledSandbox> {
  const { environment, files } = system;
  const source = sources.get('sandbox') ?? null;
  const real = async (place: string): Promise<string> => (await files.realPath(place)) ?? place;
  return settleSandbox(
    system,
    {
      mode: request.sandbox ?? settings.sandbox,
      asked: request.sandbox === null ? source : '--sandbox',
      network: settings.network,
    },
    {
      workspace: folder,
      roots,
      own: [...own, ...codeCache(environment)],
      home: environment.home === null ? null : await real(environment.home),
      temp: await real(environment.temp),
      scratch,
      environment: environment.all(),
      userId: environment.userId,
    },
  );
}

/** Where Bun keeps Houston's own code, compiled: whoever wrote there would run as Houston, unconfined. */
function codeCache({ get, home }: Environment): string[] {
  const cache = get('XDG_CACHE_HOME') ?? '';
  const usual = path.isAbsolute(cache) ? cache : home === null ? null : path.join(home, '.cache');
  const set = get('BUN_RUNTIME_TRANSPILER_CACHE_PATH') ?? '';
  return [...(usual === null ? [] : [path.join(usual, 'houston')]), ...(path.isAbsolute(set) ? [set] : [])];
}

/** Houston's own folders, by their real paths. */
export async function ownFolders(system: System, own: Places): Promise<string[]> {
  const named = [own.config, own.state, own.runtime].filter((place) => place !== null);
  return Promise.all(named.map(async (place) => (await system.files.realPath(place)) ?? place));
}
