/**
 * What is taken from a terminal and given back (TERM-2, TERM-4). `LEAVE` undoes `ENTER` in reverse order and is harmless
 * when only part of it arrived, so every exit path may send it, twice if need be.
 */

/** Modes that a program which died may have left on: mouse in all its kinds, focus, paste, half a synchronized update. */
const RESET =
  '\x1b[?2026l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1004l\x1b[?2004l\x1b[>4m';
/** Usual character set, no margins, absolute origin, no insert mode, plain pen. */
const PLAIN = '\x1b(B\x0f\x1b[r\x1b[?6l\x1b[4l\x1b[0m';

/** Kitty's keyboard flags: 1 tells keys apart that share a byte, 4 adds the key's place on a US keyboard. */
const KITTY_FLAGS = 1 | 4;

const SAVE_TITLE = '\x1b[22;0t';
const RESTORE_TITLE = '\x1b[23;0t';

/** The alternate screen, cleared once, with the modes of a full-screen program. Nothing here waits for an answer. */
export const ENTER_SCREEN =
  SAVE_TITLE +
  RESET +
  '\x1b[?1049h' +
  PLAIN +
  // No wrapping at the right edge: terminals differ about the last column.
  '\x1b[?7l\x1b[?25l\x1b[2J\x1b[H' +
  `\x1b[>${KITTY_FLAGS}u\x1b[>4;1m` +
  '\x1b[?1000h\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[?2004h';

export const LEAVE_SCREEN =
  '\x1b[?2026l' +
  '\x1b[?2004l\x1b[?1004l\x1b[?1006l\x1b[?1015l\x1b[?1003l\x1b[?1002l\x1b[?1000l' +
  '\x1b[>4m\x1b[<u\x1b[?2027l' +
  '\x1b[?7h\x1b[r\x1b[0m\x1b[0 q\x1b[?25h' +
  '\x1b[?1049l' +
  RESTORE_TITLE;

/** Cells of a cluster are counted by grapheme, as we do; sent when the terminal says it can. */
export const GRAPHEME_WIDTHS = '\x1b[?2027h';

/** The window's title: control characters replaced, at most `limit` characters (TERM-7). */
export function titleSequence(title: string, limit = 60): string {
  const characters = [...title.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, ' ')];
  const cut = characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : characters.join('');
  return `\x1b]0;${cut}\x07`;
}

/** A notification of the desktop (OSC 9), control characters replaced; terminals that know none ignore it. */
export function notifySequence(text: string, limit = 120): string {
  const characters = [...text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, ' ')];
  return `\x1b]9;${characters.slice(0, limit).join('')}\x07`;
}

/** Puts text on the system clipboard (OSC 52); terminals may ignore it, so success is never claimed. */
export function clipboardSequence(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `\x1b]52;c;${btoa(binary)}\x07`;
}
