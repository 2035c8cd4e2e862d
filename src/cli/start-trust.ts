import type { ProjectHooks } from '../core/extensions/find-hooks.ts';
import { NOTHING_TRUSTED, type TrustMap } from '../core/policy/trust.ts';
import { openTrustMemory, type TrustMemory } from '../core/session/trust-memory.ts';
import type { TrustStart } from '../core/session/trust-question.ts';
import type { LoadedSettings } from '../core/settings/load.ts';
import { projectRequests } from '../core/settings/project-requests.ts';
import type { System } from '../system/system.ts';
import { readHookRequests } from './open-hooks.ts';
import { readMcpRequests } from './open-mcp.ts';
import { offersBypass, type SessionRequest } from './session-request.ts';

export interface StartingTrust {
  readonly trust: TrustMap;
  /** Absent where nobody is asked: the sample project, and a run that answers every permission question with yes (PR-4). */
  readonly start?: TrustStart;
  readonly memory: TrustMemory | null;
  /** MCP servers the project asks for, one line each; part of the question. */
  readonly servers: readonly string[];
  /** Hooks it asks for; part of the question. */
  readonly hooks: ProjectHooks;
}

/** What a session may take as trusted when it starts, and what has to be settled first. */
export async function startTrust(
  system: System,
  request: SessionRequest,
  loaded: LoadedSettings,
  places: { readonly folder: string; readonly roots: readonly string[]; readonly state: string | null },
): Promise<StartingTrust> {
  const { environment, files } = system;
  const folders = [places.folder, ...places.roots];
  const bypass = offersBypass(request) && !loaded.settings.bypassUnreachable;
  const { state } = places;
  const memory =
    state === null ? null : await openTrustMemory(files, state, places.folder, environment.home, request.save);
  if (bypass || request.demo)
    return { trust: new Map(folders.map((one) => [one, true] as const)), memory, servers: [], hooks: NO_HOOKS };
  const { trusted } = request;
  const recalled = memory === null || trusted === undefined ? memory : { ...memory, recall: async () => trusted };
  const servers = await readMcpRequests(files, places.folder);
  const hooks = await readHookRequests(system, loaded.settings, places.folder);
  const requests = [
    ...(projectRequests(loaded, places.folder)?.lines ?? []),
    ...servers,
    ...hooks.requested.map(({ line }) => line),
  ];
  return { trust: NOTHING_TRUSTED, start: { folders, requests, memory: recalled }, memory, servers, hooks };
}

const NO_HOOKS: ProjectHooks = { requested: [], problems: [] };
