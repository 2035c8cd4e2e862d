import type { Ask, AskBody } from '../../../protocol/ask.ts';
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

/** Rows of content that are worth more than the words of the keys. */
const LEAST_CONTENT = 3;

/** Rows the question's content has at the width of its box. */
export function askContent(ask: Ask, state: AskState, width: number): Row[] {
  return ask.body.kind === 'questions' ? questionRows(ask.body, state, width) : permissionRows(ask, width);
}

/** Rows the dialog would like: its content, its keys, its border. */
export function askHeight(ask: Ask, state: AskState, columns: number): number {
  return askContent(ask, state, columns - 4).length + 2 + flowed(choiceLines(ask, true), columns - 4).length;
}

/** Rows of content a dialog of this size shows. */
export function askWindow(ask: Ask, dialog: { readonly width: number; readonly height: number }): number {
  return Math.max(1, dialog.height - 2 - keyRows(ask, dialog));
}

/** Rows for the keys: as many as their words need, one where the dialog is too low for that. */
function keyRows(ask: Ask, dialog: { readonly width: number; readonly height: number }): number {
  const wanted = flowed(choiceLines(ask, true), dialog.width - 4).length;
  return dialog.height - 2 - wanted >= LEAST_CONTENT ? wanted : 1;
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
  });
  const inside = rect(area.x + 2, area.y + 1, area.width - 4, window);
  const clip = painter.within(inside);
  for (const [offset, row] of rows.slice(top, top + window).entries())
    drawContentRow(clip, scene, inside, inside.y + offset, row);
  const room = keyRows(ask, area);
  const keys = keyLines(scene, ask, state, rows.length > window, area.width - 4, room);
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
function keyLines(scene: Scene, ask: Ask, state: AskState, scrolls: boolean, width: number, room: number): Line[] {
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
    return [firstFitting([spaced([move, mark, answer, skip, BACK]), spaced([answer, skip])], width)];
  }
  const ready = allSeen(state);
  const choices = choiceLines(ask, ready);
  const read: Line = ready || !scrolls ? [] : [piece('[PgDn]', 'accent'), piece(' read to the end first', 'warn')];
  const output: Line =
    hasOutputChoice(ask) && state.chosen
      ? [piece('[Tab]', 'accent'), piece(` output: ${OUTPUT_WORDS[state.output ?? 'judged']}`, 'quiet')]
      : [];
  const short = choices.map((line) => [line[0]!]);
  const ways = [[read, ...choices, output, BACK], [read, ...choices, output], [read, ...choices], choices];
  for (const way of ways) {
    const lines = flowed(way, width);
    if (lines.length <= room) return lines;
  }
  return [firstFitting([spaced([read, ...short]), spaced(short)], width)];
}

/** The answers, those that approve first. */
function choiceLines(ask: Ask, ready: boolean): Line[] {
  const choices = choicesOf(ask);
  return [...choices.filter((choice) => choice.approves), ...choices.filter((choice) => !choice.approves)].map(
    (choice) => {
      const usable = ready || !choice.approves;
      return [
        piece(`[${choice.key}]`, usable ? 'accent' : 'quiet'),
        piece(` ${choice.label}`, usable ? 'text' : 'quiet'),
      ];
    },
  );
}

/** Pieces side by side, in as many rows as they need; one row at least. */
function flowed(parts: readonly Line[], width: number): Line[] {
  const rows: Line[][] = [[]];
  for (const part of parts.filter((line) => line.length > 0)) {
    const row = rows.at(-1)!;
    if (row.length > 0 && lineWidth(spaced([...row, part])) > width) rows.push([part]);
    else row.push(part);
  }
  return rows.map(spaced);
}

const BACK: Line = [piece('[Shift-Tab]', 'accent'), piece(' Back', 'quiet')];
const OUTPUT_WORDS = { judged: 'as judged', text: 'shown to the model', ref: 'kept aside' } as const;

function spaced(lines: readonly Line[]): Line {
  return lines
    .filter((line) => line.length > 0)
    .flatMap((line, index) => (index === 0 ? line : [piece('   ', 'text'), ...line]));
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
