import type { Word, WordPart } from 'unbash';

/** A word as the shell would hand it on, as far as that is known before it runs. */
export interface ReadWord {
  /** Quotes taken away; what is filled in later stands here as it was written. */
  readonly value: string;
  /** Whether names of files, a brace list or a home folder would be put in its place. */
  readonly expands: boolean;
  /** Parts the shell fills in when it runs, as written: `$HOME`, `$(id)`. */
  readonly filled: readonly string[];
}

const GLOB = /[*?[~]|\{[^{}]*(?:,|\.\.)/;
/** Should the parser ever take one of these for plain text, it is not taken on trust. */
const FILLED = /`|\$[[({A-Za-z0-9_@*#?$!-]/;

export function readWord(word: Word): ReadWord {
  const parts = word.parts;
  if (parts === undefined || parts.length === 0) {
    const bare = withoutEscapes(word.text);
    return { value: word.value, expands: GLOB.test(bare), filled: FILLED.test(bare) ? [word.text] : [] };
  }
  let value = '';
  let expands = false;
  const filled: string[] = [];
  function take(part: WordPart, quoted: boolean): void {
    switch (part.type) {
      case 'Literal': {
        const bare = withoutEscapes(part.text);
        expands ||= !quoted && GLOB.test(bare);
        if (FILLED.test(bare)) filled.push(part.text);
        value += part.value;
        return;
      }
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        value += part.value;
        return;
      case 'DoubleQuoted':
        for (const child of part.parts) take(child, true);
        return;
      case 'Glob':
      case 'ExtendedGlob':
      case 'BraceExpansion':
        expands = true;
        value += part.text;
        if (FILLED.test(withoutEscapes(part.text))) filled.push(part.text);
        return;
      default:
        value += part.text;
        filled.push(part.text);
    }
  }
  for (const part of parts) take(part, false);
  return { value, expands, filled };
}

function withoutEscapes(text: string): string {
  return text.replace(/\\[\s\S]/g, '');
}
