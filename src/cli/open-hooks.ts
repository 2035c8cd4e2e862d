import type { ProjectHooks } from '../core/extensions/find-hooks.ts';
import type { LoadHooks } from '../core/session/hooks-desk.ts';
import type { Settings } from '../core/settings/schema.ts';
import type { System } from '../system/system.ts';
import type { HooksWiring } from './hooks-part.ts';

const NOTHING: ProjectHooks = { requested: [], problems: [] };

/** What a project asks for in `.houston/hooks`; nothing is read or loaded where hooks are switched off. */
export async function readHookRequests(system: System, settings: Settings, folder: string): Promise<ProjectHooks> {
  if (!settings.hooks) return NOTHING;
  return (await import('./hooks-part.ts')).requestedHooks(system, folder);
}

/** The hooks of a session: switched off they cost nothing, and nothing of them is loaded. */
export function openHooks(wiring: HooksWiring, settings: Settings): LoadHooks {
  return async (granted, again) => {
    const { enabled, injects } = again?.hooks ?? { enabled: settings.hooks, injects: settings.injection };
    if (!enabled) return null;
    const { loadHooks } = await import('./hooks-part.ts');
    return loadHooks(wiring, { granted, injects, again: again !== null });
  };
}
