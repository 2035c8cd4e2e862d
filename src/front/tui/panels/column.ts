import type { View } from '../../../protocol/view.ts';
import type { HooksShown, Row } from '../blocks/row.ts';
import { cutLine, drawLine, drawRight, drawScrollbar, lineWidth } from '../draw.ts';
import type { Painter, Target } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import type { Keeper } from '../kept-regions.ts';
import { type Line, piece } from '../piece.ts';
import type { PanelDrawing, Scene } from '../scene.ts';
import type { Screen } from '../screen.ts';
import type { Context, PanelKeys } from '../screen-event.ts';
import { type Step, stay } from '../step.ts';
import { activitiesOf, type TreeRow, treeRows } from './activities.ts';
import { detailKey, detailPress, detailWheel, drawDetail, openDetail } from './detail-modal.ts';
import { fileRows } from './file-rows.ts';
import { columnArea, type PanelsState } from './panels-state.ts';
import { type PanelName, panelHeights } from './stack.ts';
import { summaryRows } from './summary-rows.ts';
import { trailRows } from './trail-rows.ts';
import { withPanels } from './update-panels.ts';

const TITLES: Readonly<Record<PanelName, readonly string[]>> = {
  tree: ['Activity Tree', 'Activities', 'Tree'],
  files: ['Session Files', 'Files'],
  summary: ['Summary'],
};
const KEYS: Readonly<Record<PanelName, string>> = {
  tree: 'panel-tree',
  files: 'panel-files',
  summary: 'panel-summary',
};

/** Rows of the tree, made anew only where what they are made of may have changed. */
class Tree {
  private from: readonly unknown[] = [];
  private rows: readonly TreeRow[] = [];

  of(view: View, settled: number, turned: ReadonlySet<string>, injected: HooksShown['inTree']): readonly TreeRow[] {
    const from = [view, view.transcript, settled, turned, injected];
    if (from.every((one, at) => one === this.from[at])) return this.rows;
    this.from = from;
    this.rows = treeRows(activitiesOf(view, injected), turned);
    return this.rows;
  }
}

