import { cutToWidth, textWidth } from '../../../base/text-width.ts';
import { wrapText } from '../../../base/wrap.ts';
import type { Command } from '../../../protocol/command.ts';
import type { SessionCommand } from '../../../protocol/view.ts';
import { FRONT_COMMANDS } from '../../commands/command-table.ts';
import { chordLabel, type Keymap } from '../../commands/keymap.ts';
import { slashCommands } from '../../commands/slash.ts';
import type { Row } from '../blocks/row.ts';
import { type Line, type Piece, piece } from '../piece.ts';

/** Columns of the keys before their meaning; longer keys, and all of them in a narrow window, have it under them. */
const KEY_COLUMNS = 34;
const WIDE = 96;
const FEWER_KEY_COLUMNS = 22;
const NARROW = 50;
const NARROW_INDENT = 2;

const GROUPS: readonly Command['group'][] = ['Prompt', 'Session', 'View', 'Inspect', 'Model', 'Safety'];

/** Every key and command from the tables, with the chords in force (KEY-11, LA-34). */
export function helpRows(keymap: Keymap, session: readonly SessionCommand[], width: number): Row[] {
  const rows: Row[] = [];
  const push = (line: Line) => rows.push({ margin: [], line, join: '\n' });
  const put = (key: string, meaning: string, later = '') => {
    for (const line of entryLines(key, meaning, later, width)) push(line);
  };
  for (const group of GROUPS) {
    const keyed = FRONT_COMMANDS.filter(
      (command) => command.group === group && keymap.chordsOf(command.name).length > 0,
    );
    if (keyed.length === 0) continue;
    if (rows.length > 0) push([]);
    push([piece(group, 'heading')]);
    for (const command of keyed) {
      put(keymap.chordsOf(command.name).map(chordLabel).join(', '), command.description);
    }
    if (group === 'Prompt') {
      put('?', 'On an empty prompt: the keys at a glance');
      put('!', 'On an empty prompt: one command in your own shell');
      put('Up, Down', 'Rows, then what waits, then what you sent before');
    }
  }
  push([]);
  push([piece('Commands', 'heading')]);
  for (const command of slashCommands(session)) {
    const name = `/${command.name}${command.argument === '' ? '' : ` ${command.argument}`}`;
    put(name, command.description, command.during === 'after' ? 'after the turn' : '');
  }
  return rows;
}

/** A key or a command and what it does, whole at any width: what does not fit beside it goes on below. */
function entryLines(key: string, meaning: string, later: string, width: number): Line[] {
  const indent = width < NARROW ? NARROW_INDENT : width < WIDE ? FEWER_KEY_COLUMNS : KEY_COLUMNS;
  const room = Math.max(1, width - indent);
  const texts: Piece[][] = wrapText(meaning, room).map(({ from, to }) => [piece(meaning.slice(from, to), 'text')]);
  if (later !== '') {
    const last = texts.at(-1)!;
    const beside = textWidth(last.map((each) => each.text).join('')) + 2 + textWidth(later) <= room;
    if (beside) last.push(piece(`  ${later}`, 'quiet'));
    else texts.push([piece(later, 'quiet')]);
  }
  const keys = wrapText(key, Math.max(1, width)).map(({ from, to }) => piece(key.slice(from, to), 'accent'));
  const besideKey = keys.length === 1 && textWidth(key) < indent;
  const below = texts.map((text): Line => [piece(' '.repeat(indent), 'text'), ...text]);
  if (!besideKey) return [...keys.map((each): Line => [each]), ...below];
  return [[piece(key.padEnd(indent), 'accent'), ...texts[0]!], ...below.slice(1)];
}

/** The keys at a glance, in as many columns as the width holds (HINT-3). */
export function keyListLines(keymap: Keymap, width: number): Line[] {
  const names = [
    'newline',
    'send-now',
    'send-mode',
    'recall',
    'next-mode',
    'model',
    'editor',
    'paste',
    'stash',
    'history',
    'undo',
    'scroller',
    'open',
    'expand',
    'focus',
    'help',
    'interrupt',
  ];
  const cells = names.flatMap((name): { chord: string; words: string }[] => {
    const chord = keymap.label(name);
    return chord === null ? [] : [{ chord, words: SHORT_WORDS[name] ?? name }];
  });
  cells.push({ chord: '/', words: 'commands' }, { chord: '@', words: 'files' }, { chord: '!', words: 'your shell' });
  const column = Math.min(32, width);
  const columns = Math.max(1, Math.floor(width / column));
  const rows = Math.ceil(cells.length / columns);
  return Array.from(
    { length: rows },
    (_, row): Line =>
      Array.from({ length: columns }, (_unused, at) => cells[at * rows + row]).flatMap((cell) =>
        cell === undefined
          ? []
          : [
              piece(cell.chord.padEnd(12), 'accent'),
              piece(cutToWidth(cell.words, column - 13).padEnd(column - 12), 'quiet'),
            ],
      ),
  );
}

const SHORT_WORDS: Readonly<Record<string, string>> = {
  newline: 'new line',
  'send-now': 'stop and send now',
  'send-mode': 'how to send',
  recall: 'take back',
  'next-mode': 'permission mode',
  model: 'model',
  editor: 'your editor',
  paste: 'paste',
  stash: 'put away',
  history: 'search history',
  undo: 'undo',
  scroller: 'read and search',
  open: 'open a card',
  expand: 'unfold',
  focus: 'move focus',
  help: 'help',
  interrupt: 'stop, clear, leave',
};
