import { changedSince, findProjectHooks, type ProjectHooks, readOwnHooks } from '../core/extensions/find-hooks.ts';
import { HOOK_MARK } from '../core/jobs/child-environment.ts';
import { createHooks } from '../core/runtime/run-hooks.ts';
import type { LoadedHooks } from '../core/session/hooks-desk.ts';
import type { System } from '../system/system.ts';

// Everything about hooks that nothing else needs: it is loaded where they are switched on, and by nothing else.

export interface HooksWiring {
  readonly system: System;
  readonly session: string;
  readonly folder: string;
  readonly config: string | null;
  /** The session's folder; null when nothing is saved. */
  readonly place: string | null;
  readonly secretNames: readonly string[];
  /** What the project was seen to ask for when the session began. */
  readonly requested: ProjectHooks;
}

export async function requestedHooks({ files }: System, folder: string): Promise<ProjectHooks> {
  return findProjectHooks(files, folder);
}

/** Reads the hooks as they are now; of the project's, those the person said yes to, unchanged. */
export async function loadHooks(
  wiring: HooksWiring,
  { granted, injects, again }: { readonly granted: boolean; readonly injects: boolean; readonly again: boolean },
): Promise<LoadedHooks | null> {
  const { system, folder, requested } = wiring;
  const { environment, files } = system;
  // Whoever was started by a hook starts none (HR-3).
  if (environment.get(HOOK_MARK) !== undefined) return null;
  const own = await readOwnHooks(files, wiring.config);
  const project = again ? await findProjectHooks(files, folder) : requested;
  const shown = new Set(granted ? requested.requested.map(({ line }) => line) : []);
  const inForce = project.requested.filter(({ line }) => shown.has(line));
  const waiting = project.requested.length - inForce.length;
  const pins = new Map(inForce.map((one) => [one.hook, one]));
  const hooks = [...own.hooks, ...inForce.map(({ hook }) => hook)];
  const waits =
    waiting === 0
      ? []
      : [
          `${waiting === 1 ? 'A hook' : `${waiting} hooks`} of this project in .houston/hooks ${waiting === 1 ? 'is' : 'are'} not in force: ` +
            'a session you start here asks you about them first.',
        ];
  return {
    hooks: createHooks({
      system,
      hooks,
      objection: async (hook) => {
        const pinned = pins.get(hook);
        return pinned === undefined ? null : changedSince(files, pinned);
      },
      session: wiring.session,
      environment: () => environment.all(),
      secretNames: wiring.secretNames,
      place: wiring.place === null ? null : `${wiring.place}/hooks`,
      injects,
    }),
    count: hooks.length,
    problems: [...own.problems, ...project.problems, ...waits],
  };
}
