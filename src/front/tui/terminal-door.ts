import { learn, NOTHING_KNOWN, QUERIES, type TerminalFacts } from './frame/detect.ts';
import { ENTER_SCREEN, GRAPHEME_WIDTHS, LEAVE_SCREEN } from './frame/screen-modes.ts';
import { guardBursts, NO_BURST } from './input/burst.ts';
import { InputReader } from './input/bytes.ts';
import type { InputEvent } from './input/event.ts';

/** The part of a terminal that is used here. */
export interface DoorTerminal {
  write(text: string): void;
  raw(on: boolean): void;
  onInput(listener: (bytes: Uint8Array) => void): () => void;
}

export interface DoorClock {
  ticks(): number;
  after(ms: number, callback: () => void): () => void;
}

/** So long after asking, an answer may still be on its way; and so long it is waited for when leaving. */
const ANSWERS_COME_WITHIN = 2000;
const LAST_ANSWER_WAIT = 200;

/**
 * The terminal while Mission Control holds it: its modes taken and given back, its bytes read as events, its answers
 * learnt. Giving back is safe to do twice and on every path (TERM-4).
 */
export class TerminalDoor {
  facts: TerminalFacts = NOTHING_KNOWN;
  readonly #terminal: DoorTerminal;
  readonly #clock: DoorClock;
  readonly #onEvents: (events: readonly InputEvent[]) => void;
  readonly #onGone: () => void;
  #reader = new InputReader();
  #burst = NO_BURST;
  #deaf: (() => void) | null = null;
  #cancelTimeout: (() => void) | null = null;
  #entered = false;
  #gone = false;
  #askedAt: number | null = null;
  #onLastAnswer: (() => void) | null = null;

  constructor(
    terminal: DoorTerminal,
    clock: DoorClock,
    onEvents: (events: readonly InputEvent[]) => void,
    onGone: () => void,
  ) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#onEvents = onEvents;
    this.#onGone = onGone;
  }

  enter(): void {
    if (this.#entered) return;
    this.#entered = true;
    this.#terminal.raw(true);
    this.write(ENTER_SCREEN);
    this.#listen();
  }

  /** What the terminal is, asked once the first frame stands; nobody waits for the answers. */
  ask(): void {
    this.#askedAt = this.#clock.ticks();
    this.write(QUERIES);
  }

  leave(keepRaw = false): void {
    const entered = this.#entered;
    this.#giveBackScreen();
    this.#giveBackInput(entered && !keepRaw);
  }

  /**
   * Gives the screen back now, and the keys once no answer is on its way any more: one that came later would stand on the
   * shell's command line.
   */
  async leaveQuietly(): Promise<void> {
    const entered = this.#entered;
    this.#giveBackScreen();
    const asked = this.#askedAt !== null && this.#clock.ticks() - this.#askedAt < ANSWERS_COME_WITHIN;
    if (entered && asked && !this.facts.complete && !this.#gone) {
      await new Promise<void>((resolve) => {
        const tooLate = this.#clock.after(LAST_ANSWER_WAIT, resolve);
        this.#onLastAnswer = () => {
          tooLate();
          resolve();
        };
      });
    }
    this.#giveBackInput(entered);
  }

  #giveBackScreen(): void {
    if (!this.#entered) return;
    this.#entered = false;
    this.write(LEAVE_SCREEN);
  }

  #giveBackInput(raw: boolean): void {
    this.#deaf?.();
    this.#deaf = null;
    this.#cancelTimeout?.();
    this.#cancelTimeout = null;
    try {
      if (raw) this.#terminal.raw(false);
    } catch {
      this.#lose();
    }
  }

  /** A write that fails means that nobody is there any more. */
  write(text: string): void {
    if (this.#gone || text === '') return;
    try {
      this.#terminal.write(text);
    } catch {
      this.#lose();
    }
  }

  #lose(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#onLastAnswer?.();
    this.#onGone();
  }

  #listen(): void {
    this.#reader = new InputReader();
    if (this.facts.kittyKeyboard !== null) this.#reader.kittyKeyboard = true;
    this.#deaf = this.#terminal.onInput((bytes) => this.#take(this.#reader.feed(bytes, this.#clock.ticks())));
  }

  #take(events: readonly InputEvent[]): void {
    this.#cancelTimeout?.();
    this.#cancelTimeout = null;
    const { deadline } = this.#reader;
    if (deadline !== null) {
      const reader = this.#reader;
      this.#cancelTimeout = this.#clock.after(Math.max(0, deadline - this.#clock.ticks()), () => {
        this.#cancelTimeout = null;
        this.#take(reader.timeout(this.#clock.ticks()));
      });
    }
    if (events.length === 0) return;
    for (const event of events) if (event.type === 'reply') this.#learn(event);
    // Left already: only answers were waited for.
    if (!this.#entered) return;
    const guarded = guardBursts(this.#burst, events);
    this.#burst = guarded.state;
    this.#onEvents(guarded.events);
  }

  #learn(event: Extract<InputEvent, { type: 'reply' }>): void {
    this.facts = learn(this.facts, event.reply);
    if (this.facts.complete) this.#onLastAnswer?.();
    if (!this.#entered) return;
    if (event.reply.kind === 'kitty-keyboard') this.#reader.kittyKeyboard = true;
    if (event.reply.kind === 'mode' && event.reply.mode === 2027 && this.facts.graphemeWidths === 'available')
      this.write(GRAPHEME_WIDTHS);
  }
}
