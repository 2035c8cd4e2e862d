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

/** Rows the question's content has at the width of its box. */
export function askContent(ask: Ask, state: AskState, width: number): Row[] {
  return ask.body.kind === 'questions' ? questionRows(ask.body, state, width) : permissionRows(ask, width);
}

/** Rows the dialog would like: its content, its keys, its border. */
export function askHeight(ask: Ask, state: AskState, columns: number): number {
  return askContent(ask, state, columns - 4).length + 3;
}

/** Rows of content a dialog of `height` rows shows. */
export function askWindow(height: number): number {
  return Math.max(1, height - 3);
}

/** The question at the foot of the transcript: content that scrolls, then the keys that answer (PR-6, docs §19). */
export function drawAsk(painter: Painter, scene: Scene, ask: Ask, state: AskState): DrawnAsk | null {
  const { dialog: area } = scene.layout;
  const { theme, screen, view } = scene;
  if (area.height < 2) return null;
  const listens = screen.focus === 'question';
  const rows = askContent(ask, state, area.width - 4);
  const window = askWindow(area.height);
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
  const keys = keyLines(scene, ask, state, rows.length > window);
  const y = area.y + area.height - 2;
  if (y > area.y) drawLine(painter, theme, area.x + 2, y, firstFitting(keys, area.width - 4), area.width - 4);
  return { id: ask.id, from: top, to: Math.min(rows.length, top + window), total: rows.length };
}

function drawContentRow(painter: Painter, scene: Scene, area: Rect, y: number, row: Row): void {
  const { theme } = scene;
  if (row.fill !== undefined) painter.fill(rect(area.x, y, area.width, 1), theme.styles[row.fill]);
  const used = drawLine(painter, theme, area.x, y, row.margin, area.width);
  drawLine(painter, theme, area.x + used, y, row.line, area.width - used);
}

/** From whole to least. While the dialog only watches, it says so, and how to turn to it (UP-15). */
function keyLines(scene: Scene, ask: Ask, state: AskState, scrolls: boolean): Line[] {
  if (scene.screen.focus !== 'question') {
    const focus = scene.keymap.label('focus') ?? 'Tab';
    return [
      [piece(`[${focus}]`, 'accent'), piece(' answers', 'text'), piece('   what you type goes to your draft', 'quiet')],
      [piece(`[${focus}]`, 'accent'), piece(' answers', 'text')],
    ];
  }
  if (ask.body.kind === 'questions') {
    const many = ask.body.questions[state.questions.at]?.many === true;
    const move: Line = [piece('[↑↓]', 'accent'), piece(' Choose', 'quiet')];
    const mark: Line = many ? [piece('[Space]', 'accent'), piece(' Mark', 'quiet')] : [];
    const answer: Line = [piece('[Enter]', 'accent'), piece(' Answer', 'text')];
    const skip: Line = [piece('[Esc]', 'accent'), piece(' Skip', 'quiet')];
    return [spaced([move, mark, answer, skip, BACK]), spaced([answer, skip])];
  }
  const ready = allSeen(state);
  const approving = choicesOf(ask)
    .filter((choice) => choice.approves)
    .map(
      (choice): Line => [
        piece(`[${choice.key}]`, ready ? 'accent' : 'quiet'),
        piece(` ${choice.label}`, ready ? 'text' : 'quiet'),
      ],
    );
  const refusing = choicesOf(ask)
    .filter((choice) => !choice.approves)
    .map((choice): Line => [piece(`[${choice.key}]`, 'accent'), piece(` ${choice.label}`, 'text')]);
  const read: Line = ready || !scrolls ? [] : [piece('[PgDn]', 'accent'), piece(' read to the end first', 'warn')];
  const output: Line =
    hasOutputChoice(ask) && state.chosen
      ? [piece('[Tab]', 'accent'), piece(` output: ${OUTPUT_WORDS[state.output ?? 'judged']}`, 'quiet')]
      : [];
  const short = (lines: readonly Line[]) => lines.map((line) => [line[0]!]);
  return [
    spaced([read, ...approving, ...refusing, output, BACK]),
    spaced([read, ...approving, ...refusing, output]),
    spaced([read, ...approving, ...refusing]),
    spaced([read, ...short(approving), ...short(refusing)]),
    spaced([...short(approving), ...short(refusing)]),
  ];
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
