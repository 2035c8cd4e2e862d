/** What a person's keys ask for in NORMAL and VISUAL, read from the keys alone: the text is looked at when it is done. */

export type Operator = 'd' | 'c' | 'y' | '>' | '<' | 'gu' | 'gU' | 'g~' | 'nothing';

/** `char` is what `f`, `F`, `t` and `T` look for. */
export interface MotionKey {
  readonly name: string;
  readonly char: string;
}

export type Target =
  | { readonly kind: 'motion'; readonly motion: MotionKey }
  | { readonly kind: 'object'; readonly around: boolean; readonly object: string }
  /** Whole lines, from the caret's down. */
  | { readonly kind: 'lines' }
  | { readonly kind: 'selection'; readonly whole: boolean };

export type Command =
  | { readonly kind: 'motion'; readonly motion: MotionKey; readonly count: number | null }
  | { readonly kind: 'operate'; readonly operator: Operator; readonly target: Target; readonly count: number | null }
  | { readonly kind: 'insert'; readonly at: 'i' | 'I' | 'a' | 'A' | 'o' | 'O'; readonly count: number | null }
  | { readonly kind: 'replace-mode' }
  | { readonly kind: 'put'; readonly before: boolean; readonly count: number | null }
  | { readonly kind: 'join'; readonly blanks: boolean; readonly count: number | null }
  | { readonly kind: 'replace'; readonly char: string; readonly count: number | null }
  | { readonly kind: 'toggle-case'; readonly count: number | null }
  | { readonly kind: 'undo'; readonly count: number | null }
  | { readonly kind: 'repeat'; readonly count: number | null }
  | { readonly kind: 'select'; readonly rows: boolean }
  | { readonly kind: 'select-object'; readonly around: boolean; readonly object: string; readonly count: number | null }
  | { readonly kind: 'select-again' }
  | { readonly kind: 'swap-ends' };

export type Parsed =
  | { readonly kind: 'more' }
  /** Keys that mean nothing here: they are swallowed. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'command'; readonly command: Command };

const MORE: Parsed = { kind: 'more' };
const NOTHING: Parsed = { kind: 'nothing' };

/** More can be typed, and mean no more than this. */
const HIGHEST_COUNT = 1_000_000;

const MOTIONS = new Set('hlwebWEB0$^_|G%;,jk');
const FINDS = new Set('fFtT');
/** Registers, macros, marks and folds are not here: their next key goes with them (VI-5). */
const SWALLOWING = new Set('"q@m\'`zZ[]');
const OBJECTS = new Set('wW"\'`()b[]{}B<>');
const LETTER_OPERATORS: Readonly<Record<string, Operator>> = { d: 'd', c: 'c', y: 'y', '>': '>', '<': '<' };
const G_OPERATORS: Readonly<Record<string, Operator>> = {
  u: 'gu',
  U: 'gU',
  '~': 'g~',
  // Known by name to swallow the text they would work on.
  '?': 'nothing',
  q: 'nothing',
  w: 'nothing',
  '@': 'nothing',
};

/** Whether the last of these keys waits for a character, whatever that is. */
export function awaitsCharacter(keys: readonly string[]): boolean {
  const last = keys.at(-1);
  return last !== undefined && (FINDS.has(last) || SWALLOWING.has(last) || last === 'r');
}

export function parseKeys(keys: readonly string[], visual: boolean): Parsed {
  const reader = new Keys(keys);
  const count = reader.count();
  const key = reader.next();
  if (key === null) return MORE;
  if (SWALLOWING.has(key)) return reader.next() === null ? MORE : NOTHING;
  const operator = LETTER_OPERATORS[key];
  if (operator !== undefined) return operation(reader, operator, key, count, visual);
  if (key === 'g') return afterG(reader, count, visual);
  const motion = motionOf(key, reader);
  if (motion === 'more') return MORE;
  if (motion !== null) return command({ kind: 'motion', motion, count });
  return (visual ? visualKey : normalKey)(key, reader, count);
}

function normalKey(key: string, reader: Keys, count: number | null): Parsed {
  const overMotion = (operator: Operator, name: string): Parsed =>
    command({ kind: 'operate', operator, target: { kind: 'motion', motion: { name, char: '' } }, count });
  const overLines = (operator: Operator): Parsed =>
    command({ kind: 'operate', operator, target: { kind: 'lines' }, count });
  switch (key) {
    case 'i':
    case 'I':
    case 'a':
    case 'A':
    case 'o':
    case 'O':
      return command({ kind: 'insert', at: key, count });
    case 'x':
      return overMotion('d', 'l');
    case 'X':
      return overMotion('d', 'h');
    case 'D':
      return overMotion('d', '$');
    case 'C':
      return overMotion('c', '$');
    case 's':
      return overMotion('c', 'l');
    case 'S':
      return overLines('c');
    case 'Y':
      return overLines('y');
    case 'R':
      return command({ kind: 'replace-mode' });
    case 'u':
      return command({ kind: 'undo', count });
    case '.':
      return command({ kind: 'repeat', count });
    default:
      return either(key, reader, count);
  }
}

