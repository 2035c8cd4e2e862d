import { basename } from 'node:path';
import type { FileStat } from '../../system/files.ts';
import type { HelperResult } from '../jobs/line.ts';

/** Large generated folders: looked into only where everything is asked for, or where one of them is itself named. */
export const SKIPPED = ['node_modules', '.venv', 'venv', '__pycache__', 'target', 'dist', '.cache'] as const;

/** What every run of ripgrep has in common: no configuration, hidden files too, never the inside of a repository. */
export function commonFlags({
  include,
  exclude = null,
  ignored,
}: {
  readonly include: string | null;
  readonly exclude?: string | null;
  readonly ignored: boolean;
}): string[] {
  const flags = ['--no-config', '--hidden', '--no-require-git', '--color=never', '--null', '--sort=path'];
  if (ignored) flags.push('--no-ignore');
  if (include !== null) flags.push(`--glob=${include}`);
  if (exclude !== null) flags.push(`--glob=!${exclude}`);
  if (!ignored) flags.push(...SKIPPED.map((name) => `--glob=!**/${name}/**`));
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
export function partial(result: HelperResult, seconds: number): string {
  if (result.cut === 'time') return `stopped after ${seconds} seconds: the result is partial`;
  if (result.cut === 'size') return 'too much was found: the result is partial, narrow the search';
  return result.code === 2 ? 'some files could not be read' : '';
}

/** Paths end with a zero byte; a last one without it was cut. */
export function splitNames(out: Uint8Array): string[] {
  const names = new TextDecoder().decode(out).split('\0');
  names.pop();
  return names;
}
