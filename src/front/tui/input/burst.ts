import type { InputEvent } from './event.ts';

/** Bytes closer than this were not typed by hand. */
const BURST_GAP = 8;
/** So many in a row make a burst. */
const BURST_LENGTH = 3;
/** So many characters in one read are a paste even without an Enter among them. */
const PASTE_LENGTH = 64;

/** What the guard remembers between reads. */
export interface BurstState {
  /** When the last key that types something came, and how many came before it without a gap. */
  readonly lastAt: number;
  readonly run: number;
  /** When the last recognised paste ended: what follows at once goes on with it. */
  readonly pastedAt: number;
}

export const NO_BURST: BurstState = { lastAt: Number.NEGATIVE_INFINITY, run: 0, pastedAt: Number.NEGATIVE_INFINITY };

/**
 * Tells what was typed from what a terminal without paste marks pasted (decisions §10.10): Enter among other input of one
 * read, or right behind a burst, becomes a newline of pasted text and sends nothing. Enter followed only by Ctrl-C in one
 * read stays a key (INV-3). Pure: pass the events of one read and the state the last call answered.
 */
export function guardBursts(
  state: BurstState,
  events: readonly InputEvent[],
): { state: BurstState; events: InputEvent[] } {
  const pressed = events.filter(
    (event) => event.type === 'paste' || (event.type === 'key' && event.key.kind !== 'release'),
  );
  const sendsAndStops = pressed.length > 1 && isEnter(pressed[0]!) && pressed.slice(1).every(isStop);
  const typedTogether = pressed.filter((event) => textOf(event) !== null);
  const pastes =
    !sendsAndStops && pressed.length > 1 && (pressed.some(isEnter) || typedTogether.length >= PASTE_LENGTH);
  let { lastAt, run, pastedAt } = state;
  const guarded: InputEvent[] = [];
  for (const event of events) {
    const text = textOf(event);
    if (event.type !== 'key' || event.key.kind === 'release' || text === null) {
      guarded.push(event);
      if (event.type === 'key' && event.key.kind !== 'release') run = 0;
      continue;
    }
    const { at, read } = event;
    run = at - lastAt <= BURST_GAP ? run + 1 : 1;
    lastAt = at;
    const afterBurst = isEnter(event) && run > BURST_LENGTH && !sendsAndStops;
    if (!pastes && !afterBurst) {
      guarded.push(event);
      continue;
    }
    const last = guarded.at(-1);
    if (last?.type === 'paste' && last.burst === true && last.read === read) {
      guarded[guarded.length - 1] = { ...last, text: last.text + text };
    } else {
      const joins = at - pastedAt <= BURST_GAP;
      guarded.push({ type: 'paste', text, read, at, burst: true, ...(joins ? { joins: true as const } : {}) });
    }
    pastedAt = at;
  }
  return { state: { lastAt, run, pastedAt }, events: guarded };
}

/** What a key would put into a text; null for keys that do something else. */
function textOf(event: InputEvent): string | null {
  if (event.type !== 'key') return null;
  const { key } = event;
  if (isEnter(event)) return '\n';
  if (key.ctrl && !key.alt && key.name === 'j') return '\n';
  if (key.ctrl || key.alt) return null;
  return key.name === 'tab' && !key.shift ? '\t' : key.text;
}

function isEnter(event: InputEvent): boolean {
  return event.type === 'key' && event.key.name === 'enter' && !event.key.ctrl && !event.key.alt && !event.key.shift;
}

function isStop(event: InputEvent): boolean {
  return event.type === 'key' && event.key.ctrl && !event.key.alt && event.key.name === 'c';
}
