import { cutToWidth } from '../../../base/text-width.ts';
import type { Keymap } from '../../commands/keymap.ts';
import { exactRows } from '../blocks/prose.ts';
import { drawBox, drawLine, drawRight, lineWidth } from '../draw.ts';
import type { Layout as TextLayout } from '../editor/layout.ts';
import type { Text } from '../editor/text.ts';
import { age, plural } from '../figures.ts';
import type { Painter } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import { chordOf, type InputEvent } from '../input/event.ts';
import type { Layout } from '../layout.ts';
import { oneLine } from '../one-line.ts';
import { type Line, piece } from '../piece.ts';
import { isRecalled, type PromptState, type SentPrompt } from '../prompt-state.ts';
import type { Scene } from '../scene.ts';
import type { HistoryModal } from './modal.ts';

/** Narrower than this, the list stands alone (HIST-3). */
const TWO_COLUMNS = 72;
const AGE_COLUMNS = 5;

/** The search over what was sent, begun with the line being written where that is one row and not itself recalled (HIST-1, HIST-4). */
export function openHistory(
  prompt: PromptState,
  workspace: string,
  textLayout: (text: Text) => TextLayout,
  scope: HistoryModal['scope'],
): HistoryModal {
  const { text } = prompt.editor.buffer;
  const seed = scope === 'all' && !isRecalled(prompt) && textLayout(text).rowCount === 1 ? text.toString() : '';
  return { kind: 'history', query: seed, scope, workspace, cursor: 0 };
}

const found = new WeakMap<HistoryModal, { sent: readonly SentPrompt[]; matches: readonly SentPrompt[] }>();

/** What holds every typed word, in any place and order, oldest first (HIST-2). Worked out once for each state of the search. */
export function historyMatches(modal: HistoryModal, sent: readonly SentPrompt[]): readonly SentPrompt[] {
  const known = found.get(modal);
  if (known !== undefined && known.sent === sent) return known.matches;
  const words = modal.query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matches = sent.filter((prompt) => {
    if (modal.scope === 'workspace' && prompt.workspace !== modal.workspace) return false;
    if (words.length === 0) return true;
    const text = lowered(prompt);
    return words.every((word) => text.includes(word));
  });
  found.set(modal, { sent, matches });
  return matches;
}

const small = new WeakMap<SentPrompt, string>();

/** In small letters, kept: each key of the query looks through all of them. */
function lowered(prompt: SentPrompt): string {
  let text = small.get(prompt);
  if (text === undefined) {
    text = prompt.text.toLowerCase();
    small.set(prompt, text);
  }
  return text;
}

/** The chosen one: `cursor` counts from the newest. */
export function chosenPrompt(modal: HistoryModal, sent: readonly SentPrompt[]): SentPrompt | null {
  const matches = historyMatches(modal, sent);
  return matches.at(-1 - Math.min(modal.cursor, Math.max(0, matches.length - 1))) ?? null;
}

export type HistoryKey =
  | { readonly kind: 'modal'; readonly modal: HistoryModal }
  | { readonly kind: 'chosen'; readonly prompt: SentPrompt }
  | { readonly kind: 'close' };

/** A key in the search: the chords in force for stash and history narrow and close it (HIST-2, KEY-10). */
export function historyKey(
  modal: HistoryModal,
  event: Extract<InputEvent, { type: 'key' }>,
  sent: readonly SentPrompt[],
  keymap: Keymap,
): HistoryKey {
  const chord = chordOf(event.key);
  const count = historyMatches(modal, sent).length;
  const move = (by: number): HistoryKey => {
    const at = Math.min(modal.cursor, Math.max(0, count - 1)) + by;
    return { kind: 'modal', modal: { ...modal, cursor: Math.max(0, Math.min(count - 1, at)) } };
  };
  const command = keymap.commandOf(chord);
  if (command === 'history' || chord === 'escape' || chord === 'ctrl-c') return { kind: 'close' };
  if (command === 'stash')
    return { kind: 'modal', modal: { ...modal, scope: modal.scope === 'all' ? 'workspace' : 'all', cursor: 0 } };
  switch (chord) {
    case 'up':
    case 'ctrl-p':
      return move(1);
    case 'down':
    case 'ctrl-n':
      return move(-1);
    case 'pageup':
      return move(10);
    case 'pagedown':
      return move(-10);
    case 'home':
      return move(count);
    case 'end':
      return move(-count);
    case 'enter': {
      const prompt = chosenPrompt(modal, sent);
      return prompt === null ? { kind: 'modal', modal } : { kind: 'chosen', prompt };
    }
    case 'backspace':
      if (modal.query === '') return { kind: 'close' };
      return { kind: 'modal', modal: asked(modal, [...modal.query].slice(0, -1).join('')) };
    case 'ctrl-u':
      return { kind: 'modal', modal: asked(modal, '') };
    case 'ctrl-w':
      return { kind: 'modal', modal: asked(modal, modal.query.replace(/\S+\s*$/, '')) };
    default: {
      const { text, ctrl, alt } = event.key;
      return { kind: 'modal', modal: text === null || ctrl || alt ? modal : asked(modal, modal.query + text) };
    }
  }
}

/** Another query: the newest match is chosen. */
export function asked(modal: HistoryModal, query: string): HistoryModal {
  return { ...modal, query, cursor: 0 };
}

