import { basename } from 'node:path';
import type { FileStat } from '../../system/files.ts';
import type { HelperResult } from '../jobs/line.ts';

/** What every run of ripgrep has in common: no configuration, hidden files too, never the inside of a repository. */
export function commonFlags({
  include,
  ignored,
}: {
  readonly include: string | null;
  readonly ignored: boolean;
}): string[] {
  const flags = ['--no-config', '--hidden', '--no-require-git', '--color=never', '--null', '--sort=path'];
  if (ignored) flags.push('--no-ignore');
  if (include !== null) flags.push(`--glob=${include}`);
  return [...flags, '--glob=!.git'];
}

/** The last arguments: the folder itself as it is the current one, or the one file. */
export function target(path: string, stat: FileStat): string[] {
  return stat.kind === 'folder' ? ['--', './'] : ['--', `./${basename(path)}`];
}

/** A complaint of ripgrep about what it was asked to do; null when it did it, perhaps not everywhere. */
export function complaint(result: HelperResult): string | null {
  if (result.cut !== null || result.code === 0 || result.code === 1 || result.out.length > 0) return null;
  const lines = result.err.trim().replace(/^rg: /, '').split('\n');
  const reason = lines.find((line) => line.startsWith('error:')) ?? lines[0];
  return reason === undefined || reason === '' ? 'the search program failed' : reason.replace(/^error: /, '');
}

/** Why there may be more than was found, for the last line of a result; empty when there is not. */
export function partial(result: HelperResult): string {
  if (result.cut === 'time') return 'stopped after 20 seconds: the result is partial';
  if (result.cut === 'size') return 'too much was found: the result is partial, narrow the search';
  return result.code === 2 ? 'some files could not be read' : '';
}
