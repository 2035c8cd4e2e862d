// A real shell on a real terminal, for what only shows beside one: what a program leaves behind, stopping and going on.
import { eventually, HOUSTON, type OpenOptions, type Place } from './houston-place.ts';
import type { PtyProgram } from './pty-program.ts';

export interface Shell {
  readonly screen: PtyProgram;
  /** Types a line and waits until the shell asks for the next. */
  run(line: string): Promise<void>;
  /** Starts Houston and waits for its first frame. */
  houston(words?: string): Promise<{ readonly pid: number }>;
  /** Waits until the shell has the terminal again. */
  back(): Promise<void>;
}

const PROMPT = 'shell> ';

/** An interactive bash with a window title of its own; nothing of this machine's start files. */
export async function openShell(place: Place, options: OpenOptions = {}): Promise<Shell> {
  const screen = place.open([], {
    ...options,
    argv: ['bash', '--norc', '--noprofile', '-i'],
    environment: { PS1: PROMPT, HISTFILE: '/dev/null', ...options.environment },
  });
  const lastLine = (): string =>
    screen
      .lines()
      .filter((line) => line.trim() !== '')
      .at(-1) ?? '';
  const back = (): Promise<void> =>
    screen.until(() => screen.emulator.buffer.active.type === 'normal' && lastLine().trimEnd() === PROMPT.trimEnd());
  let lines = 0;
  const run = async (line: string): Promise<void> => {
    const done = `over:${++lines}`;
    screen.write(`${line}; echo ${done}\r`);
    await screen.until(new RegExp(`^${done}$`, 'm'));
    await back();
  };
  await back();
  await run("printf '\\033]0;orig\\007'");
  return {
    screen,
    run,
    back,
    async houston(words = '') {
      screen.write(`${HOUSTON} ${words}\r`);
      await screen.until('HOUSTON v');
      let pid = 0;
      await eventually('houston below the shell', () => {
        pid = childOf(screen.pid);
        return pid !== 0;
      });
      return { pid };
    },
  };
}

function childOf(pid: number): number {
  const listed = Bun.spawnSync(['pgrep', '-P', String(pid)])
    .stdout.toString()
    .trim();
  return listed === '' ? 0 : Number(listed.split('\n')[0]);
}
