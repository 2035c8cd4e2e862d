import { dirname, resolve } from 'node:path';
import type { Files } from '../../system/files.ts';

const MOST_BYTES = 256 * 1024;

/** Settings through which reading a repository would start a program, or pull in settings from elsewhere. */
const HELPERS =
  /(?:^|\])\s*(?:(?:external|textconv|fsmonitor|pager|command|sshcommand|hookspath|editor|process|clean|smudge|path|worktree|alternaterefscommand|askpass|helper|program|promisor|partialclone|uploadpack|vcs|showsignature)\s*(?:=|$)|\[\s*(?:include|includeif|alias|pager|pretty)\b)/im;

/**
 * Whether the settings of the repository that git would find from `workspace` name no helper program, so that `git status`
 * or `git diff` runs git and nothing else. The person's global settings are theirs and are not looked at.
 */
export async function gitRunsNoHelpers(files: Pick<Files, 'stat' | 'read'>, workspace: string): Promise<boolean> {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const place = resolve(folder, '.git');
    const stat = await files.stat(place);
    if (stat !== null) {
      const inner = stat.kind === 'file' ? await linkedFolder(files, place, folder) : place;
      if (inner === null || !(await isQuiet(files, inner, folder))) return false;
      // Of an empty one git takes no notice, and looks further.
      if ((await files.stat(resolve(inner, 'HEAD'))) !== null) return true;
    }
    // Any folder with the right files in it is a repository to git, whatever it is called.
    if ((await files.stat(resolve(folder, 'HEAD'))) !== null) return false;
    if (dirname(folder) === folder) return true;
  }
}

async function isQuiet(files: Pick<Files, 'stat' | 'read'>, folder: string, top: string): Promise<boolean> {
  const common = withoutEnd(await readText(files, resolve(folder, 'commondir')));
  const shared = common === null ? folder : resolve(folder, common);
  // Reading may write the index anew, which starts this hook; and it looks into submodules, which have settings of their own.
  for (const place of [
    resolve(shared, 'hooks', 'post-index-change'),
    resolve(shared, 'modules'),
    resolve(top, '.gitmodules'),
  ])
    if ((await files.stat(place)) !== null) return false;
  for (const file of [resolve(shared, 'config'), resolve(folder, 'config.worktree')]) {
    const text = await readText(files, file);
    if (text !== undefined && (text === null || HELPERS.test(text))) return false;
  }
  return true;
}

/** A worktree or submodule: `.git` is a file that names the real folder; null where git would not read it as we do. */
async function linkedFolder(
  files: Pick<Files, 'stat' | 'read'>,
  place: string,
  folder: string,
): Promise<string | null> {
  const target = /^gitdir: ([^\r\n]+)[\r\n]*$/.exec((await readText(files, place)) ?? '')?.[1];
  return target === undefined ? null : resolve(folder, target);
}

function withoutEnd(text: string | null | undefined): string | null {
  return text == null ? null : text.replace(/[\r\n]+$/, '');
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
