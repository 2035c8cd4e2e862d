/** Text as it may be drawn in a question, and whether it held anything that would not have shown itself (UP-53). */
export interface VisibleText {
  readonly text: string;
  readonly changed: boolean;
}

/** Controls, separators and invisible or direction-changing format characters, lone surrogates included. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800]|\p{Variation_Selector}|\u034f/gu;

/** Makes each hidden character visible as text: `␛` for ESC, `‹U+202E›` for the rest. A tab becomes spaces and is no surprise. */
export function makeVisible(text: string): VisibleText {
  let changed = false;
  const shown = text.replace(HIDDEN, (character, at: number, whole: string) => {
    if (character === '\t') return '    ';
    if (isEmojiPart(character, whole.slice(Math.max(0, at - 2), at))) return character;
    changed = true;
    const code = character.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? '␡' : `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
  });
  return { text: shown, changed };
}

/** The joiner and the emoji selector are part of ordinary pictographs such as a family or a coloured heart. */
function isEmojiPart(character: string, before: string): boolean {
  if (character !== '\u200d' && character !== '\ufe0f') return false;
  return /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Variation_Selector})$/u.test(before);
}
