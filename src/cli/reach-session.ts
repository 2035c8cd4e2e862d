import path from 'node:path';
import { done, type Outcome, refuse } from '../base/refusal.ts';
import { findSession } from '../core/journal/catalog.ts';
import { JOURNAL_FILE } from '../core/journal/file-journal.ts';
import { readSummary } from '../core/journal/summary.ts';
import { chooseHost, type HostEntry, openHostFiles } from '../link/host-files.ts';
import type { System } from '../system/system.ts';
import type { SessionRequest } from './session-request.ts';

/** A session by whatever a person called it: in a host that runs, or what to ask a new host for. */
export type Reached =
  | { readonly kind: 'running'; readonly host: HostEntry }
  | { readonly kind: 'start'; readonly request: SessionRequest };

/**
 * The session `name` means: `new`, a host's id, or a session's id or the beginning of one, whether it runs or was saved;
 * null: the one that was used last of those that run. Refusals: `no-such-host`, `ambiguous-host`, and those of finding a
 * saved session.
 */
export async function reachSession(
  system: System,
  state: string | null,
  name: string | null,
  folder: string,
): Promise<Outcome<Reached>> {
  if (name === 'new')
    return done({ kind: 'start', request: plainRequest({ folder, session: system.ids.uuid(), open: 'new' }) });
  const hosts = state === null ? [] : await (await openHostFiles(system, state)).list();
  const running = hosts.filter((host) => host.state !== 'stopped');
  if (name === null) {
    const newest = running[0];
    return newest === undefined
      ? refuse('no-such-host', 'no session runs in a host')
      : done({ kind: 'running', host: newest });
  }
  const chosen = chooseHost(running, name);
  if (!chosen.ok && chosen.refusal.identifier !== 'no-such-host') return chosen;
  if (chosen.ok && (chosen.value.host === name || chosen.value.session === name))
    return done({ kind: 'running', host: chosen.value });
  const saved = state === null ? null : await findSession(system, state, null, name);
  // What begins alike may run or may not: which one is meant is for the person to say.
  if (saved !== null && !saved.ok && saved.refusal.identifier === 'session-ambiguous') return saved;
  if (chosen.ok)
    return saved?.ok === true && saved.value.id !== chosen.value.session
      ? refuse('ambiguous-host', `${name} can mean ${chosen.value.session}, ${saved.value.id}`)
      : done({ kind: 'running', host: chosen.value });
  if (saved?.ok !== true) return refuse('no-such-host', `there is no session ${name}, neither running nor saved`);
  const summary = await readSummary(system.files, path.join(saved.value.place, JOURNAL_FILE));
  const at = summary?.folder ?? folder;
  return done({ kind: 'start', request: plainRequest({ folder: at, session: saved.value.id, open: 'resume' }) });
}

/** Nothing but the session itself is asked for: the rest is as its journal and the settings have it. */
export function plainRequest(of: Pick<SessionRequest, 'folder' | 'session' | 'open'>): SessionRequest {
  return {
    ...of,
    forkOf: null,
    save: true,
    model: null,
    effort: null,
    mode: null,
    settings: null,
    sandbox: null,
    addFolders: [],
    allow: [],
    canAsk: true,
    roundLimit: null,
    demo: false,
  };
}
