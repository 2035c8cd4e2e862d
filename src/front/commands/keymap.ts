import type { FrontCommand } from './command-table.ts';

/** Chords in force: which command a chord names, and how a command's chord is written on the screen (KEY-11). */
export interface Keymap {
  readonly commandOf: (chord: string) => string | null;
  readonly chordsOf: (command: string) => readonly string[];
  /** `Alt-M`; null while the command has no key. */
  readonly label: (command: string) => string | null;
  /** What of the settings could not be honoured, one line each. */
  readonly problems: readonly string[];
}

const NEVER = new Set(['ctrl-c', 'ctrl-d', 'ctrl-j', 'shift-enter', 'ctrl-enter']);
const MODIFIERS = ['ctrl', 'alt', 'shift'];
const NAMED = new Set(
  'enter tab escape backspace delete insert up down left right home end pageup pagedown space'
    .split(' ')
    .concat(Array.from({ length: 12 }, (_, index) => `f${index + 1}`)),
);

/** `Ctrl+X`, `ctrl-x` → `ctrl-x`, modifiers in one order; null when it is no chord. */
export function readChord(text: string): string | null {
  const words = text.trim().toLowerCase().split(/[-+]/);
  const name = words.pop() ?? '';
  if (!NAMED.has(name) && [...name].length !== 1) return null;
  const held = new Set(words);
  if (held.size !== words.length || words.some((word) => !MODIFIERS.includes(word))) return null;
  return [...MODIFIERS.filter((modifier) => held.has(modifier)), name].join('-');
}

/** Why a chord may not be bound; null when it may (KEY-4, KEY-5). */
export function refuseChord(chord: string): string | null {
  const words = chord.split('-');
  const name = words.pop() ?? '';
  if (NEVER.has(chord)) return `${chordLabel(chord)} keeps its meaning`;
  if (!words.includes('ctrl') && !words.includes('alt')) return 'a chord needs Ctrl or Alt';
  if (words.includes('shift') && !words.includes('alt') && !NAMED.has(name))
    return 'terminals do not report Shift over a character';
  return null;
}

/**
 * The table's own chords with the person's `bindings` (action name → chord) laid over them. An unreadable or refused
 * chord, one that another action holds, and one that two actions ask for leave those actions on their defaults; the
 * order in the file never picks a winner, and a swap is legal (KEY-6, KEY-7).
 */
export function makeKeymap(commands: readonly FrontCommand[], bindings: Readonly<Record<string, string>> = {}): Keymap {
  const problems: string[] = [];
  const moved = new Map<string, string>();
  for (const [action, text] of Object.entries(bindings)) {
    const command = commands.find((each) => each.name === action);
    if (command === undefined || command.keys === undefined) continue;
    const chord = readChord(text);
    const refusal = command.fixed
      ? 'this key cannot be moved'
      : chord === null
        ? 'this is no chord'
        : refuseChord(chord);
    if (refusal !== null || chord === null) problems.push(`keybindings.${action}: ${text}: ${refusal}`);
    else moved.set(action, chord);
  }
  let settled = false;
  while (!settled) {
    settled = true;
    for (const [chord, holders] of claims(commands, moved)) {
      if (holders.length < 2) continue;
      for (const holder of holders) {
        if (!moved.delete(holder)) continue;
        settled = false;
        problems.push(
          `keybindings.${holder}: ${chordLabel(chord)} is also asked for by ${holders.filter((name) => name !== holder).join(', ')}`,
        );
      }
    }
  }
  const byChord = new Map<string, string>();
  for (const [chord, holders] of claims(commands, moved)) byChord.set(chord, holders[0]!);
  const chordsOf = (name: string) => {
    const own = moved.get(name);
    return own !== undefined ? [own] : (commands.find((each) => each.name === name)?.keys ?? []);
  };
  // Asked for many times a frame.
  const labels = new Map<string, string | null>();
  const labelOf = (name: string): string | null => {
    const first = chordsOf(name)[0];
    return first === undefined ? null : chordLabel(first);
  };
  return {
    commandOf: (chord) => byChord.get(chord) ?? null,
    chordsOf,
    label: (name) => {
      const known = labels.get(name);
      if (known !== undefined) return known;
      const label = labelOf(name);
      labels.set(name, label);
      return label;
    },
    problems,
  };
}

function claims(commands: readonly FrontCommand[], moved: ReadonlyMap<string, string>): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const command of commands) {
    const own = moved.get(command.name);
    for (const chord of own !== undefined ? [own] : (command.keys ?? [])) {
      all.set(chord, [...(all.get(chord) ?? []), command.name]);
    }
  }
  return all;
}

const SHORT: Readonly<Record<string, string>> = { escape: 'Esc', pageup: 'PgUp', pagedown: 'PgDn' };

/** `ctrl-x` → `Ctrl-X`. */
export function chordLabel(chord: string): string {
  if (chord === '-' || chord.endsWith('--')) return chord;
  return chord
    .split('-')
    .map((word) => SHORT[word] ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join('-');
}
