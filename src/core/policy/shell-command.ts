import type { SimpleCommand } from './facts.ts';

/** A line as simple commands in the order they stand, or the part that could not be read (then nothing else is known). */
export type ParsedLine =
  | { readonly commands: readonly SimpleCommand[]; readonly unparsed: null }
  | { readonly commands: readonly []; readonly unparsed: string };

/** Words that begin a construct, or change what later words of the line mean: not judged here. */
const BEYOND = new Set(
  (
    'if then else elif fi for while until do done case esac select function time coproc [[ { } ! ' +
    'eval source . exec trap export declare typeset readonly local alias unalias hash enable set unset shopt read mapfile command builtin let pushd popd'
  ).split(' '),
);

const MOST_WORDS = 400;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;

class Unreadable extends Error {}

interface Draft {
  words: string[];
  assignments: string[];
  redirections: { operator: string; target: string }[];
  expands: boolean;
}

/**
 * Reads what a bash line would do, for judging only: simple commands joined by `|`, `&&`, `||` and `;`, with quotes,
 * assignments and file redirections. Anything else is named as unparsed rather than guessed at.
 */
export function parseLine(line: string): ParsedLine {
  try {
    return { commands: new LineReader(line.trim()).read(), unparsed: null };
  } catch (error) {
    if (error instanceof Unreadable) return { commands: [], unparsed: error.message };
    throw error;
  }
}

class LineReader {
  private readonly text: string;
  private at = 0;
  private readonly commands: SimpleCommand[] = [];
  private draft: Draft = emptyDraft();
  private words = 0;

  constructor(text: string) {
    this.text = text;
  }

  read(): readonly SimpleCommand[] {
    if (/[\n\r]/.test(this.text)) throw new Unreadable('several lines');
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(this.text)) throw new Unreadable('control characters');
    while (this.skipBlanks()) {
      const joint = /^(?:\|\||&&|\||;)/.exec(this.rest(2))?.[0];
      if (joint === undefined) this.readPart();
      else this.endCommand(joint);
    }
    if (!isEmpty(this.draft)) this.commands.push(this.draft);
    else if (this.lastJoint !== ';' && this.lastJoint !== '') throw new Unreadable(`nothing after ${this.lastJoint}`);
    if (this.commands.length === 0) throw new Unreadable('an empty line');
    return this.commands;
  }

  private lastJoint = '';

  private endCommand(joint: string): void {
    this.at += joint.length;
    if (isEmpty(this.draft) || (joint === '|' && this.rest(1) === '&')) throw new Unreadable(joint);
    this.commands.push(this.draft);
    this.draft = emptyDraft();
    this.lastJoint = joint;
  }

  private readPart(): void {
    if (++this.words > MOST_WORDS) throw new Unreadable(`more than ${MOST_WORDS} words`);
    const redirection = /^(?:&>>|&>|[0-9]*(?:>>|>\||>&|>|<))/.exec(this.text.slice(this.at, this.at + 8))?.[0];
    if (redirection !== undefined) this.readRedirection(redirection);
    else this.readCommandWord();
  }

  private readRedirection(operator: string): void {
    this.at += operator.length;
    if (/^[<>&(]/.test(this.rest(1))) throw new Unreadable(`${operator}${this.rest(1)}`);
    this.skipBlanks();
    const { value, expands, quoted } = this.readWord();
    if (value === '' && !quoted) throw new Unreadable(`${operator} without a file`);
    if (operator.endsWith('>&') && !/^(?:[0-9]+|-)$/.test(value)) throw new Unreadable(operator);
    if (expands) throw new Unreadable(`${operator} to a pattern`);
    this.draft.redirections.push({ operator, target: value });
  }

  private readCommandWord(): void {
    const start = this.at;
    const { value, expands, quoted } = this.readWord();
    if (this.draft.words.length === 0) {
      if (ASSIGNMENT.test(this.text.slice(start, this.at))) {
        this.draft.assignments.push(value);
        return;
      }
      if (!quoted && BEYOND.has(value)) throw new Unreadable(value);
      if (expands) throw new Unreadable('a pattern as program name');
    }
    this.draft.words.push(value);
    this.draft.expands ||= expands;
  }

  private readWord(): { value: string; expands: boolean; quoted: boolean } {
    let value = '';
    let expands = false;
    let quoted = false;
    for (; this.at < this.text.length; ) {
      const character = this.text[this.at]!;
      if (character === "'") {
        value += this.readSingleQuoted();
        quoted = true;
      } else if (character === '"') {
        value += this.readDoubleQuoted();
        quoted = true;
      } else if (character === '\\') {
        if (this.at + 1 >= this.text.length) throw new Unreadable('a backslash at the end');
        value += this.text[this.at + 1]!;
        this.at += 2;
        quoted = true;
      } else if (/[ \t|&;<>]/.test(character)) {
        if (character === '&' && this.text[this.at + 1] !== '&' && this.text[this.at + 1] !== '>')
          throw new Unreadable('&');
        break;
      } else {
        if (/[$`()]/.test(character)) throw new Unreadable(character);
        if (character === '#' && value === '' && !quoted) throw new Unreadable('a comment');
        expands ||= this.isExpansion(character, value === '' && !quoted);
        value += character;
        this.at++;
      }
    }
    return { value, expands, quoted };
  }

  private isExpansion(character: string, first: boolean): boolean {
    if (character === '{') return this.text.slice(this.at, this.at + 2) !== '{}';
    return /[*?[]/.test(character) || (character === '~' && first);
  }

  private readSingleQuoted(): string {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) throw new Unreadable("an open '");
    const value = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return value;
  }

  private readDoubleQuoted(): string {
    let value = '';
    for (let at = this.at + 1; at < this.text.length; at++) {
      const character = this.text[at]!;
      if (character === '"') {
        this.at = at + 1;
        return value;
      }
      if (/[$`]/.test(character)) throw new Unreadable(character);
      if (character === '\\' && /["\\$`]/.test(this.text[at + 1] ?? '')) value += this.text[++at]!;
      else value += character;
    }
    throw new Unreadable('an open "');
  }

  /** False at the end of the line. */
  private skipBlanks(): boolean {
    while (/[ \t]/.test(this.text[this.at] ?? '')) this.at++;
    return this.at < this.text.length;
  }

  private rest(length: number): string {
    return this.text.slice(this.at, this.at + length);
  }
}

function emptyDraft(): Draft {
  return { words: [], assignments: [], redirections: [], expands: false };
}

function isEmpty(draft: Draft): boolean {
  return draft.words.length + draft.assignments.length + draft.redirections.length === 0;
}
