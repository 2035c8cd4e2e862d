import { expect, test } from 'bun:test';
import { textWidth } from '../../../base/text-width.ts';
import type { SessionCommand } from '../../../protocol/view.ts';
import { FRONT_COMMANDS } from '../../commands/command-table.ts';
import { makeKeymap } from '../../commands/keymap.ts';
import { slashCommands } from '../../commands/slash.ts';
import { helpRows } from './help-rows.ts';

const LONG: SessionCommand = {
  name: 'orchard',
  argument: '[status|merge|resolve|finish|remove|list]',
  description: 'Look after every tree of this session, one after another, until none is left that wants looking after',
  during: 'after',
};
const lines = (width: number) =>
  helpRows(makeKeymap(FRONT_COMMANDS), [LONG], width).map((row) => row.line.map((each) => each.text).join(''));

test.each([24, 49, 50, 70, 190])(
  'every row of the help fits and every word of it is there at %d columns (LA-34)',
  (width) => {
    const rows = lines(width);
    for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(width);
    const words = rows.join(' ').replace(/\s+/g, ' ');
    for (const command of slashCommands([LONG])) expect(words).toContain(command.description);
    expect(words).toContain('after the turn');
  },
);

test('a name never runs into what it does; it stands alone where it is too long (LA-34)', () => {
  const rows = lines(100);
  const at = rows.findIndex((row) => row.startsWith('/orchard'));
  expect(rows[at]).toBe(`/orchard ${LONG.argument}`);
  expect(rows[at + 1]).toStartWith(`${' '.repeat(34)}Look after every tree`);
  expect(rows.find((row) => row.startsWith('/help'))).toMatch(/^\/help {29}Every key and command$/);
});
