import type { Exit, SpawnOptions, TerminalChild } from '../processes.ts';
import { systemError } from './errors.ts';
import { endAtExit, signalChild } from './signals.ts';

const QUIET_MS = 15;

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
      // The buffer is only lent.
      options.onOutput?.(bytes.slice(), 'out');
    },
  });
  const child = start();
  const target = { pid: child.pid, group: true, over: false };
  const forget = options.detached ? () => {} : endAtExit(child.pid, true);

  function start() {
    try {
      return Bun.spawn([program, ...options.argv.slice(1)], {
        argv0: options.argv[0] ?? program,
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
