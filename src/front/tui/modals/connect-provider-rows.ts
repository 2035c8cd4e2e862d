import { cutToWidth, textWidth } from '../../../base/text-width.ts';
import type { SignIn } from '../../../protocol/provider.ts';
import { textRows } from '../blocks/prose.ts';
import { type BoxWords, drawBox, drawLine } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import { type Line, piece } from '../piece.ts';
import type { Role, Theme } from '../theme.ts';
import { type ConnectProviderModal, type ConnectStep, FORM_FIELDS, rowOf, shownSignIn } from './connect-provider.ts';

/** Three fifths of the columns, two fifths of the rows, in the middle (PC-1). */
export function connectArea({ columns, rows }: { readonly columns: number; readonly rows: number }): Rect {
  const width = Math.round(columns * 0.6);
  const height = Math.round(rows * 0.4);
  return rect(Math.floor((columns - width) / 2), Math.floor((rows - height) / 2), width, height);
}

/** Columns and rows within the border that the controls of a step need at least (PC-3). */
function leastRoom({ step, rows }: ConnectProviderModal): { readonly width: number; readonly height: number } {
  switch (step.at) {
    case 'list':
      return { width: 32, height: rows?.length ?? 5 };
    case 'sign-in':
      return { width: 36, height: 5 };
    case 'form':
      return { width: 32, height: 3 };
    default:
      return { width: 24, height: 3 };
  }
}

interface Canvas {
  readonly painter: Painter;
  readonly theme: Theme;
  readonly inner: Rect;
}

export function drawConnect(
  painter: Painter,
  theme: Theme,
  area: Rect,
  modal: ConnectProviderModal,
  signIn: SignIn | null,
): void {
  const inner = rect(area.x + 2, area.y + 1, area.width - 4, area.height - 2);
  const canvas: Canvas = { painter: painter.within(area), theme, inner };
  const least = leastRoom(modal);
  painter.fill(area, theme.styles.text);
  painter.hit(area, { region: 'modal' });
  if (inner.width < least.width || inner.height < least.height) {
    drawTooSmall(painter, theme, area);
    return;
  }
  drawBox(painter, theme, area, 'accent', { topLeft: [piece(titleOf(modal), 'accent')], ...keysOf(modal, signIn) });
  drawStep(canvas, modal, signIn);
}

function drawTooSmall(painter: Painter, theme: Theme, area: Rect): void {
  drawBox(painter, theme, area, 'warn');
  const words = textRows('Make the terminal larger', [], 'text', {
    width: area.width - 2,
    expanded: true,
    openKey: '',
  });
  for (const [at, row] of words.slice(0, Math.max(1, area.height - 2)).entries())
    drawLine(painter, theme, area.x + 1, area.y + Math.min(1, area.height - 1) + at, row.line, area.width - 2);
}

function drawStep(canvas: Canvas, modal: ConnectProviderModal, signIn: SignIn | null): void {
  const { step } = modal;
  switch (step.at) {
    case 'list':
      drawList(canvas, modal);
      return;
    case 'guidance': {
      const row = rowOf(modal);
      const status: Line = [piece(row?.status ?? '', row?.connected === true ? 'good' : 'quiet')];
      drawLines(canvas, [status, ...(row?.guidance ?? []).flatMap((text) => wrapped(canvas, text, 'text'))]);
      return;
    }
    case 'sign-in':
      drawSignIn(canvas, step, shownSignIn(modal, signIn));
      return;
    case 'form':
      drawForm(canvas, modal, step);
      return;
    case 'replace':
      drawLines(canvas, wrapped(canvas, `${step.text}.`, 'warn'));
      return;
    case 'saving':
      drawLines(canvas, [[piece('Saving…', 'text')]]);
      return;
    case 'done':
      drawLines(canvas, [...wrapped(canvas, `● ${step.text}`, 'good'), [], ...nextRows(canvas)]);
      return;
    case 'failed':
      drawLines(canvas, wrapped(canvas, `✗ ${step.text}`, 'bad'));
      return;
  }
}

