import type { View } from '../../protocol/view.ts';
import { isRunning } from '../commands/facts.ts';
import { titleSequence } from './frame/screen-modes.ts';
import { waitingAsks } from './modals/ask-state.ts';

/** Title and bell: who looks elsewhere sees and hears that something runs, asks or is done (TERM-7). */
export class Announcer {
  readonly #write: (text: string) => void;
  readonly #titled: boolean;
  #title = '';
  #running = false;
  #asks = 0;

  constructor(write: (text: string) => void, titled: boolean) {
    this.#write = write;
    this.#titled = titled;
  }

  /** Called after each frame; writes only what changed. */
  look(view: View, client: string, focused: boolean): void {
    const asks = waitingAsks(view, client);
    const running = isRunning(view);
    if (!focused && (asks > this.#asks || (this.#running && !running))) this.#write('\x07');
    this.#asks = asks;
    this.#running = running;
    const name = view.head.title === '' ? '' : ` · ${view.head.title}`;
    const title = `${asks > 0 ? '[!] ' : running ? '✦ ' : ''}houston${name}`;
    if (!this.#titled || title === this.#title) return;
    this.#title = title;
    this.#write(titleSequence(title));
  }

  /** Somebody else had the terminal: its title is written again. */
  forget(): void {
    this.#title = '';
  }
}