export function createPanels(): PanelDrawing & PanelKeys {
  const tree = new Tree();

  const draw = (painter: Painter, scene: Scene, area: Rect, keeper: Keeper, settled: number): void => {
    const { screen, theme, keymap } = scene;
    const { stack, lens, chosen, turned, tops, trail, files } = screen.panels;
    for (const { name, at } of placed(area, screen.panels)) {
      if (at.width < 2 || at.height < 1) continue;
      const focused = screen.focus === name;
      const own =
        name === 'files'
          ? [files, tops.files]
          : name === 'summary'
            ? [tops.summary]
            : lens === 'tree'
              ? [chosen, turned, tops.tree, screen.hooks]
              : [trail, tops.trail];
      keeper.keep(`panel-${name}`, at, [settled, stack, focused, theme, keymap, lens, ...own], () =>
        drawPanel(painter.within(at), scene, at, name, settled),
      );
    }
  };

  const drawPanel = (painter: Painter, scene: Scene, at: Rect, name: PanelName, settled: number): void => {
    const { theme, screen } = scene;
    painter.fill(at, theme.styles.text);
    painter.hit(at, { region: 'panel', item: name });
    drawFrame(painter, scene, at, name);
    const inner = rect(at.x + 2, at.y + 1, Math.max(0, at.width - 4), Math.max(0, at.height - 2));
    if (inner.width === 0 || inner.height === 0) return;
    const clip = painter.within(inner);
    const rows = rowsOf(scene.view, screen, name, settled, inner.width, scene.keymap);
    const top = topOf(screen.panels, name, rows.count, inner.height);
    for (let place = 0; place < inner.height && top + place < rows.count; place++) {
      const row = rows.at(top + place);
      const y = inner.y + place;
      const band = rect(inner.x, y, inner.width, 1);
      if (row.chosen) clip.fill(band, theme.styles.chosen);
      if (row.action) painter.hit(band, { region: 'panel', item: name, action: 'row', line: top + place });
      if (row.twist !== null)
        painter.hit(rect(inner.x + row.twist, y, 2, 1), {
          region: 'panel',
          item: name,
          action: 'twist',
          line: top + place,
        });
      drawRow(clip, scene, band, row.row, row.chosen);
    }
    if (rows.count === 0) drawLine(clip, theme, inner.x, inner.y, [piece(rows.none, 'quiet')], inner.width);
    drawScrollbar(painter, theme, rect(at.x + at.width - 1, inner.y, 1, inner.height), top, inner.height, rows.count);
  };

  const rowsOf = (
    view: View,
    { panels, hooks }: Pick<Screen, 'panels' | 'hooks'>,
    name: PanelName,
    settled: number,
    width: number,
    keymap: Scene['keymap'],
  ): PanelRows => {
    if (name === 'tree' && panels.lens === 'tree') {
      const rows = tree.of(view, settled, panels.turned, hooks.inTree);
      return { count: rows.length, none: 'Nothing was done yet', at: (place) => treeRow(rows[place]!, panels.chosen) };
    }
    const rows =
      name === 'tree'
        ? trailRows(panels.trail, width)
        : name === 'files'
          ? fileRows(view, panels.files ?? [], width)
          : summaryRows(view, width, keymap);
    const none = name === 'files' ? 'No files yet' : panels.trail === null ? 'one moment' : 'No decision yet';
    return {
      count: rows.length,
      none,
      at: (place) => ({ row: rows[place]!, chosen: false, action: false, twist: null }),
    };
  };

  /** The rows of a panel and the window on them, as drawn last. */
  const seen = (screen: Screen, context: Context, name: PanelName) => {
    const area = columnArea(context.layout, screen.panels.stack);
    const at = placed(area, screen.panels).find((one) => one.name === name)?.at ?? rect(0, 0, 0, 0);
    const rows = rowsOf(context.view, screen, name, context.settled, Math.max(0, at.width - 4), context.keymap);
    const window = Math.max(1, at.height - 2);
    return { rows, window, top: topOf(screen.panels, name, rows.count, window) };
  };

  const scrollTo = (screen: Screen, context: Context, name: PanelName, to: number): Step => {
    const { rows, window } = seen(screen, context, name);
    const end = Math.max(0, rows.count - window);
    const top = Math.max(0, Math.min(end, to));
    const follows = name === 'tree' && top === end;
    const key = name === 'tree' && screen.panels.lens === 'trail' ? 'trail' : name;
    return stay(withPanels(screen, { tops: { ...screen.panels.tops, [key]: follows ? null : top } }));
  };

  const scrollBy = (screen: Screen, context: Context, name: PanelName, rows: number): Step =>
    scrollTo(screen, context, name, seen(screen, context, name).top + rows);

  /** Chooses a row of the tree and brings it into sight. */
  const choose = (screen: Screen, context: Context, place: number): Step => {
    const rows = tree.of(context.view, context.settled, screen.panels.turned, screen.hooks.inTree);
    if (rows.length === 0) return stay(screen);
    const to = Math.max(0, Math.min(rows.length - 1, place));
    const { top, window } = seen(screen, context, 'tree');
    const chosen = withPanels(screen, { chosen: rows[to]!.activity.id });
    if (to < top) return scrollTo(chosen, context, 'tree', to);
    return to >= top + window ? scrollTo(chosen, context, 'tree', to - window + 1) : stay(chosen);
  };

  const turn = (screen: Screen, row: TreeRow): Step => {
    const turned = new Set(screen.panels.turned);
    if (!turned.delete(row.activity.id)) turned.add(row.activity.id);
    // What is folded shall not move under the eye: the window stands from now on.
    return stay(withPanels(screen, { turned, chosen: row.activity.id }));
  };

  const treeKey = (screen: Screen, context: Context, chord: string): Step | null => {
    const rows = tree.of(context.view, context.settled, screen.panels.turned, screen.hooks.inTree);
    const found = rows.findIndex((row) => row.activity.id === screen.panels.chosen);
    const row = rows[found];
    const { window } = seen(screen, context, 'tree');
    const from = found < 0 ? rows.length : found;
    switch (chord) {
      case 'up':
        return choose(screen, context, from - 1);
      case 'down':
        return choose(screen, context, from + 1);
      case 'pageup':
        return choose(screen, context, from - window);
      case 'pagedown':
        return choose(screen, context, from + window);
      case 'home':
      case 'ctrl-home':
        return choose(screen, context, 0);
      case 'end':
      case 'ctrl-end':
        return choose(screen, context, rows.length - 1);
      case 'left': {
        if (row === undefined) return stay(screen);
        if (row.open === true) return turn(screen, row);
        const parent = rows.slice(0, found).findLastIndex((one) => one.depth < row.depth);
        return parent < 0 ? stay(screen) : choose(screen, context, parent);
      }
      case 'right':
        if (row === undefined || row.open === null) return stay(screen);
        return row.open ? choose(screen, context, found + 1) : turn(screen, row);
      case 'enter':
        return row === undefined ? stay(screen) : openDetail(screen, context, row.activity.item);
      default:
        return null;
    }
  };

  return {
    draw,
    key: (screen, context, name, chord) => {
      if (name === 'tree' && screen.panels.lens === 'tree') return treeKey(screen, context, chord);
      const { window } = seen(screen, context, name);
      const by = SCROLLS[chord];
      if (by === undefined) return chord === 'enter' ? stay(screen) : null;
      if (by === 'first') return scrollTo(screen, context, name, 0);
      if (by === 'last') return scrollTo(screen, context, name, Number.MAX_SAFE_INTEGER);
      return scrollBy(screen, context, name, by.pages === 0 ? by.rows : by.pages * Math.max(1, window - 1));
    },
    wheel: scrollBy,
    press: (screen, context, name, target: Target) => {
      if (name !== 'tree' || screen.panels.lens !== 'tree' || target.line === undefined) return stay(screen);
      const row = tree.of(context.view, context.settled, screen.panels.turned, screen.hooks.inTree)[target.line];
      if (row === undefined) return stay(screen);
      if (target.action === 'twist') return turn(screen, row);
      return openDetail(withPanels(screen, { chosen: row.activity.id }), context, row.activity.item);
    },
    drawDetail,
    detailKey,
    detailWheel,
    detailPress,
  };
}

