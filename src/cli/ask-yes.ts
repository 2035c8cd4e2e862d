import type { Terminal } from '../system/terminal.ts';

/** A question with yes or no on a terminal no screen is drawn on; anything but a yes is a no, and so is no terminal. */
export function askYes(terminal: Terminal, question: string): Promise<boolean> {
  if (!terminal.isInteractive.input || !terminal.isInteractive.output) return Promise.resolve(false);
  terminal.raw(true);
  terminal.write(`${question} [y/N] `);
  return new Promise((resolve) => {
    const deaf = terminal.onInput((bytes) => {
      const key = new TextDecoder().decode(bytes).slice(0, 1);
      deaf();
      terminal.raw(false);
      const yes = key === 'y' || key === 'Y';
      terminal.write(`${yes ? 'y' : 'n'}\r\n`);
      resolve(yes);
    });
  });
}
