import { cutToWidth, textWidth } from '../../../base/text-width.ts';
import { textRows } from '../blocks/prose.ts';
import { drawBox, drawLine, drawRight, drawScrollbar } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import { type Line, piece } from '../piece.ts';
import type { Role, Theme } from '../theme.ts';
import type { SettingsState } from './settings.ts';
import { enabledModels, held, offeredModels, type ShownRow, shownRows, valueText, whyFixed } from './settings-rows.ts';

interface Canvas {
  readonly painter: Painter;
  readonly theme: Theme;
}

const SCOPES = { person: 'Global', project: 'Project' } as const;

/** Rows one chooses from outlast everything else (docs/screen-style.md §18): the tabs, then the words below are shed. */
const FEW_ROWS = 5;
const BELOW_ROWS = 3;

export function drawSettings(painter: Painter, theme: Theme, area: Rect, state: SettingsState): void {
  const inside = painter.within(area);
  const canvas: Canvas = { painter: inside, theme };
  painter.fill(area, theme.styles.text);
  painter.hit(area, { region: 'modal' });
  const { drafts } = state;
  drawBox(inside, theme, area, 'accent', {
    topLeft: [piece('Settings', 'accent'), piece(` • ${SCOPES[state.scope]}`, 'strong')],
    topRight: drafts.size === 0 ? [] : [piece(`${drafts.size} not saved`, 'warn')],
    bottomLeft: keyLine(state),
  });
  const scopeAt = area.x + 3 + textWidth('Settings • ');
  painter.hit(rect(scopeAt, area.y, textWidth(SCOPES[state.scope]), 1), {
    ...{ region: 'settings', action: 'scope' },
    item: state.scope === 'person' ? 'project' : 'person',
  });
  const inner = rect(area.x + 2, area.y + 1, area.width - 4, area.height - 2);
  const roomy = inner.height >= FEW_ROWS;
  if (roomy) drawTabs(canvas, rect(inner.x, inner.y, inner.width, 1), state);
  const top = inner.y + (roomy ? 1 : 0);
  const typing = state.doing.at === 'field';
  const below = inner.height >= FEW_ROWS + BELOW_ROWS ? BELOW_ROWS : typing || state.said !== null ? 1 : 0;
  const list = rect(inner.x, top, inner.width, Math.max(1, inner.y + inner.height - top - below - (below > 1 ? 1 : 0)));
  if (state.doing.at === 'picker') drawModels(canvas, list, state, state.doing);
  else drawRows(canvas, list, state);
  if (below === 0) return;
  const under = rect(inner.x, inner.y + inner.height - below, inner.width, below);
  if (below > 1) drawLine(inside, theme, inner.x, under.y - 1, [piece('─'.repeat(inner.width), 'line')], inner.width);
  drawBelow(canvas, under, state);
}

/** All tabs, or the one with its place among them where there is no room. */
function drawTabs({ painter, theme }: Canvas, area: Rect, { facts, tab }: SettingsState): void {
  const names = facts.tabs.map((name) => (name === tab ? `● ${name}` : `  ${name}`));
  const width = names.reduce((sum, name) => sum + textWidth(name) + 2, 0);
  if (width > area.width) {
    const place = ` ${facts.tabs.indexOf(tab) + 1} of ${facts.tabs.length}`;
    drawLine(painter, theme, area.x, area.y, [piece(`● ${tab}`, 'accent'), piece(place, 'quiet')], area.width);
    const next = facts.tabs[(facts.tabs.indexOf(tab) + 1) % facts.tabs.length] ?? tab;
    painter.hit(area, { region: 'settings', action: 'tab', item: next });
    return;
  }
  let x = area.x;
  for (const [at, name] of names.entries()) {
    const of = facts.tabs[at] ?? tab;
    const used = drawLine(painter, theme, x, area.y, [piece(name, of === tab ? 'accent' : 'quiet')], area.width);
    painter.hit(rect(x, area.y, used, 1), { region: 'settings', action: 'tab', item: of });
    x += used + 2;
  }
}

