import { eachCluster, isPrintableAscii } from '../../../base/graphemes.ts';
import { widthInText } from '../../../base/text-width.ts';
import type { CursorShape, Painter, Style } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import type { Buffer } from './editor.ts';
import { type Selection, selectionOf } from './editor.ts';
import { atomAtCaret } from './editor-state.ts';
import { type Layout, visibleTop } from './layout.ts';

export interface EditorStyles {
  readonly text: Style;
  /** Laid over the selected cells; must be seen without colour too. */
  readonly selection: Style;
  readonly atom: Style;
  /** The atom the caret stands on (MARK-5). */
  readonly atomAtCaret: Style;
  readonly placeholder: Style;
}

export interface EditorView {
  /** First visible row of the last drawing; pass back what `paintEditor` answered. */
  readonly top: number;
  readonly focused: boolean;
  /** Drawn dim while the box is empty (BOX-8). */
  readonly placeholder?: string;
  readonly cursor?: CursorShape;
  /** What is drawn as chosen where that is not the buffer's own selection. */
  readonly selection?: Selection | null;
}

/**
 * Draws as many rows as `area` has, the caret's row among them, and sets the real cursor when focused. `layout` is that
 * of the buffer's text at the area's width. Answers the first visible row.
 */
export function paintEditor(
  painter: Painter,
  area: Rect,
  buffer: Buffer,
  layout: Layout,
  styles: EditorStyles,
  view: EditorView,
): number {
  const caret = layout.place(buffer.caret);
  const top = visibleTop(layout, caret.row, Math.max(1, area.height), view.top);
  const inside = painter.within(area);
  if (buffer.text.length === 0 && view.placeholder !== undefined)
    inside.text(area.x, area.y, view.placeholder, styles.placeholder, area.width);
  const selected = view.selection ?? selectionOf(buffer);
  const atCaret = view.focused && selected === null ? atomAtCaret(buffer) : null;
  for (let y = 0; y < area.height && top + y < layout.rowCount; y++) {
    const from = layout.from(top + y);
    const to = layout.to(top + y);
    const cells = paintRow(inside, area.x, area.y + y, buffer.text.slice(from, to), from, styles.text);
    const overlay = (start: number, end: number, style: Style): void => {
      const first = cells(Math.max(start, from));
      const last = cells(Math.min(end, to));
      // A selected line end shows as one cell, so that an empty line is seen to be selected.
      const ending = style === styles.selection && end > to && start <= to ? 1 : 0;
      if (last + ending > first) inside.restyle(rect(area.x + first, area.y + y, last + ending - first, 1), style);
    };
    for (const atom of buffer.atoms) {
      if (atom.to > from && atom.from < to)
        overlay(atom.from, atom.to, atom === atCaret ? styles.atomAtCaret : styles.atom);
    }
    if (selected !== null && selected.to > from && selected.from <= to)
      overlay(selected.from, selected.to, styles.selection);
  }
  if (view.focused)
    inside.cursor(area.x + Math.min(caret.column, area.width - 1), area.y + caret.row - top, view.cursor);
  return top;
}

/** The offset under a cell of the drawn editor, for the mouse. */
export function offsetUnder(area: Rect, layout: Layout, top: number, x: number, y: number): number {
  const row = top + Math.max(0, Math.min(y - area.y, area.height - 1));
  if (row >= layout.rowCount) return layout.text.length;
  return layout.offsetAt(row, Math.max(0, x - area.x));
}

/** Draws one row, which starts at `from`; answers a function from offsets to its columns. */
function paintRow(
  painter: Painter,
  x: number,
  y: number,
  text: string,
  from: number,
  style: Style,
): (offset: number) => number {
  const columns: { offset: number; column: number }[] = [];
  let column = 0;
  let run = '';
  let runAt = 0;
  const flush = (): void => {
    if (run !== '') painter.text(x + runAt, y, run, style);
    run = '';
  };
  eachCluster(text, (cluster, offset) => {
    columns.push({ offset: from + offset, column });
    const width = widthInText(cluster, column);
    if (isPrintableAscii(cluster)) {
      if (run === '') runAt = column;
      run += cluster;
    } else {
      // One by one: what a cluster is must not change by what stands beside its mark.
      flush();
      painter.text(x + column, y, cluster === '\t' ? ' '.repeat(width) : cluster, style);
    }
    column += width;
    return undefined;
  });
  flush();
  const end = column;
  return (offset) => columns.find((place) => place.offset >= offset)?.column ?? end;
}
