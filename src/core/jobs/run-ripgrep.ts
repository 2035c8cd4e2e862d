import { onAbort } from '../../base/abort.ts';
import { joinBytes } from '../../base/json-lines.ts';
import type { Clock } from '../../system/clock.ts';
import { type Files, SystemError } from '../../system/files.ts';
import type { Processes } from '../../system/processes.ts';
import type { RunHelper } from './line.ts';

const MOST_ERROR_BYTES = 16 * 1024;

/** Runs ripgrep for the tools that list and search. `program` null: it is not installed, and each call says so. */
export function createHelperRunner(
  processes: Pick<Processes, 'spawn'>,
  clock: Clock,
  program: string | null,
  mostSeconds = 20,
): RunHelper {
  return async (argv, folder, maxBytes, signal) => {
    if (program === null)
      throw new SystemError('ENOENT', 'ripgrep is not installed: neither @vscode/ripgrep nor rg on PATH');
    const out: Uint8Array[] = [];
    const errors: Uint8Array[] = [];
    let bytes = 0;
    let errorBytes = 0;
    let cut: 'size' | 'time' | null = null;
    const child = await processes.spawn({
      argv: [program, ...argv],
      folder,
      // Nothing of the person's: no configuration file that could name a program to run.
      environment: { LC_ALL: 'C.UTF-8' },
      input: null,
      output: 'pieces',
      onOutput(piece, stream) {
        if (stream === 'err') {
          if ((errorBytes += piece.length) <= MOST_ERROR_BYTES) errors.push(piece);
          return;
        }
        if (cut !== null) return;
        out.push(piece);
        bytes += piece.length;
        if (bytes < maxBytes) return;
        cut = 'size';
        child.signal('KILL');
      },
    });
    const forget = onAbort(signal, () => void child.signal('KILL'));
    const forgetDeadline = clock.after(mostSeconds * 1000, () => {
      cut ??= 'time';
      child.signal('KILL');
    });
    const { code } = await child.exited;
    forget();
    forgetDeadline();
    return { code, out: joinBytes(out).subarray(0, maxBytes), err: new TextDecoder().decode(joinBytes(errors)), cut };
  };
}

/**
 * Where ripgrep is: in the npm package for this platform, in any `node_modules` from `from` upward, else on PATH; null
 * when it is nowhere.
 */
export async function findRipgrep(
  files: Pick<Files, 'list' | 'stat'>,
  processes: Pick<Processes, 'find'>,
  { from, platform, path }: { readonly from: string; readonly platform: string; readonly path: string },
): Promise<string | null> {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    const scope = `${folder}/node_modules/@vscode`;
    const packages = (await files.stat(scope)) === null ? [] : await files.list(scope);
    for (const { name } of packages) {
      const program = `${scope}/${name}/bin/rg`;
      if (name.startsWith(`ripgrep-${platform}-`) && (await files.stat(program)) !== null) return program;
    }
    if (folder === '') return processes.find('rg', path);
  }
}