function nextRows(canvas: Canvas): readonly Line[] {
  return wrapped(canvas, 'Its models are under /model now.', 'quiet');
}

function drawList({ painter, theme, inner }: Canvas, { rows, cursor }: ConnectProviderModal): void {
  if (rows === null) {
    drawLine(painter, theme, inner.x, inner.y, [piece('One moment', 'quiet')], inner.width);
    return;
  }
  const longest = Math.max(...rows.map((row) => textWidth(row.label))) + 2;
  for (const [at, row] of rows.entries()) {
    const y = inner.y + at;
    const chosen = at === cursor;
    if (chosen) painter.fill(rect(inner.x - 1, y, inner.width + 2, 1), theme.styles.chosen);
    painter.hit(rect(inner.x - 1, y, inner.width + 2, 1), { region: 'connect', item: String(at) });
    const mark = piece(chosen ? '❯ ' : '  ', 'accent');
    const label = piece(row.label.padEnd(longest), chosen ? 'strong' : 'text');
    const status = piece(`${row.connected ? '●' : '○'} ${row.status}`, row.connected ? 'good' : 'quiet');
    const room = inner.width - 2 - longest;
    const line = [mark, label, { ...status, text: cutToWidth(status.text, Math.max(1, room)) }];
    drawLine(painter, theme, inner.x, y, line, inner.width, chosen ? 'chosen' : undefined);
  }
}

function drawSignIn(canvas: Canvas, step: Extract<ConnectStep, { at: 'sign-in' }>, signIn: SignIn | null): void {
  const { painter, theme, inner } = canvas;
  if (signIn === null) {
    drawLines(canvas, wrapped(canvas, 'Begins as soon as nothing else runs', 'quiet'));
    return;
  }
  if (signIn.stage !== 'browser') {
    const words = signIn.stage === 'saving' ? 'Saving…' : 'Checking with the service…';
    drawLines(canvas, [[piece(words, 'text')]]);
    return;
  }
  // The address takes what the controls leave; the button copies all of it.
  const told = step.problem ?? signIn.note;
  const controls = told === null ? 3 : 4;
  const address = signIn.url ?? '';
  const rows = Math.max(1, inner.height - controls - 1);
  for (let row = 0; row < rows; row++) {
    const text = address.slice(row * inner.width, (row + 1) * inner.width);
    const cut = row === rows - 1 && address.length > rows * inner.width;
    const shown = cut ? `${text.slice(0, -1)}…` : text;
    drawLine(painter, theme, inner.x, inner.y + row, [piece(shown, 'signal')], inner.width);
  }
  const used = Math.min(rows, Math.max(1, Math.ceil(address.length / inner.width)));
  const y = inner.y + used;
  let x = inner.x;
  for (const [focus, words, key] of BUTTONS) {
    const on = step.focus === focus;
    const label = ` ${words} `;
    painter.hit(rect(x, y, textWidth(label), 1), { region: 'connect', item: focus });
    const text: Line = [
      piece(on ? '❯' : ' ', 'accent'),
      piece(words, on ? 'strong' : 'text'),
      piece(` ${key}`, 'quiet'),
    ];
    x += drawLine(painter, theme, x, y, text, inner.width - (x - inner.x)) + 2;
  }
  drawField(canvas, y + 1, {
    label: 'Or paste where the browser ended',
    text: redacted(step.redirect),
    hint: '',
    on: step.focus === 'redirect',
  });
  painter.hit(rect(inner.x, y + 1, inner.width, 2), { region: 'connect', item: 'redirect' });
  if (told !== null) {
    const line = wrapped(canvas, told, step.problem === null ? 'warn' : 'bad')[0] ?? [];
    drawLine(painter, theme, inner.x, y + 3, line, inner.width);
  }
}

const BUTTONS = [
  ['open', 'Open Browser', '[Alt-O]'],
  ['copy', 'Copy URL', '[Ctrl-Y]'],
] as const;

/** A code is in it: how much was typed is all that is shown (PC-6). */
function redacted(text: string): string {
  return '•'.repeat([...text].length);
}

