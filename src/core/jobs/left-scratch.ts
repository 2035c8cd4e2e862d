import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import { type Files, SystemError } from '../../system/files.ts';
import type { Processes } from '../../system/processes.ts';
import { isOwner, ownerFolder, readRecord } from './job-record.ts';

interface ScratchParts {
  readonly files: Files;
  readonly processes: Pick<Processes, 'facts' | 'ownPid'>;
  /** `jobs/` of the state folder; null where none is kept. */
  readonly root: string | null;
}

/**
 * A session's folder for throw-away files. Its name says whose it is and where that one's jobs are written down: what a
 * process left that died, or that ended before its jobs did, is found by it.
 */
export async function makeScratch({ files, processes, root }: ScratchParts): Promise<string | null> {
  try {
    const pid = processes.ownPid;
    const startTime = (await processes.facts(pid))?.startTime ?? '';
    const prefix = root === null ? PREFIX : `${prefixOf(root)}${ownerFolder({ pid, startTime }, '')}`;
    return await files.realPath(await files.makeTempFolder(prefix));
  } catch (error) {
    if (error instanceof SystemError) return null;
    throw error;
  }
}

/** Removes what lies beside `scratch` of processes that are gone, and that no job has for its own any more. */
export async function removeLeftScratch(parts: ScratchParts & { readonly root: string }, scratch: string) {
  const { files, processes, root } = parts;
  const temp = dirname(scratch);
  const prefix = prefixOf(root);
  const left: string[] = [];
  for (const { name, kind } of await files.list(temp).catch(nothing)) {
    if (kind !== 'folder' || !name.startsWith(prefix) || name === basename(scratch)) continue;
    if ((await isOwner(name.slice(prefix.length), processes.facts)) === false) left.push(join(temp, name));
  }
  if (left.length === 0) return;
  // Twice, since another process may be taking a job over in this moment: between two folders it is in neither.
  const used = [...(await scratchOfJobs(files, root)), ...(await scratchOfJobs(files, root))];
  for (const folder of left)
    if (!used.includes(folder)) await files.remove(folder, { recursive: true }).catch(() => undefined);
}

async function scratchOfJobs(files: Files, root: string): Promise<string[]> {
  const found: string[] = [];
  for (const owner of await files.list(root).catch(nothing)) {
    for (const job of await files.list(join(root, owner.name)).catch(nothing)) {
      const record = await readRecord(files, join(root, owner.name, job.name));
      if (record?.scratch != null) found.push(record.scratch);
    }
  }
  return found;
}

const PREFIX = 'houston-scratch-';

const prefixOf = (root: string): string => `${PREFIX}${sha256(root).slice(0, 8)}-`;

const nothing = (error: unknown): [] => {
  if (error instanceof SystemError) return [];
  throw error;
};
