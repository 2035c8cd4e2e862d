import { resolve } from 'node:path';
import type { Files } from '../../system/files.ts';

const MOST_BYTES = 256 * 1024;

/** Settings through which reading a repository would start a program, or pull in settings from elsewhere. */
const HELPERS =
  /(?:^|\])\s*(?:(?:external|textconv|fsmonitor|pager|command|sshcommand|hookspath|editor|process|clean|smudge|path|worktree|alternaterefscommand|askpass|helper|program|promisor|partialclone|uploadpack|vcs)\s*(?:=|$)|\[\s*(?:include|includeif|alias|pager)\b)/im;

/**
 * Whether this repository's own settings name no helper program, so that `git status` or `git diff` runs git and nothing
 * else. The person's global settings are theirs and are not looked at.
 */
export async function gitRunsNoHelpers(files: Pick<Files, 'stat' | 'read'>, workspace: string): Promise<boolean> {
  const place = resolve(workspace, '.git');
  const stat = await files.stat(place);
  if (stat === null) return true;
  const folder = stat.kind === 'file' ? await linkedFolder(files, place, workspace) : place;
  if (folder === null) return false;
  const common = (await readText(files, resolve(folder, 'commondir')))?.trim();
  const shared = common === undefined ? folder : resolve(folder, common);
  // Reading may write the index anew, which starts this hook; and it looks into submodules, which have settings of their own.
  for (const place of [
    resolve(shared, 'hooks', 'post-index-change'),
    resolve(shared, 'modules'),
    resolve(workspace, '.gitmodules'),
  ])
    if ((await files.stat(place)) !== null) return false;
  for (const file of [resolve(shared, 'config'), resolve(folder, 'config.worktree')]) {
    const text = await readText(files, file);
    if (text !== undefined && (text === null || HELPERS.test(text))) return false;
  }
  return true;
}

/** A worktree or submodule: `.git` is a file that names the real folder. */
async function linkedFolder(
  files: Pick<Files, 'stat' | 'read'>,
  place: string,
  workspace: string,
): Promise<string | null> {
  const target = /^gitdir: (.+)$/m.exec((await readText(files, place)) ?? '')?.[1];
  return target === undefined ? null : resolve(workspace, target);
}

/** Undefined when there is no such file, null when it cannot be read. */
async function readText(files: Pick<Files, 'stat' | 'read'>, path: string): Promise<string | null | undefined> {
  if ((await files.stat(path)) === null) return undefined;
  try {
    return new TextDecoder().decode(await files.read(path, MOST_BYTES));
  } catch {
    return null;
  }
}