function drawForm(canvas: Canvas, modal: ConnectProviderModal, step: Extract<ConnectStep, { at: 'form' }>): void {
  const { painter, theme, inner } = canvas;
  const told = step.problem === null ? (rowOf(modal)?.guidance[0] ?? null) : step.problem;
  const words = told === null ? [] : wrapped(canvas, told, step.problem === null ? 'quiet' : 'bad');
  // All fields where there is room, else the focused one alone with its count (PC-10).
  const whole = inner.height >= FORM_FIELDS.length * 2;
  const shown = whole ? FORM_FIELDS.map((_, at) => at) : [step.focus];
  for (const [place, at] of shown.entries()) {
    const { name, label, hint } = FORM_FIELDS[at]!;
    const y = inner.y + place * 2;
    const count = whole ? '' : ` (${at + 1} of ${FORM_FIELDS.length})`;
    painter.hit(rect(inner.x, y, inner.width, 2), { region: 'connect', item: String(at) });
    drawField(canvas, y, { label: label + count, text: step.form[name], hint, on: at === step.focus });
  }
  for (const [at, line] of words.entries()) {
    const y = inner.y + shown.length * 2 + at;
    if (y < inner.y + inner.height) drawLine(painter, theme, inner.x, y, line, inner.width);
  }
}

interface Field {
  readonly label: string;
  readonly text: string;
  readonly hint: string;
  readonly on: boolean;
}

/** A label and, below it, what was typed: its end, where it is longer than there is room. */
function drawField({ painter, theme, inner }: Canvas, y: number, { label, text, hint, on }: Field): void {
  const mark = piece(on ? '❯ ' : '  ', 'accent');
  drawLine(painter, theme, inner.x, y, [mark, piece(label, on ? 'strong' : 'quiet')], inner.width);
  const room = inner.width - 3;
  const end = [...text].slice(-room).join('');
  const shown = text === '' ? piece(cutToWidth(hint, room), 'ghost') : piece(end, 'text');
  const used = drawLine(painter, theme, inner.x + 2, y + 1, [shown], room);
  if (on) painter.cursor(inner.x + 2 + (text === '' ? 0 : used), y + 1);
}

function drawLines({ painter, theme, inner }: Canvas, lines: readonly Line[]): void {
  for (const [at, line] of lines.slice(0, inner.height).entries())
    drawLine(painter, theme, inner.x, inner.y + at, line, inner.width);
}

function wrapped({ inner }: Canvas, text: string, role: Role): readonly Line[] {
  return textRows(text, [], role, { width: inner.width, expanded: true, openKey: '' }).map((row) => row.line);
}

function titleOf(modal: ConnectProviderModal): string {
  const row = modal.step.at === 'list' ? null : rowOf(modal);
  return row === null ? 'Connect Provider' : `Connect Provider: ${row.label}`;
}

/** What the keys of a step do, on the lower border. */
function keysOf(modal: ConnectProviderModal, signIn: SignIn | null): BoxWords {
  const keys = (...pairs: readonly (readonly [string, string])[]): BoxWords => ({
    bottomLeft: pairs.flatMap(([key, words], at) => [
      piece(`${at === 0 ? '' : ' '}[${key}]`, 'accent'),
      piece(` ${words}`, 'quiet'),
    ]),
  });
  switch (modal.step.at) {
    case 'list':
      return keys(['Enter', 'Open'], ['Esc', 'Close']);
    case 'guidance':
      return keys(['Enter', 'Look again'], ['←', 'Back'], ['Esc', 'Close']);
    case 'sign-in':
      if (shownSignIn(modal, signIn)?.stage === 'saving') return {};
      return keys(['Tab', 'Next'], ['Esc', 'Cancel']);
    case 'form':
      return keys(['Enter', 'Save'], ['Tab', 'Next'], ['Esc', 'Back']);
    case 'replace':
      return keys(['Enter', 'Replace'], ['Esc', 'Back']);
    case 'saving':
      return {};
    case 'done':
      return keys(['Enter', 'Close']);
    case 'failed':
      return keys(['Enter', 'Try again'], ['←', 'Back'], ['Esc', 'Close']);
  }
}
