import { basename, dirname, join, normalize, resolve } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import { type Files, SystemError } from '../../system/files.ts';

/** A file name takes 255 bytes; longer keys are cut and made unmistakable by a hash. */
const LONGEST_KEY = 200;

/** Side conversations lie in it: never listed, never found by a name (SI-7). */
export const SIDE_FOLDER = 'side';

/**
 * A folder's name under `sessions/`: the path with `+` for `/` and everything a file name could trip over written as
 * `%XX`, so that no two folders share a key and one can still be read.
 */
export function projectKey(folder: string): string {
  const path = normalize(folder).replace(/^\/+|\/+$/g, '');
  if (path === '') return '+';
  const key = path
    .split('/')
    .map((segment) => segment.replace(/[^\p{L}\p{N}._@=,~ -]|^[.\s]|\s$/gu, percent))
    .join('+');
  // The folder of side conversations is no project's.
  if (key === SIDE_FOLDER) return `%73${key.slice(1)}`;
  if (new TextEncoder().encode(key).length <= LONGEST_KEY) return key;
  const hash = sha256(path).slice(0, 32);
  return `${cutBytes(key, LONGEST_KEY - hash.length - 2)}%~${hash}`;
}

/** The folder a key was made from; null for a cut one (the sessions themselves say which folder it is) or for no key. */
export function folderOfKey(key: string): string | null {
  if (key === '+') return '/';
  if (key.includes('%~')) return null;
  try {
    return `/${key.split('+').map(decodeURIComponent).join('/')}`;
  } catch {
    return null;
  }
}

function percent(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

function cutBytes(text: string, most: number): string {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= most ? text : new TextDecoder().decode(bytes.subarray(0, most)).replace(/�+$/, '');
}

/**
 * The project a folder belongs to: the primary worktree of its git repository, else the folder itself, links resolved.
 * Reads `.git` files and runs nothing. A `.git` file counts only if the repository it names says the same, so that a
 * folder cannot claim another project's sessions.
 */
export async function projectFolder(files: Files, folder: string): Promise<string> {
  const start = (await files.realPath(folder)) ?? resolve(folder);
  for (let at = start; ; at = dirname(at)) {
    const git = join(at, '.git');
    const stat = await statOrNull(files, git);
    if (stat?.kind === 'folder') return at;
    if (stat?.kind === 'file') return (await primaryOf(files, at, git)) ?? at;
    if (dirname(at) === at) return start;
  }
}

async function primaryOf(files: Files, worktree: string, gitFile: string): Promise<string | null> {
  const named = /^gitdir: (.+?)\s*$/.exec(await readLine(files, gitFile))?.[1];
  if (named === undefined) return null;
  const own = resolve(worktree, named);
  const [common, back] = [await readLine(files, join(own, 'commondir')), await readLine(files, join(own, 'gitdir'))];
  // A submodule has no common folder: it is a project of its own.
  if (common === '' || back === '') return null;
  if ((await files.realPath(resolve(own, back))) !== (await files.realPath(gitFile))) return null;
  const repository = await files.realPath(resolve(own, common));
  if (repository === null) return null;
  return basename(repository) === '.git' ? dirname(repository) : repository;
}

async function readLine(files: Files, path: string): Promise<string> {
  try {
    return new TextDecoder()
      .decode(await files.read(path, 4_096))
      .split('\n', 1)[0]!
      .trimEnd();
  } catch (error) {
    if (error instanceof SystemError) return '';
    throw error;
  }
}

async function statOrNull(files: Files, path: string): ReturnType<Files['stat']> {
  try {
    return await files.stat(path);
  } catch (error) {
    if (error instanceof SystemError) return null;
    throw error;
  }
}
