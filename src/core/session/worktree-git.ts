import { onAbort } from '../../base/abort.ts';
import { joinBytes } from '../../base/json-lines.ts';
import type { System } from '../../system/system.ts';

export interface GitResult {
  /** Null where git could not be run to its end. */
  readonly code: number | null;
  readonly out: string;
  /** What it said of itself, one line. */
  readonly said: string;
}

/** Runs git in a folder, never with a question to the person, a pager, a hook or a signature. */
export type Git = (folder: string, argv: readonly string[], signal?: AbortSignal) => Promise<GitResult>;

const LIMIT_MS = 120_000;
const MOST_BYTES = 4 * 1024 * 1024;
/** Of the person's own: who commits, and where git finds its settings. */
const PASSED_ON = ['HOME', 'PATH', 'USER', 'LOGNAME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'TMPDIR'];

export function createGit({ processes, clock, environment }: Pick<System, 'processes' | 'clock' | 'environment'>): Git {
  const passed = PASSED_ON.flatMap((name) => {
    const value = environment.get(name);
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  const given = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...Object.fromEntries(passed),
    LC_ALL: 'C.UTF-8',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
  };
  return async (folder, argv, signal) => {
    const out: Uint8Array[] = [];
    const errors: Uint8Array[] = [];
    let bytes = 0;
    try {
      const child = await processes.spawn({
        argv: ['git', '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...argv],
        folder,
        environment: given,
        input: null,
        output: 'pieces',
        onOutput: (piece, stream) => {
          if ((bytes += piece.length) <= MOST_BYTES) (stream === 'out' ? out : errors).push(piece);
        },
      });
      const forget = signal === undefined ? () => {} : onAbort(signal, () => void child.signal('TERM'));
      const forgetLimit = clock.after(LIMIT_MS, () => child.signal('KILL'));
      const { code } = await child.exited;
      forget();
      forgetLimit();
      const said = textOf(errors).trim() === '' ? textOf(out) : textOf(errors);
      return { code, out: textOf(out), said: lastLine(said) };
    } catch (error) {
      return { code: null, out: '', said: error instanceof Error ? error.message : String(error) };
    }
  };
}

function textOf(pieces: readonly Uint8Array[]): string {
  return new TextDecoder().decode(joinBytes([...pieces]));
}

/** Git says what matters last, or behind `fatal:`. */
function lastLine(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const fatal = lines.find((line) => /^(fatal|error):/.test(line));
  return (fatal ?? lines.at(-1) ?? 'git said nothing').replace(/^(fatal|error):\s*/, '');
}
