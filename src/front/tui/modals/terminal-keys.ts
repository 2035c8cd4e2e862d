import type { Key } from '../input/event.ts';

export interface KeyModes {
  readonly applicationKeys: boolean;
  readonly bracketedPaste: boolean;
}

/** What a terminal sends a program for a key; empty for one that says nothing to it. */
export function keyBytes(key: Key, modes: KeyModes): string {
  const { name, ctrl, alt, shift, text } = key;
  if (key.kind === 'release') return '';
  const meta = alt ? '\x1b' : '';
  const arrow = ARROWS[name];
  const modifier = 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
  if (arrow !== undefined) {
    if (modifier > 1) return `\x1b[1;${modifier}${arrow}`;
    return `${modes.applicationKeys ? '\x1bO' : '\x1b['}${arrow}`;
  }
  const numbered = NUMBERED[name];
  if (numbered !== undefined) return `\x1b[${numbered}${modifier > 1 ? `;${modifier}` : ''}~`;
  const early = EARLY_FUNCTION[name];
  if (early !== undefined) return modifier > 1 ? `\x1b[1;${modifier}${early}` : `\x1bO${early}`;
  switch (name) {
    case 'enter':
      return `${meta}\r`;
    case 'tab':
      return shift ? '\x1b[Z' : `${meta}\t`;
    case 'escape':
      return `${meta}\x1b`;
    case 'backspace':
      return `${meta}${ctrl ? '\b' : '\x7f'}`;
    case 'space':
      return `${meta}${ctrl ? '\0' : ' '}`;
    default:
      break;
  }
  if (ctrl && /^[a-z@[\\\]^_]$/.test(name)) return meta + String.fromCharCode(name.toUpperCase().charCodeAt(0) & 0x1f);
  return text === null || ctrl ? (alt && name.length === 1 ? meta + name : '') : meta + text;
}

/** A paste, marked as one where the program asked for that; it never ends its own mark. */
export function pasteBytes(text: string, { bracketedPaste }: KeyModes): string {
  const lines = text.replaceAll('\n', '\r');
  return bracketedPaste ? `\x1b[200~${lines.replaceAll('\x1b', '')}\x1b[201~` : lines;
}

const ARROWS: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' };
const NUMBERED: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageup: 5,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};
const EARLY_FUNCTION: Readonly<Record<string, string>> = { f1: 'P', f2: 'Q', f3: 'R', f4: 'S' };
