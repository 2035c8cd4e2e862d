import { textWidth } from '../../../base/text-width.ts';
import { wrapText } from '../../../base/wrap.ts';
import type { Ask, AskBody, AskChoice } from '../../../protocol/ask.ts';
import { textRows } from '../blocks/prose.ts';
import { INDENT, type Row } from '../blocks/row.ts';
import { drawBox, drawLine, lineWidth } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import { facts, type Line, piece } from '../piece.ts';
import type { Scene } from '../scene.ts';
import { permissionRows } from './ask-rows.ts';
import { type AskState, allSeen, choicesOf, hasOutputChoice, waitingAsks } from './ask-state.ts';

/** What was drawn of the question: rows `from` up to `to` of `total`. */
export interface DrawnAsk {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

/** Rows of content that are worth more than the whole words of the keys. */
const LEAST_CONTENT = 3;

/** Rows the question's content has at the width of its box. */
export function askContent(ask: Ask, state: AskState, width: number): Row[] {
  return ask.body.kind === 'questions' ? questionRows(ask.body, state, width) : permissionRows(ask, width);
}

/** Rows the dialog would like: its content, its keys, its border. */
export function askHeight(ask: Ask, state: AskState, columns: number): number {
  return askContent(ask, state, columns - 4).length + 2 + flowed(choiceLines(ask, true), columns - 4).length;
}

/** Rows without which it could not be answered knowingly: a little of its content, and every key with a word for it. */
export function askLeast(ask: Ask, state: AskState, columns: number): number {
  const content = Math.min(LEAST_CONTENT, askContent(ask, state, columns - 4).length);
  return content + 2 + flowed(shortLines(ask, true), columns - 4).length;
}

/** Rows of content a dialog of this size shows. */
export function askWindow(ask: Ask, dialog: { readonly width: number; readonly height: number }): number {
  return Math.max(1, dialog.height - 2 - keyRows(ask, dialog));
}

/** Rows for the keys: as many as their words need; where the dialog is too low for that, as their short words do. */
function keyRows(ask: Ask, dialog: { readonly width: number; readonly height: number }): number {
  const room = dialog.height - 2;
  const wanted = flowed(choiceLines(ask, true), dialog.width - 4).length;
  if (room - wanted >= LEAST_CONTENT) return wanted;
  return Math.max(1, Math.min(room - 1, flowed(shortLines(ask, true), dialog.width - 4).length));
}

/** The question at the foot of the transcript: content that scrolls, then the keys that answer (PR-6, docs §19). */
export function drawAsk(painter: Painter, scene: Scene, ask: Ask, state: AskState): DrawnAsk | null {
  const { dialog: area } = scene.layout;
  const { theme, screen, view } = scene;
  if (area.height < 2) return null;
  const listens = screen.focus === 'question';
  const rows = askContent(ask, state, area.width - 4);
  const window = askWindow(ask, area);
  const top = Math.max(0, Math.min(state.scroll, rows.length - window));
  painter.fill(area, theme.styles.text);
  painter.hit(area, { region: 'question' });
  const waiting = waitingAsks(view, screen.client);
  drawBox(painter, theme, area, listens ? 'accent' : 'warn', {
    topLeft: [
      piece('◍ ', 'warn'),
      piece(titleOf(ask.body), 'strong'),
      ...(ask.origin === '' ? [] : [piece(`  from ${ask.origin}`, 'quiet')]),
    ],
    topRight: facts([
      rows.length > window
        ? [piece(`${Math.min(rows.length, top + window)} of ${rows.length} rows`, allSeen(state) ? 'quiet' : 'warn')]
        : [],
      waiting > 1 ? [piece(`1 of ${waiting} questions`, 'quiet')] : [],
    ]),
    bottomLeft: listens && rows.length > window && !allSeen(state) ? onward(rows.length - top - window) : [],
  });
  const inside = rect(area.x + 2, area.y + 1, area.width - 4, window);
  const clip = painter.within(inside);
  for (const [offset, row] of rows.slice(top, top + window).entries())
    drawContentRow(clip, scene, inside, inside.y + offset, row);
  const room = keyRows(ask, area);
  const keys = keyLines(scene, ask, state, area.width - 4, room);
  for (const [index, line] of keys.entries()) {
    const y = area.y + area.height - 1 - room + index;
    if (y > area.y) drawLine(painter, theme, area.x + 2, y, line, area.width - 4);
  }
  return { id: ask.id, from: top, to: Math.min(rows.length, top + window), total: rows.length };
}

function drawContentRow(painter: Painter, scene: Scene, area: Rect, y: number, row: Row): void {
  const { theme } = scene;
  if (row.fill !== undefined) painter.fill(rect(area.x, y, area.width, 1), theme.styles[row.fill]);
  const used = drawLine(painter, theme, area.x, y, row.margin, area.width);
  drawLine(painter, theme, area.x + used, y, row.line, area.width - used, row.fill);
}

/** While the dialog only watches, it says so, and how to turn to it (UP-15). Else its choices, in words if at all possible. */
function keyLines(scene: Scene, ask: Ask, state: AskState, width: number, room: number): Line[] {
  if (scene.screen.focus !== 'question') {
    const focus = scene.keymap.label('focus') ?? 'Tab';
    const turn: Line = [piece(`[${focus}]`, 'accent'), piece(' answers', 'text')];
    return [firstFitting([[...turn, piece('   what you type goes to your draft', 'quiet')], turn], width)];
  }
  if (ask.body.kind === 'questions') {
    const many = ask.body.questions[state.questions.at]?.many === true;
    const move: Line = [piece('[↑↓]', 'accent'), piece(' Choose', 'quiet')];
    const mark: Line = many ? [piece('[Space]', 'accent'), piece(' Mark', 'quiet')] : [];
    const answer: Line = [piece('[Enter]', 'accent'), piece(' Answer', 'text')];
    const skip: Line = [piece('[Esc]', 'accent'), piece(' Skip', 'quiet')];
    return [firstFitting([spaced([move, mark, answer, skip, BACK]), spaced([answer, skip], 2)], width)];
  }
  const ready = allSeen(state);
  const choices = choiceLines(ask, ready);
  const output: Line =
    hasOutputChoice(ask) && state.chosen
      ? [piece('[Tab]', 'accent'), piece(` output: ${OUTPUT_WORDS[state.output ?? 'judged']}`, 'quiet')]
      : [];
  const short = shortLines(ask, ready);
  const ways = [[...choices, output, BACK], [...choices, output], choices, [...short, output], short];
  for (const way of ways) {
    const lines = flowed(way, width);
    if (lines.length <= room) return lines;
  }
  return [firstFitting([spaced(short, 2), spaced(choices.map((line) => [line[0]!]))], width)];
}

/** On the border, since no row of keys is spared for it: what is still to be read before one may approve. */
function onward(left: number): Line {
  return left > 0
    ? [piece('[PgDn]', 'accent'), piece(` ${left} more to read`, 'warn')]
    : [piece('[Home]', 'accent'), piece(' some were skipped', 'warn')];
}

/** The answers, those that approve first. */
function choiceLines(ask: Ask, ready: boolean): Line[] {
  return inOrder(ask).map((choice) => choiceLine(choice, choice.label, ready));
}

/** The same in a word each, for a small dialog: what lasting answers cover stands among the rows above them. */
function shortLines(ask: Ask, ready: boolean): Line[] {
  return inOrder(ask).map((choice) => {
    const word = shortWord(choice);
    return choiceLine(choice, word.length < choice.label.length ? word : choice.label, ready);
  });
}

/** A newer host may offer what is not named here. */
const SHORT_WORDS: Readonly<Record<string, string>> = {
  once: 'once',
  session: 'session',
  remember: 'always',
  no: 'no',
  trust: 'yes',
  distrust: 'never',
  leave: 'leave',
};

function shortWord({ name, label, wide }: AskChoice): string {
  const word = SHORT_WORDS[name] ?? label;
  if (wide !== true) return word;
  return name === 'session' ? 'pattern' : `${word} pattern`;
}

function inOrder(ask: Ask): readonly AskChoice[] {
  const choices = choicesOf(ask);
  return [...choices.filter((choice) => choice.approves), ...choices.filter((choice) => !choice.approves)];
}

function choiceLine(choice: AskChoice, words: string, ready: boolean): Line {
  const usable = ready || !choice.approves;
  return [piece(`[${choice.key}]`, usable ? 'accent' : 'quiet'), piece(` ${words}`, usable ? 'text' : 'quiet')];
}

/** Pieces side by side, in as many rows as they need, one at least; words too long for a row go on under themselves. */
function flowed(parts: readonly Line[], width: number): Line[] {
  const gap = width < NARROW ? 2 : 3;
  const rows: Line[][] = [[]];
  for (const part of parts.filter((line) => line.length > 0)) {
    const row = rows.at(-1)!;
    if (row.length > 0 && lineWidth(spaced([...row, part], gap)) > width) rows.push([part]);
    else row.push(part);
  }
  return rows.flatMap((row) => (row.length === 1 ? wrapped(row[0]!, width) : [spaced(row, gap)]));
}

const NARROW = 50;

/** `[a] Yes, and changes in …` in several rows, its words one under the other. */
function wrapped(part: Line, width: number): Line[] {
  const [key, words] = part;
  if (key === undefined || words === undefined || lineWidth(part) <= width) return [part];
  const margin = textWidth(key.text) + 1;
  const text = words.text.trimStart();
  return wrapText(text, Math.max(1, width - margin)).map(
    (row, index): Line => [
      index === 0 ? key : piece(' '.repeat(margin - 1), 'text'),
      { ...words, text: ` ${text.slice(row.from, row.to)}` },
    ],
  );
}

const BACK: Line = [piece('[Shift-Tab]', 'accent'), piece(' Back', 'quiet')];
const OUTPUT_WORDS = { judged: 'as judged', text: 'shown to the model', ref: 'kept aside' } as const;

function spaced(lines: readonly Line[], gap = 3): Line {
  return lines
    .filter((line) => line.length > 0)
    .flatMap((line, index) => (index === 0 ? line : [piece(' '.repeat(gap), 'text'), ...line]));
}

function firstFitting(lines: readonly Line[], width: number): Line {
  return lines.find((line) => lineWidth(line) <= width) ?? lines.at(-1) ?? [];
}

function titleOf(body: AskBody): string {
  if (body.kind === 'questions')
    return body.questions.length > 1 ? `${body.questions.length} questions` : 'A question for you';
  return body.kind === 'trust' ? `Do you trust ${body.folder}?` : body.title;
}

/** One question at a time: its options, then the person's own words (PR-13). */
function questionRows(body: Extract<AskBody, { kind: 'questions' }>, state: AskState, width: number): Row[] {
  const { at, cursor, picked, words } = state.questions;
  const question = body.questions[at];
  if (question === undefined) return [];
  const options = { width, expanded: true, openKey: '' };
  const count = body.questions.length > 1 ? ` (${at + 1} of ${body.questions.length})` : '';
  const asked = textRows(question.question + count, [], 'strong', options);
  const rows = question.options.flatMap((option, index) => {
    const mark = question.many ? (picked.includes(index) ? '● ' : '○ ') : '';
    const chosen = index === cursor;
    return textRows(option, [INDENT, piece(mark.replace(/./g, ' '), 'text')], chosen ? 'strong' : 'text', options).map(
      (row, line): Row => ({
        ...row,
        margin: line === 0 ? [piece(chosen ? '❯ ' : '  ', 'accent'), piece(mark, 'good')] : row.margin,
        ...(chosen ? { fill: 'chosen' as const } : {}),
      }),
    );
  });
  const own = cursor === question.options.length;
  const ownRow: Row = {
    margin: [piece(own ? '❯ ' : '  ', 'accent')],
    line:
      words === '' ? [piece(own ? 'your own words' : 'your own words: just type', 'quiet')] : [piece(words, 'text')],
    join: '\n',
    ...(own ? { fill: 'chosen' as const } : {}),
  };
  return [...asked, ...rows, ownRow];
}
