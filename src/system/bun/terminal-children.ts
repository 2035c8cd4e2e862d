import type { Exit, SpawnOptions, TerminalChild } from '../processes.ts';
import { systemError } from './errors.ts';
import { endAtExit, signalChild } from './signals.ts';

const QUIET_MS = 15;

/** The shell's own variables, which the program must not find in its environment. */
const SHELL_VARIABLES = ['PWD', 'OLDPWD', 'SHLVL'];

/**
 * Bun makes the child leader of a session but gives it no controlling terminal. A leader without one gets the terminal it
 * opens, so a shell opens its own input anew and then becomes the program.
 */
function withControllingTerminal(program: string, options: Pick<SpawnOptions, 'argv' | 'environment'>): string[] {
  const own = SHELL_VARIABLES.filter((name) => options.environment[name] === undefined).join(' ');
  const input = process.platform === 'linux' ? '/proc/self/fd/0' : '"$(/usr/bin/tty)"';
  const line = `${own === '' ? '' : `unset ${own}; `}exec "$@" <>${input}`;
  return ['/bin/sh', '-c', line, 'sh', program, ...options.argv.slice(1)];
}

/** On a new pseudo-terminal, as leader of a session that has it for its controlling terminal. */
export async function spawnTerminalChild(
  program: string,
  options: Omit<SpawnOptions, 'input' | 'output'> & { readonly columns: number; readonly rows: number },
): Promise<TerminalChild> {
  let last = 0;
  const terminal = new Bun.Terminal({
    cols: options.columns,
    rows: options.rows,
    data(_terminal, bytes) {
      last = performance.now();
      // The buffer is only lent. Output of a terminal is not held up: a promise that is returned is not awaited.
      options.onOutput?.(bytes.slice(), 'out');
    },
  });
  const child = start();
  const target = { pid: child.pid, group: true, over: false };
  const forget = options.detached ? () => {} : endAtExit(child.pid, true);

  function start() {
    try {
      return Bun.spawn(withControllingTerminal(program, options), {
        cwd: options.folder,
        env: { ...options.environment },
        terminal,
        detached: true,
      });
    } catch (error) {
      terminal.close();
      throw systemError(error, program);
    }
  }

  const finish = async (): Promise<Exit> => {
    await child.exited;
    target.over = true;
    forget();
    last = performance.now();
    for (let left = QUIET_MS; left > 0; left = last + QUIET_MS - performance.now()) {
      await new Promise((resolve) => setTimeout(resolve, left));
    }
    // Hangs up whatever the program left behind on this terminal, as closing a window does.
    terminal.close();
    const signal = child.signalCode === null ? null : String(child.signalCode);
    return { code: signal ? null : child.exitCode, signal };
  };
  const release = () => {
    child.unref();
    terminal.unref();
  };
  if (options.detached) release();

  return {
    pid: child.pid,
    exited: finish(),
    async write(bytes) {
      if (!terminal.closed) terminal.write(bytes);
    },
    // The end of input on a terminal is a key.
    closeInput() {
      if (!terminal.closed) terminal.write('\x04');
    },
    signal: (name) => signalChild(target, name),
    release,
    resize(columns, rows) {
      if (!terminal.closed) terminal.resize(columns, rows);
    },
  };
}
