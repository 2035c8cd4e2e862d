import { relative, resolve } from 'node:path';
import { SystemError } from '../../system/files.ts';
import type { PlanContext } from './tool.ts';

const OUTPUT = 'output:';

/** A path argument as an absolute path: relative to the folder, `~/` in the home, `output:NAME` a saved output. */
export function absolutePath(path: string, context: Pick<PlanContext, 'folder' | 'home' | 'outputs'>): string {
  if (path.startsWith(OUTPUT) && context.outputs) {
    // A name, never a way out: whatever it holds stays one segment.
    return `${context.outputs}/${path.slice(OUTPUT.length).replaceAll('/', '_')}`;
  }
  if (context.home && (path === '~' || path.startsWith('~/'))) return resolve(context.home, path.slice(2));
  return resolve(context.folder, path);
}

/** How a path is named to people and model: short inside the folder. */
export function shortPath(path: string, folder: string): string {
  const short = relative(folder, path);
  if (short === '') return '.';
  return short.startsWith('..') ? path : short;
}

/** The reference under which the model reads a saved output. */
export function outputReference(name: string): string {
  return `${OUTPUT}${name}`;
}

/** What the system said, as one line for the model; a bug is thrown on. */
export function explain(error: unknown, path: string): string {
  if (!(error instanceof SystemError)) throw error;
  switch (error.code) {
    case 'ENOENT':
      return `${path}: there is no such file or folder`;
    case 'EISDIR':
      return `${path}: this is a folder`;
    case 'ENOTDIR':
      return `${path}: a part of this path is not a folder`;
    case 'EACCES':
      return `${path}: the system does not let us (permission denied)`;
    case 'ENOSPC':
      return `${path}: the disk is full`;
    case 'EFBIG':
      return `${path}: too large`;
    default:
      return `${path}: ${error.message} (${error.code})`;
  }
}

/** A name may hold anything but a slash: line ends in it must not look like further entries. */
export function oneLine(name: string): string {
  return /[\u0000-\u001f\u007f\u2028\u2029]/.test(name) ? JSON.stringify(name) : name;
}