const rowsBy = (rows: number) => ({ rows, pages: 0 });
const pagesBy = (pages: number) => ({ rows: 0, pages });
const SCROLLS: Readonly<Record<string, 'first' | 'last' | { readonly rows: number; readonly pages: number }>> = {
  up: rowsBy(-1),
  down: rowsBy(1),
  pageup: pagesBy(-1),
  pagedown: pagesBy(1),
  home: 'first',
  'ctrl-home': 'first',
  end: 'last',
  'ctrl-end': 'last',
};

interface PanelRow {
  readonly row: Row;
  readonly chosen: boolean;
  /** A press on it means something. */
  readonly action: boolean;
  /** Column of the mark that folds it; null where nothing lies below. */
  readonly twist: number | null;
}

interface PanelRows {
  readonly count: number;
  /** Said where there is none. */
  readonly none: string;
  at(place: number): PanelRow;
}

/** Depths beyond this are drawn alike. */
const MOST_INDENT = 8;

function treeRow({ activity, depth, open }: TreeRow, chosen: string | null): PanelRow {
  const { mark, text, right } = activity.look();
  const indent = Math.min(depth, MOST_INDENT) * 2;
  return {
    row: {
      margin: [piece(' '.repeat(indent)), piece(open === null ? '  ' : open ? '▾ ' : '▸ ', 'quiet'), mark],
      line: [piece(text, depth === 0 ? 'strong' : 'text')],
      right,
      join: '\n',
    },
    chosen: activity.id === chosen,
    action: true,
    twist: open === null ? null : indent,
  };
}

function topOf(panels: PanelsState, name: PanelName, count: number, window: number): number {
  const top = panels.tops[name === 'tree' && panels.lens === 'trail' ? 'trail' : name];
  const end = Math.max(0, count - window);
  return top === null ? end : Math.max(0, Math.min(end, top));
}

