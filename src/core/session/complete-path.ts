import path from 'node:path';
import ignore from 'ignore';
import type { AnswerTo } from '../../protocol/query.ts';
import type { Files, FolderEntry } from '../../system/files.ts';

const IGNORE_FILES = ['.gitignore', '.ignore'];
const IGNORE_LIMIT = 256 * 1024;

/**
 * Workspace paths for what was typed after `@`: folders first, then files, of the folder typed so far, by prefix; `/`
 * descends. Reads one folder and the ignore files above it, so the cost does not grow with the workspace. Ignored names
 * and `.git` are left out; hidden ones show once a dot was typed.
 */
export async function completePath(
  files: Files,
  workspace: string,
  typed: string,
  limit: number,
): Promise<AnswerTo<'complete-path'>> {
  const slash = typed.lastIndexOf('/');
  const parent = typed.slice(0, slash + 1);
  const start = typed.slice(slash + 1);
  const folder = path.resolve(workspace, parent);
  const below = path.relative(workspace, folder);
  const nothing = { paths: [], complete: true };
  if (below === '..' || below.startsWith('../') || path.isAbsolute(below)) return nothing;
  let entries: FolderEntry[];
  try {
    entries = await files.list(folder);
  } catch {
    return nothing;
  }
  const isIgnored = await ignoreRules(files, workspace, below);
  const wanted = start.toLowerCase();
  const found: { name: string; folder: boolean }[] = [];
  for (const entry of entries) {
    if (entry.name === '.git' || !entry.name.toLowerCase().startsWith(wanted)) continue;
    if (entry.name.startsWith('.') && !start.startsWith('.')) continue;
    const isFolder =
      entry.kind === 'folder' ||
      (entry.kind === 'link' && (await files.stat(path.join(folder, entry.name)))?.kind === 'folder');
    if (!isIgnored(path.join(below, entry.name), isFolder)) found.push({ name: entry.name, folder: isFolder });
  }
  found.sort((a, b) => Number(b.folder) - Number(a.folder) || (a.name < b.name ? -1 : 1));
  const paths = found.slice(0, limit).map((one) => `${parent}${one.name}${one.folder ? '/' : ''}`);
  return { paths, complete: found.length <= limit };
}

/** The rules of every ignore file from the workspace down to `below`; each speaks of paths relative to where it lies. */
async function ignoreRules(
  files: Files,
  workspace: string,
  below: string,
): Promise<(relative: string, folder: boolean) => boolean> {
  const segments = below === '' ? [] : below.split('/');
  const levels: { at: string; rules: ReturnType<typeof ignore> }[] = [];
  for (let depth = 0; depth <= segments.length; depth++) {
    const at = segments.slice(0, depth).join('/');
    for (const name of IGNORE_FILES) {
      const bytes = await files.read(path.join(workspace, at, name), IGNORE_LIMIT).catch(() => null);
      if (bytes !== null) levels.push({ at, rules: ignore().add(new TextDecoder().decode(bytes)) });
    }
  }
  return (relative, folder) => {
    let ignored = false;
    for (const { at, rules } of levels) {
      const own = path.relative(at, relative);
      const verdict = rules.test(folder ? `${own}/` : own);
      if (verdict.ignored) ignored = true;
      else if (verdict.unignored) ignored = false;
    }
    return ignored;
  };
}
