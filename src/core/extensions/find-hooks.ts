import path from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import type { Files } from '../../system/files.ts';
import { HOOKS_FILE_BYTES, type Hook, type HooksRead, hookCommandText, readHooks } from './hooks.ts';

type Readable = Pick<Files, 'list' | 'stat' | 'linkStat' | 'read'>;

/** A hook a project asks for: a request to the person, never in force by itself. */
export interface RequestedHook {
  readonly hook: Hook;
  /** For the question: it tells the file as it was, so that another one is another request. */
  readonly line: string;
  /** Files of the project its command names, and what they held when the person was asked; null for one that is not there. */
  readonly pinned: ReadonlyMap<string, string | null>;
}

export interface ProjectHooks {
  readonly requested: readonly RequestedHook[];
  readonly problems: readonly string[];
}

const MOST_FILES = 32;
const MOST_PINNED_BYTES = 4 * 1024 * 1024;
const MOST_WORDS = 64;
const DIGEST = 12;

/** The person's own: `hooks.json` beside their settings. */
export async function readOwnHooks(files: Readable, config: string | null): Promise<HooksRead> {
  if (config === null) return NONE;
  const source = path.join(config, 'hooks.json');
  const read = await readText(files, source);
  if (read === null) return NONE;
  return 'problem' in read ? { hooks: [], problems: [`${source}: ${read.problem}`] } : readHooks(read.text, source);
}

/** Those of `.houston/hooks/*.json` in the workspace, in the order of their names. Links are no files of the project's. */
export async function findProjectHooks(files: Readable, folder: string): Promise<ProjectHooks> {
  const place = path.join(folder, '.houston', 'hooks');
  if ((await files.linkStat(place).catch(() => null))?.kind !== 'folder') return { requested: [], problems: [] };
  const listed = await files.list(place).catch(() => []);
  const names = listed.map(({ name }) => name).filter((name) => name.endsWith('.json'));
  const requested: RequestedHook[] = [];
  const problems: string[] = [];
  for (const name of names.sort().slice(0, MOST_FILES)) {
    const source = path.join(place, name);
    const shown = path.relative(folder, source);
    const read =
      (await files.linkStat(source).catch(() => null))?.kind === 'link' ? LINK : await readText(files, source);
    if (read === null) continue;
    if ('problem' in read) {
      problems.push(`${shown}: ${read.problem}`);
      continue;
    }
    const { hooks, problems: bad } = readHooks(read.text, shown);
    problems.push(...bad);
    const digest = sha256(read.text).slice(0, DIGEST);
    for (const hook of hooks) {
      const pinned = await pinsOf(files, folder, hook);
      const scripts = [...pinned].map(([file, held]) => `${path.relative(folder, file)} ${held ?? 'not there'}`);
      const line = [
        `${shown} (${digest}): hook “${hook.label}”, ${hook.phase}, runs ${hookCommandText(hook)}`,
        ...(hook.inject ? ['may tell the model what it prints'] : []),
        ...scripts,
      ].join('; ');
      requested.push({ hook, line, pinned });
    }
  }
  return { requested, problems };
}

/** Why a hook of a project may not run: a file its command names is another one than the person was asked about. */
export async function changedSince(files: Readable, { pinned }: Pick<RequestedHook, 'pinned'>): Promise<string | null> {
  for (const [file, held] of pinned)
    if ((await digestOf(files, file)) !== held) return `${file} changed since you said yes to it`;
  return null;
}

const NONE: HooksRead = { hooks: [], problems: [] };
const LINK = { problem: 'is a link, and is not followed' };

async function pinsOf(files: Readable, folder: string, { command }: Hook): Promise<Map<string, string | null>> {
  const words = typeof command === 'string' ? command.split(/[\s'"`;|&<>()=]+/) : command;
  const pinned = new Map<string, string | null>();
  for (const word of words.slice(0, MOST_WORDS)) {
    if (word === '' || word.startsWith('-')) continue;
    const file = path.resolve(folder, word);
    if (!file.startsWith(`${folder}/`)) continue;
    const held = await digestOf(files, file);
    // A bare word that names nothing here is a program or an argument; a path names a file, also before it is there.
    if (held !== null || (word.includes('/') && !(await isFolder(files, file)))) pinned.set(file, held);
  }
  return pinned;
}

async function digestOf(files: Readable, file: string): Promise<string | null> {
  try {
    if ((await files.stat(file))?.kind !== 'file') return null;
    return sha256(await files.read(file, MOST_PINNED_BYTES)).slice(0, DIGEST);
  } catch {
    return 'unreadable';
  }
}

async function isFolder(files: Readable, file: string): Promise<boolean> {
  return (await files.stat(file).catch(() => null))?.kind === 'folder';
}

async function readText(
  files: Readable,
  source: string,
): Promise<{ readonly text: string } | { readonly problem: string } | null> {
  try {
    const stat = await files.stat(source);
    if (stat === null) return null;
    if (stat.kind !== 'file') return { problem: 'is no ordinary file' };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await files.read(source, HOOKS_FILE_BYTES)) };
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === 'EFBIG') return { problem: `is larger than ${HOOKS_FILE_BYTES / 1024} KB` };
    return {
      problem: code === undefined || code.startsWith('ERR_') ? 'is not UTF-8 text' : `cannot be read (${code})`,
    };
  }
}