/** Where each open panel stands in the column, top to bottom. */
function placed(area: Rect, { stack }: PanelsState): { readonly name: PanelName; readonly at: Rect }[] {
  const heights = panelHeights(stack.open.length, Math.max(0, area.height));
  let { y } = area;
  return stack.open.map((name, place) => {
    const at = rect(area.x, y, area.width, heights[place]!);
    y += at.height;
    return { name, at };
  });
}

/** The border with the name, the key that hides it at the right, and the button that closes it (LA-14). */
function drawFrame(painter: Painter, scene: Scene, at: Rect, name: PanelName): void {
  const { theme, screen, keymap } = scene;
  const focused = screen.focus === name;
  const border = theme.styles[focused ? 'accent' : 'line'];
  const foot = at.y + at.height - 1;
  painter.text(at.x, at.y, `╭${'─'.repeat(at.width - 2)}╮`, border);
  for (let y = at.y + 1; y < foot; y++) {
    painter.text(at.x, y, '│', border);
    painter.text(at.x + at.width - 1, y, '│', border);
  }
  if (at.height > 1) painter.text(at.x, foot, `╰${'─'.repeat(at.width - 2)}╯`, border);
  const chord = keymap.label(KEYS[name]);
  const hide: Line = chord === null ? [] : [piece(` [${chord}]`, 'accent'), piece(' Hide ', 'quiet')];
  const close = { region: 'panel', item: name, action: 'close' };
  const used = drawRight(painter, theme, at.x + 2, at.y, hide, at.width - 4);
  if (used > 0) painter.hit(rect(at.x + at.width - 2 - used, at.y, used, 1), close);
  const titles = name === 'tree' && screen.panels.lens === 'trail' ? ['Audit Trail', 'Trail'] : TITLES[name];
  const room = at.width - 4 - used - 2;
  const title = titles.find((one) => one.length <= room);
  if (title !== undefined) painter.text(at.x + 2, at.y, ` ${title} `, theme.styles[focused ? 'accent' : 'quiet']);
  if (at.height < 2) return;
  const button: Line = [piece(' [X] ', 'accent')];
  const closes = drawRight(painter, theme, at.x + 2, foot, button, at.width - 4);
  if (closes > 0) painter.hit(rect(at.x + at.width - 2 - closes, foot, closes, 1), close);
  if (!focused) return;
  const hints = HINTS[name === 'tree' && screen.panels.lens === 'tree' ? 'tree' : 'rows'].find(
    (line) => lineWidth(line) <= at.width - 4 - closes - 1,
  );
  if (hints !== undefined) drawLine(painter, theme, at.x + 2, foot, hints, lineWidth(hints));
}

const hint = (key: string, words: string): Line => [piece(` [${key}]`, 'accent'), piece(` ${words} `, 'quiet')];
const HINTS = {
  tree: [[...hint('↑↓', 'Choose'), ...hint('Enter', 'Detail')], hint('Enter', 'Detail')],
  rows: [hint('↑↓', 'Scroll')],
} as const;

function drawRow(painter: Painter, scene: Scene, at: Rect, row: Row, chosen: boolean): void {
  const { theme } = scene;
  const used = drawLine(painter, theme, at.x, at.y, row.margin, at.width, chosen ? 'chosen' : undefined);
  const right = row.right ?? [];
  const wanted = lineWidth(right);
  const room = at.width - used;
  const beside = wanted > 0 && wanted + 2 < room / 2 + 4 ? room - wanted - 1 : room;
  const text = drawLine(
    painter,
    theme,
    at.x + used,
    at.y,
    cutLine(row.line, beside),
    beside,
    chosen ? 'chosen' : undefined,
  );
  if (beside < room) drawRight(painter, theme, at.x + used, at.y, right, room);
  if (row.rule === true) {
    const from = at.x + used + text + 1;
    painter.fill(rect(from, at.y, Math.max(0, at.x + at.width - from), 1), theme.styles.line, '─');
  }
}
