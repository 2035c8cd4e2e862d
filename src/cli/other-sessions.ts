import nodePath from 'node:path';
import { done, type Outcome, refuse } from '../base/refusal.ts';
import type { SessionRow, SessionsDoor, SessionWish } from '../front/tui/sessions-door.ts';
import type { System } from '../system/system.ts';
import type { SessionRequest } from './session-request.ts';

/** The sessions of a state folder, as a running screen may list and open them. */
export function otherSessions(parts: {
  readonly system: System;
  /** Null when nothing is saved. */
  readonly state: string | null;
  readonly request: SessionRequest;
  /** Opens it beside the one shown; the refusal in words when that failed. `note`: where it works, when that is elsewhere. */
  readonly open: (request: SessionRequest, note: string | null) => Promise<string | null>;
}): SessionsDoor {
  const { system, state, request } = parts;
  return {
    list: async (all) => {
      if (state === null) return [];
      const [{ listSessions }, { projectFolder }, { openHostFiles }] = await Promise.all([
        import('../core/journal/catalog.ts'),
        import('../core/journal/project.ts'),
        import('../link/host-files.ts'),
      ]);
      const project = all ? null : await projectFolder(system.files, request.folder);
      const hosts = await (await openHostFiles(system, state)).list().catch(() => []);
      const open = new Set(hosts.filter((host) => host.state !== 'stopped').map((host) => host.session));
      return (await listSessions(system, state, project)).map(
        ({ id, title, folder, updated, turns, firstPrompt }): SessionRow => ({
          id,
          title,
          folder,
          updated,
          turns,
          firstPrompt,
          open: open.has(id),
        }),
      );
    },
    open: async (wish) => {
      const next = await requestFor(system, state, request, wish);
      return next.ok ? parts.open(next.value.request, next.value.note) : next.refusal.message;
    },
  };
}

async function requestFor(
  system: System,
  state: string | null,
  request: SessionRequest,
  wish: SessionWish,
): Promise<Outcome<{ readonly request: SessionRequest; readonly note: string | null }>> {
  const fresh = system.ids.uuid();
  const plain = { ...request, model: null, effort: null, mode: null, demo: false };
  if (wish.kind === 'new')
    return done({
      request: { ...request, session: fresh, open: 'new', forkOf: null, model: wish.model ?? request.model },
      // One that is saved has a name to come back by.
      note: request.save && state !== null ? `A new session, ${fresh.slice(0, 13)}: /resume leads back.` : null,
    });
  if (state === null) return refuse('no-session', 'Nothing is saved here');
  const { findSession } = await import('../core/journal/catalog.ts');
  const found = await findSession(system, state, null, wish.id);
  if (!found.ok) return found;
  const { id, place } = found.value;
  const { readSummary } = await import('../core/journal/summary.ts');
  const { JOURNAL_FILE } = await import('../core/journal/file-journal.ts');
  const summary = await readSummary(system.files, nodePath.join(place, JOURNAL_FILE));
  const its = summary?.folder ?? request.folder;
  const folder = await folderFor(system, request.folder, its);
  if (!folder.ok) return folder;
  const at = { ...plain, folder: folder.value };
  return done({
    request:
      wish.kind === 'fork'
        ? { ...at, session: fresh, open: 'fork', forkOf: id }
        : { ...at, session: id, open: 'resume', forkOf: null },
    note: await whereItWorks(system, { here: request.folder, its, folder: folder.value }),
  });
}

/** Said where a session does not work in the folder one comes from, or not in its own (SC-20.6, SC-20.14). */
async function whereItWorks(
  { files }: Pick<System, 'files'>,
  { here, its, folder }: { readonly here: string; readonly its: string; readonly folder: string },
): Promise<string | null> {
  if (its !== '' && its !== folder && (await files.realPath(its)) === null)
    return `The folder of this session is gone (${its}): it goes on in ${folder}.`;
  return folder === here ? null : `This session works in ${folder}.`;
}

/**
 * Where a session works on: its own folder, where that is of the same repository; here, when it is gone; a folder of
 * another repository is refused, since nothing the conversation relies on would fit there (SC-20.6, SC-20.15).
 */
export async function folderFor(system: Pick<System, 'files'>, here: string, its: string): Promise<Outcome<string>> {
  if (its === here || its === '') return done(here);
  const { projectFolder } = await import('../core/journal/project.ts');
  const project = await projectFolder(system.files, here);
  const real = await system.files.realPath(its);
  if (real === null) {
    const ours = its.startsWith(`${project}/`) || its === project;
    return ours
      ? done(here)
      : refuse('folder-gone', `The folder of that session is gone, and it was none of this repository: ${its}`);
  }
  if (real === here) return done(here);
  if ((await projectFolder(system.files, real)) !== project)
    return refuse('other-repository', `That session works in another repository: cd ${real} and resume it there.`);
  return done(real);
}