/** From the transcript down over the box, which the search stands in for. */
export function historyArea(layout: Layout, screen: { readonly columns: number; readonly rows: number }): Rect {
  const top = layout.transcript.y;
  return rect(0, top, screen.columns, screen.rows - top - layout.hint.height);
}

export function drawHistory(painter: Painter, scene: Scene, modal: HistoryModal): void {
  const { theme, keymap, screen } = scene;
  const { sent } = screen.prompt;
  const area = historyArea(scene.layout, screen);
  const matches = historyMatches(modal, sent);
  const wide = modal.scope === 'all';
  painter.fill(area, theme.styles.text);
  painter.hit(area, { region: 'modal' });
  drawBox(painter, theme, area, 'accent', {
    topLeft: [piece('What you sent before', 'accent')],
    topRight: [
      piece(wide ? 'all prompts' : 'this workspace', 'text'),
      piece(` • ${matches.length} of ${sent.length}`, 'quiet'),
    ],
    bottomLeft: keyWords(keymap, wide, area.width - 6),
  });
  const inner = rect(area.x + 2, area.y + 1, area.width - 4, area.height - 2);
  if (inner.height < 1) return;
  const queryRow = inner.y + inner.height - 1;
  const query: Line = [piece('⌕ ', 'accent'), piece(modal.query, 'text')];
  const used = drawLine(painter, theme, inner.x, queryRow, query, inner.width);
  painter.cursor(inner.x + Math.min(used, inner.width - 1), queryRow);
  const rows = inner.height - 1;
  if (matches.length === 0) {
    const words = wide
      ? 'Nothing you sent holds all of these words'
      : 'Nothing you sent in this workspace holds all of these words';
    drawLine(painter, theme, inner.x, queryRow - 1, [piece(words, 'quiet')], rows > 0 ? inner.width : 0);
    return;
  }
  const two = inner.width >= TWO_COLUMNS;
  const listWidth = two ? Math.floor(inner.width / 2) - 1 : inner.width;
  drawList(painter, scene, modal, matches, rect(inner.x, inner.y, listWidth, rows));
  if (!two) return;
  const bar = inner.x + listWidth + 1;
  painter.fill(rect(bar, inner.y, 1, rows), theme.styles.line, '│');
  const chosen = chosenPrompt(modal, sent);
  if (chosen !== null)
    drawPreview(painter, scene, chosen, rect(bar + 2, inner.y, inner.x + inner.width - bar - 2, rows));
}

function keyWords(keymap: Keymap, wide: boolean, width: number): Line {
  const enter: Line = [piece('[Enter]', 'accent'), piece(' Into the prompt', 'quiet')];
  const scope: Line = [
    piece(`  [${keymap.label('stash') ?? ''}]`, 'accent'),
    piece(wide ? ' This workspace' : ' All prompts', 'quiet'),
  ];
  const close: Line = [piece(`  [${keymap.label('history') ?? 'Esc'}]`, 'accent'), piece(' Close', 'quiet')];
  const variants: Line[] = [[...enter, ...scope, ...close], [...enter, ...close], enter];
  return variants.find((line) => lineWidth(line) <= width) ?? [];
}

/** The newest at the bottom, each with its age. */
function drawList(
  painter: Painter,
  scene: Scene,
  modal: HistoryModal,
  matches: readonly SentPrompt[],
  area: Rect,
): void {
  const { theme, now } = scene;
  const chosen = matches.length - 1 - Math.min(modal.cursor, matches.length - 1);
  const last = Math.min(matches.length, Math.max(chosen + 1 + Math.floor(area.height / 2), area.height));
  const first = Math.max(0, last - area.height);
  matches.slice(first, last).forEach((prompt, offset) => {
    const index = first + offset;
    const y = area.y + area.height - (last - index);
    const here = index === chosen;
    if (here) painter.fill(rect(area.x - 1, y, area.width + 1, 1), theme.styles.chosen);
    painter.hit(rect(area.x, y, area.width, 1), { region: 'history', item: String(matches.length - 1 - index) });
    const ago = prompt.time === null ? '' : age(now - prompt.time);
    const room = area.width - 2 - AGE_COLUMNS;
    const line: Line = [
      piece(here ? '❯ ' : '  ', 'accent'),
      piece(cutToWidth(oneLine(prompt.text), room), here ? 'strong' : 'text'),
    ];
    drawLine(painter, theme, area.x, y, line, area.width - AGE_COLUMNS, here ? 'chosen' : undefined);
    drawRight(painter, theme, area.x, y, [piece(ago, 'quiet')], area.width);
  });
}

/** All of it; what does not fit is counted (HIST-3). */
function drawPreview(painter: Painter, scene: Scene, prompt: SentPrompt, area: Rect): void {
  const { theme } = scene;
  const rows = exactRows(prompt.text, [], 'text', { width: area.width, expanded: true, openKey: '' });
  const fits = rows.length <= area.height;
  const shown = fits ? rows : rows.slice(0, Math.max(0, area.height - 1));
  shown.forEach((row, offset) => {
    drawLine(painter, theme, area.x, area.y + offset, row.line, area.width);
  });
  if (fits) return;
  const hidden = plural(rows.length - shown.length, 'more line');
  drawLine(painter, theme, area.x, area.y + area.height - 1, [piece(`⋮ ${hidden}`, 'quiet')], area.width);
}
