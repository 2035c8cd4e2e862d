import type { Key } from './event.ts';

/** Modifier bits as xterm and kitty send them, one less than the number on the wire. */
const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
const SUPER = 8;
const HYPER = 16;
const META = 32;
const CAPS_LOCK = 64;

/** `CSI n ~` */
const TILDE_NAMES: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
  25: 'f13',
  26: 'f14',
  28: 'f15',
  29: 'f16',
  31: 'f17',
  32: 'f18',
  33: 'f19',
  34: 'f20',
};

/** Final letters of `CSI` and `SS3` keys. */
const LETTER_NAMES: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

/** What a keypad in application mode sends behind `SS3`. */
const KEYPAD_TEXT: Readonly<Record<string, string>> = {
  X: '=',
  j: '*',
  k: '+',
  l: ',',
  m: '-',
  n: '.',
  o: '/',
  p: '0',
  q: '1',
  r: '2',
  s: '3',
  t: '4',
  u: '5',
  v: '6',
  w: '7',
  x: '8',
  y: '9',
};

/** Kitty's numbers for keys that print nothing. */
const KITTY_NAMES: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
  57414: 'enter',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'pageup',
  57422: 'pagedown',
  57423: 'home',
  57424: 'end',
  57425: 'insert',
  57426: 'delete',
};

const KITTY_KEYPAD = '0123456789./*-+';

const NO_MODIFIERS = 0;

export function named(name: string, modifiers: number = NO_MODIFIERS, kind: Key['kind'] = 'press'): Key | null {
  if (modifiers & (SUPER | HYPER)) return null;
  return {
    name,
    ctrl: (modifiers & CTRL) !== 0,
    alt: (modifiers & (ALT | META)) !== 0,
    shift: (modifiers & SHIFT) !== 0,
    text: null,
    kind,
  };
}

/** A printable character as it was typed without knowing the key: an upper-case letter was typed with Shift. */
export function typed(character: string, alt = false): Key {
  const lower = character.toLowerCase();
  // Some letters have no single lower-case form; they keep their own.
  const known = lower !== character && lower.length === character.length;
  return {
    name: character === ' ' ? 'space' : known ? lower : character,
    ctrl: false,
    alt: alt && character <= '~',
    shift: known,
    // Behind ESC stands a chord, but a character no chord is made of is text (AltGr on some terminals).
    text: alt && character <= '~' ? null : character,
    kind: 'press',
  };
}

/** Bytes 0x00-0x1f and 0x7f as keys. */
export function control(byte: number, alt = false): Key {
  const key = (name: string, ctrl: boolean): Key => ({ name, ctrl, alt, shift: false, text: null, kind: 'press' });
  if (byte === 0x0d) return key('enter', false);
  if (byte === 0x09) return key('tab', false);
  if (byte === 0x1b) return key('escape', false);
  if (byte === 0x7f || byte === 0x08) return key('backspace', false);
  if (byte === 0x00) return key('space', true);
  // Most terminals send the same byte for Ctrl-/ and Ctrl-_.
  if (byte === 0x1f) return key('/', true);
  return key(String.fromCharCode(byte + (byte < 0x1b ? 0x60 : 0x40)), true);
}

export function tildeKey(number: number, modifiers: number, kind: Key['kind']): Key | null {
  const name = TILDE_NAMES[number];
  return name === undefined ? null : named(name, modifiers, kind);
}

export function letterKey(letter: string, modifiers: number, kind: Key['kind']): Key | null {
  if (letter === 'Z') return named('tab', modifiers | SHIFT, kind);
  if (letter === 'M') return named('enter', modifiers, kind);
  const name = LETTER_NAMES[letter];
  if (name !== undefined) return named(name, modifiers, kind);
  const text = KEYPAD_TEXT[letter];
  return text === undefined ? null : { ...typed(text), kind };
}

export interface CodedKey {
  readonly code: number;
  /** What Shift makes of it; 0 when not said. */
  readonly shifted: number;
  /** The key at the same place of a US keyboard; 0 when not said. */
  readonly base: number;
  readonly modifiers: number;
  readonly kind: Key['kind'];
  /** The text it typed, where the terminal says so. */
  readonly text: string;
}

/** `CSI code u` of kitty and `CSI 27;m;code~` of xterm. Null for keys that are modifiers or locks themselves. */
export function codedKey(coded: CodedKey): Key | null {
  const { code, modifiers, kind } = coded;
  const name = KITTY_NAMES[code];
  if (name !== undefined) return named(name, modifiers, kind);
  if (code >= 57399 && code <= 57413) return { ...typed(KITTY_KEYPAD[code - 57399]!), kind };
  if (code === 57415) return { ...typed('='), kind };
  if (code >= 57376 && code <= 57387) return named(`f${code - 57363}`, modifiers, kind);
  if (!isPrintable(code) || modifiers & (SUPER | HYPER)) return null;
  const shift = (modifiers & SHIFT) !== 0;
  const ctrl = (modifiers & CTRL) !== 0;
  const alt = (modifiers & (ALT | META)) !== 0;
  const character = String.fromCodePoint(code);
  const said = coded.text !== '' ? coded.text : null;
  if (ctrl && alt && (said !== null || !/^[a-z0-9 ]$/i.test(character))) return { ...typed(said ?? character), kind };
  const lower = character.toLowerCase();
  const bare = lower.length === character.length ? lower : character;
  const name_ = code > 0x7e && coded.base !== 0 && (ctrl || alt) ? String.fromCodePoint(coded.base) : bare;
  const upper = shift || (modifiers & CAPS_LOCK) !== 0;
  const text =
    said ??
    (shift && isPrintable(coded.shifted)
      ? String.fromCodePoint(coded.shifted)
      : upper
        ? upperOf(character)
        : character);
  return {
    name: name_ === ' ' ? 'space' : name_,
    ctrl,
    alt,
    shift: shift || bare !== character,
    text: ctrl || alt ? null : text,
    kind,
  };
}

function upperOf(character: string): string {
  const upper = character.toUpperCase();
  return upper.length === character.length ? upper : character;
}

function isPrintable(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code > 0x10ffff) return false;
  // Surrogates are no characters; kitty puts its own keys into the private area.
  return !(code >= 0xd800 && code <= 0xf8ff);
}