function visualKey(key: string, reader: Keys, count: number | null): Parsed {
  const over = (operator: Operator, whole: boolean): Parsed =>
    command({ kind: 'operate', operator, target: { kind: 'selection', whole }, count });
  switch (key) {
    case 'x':
      return over('d', false);
    case 'X':
    case 'D':
      return over('d', true);
    case 's':
      return over('c', false);
    case 'C':
    case 'S':
    case 'R':
      return over('c', true);
    case 'Y':
      return over('y', true);
    case 'u':
      return over('gu', false);
    case 'U':
      return over('gU', false);
    case '~':
      return over('g~', false);
    case 'o':
    case 'O':
      return command({ kind: 'swap-ends' });
    case 'i':
    case 'a': {
      const object = reader.next();
      if (object === null) return MORE;
      return OBJECTS.has(object) ? command({ kind: 'select-object', around: key === 'a', object, count }) : NOTHING;
    }
    default:
      return either(key, reader, count);
  }
}

/** What means the same with and without a selection. */
function either(key: string, reader: Keys, count: number | null): Parsed {
  switch (key) {
    case 'p':
    case 'P':
      return command({ kind: 'put', before: key === 'P', count });
    case 'J':
      return command({ kind: 'join', blanks: true, count });
    case 'r':
      return replaceWith(reader, count);
    case '~':
      return command({ kind: 'toggle-case', count });
    case 'v':
    case 'V':
      return command({ kind: 'select', rows: key === 'V' });
    default:
      return NOTHING;
  }
}

function afterG(reader: Keys, count: number | null, visual: boolean): Parsed {
  const key = reader.next();
  if (key === null) return MORE;
  const operator = G_OPERATORS[key];
  if (operator !== undefined) return operation(reader, operator, key, count, visual);
  switch (key) {
    case 'g':
    case 'e':
    case 'E':
      return command({ kind: 'motion', motion: { name: `g${key}`, char: '' }, count });
    case 'J':
      return command({ kind: 'join', blanks: false, count });
    case 'r':
      return replaceWith(reader, count);
    case 'v':
      return command({ kind: 'select-again' });
    case "'":
    case '`':
      return reader.next() === null ? MORE : NOTHING;
    default:
      return NOTHING;
  }
}

function replaceWith(reader: Keys, count: number | null): Parsed {
  const char = reader.next();
  return char === null ? MORE : command({ kind: 'replace', char, count });
}

/** `letter` is the operator's own last key: pressed again it means whole lines. */
function operation(reader: Keys, operator: Operator, letter: string, before: number | null, visual: boolean): Parsed {
  if (visual) return command({ kind: 'operate', operator, target: { kind: 'selection', whole: false }, count: before });
  const second = reader.count();
  // Before the operator and before its motion: they multiply (VI-7).
  const count = before === null && second === null ? null : Math.min(HIGHEST_COUNT, (before ?? 1) * (second ?? 1));
  const key = reader.next();
  if (key === null) return MORE;
  const done = (target: Target): Parsed => command({ kind: 'operate', operator, target, count });
  if (key === letter) return done({ kind: 'lines' });
  if (SWALLOWING.has(key)) return reader.next() === null ? MORE : NOTHING;
  if (key === 'i' || key === 'a') {
    const object = reader.next();
    if (object === null) return MORE;
    return OBJECTS.has(object) ? done({ kind: 'object', around: key === 'a', object }) : NOTHING;
  }
  if (key === 'g') {
    const next = reader.next();
    if (next === null) return MORE;
    if (!(letter in LETTER_OPERATORS) && next === letter) return done({ kind: 'lines' });
    if (next === "'" || next === '`') return reader.next() === null ? MORE : NOTHING;
    return next === 'g' || next === 'e' || next === 'E'
      ? done({ kind: 'motion', motion: { name: `g${next}`, char: '' } })
      : NOTHING;
  }
  const motion = motionOf(key, reader);
  if (motion === 'more') return MORE;
  return motion === null ? NOTHING : done({ kind: 'motion', motion });
}

function motionOf(key: string, reader: Keys): MotionKey | 'more' | null {
  if (key === ' ') return { name: 'l', char: '' };
  if (MOTIONS.has(key)) return { name: key, char: '' };
  if (!FINDS.has(key)) return null;
  const char = reader.next();
  return char === null ? 'more' : { name: key, char };
}

function command(command: Command): Parsed {
  return { kind: 'command', command };
}

class Keys {
  readonly #keys: readonly string[];
  #at = 0;

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  next(): string | null {
    return this.#keys[this.#at++] ?? null;
  }

  /** A number that does not begin with a zero: that alone is a motion. */
  count(): number | null {
    let digits = '';
    while (/^[0-9]$/.test(this.#keys[this.#at] ?? '') && !(digits === '' && this.#keys[this.#at] === '0'))
      digits += this.#keys[this.#at++];
    return digits === '' ? null : Math.min(HIGHEST_COUNT, Number(digits));
  }
}
