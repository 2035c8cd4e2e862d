import { createGit } from '../core/session/worktree-git.ts';
import type { System } from '../system/system.ts';
import { openElsewhere } from './open-elsewhere.ts';
import type { SessionRequest } from './session-request.ts';
import { leaveWorktree } from './worktree-exit.ts';

interface Shown {
  readonly request: Pick<SessionRequest, 'folder' | 'session'>;
  readonly places: { readonly state: string | null };
  readonly notice?: string;
}

/**
 * After going from a session to one that works elsewhere: the worktree that was left is tidied without asking. What is in
 * it and nowhere else stays, and the session one comes to says the way back to it (SC-20.14).
 */
export async function tidyLeft<S extends Shown>(system: System, left: Shown, next: S): Promise<S> {
  const { folder, session } = left.request;
  if (folder === next.request.folder) return next;
  // A folder that may be taken away is no place to stand in.
  if (process.cwd().startsWith(folder)) process.chdir(next.request.folder);
  const text = await leaveWorktree({
    git: createGit(system),
    folder,
    how: 'keep',
    isOpen: (path) => openElsewhere(system, left.places.state, session, path),
    ask: async () => false,
    resume: `houston --resume ${session.slice(0, 13)}`,
  });
  return text === null ? next : { ...next, notice: [next.notice, text].filter(Boolean).join(' ') };
}