function drawRows(canvas: Canvas, area: Rect, state: SettingsState): void {
  const rows = shownRows(state);
  const first = firstShown(state.cursor, rows.length, area.height);
  const names = rows.flatMap((row) => (row.kind === 'setting' ? [textWidth(row.row.key)] : []));
  const column = Math.min(Math.floor(area.width * 0.55), Math.max(12, ...names) + 4);
  for (const [offset, row] of rows.slice(first, first + area.height).entries())
    drawRow(canvas, rect(area.x, area.y + offset, area.width, 1), state, row, { at: first + offset, column });
  const bar = rect(area.x + area.width, area.y, 1, area.height);
  drawScrollbar(canvas.painter, canvas.theme, bar, first, area.height, rows.length);
}

function firstShown(cursor: number, count: number, room: number): number {
  return Math.max(0, Math.min(cursor - Math.floor(room / 2), count - room));
}

function drawRow(
  { painter, theme }: Canvas,
  area: Rect,
  state: SettingsState,
  shown: ShownRow,
  { at, column }: { readonly at: number; readonly column: number },
): void {
  const chosen = at === state.cursor;
  const on = chosen ? 'chosen' : undefined;
  if (chosen) painter.fill(rect(area.x - 1, area.y, area.width + 1, 1), theme.styles.chosen);
  painter.hit(rect(area.x - 1, area.y, area.width + 2, 1), { region: 'settings', action: 'row', item: String(at) });
  const mark = piece(chosen ? '❯ ' : '  ', 'accent');
  const name = (text: string, role: Role): Line => [mark, piece(text, chosen ? 'strong' : role)];
  if (shown.kind === 'refresh') {
    const words = state.refreshing ? 'Refreshing the catalog…' : '[ Refresh catalog ]';
    drawLine(painter, theme, area.x, area.y, name(words, 'signal'), area.width, on);
    return;
  }
  if (shown.kind === 'model') {
    const enabled = enabledModels(state);
    const tick = enabled.length === 0 ? '◌' : enabled.includes(shown.model.value) ? '●' : '○';
    const used = drawLine(painter, theme, area.x, area.y, name(`${tick} ${shown.model.value}`, 'text'), area.width, on);
    if (used + textWidth(shown.model.description) + 2 <= area.width)
      drawRight(painter, theme, area.x, area.y, [piece(shown.model.description, 'quiet')], area.width);
    return;
  }
  const { row } = shown;
  const { value, from } = held(state, row, state.scope);
  const own = from === state.scope || from === 'draft';
  const label = name(cutToWidth(row.key, Math.max(4, column - 4)), whyFixed(state, row) === null ? 'text' : 'quiet');
  drawLine(painter, theme, area.x, area.y, label, column, on);
  const star = from === 'draft' ? '* ' : '  ';
  const words = own ? '' : from === 'person' ? ' (global)' : ' (initial)';
  const room = Math.max(1, area.width - column - 2);
  // Where it comes from is shed before any of the value is.
  const source = textWidth(valueText(value)) + textWidth(words) <= room ? words : '';
  const text = cutToWidth(valueText(value), room);
  const line: Line = [piece(star, 'warn'), piece(text, own ? 'strong' : 'quiet'), piece(source, 'quiet')];
  drawLine(painter, theme, area.x + column, area.y, line, area.width - column, on);
}

