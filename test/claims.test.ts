// What README, docs and help may say of speed: figures that a command here makes, and goals called goals.
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { helpText } from '../src/cli/arguments.ts';
import { SESSION_COMMANDS } from '../src/core/session/session-commands.ts';
import { FRONT_COMMANDS } from '../src/front/commands/command-table.ts';
import { makeKeymap } from '../src/front/commands/keymap.ts';
import { helpRows } from '../src/front/tui/modals/help-rows.ts';

const ROOT = path.join(import.meta.dir, '..');
const read = (...name: string[]): string => readFileSync(path.join(ROOT, ...name), 'utf8');
const texts: readonly (readonly [string, string])[] = [
  ['README.md', read('README.md')],
  ['bench/README.md', read('bench', 'README.md')],
  ...readdirSync(path.join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name, read('docs', name)] as const),
  ['houston --help', helpText('1.2.3')],
  [
    '/help',
    helpRows(makeKeymap(FRONT_COMMANDS), SESSION_COMMANDS, 400)
      .map(({ line }) => line.map(({ text }) => text).join(''))
      .join('\n'),
  ],
];
/** A sentence about how long it takes until a person sees it, in which the terminal's own part is; or one with that figure as a bound. */
const TO_LIGHT =
  /physical (?:terminal|screen|display)|key to (?:light|photon)|(?:on|to) glass|(?:<|≤|under|below|less than|within|at most|in) ?16 ?(?:ms|milliseconds)/i;

test('ST-13 what a physical terminal shows within 16 ms is stated as a goal that nothing measures, and claimed nowhere', () => {
  const sentences = texts.flatMap(([name, text]) =>
    text
      .split(/(?<=[.!?])\s+|\n/)
      .filter((sentence) => TO_LIGHT.test(sentence))
      .map((sentence) => ({ name, sentence })),
  );
  expect(sentences.filter(({ sentence }) => /\b16 ms\b/.test(sentence))).not.toEqual([]);
  for (const { name, sentence } of sentences)
    expect(`${name}: ${sentence}`).toMatch(/16 ms is a goal, not a figure.*not measured.*nothing is gated by it/);
});
