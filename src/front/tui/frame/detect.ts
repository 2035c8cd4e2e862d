import type { TerminalReply } from '../input/event.ts';
import { isLight } from './color.ts';

/** What a terminal told about itself; null where it has not (yet). Nobody waits for it: late answers redraw. */
export interface TerminalFacts {
  readonly background: number | null;
  readonly foreground: number | null;
  /** Palette entries that were asked for. */
  readonly palette: Readonly<Record<number, number>>;
  /** Kitty's keyboard flags in force; null when the terminal does not know the protocol. */
  readonly kittyKeyboard: number | null;
  /** Whether half-drawn frames are held back (mode 2026). */
  readonly synchronized: boolean | null;
  /** Mode 2027: `available` can be switched on. */
  readonly graphemeWidths: 'on' | 'available' | 'unknown';
  readonly version: string | null;
  /** The last question was answered: what is still unknown will stay so. */
  readonly complete: boolean;
}

export const NOTHING_KNOWN: TerminalFacts = {
  background: null,
  foreground: null,
  palette: {},
  kittyKeyboard: null,
  synchronized: null,
  graphemeWidths: 'unknown',
  version: null,
  complete: false,
};

/**
 * Asked after the first frame's modes are set. The device attributes come last: every terminal answers those, so that
 * their answer says that no other will follow.
 */
export const QUERIES = '\x1b]11;?\x07\x1b]10;?\x07\x1b]4;8;?\x07\x1b[?u\x1b[?2026$p\x1b[?2027$p\x1b[>0q\x1b[c';

/** The facts with one more answer. */
export function learn(facts: TerminalFacts, reply: TerminalReply): TerminalFacts {
  switch (reply.kind) {
    case 'background':
      return { ...facts, background: reply.color };
    case 'foreground':
      return { ...facts, foreground: reply.color };
    case 'palette':
      return { ...facts, palette: { ...facts.palette, [reply.index]: reply.color } };
    case 'kitty-keyboard':
      return { ...facts, kittyKeyboard: reply.flags };
    case 'mode':
      // 1 set, 2 reset, 3 always set, 4 never, 0 unknown.
      if (reply.mode === 2026) return { ...facts, synchronized: reply.value >= 1 && reply.value <= 3 };
      if (reply.mode === 2027)
        return {
          ...facts,
          graphemeWidths: reply.value === 1 || reply.value === 3 ? 'on' : reply.value === 2 ? 'available' : 'unknown',
        };
      return facts;
    case 'version':
      return { ...facts, version: reply.text };
    case 'device':
      return { ...facts, complete: true };
    case 'cursor':
      return facts;
  }
}

/** SC-34.3: the measured background, else COLORFGBG (`15;0`: the last number is the background), else dark. */
export function hasLightBackground(facts: TerminalFacts, colorFgBg: string | undefined): boolean {
  if (facts.background !== null) return isLight(facts.background);
  const index = Number(colorFgBg?.split(';').at(-1) ?? Number.NaN);
  return index === 7 || (index > 8 && index <= 15);
}