/** The one picker of models, whichever setting it is for (SE-5). */
function drawModels(
  canvas: Canvas,
  area: Rect,
  state: SettingsState,
  { key, filter, cursor }: { readonly key: string; readonly filter: string; readonly cursor: number },
): void {
  const { painter, theme } = canvas;
  const found = offeredModels(state, filter);
  const head: Line = [piece('⌕ ', 'accent'), piece(filter, 'text'), ...(filter === '' ? [piece(key, 'ghost')] : [])];
  drawLine(painter, theme, area.x, area.y, head, area.width);
  painter.cursor(area.x + Math.min(area.width - 1, 2 + textWidth(filter)), area.y);
  const room = Math.max(1, area.height - 1);
  const words = state.models === null ? 'one moment' : found.length === 0 ? 'Nothing matches' : null;
  if (words !== null) drawLine(painter, theme, area.x, area.y + 1, [piece(words, 'quiet')], area.width);
  const first = firstShown(cursor, found.length, room);
  for (const [offset, model] of found.slice(first, first + room).entries()) {
    const y = area.y + 1 + offset;
    const chosen = first + offset === cursor;
    if (chosen) painter.fill(rect(area.x - 1, y, area.width + 1, 1), theme.styles.chosen);
    painter.hit(rect(area.x - 1, y, area.width + 2, 1), {
      ...{ region: 'settings', action: 'pick' },
      item: String(first + offset),
    });
    const line: Line = [piece(chosen ? '❯ ' : '  ', 'accent'), piece(model.value, chosen ? 'strong' : 'text')];
    const used = drawLine(painter, theme, area.x, y, line, area.width, chosen ? 'chosen' : undefined);
    if (used + textWidth(model.description) + 2 <= area.width)
      drawRight(painter, theme, area.x, y, [piece(model.description, 'quiet')], area.width);
  }
}

const LEVELS = { info: 'quiet', warning: 'warn', error: 'bad' } as const;

/** What is typed; else what was said last; else what the chosen row is. */
function drawBelow({ painter, theme }: Canvas, area: Rect, state: SettingsState): void {
  let { y } = area;
  const end = area.y + area.height;
  const write = (line: Line): void => {
    if (y < end) drawLine(painter, theme, area.x, y++, line, area.width);
  };
  const words = (text: string, role: Role): void => {
    const rows = textRows(text, [], role, { width: area.width, expanded: true, openKey: '' });
    for (const row of rows.slice(0, Math.max(1, end - y))) write(row.line);
  };
  if (state.doing.at === 'field') {
    const label = `${state.doing.key} `;
    const room = Math.max(4, area.width - textWidth(label) - 1);
    const shown = [...state.doing.text].slice(-room).join('');
    painter.cursor(area.x + Math.min(area.width - 1, textWidth(label) + textWidth(shown)), y);
    write([piece(label, 'accent'), piece(shown, 'text')]);
  }
  if (state.doing.at === 'leaving') {
    words(`${counted(state.drafts.size)} not saved: Esc once more forgets it, Ctrl-S saves it`, 'warn');
    return;
  }
  if (state.said !== null) {
    words(state.said.text, LEVELS[state.said.level]);
    return;
  }
  if (state.doing.at === 'saving') {
    words('Saving…', 'quiet');
    return;
  }
  const shown = shownRows(state)[state.cursor];
  if (shown === undefined) return;
  if (shown.kind === 'refresh')
    words('Asks the public catalogue which models there are. Nothing else here does.', 'quiet');
  else if (shown.kind === 'model')
    words('Space offers only the models you choose in pickers and completion; with none chosen all are.', 'quiet');
  else {
    const { row } = shown;
    const when = row.live ? 'Holds once saved, from the next turn' : 'Holds for sessions opened from now on';
    const decided = row.decidedBy === null ? '' : ` • decided by ${row.decidedBy}`;
    words(row.description, 'text');
    write([piece(whyFixed(state, row) ?? `${when}${decided}`, row.decidedBy === null ? 'quiet' : 'warn')]);
  }
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'change is' : 'changes are'}`;
}

function keyLine({ doing, drafts }: SettingsState): Line {
  const keys = (...pairs: readonly (readonly [string, string])[]): Line =>
    pairs.flatMap(([key, words], at) => [
      piece(`${at === 0 ? '' : ' '}[${key}]`, 'accent'),
      piece(` ${words}`, 'quiet'),
    ]);
  switch (doing.at) {
    case 'saving':
      return [];
    case 'field':
      return keys(['Enter', 'Take'], ['Esc', 'Leave it']);
    case 'picker':
      return keys(['Enter', 'Choose'], ['Esc', 'Leave it']);
    default: {
      const close = drafts.size === 0 ? 'Close' : 'Forget';
      const first = [
        ['Ctrl-S', 'Save'],
        ['Esc', close],
        ['Enter', 'Change'],
      ] as const;
      return keys(...first, ['Tab', 'Next tab'], ['Ctrl-G', 'Scope'], ['Del', 'Unset']);
    }
  }
}
