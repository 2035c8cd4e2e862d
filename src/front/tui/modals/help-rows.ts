import { cutToWidth } from '../../../base/text-width.ts';
import type { Command } from '../../../protocol/command.ts';
import type { SessionCommand } from '../../../protocol/view.ts';
import { FRONT_COMMANDS } from '../../commands/command-table.ts';
import { chordLabel, type Keymap } from '../../commands/keymap.ts';
import { slashCommands } from '../../commands/slash.ts';
import type { Row } from '../blocks/row.ts';
import { type Line, piece } from '../piece.ts';

/** Columns of the keys before their meaning. */
const KEY_COLUMNS = 34;

const GROUPS: readonly Command['group'][] = ['Prompt', 'Session', 'View', 'Inspect', 'Model', 'Safety'];

/** Every key and command from the tables, with the chords in force (KEY-11, LA-34). */
export function helpRows(keymap: Keymap, session: readonly SessionCommand[], width: number): Row[] {
  const rows: Row[] = [];
  const push = (line: Line) => rows.push({ margin: [], line, join: '\n' });
  for (const group of GROUPS) {
    const keyed = FRONT_COMMANDS.filter(
      (command) => command.group === group && keymap.chordsOf(command.name).length > 0,
    );
    if (keyed.length === 0) continue;
    if (rows.length > 0) push([]);
    push([piece(group, 'heading')]);
    for (const command of keyed) {
      const chords = keymap.chordsOf(command.name).map(chordLabel).join(', ');
      push([piece(chords.padEnd(KEY_COLUMNS), 'accent'), piece(command.description, 'text')]);
    }
    if (group === 'Prompt') {
      push([piece('?'.padEnd(KEY_COLUMNS), 'accent'), piece('On an empty prompt: the keys at a glance', 'text')]);
      push([
        piece('!'.padEnd(KEY_COLUMNS), 'accent'),
        piece('On an empty prompt: one command in your own shell', 'text'),
      ]);
      push([
        piece('Up, Down'.padEnd(KEY_COLUMNS), 'accent'),
        piece('Rows, then what waits, then what you sent before', 'text'),
      ]);
    }
  }
  push([]);
  push([piece('Commands', 'heading')]);
  for (const command of slashCommands(session)) {
    const name = `/${command.name}${command.argument === '' ? '' : ` ${command.argument}`}`;
    const later = command.during === 'after' ? piece('  after the turn', 'quiet') : null;
    push([
      piece(name.padEnd(KEY_COLUMNS), 'accent'),
      piece(command.description, 'text'),
      ...(later === null ? [] : [later]),
    ]);
  }
  return width < 50
    ? rows.map((row) => ({
        ...row,
        line: row.line.map((each) => ({ ...each, text: each.text.replace(/ {2,}$/, '  ') })),
      }))
    : rows;
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
