import { cutToWidth, textWidth } from '../../base/text-width.ts';
import type { Painter, Style } from './frame/painter.ts';
import { type Rect, rect } from './frame/rect.ts';
import type { Line, Piece } from './piece.ts';
import type { Role, Theme } from './theme.ts';

/** Columns of a line as drawn. */
export function lineWidth(line: Line): number {
  let width = 0;
  for (const piece of line) width += textWidth(piece.text);
  return width;
}

/**
 * Draws pieces one after the other; what lies under them stays where a role brings no background of its own. On a row
 * filled in `on`, text in the terminal's own colour takes the one that can be read there.
 */
export function drawLine(
  painter: Painter,
  theme: Theme,
  x: number,
  y: number,
  line: Line,
  width: number,
  on?: Role,
): number {
  const ink = on === undefined ? null : (theme.styles[on].fg ?? null);
  let used = 0;
  for (const piece of line) {
    if (used >= width) break;
    const style = styleOf(theme, piece);
    const shown = ink !== null && (style.fg ?? null) === null ? { ...style, fg: ink } : style;
    used += painter.text(x + used, y, piece.text, shown, width - used);
  }
  return used;
}

/** A role's style with what emphasis in the text adds to it. */
function styleOf(theme: Theme, { role, bold, italic, strike }: Piece): Style {
  const style = theme.styles[role];
  if (!bold && !italic && !strike) return style;
  return { ...style, ...(bold ? { bold } : {}), ...(italic ? { italic } : {}), ...(strike ? { strike } : {}) };
}

/** Right-aligned inside `width` columns from `x`; left out as a whole where it does not fit. Returns the columns used. */
export function drawRight(painter: Painter, theme: Theme, x: number, y: number, line: Line, width: number): number {
  const wanted = lineWidth(line);
  if (wanted === 0 || wanted > width) return 0;
  drawLine(painter, theme, x + width - wanted, y, line, wanted);
  return wanted;
}

/** What stands on a box's borders. */
export interface BoxWords {
  readonly topLeft?: Line;
  readonly topRight?: Line;
  readonly bottomLeft?: Line;
  readonly bottomRight?: Line;
}

/** A thin rounded border with words on it: one dash, a space, the words, a space (docs/screen-style.md §6). */
export function drawBox(painter: Painter, theme: Theme, area: Rect, role: Role, words: BoxWords = {}): void {
  if (area.width < 2 || area.height < 1) return;
  const style = theme.styles[role];
  const bottom = area.y + area.height - 1;
  const dashes = '─'.repeat(area.width - 2);
  painter.text(area.x, area.y, `╭${dashes}╮`, style);
  if (area.height > 1) painter.text(area.x, bottom, `╰${dashes}╯`, style);
  for (let y = area.y + 1; y < bottom; y++) {
    painter.text(area.x, y, '│', style);
    painter.text(area.x + area.width - 1, y, '│', style);
  }
  drawOnBorder(painter, theme, area, area.y, words.topLeft, words.topRight);
  if (area.height > 1)
    drawOnBorder(painter, theme, area, bottom, wholeParts(words.bottomLeft ?? [], area.width - 6), words.bottomRight);
}

/** Of the keys on a lower border as many as fit, each with all of its words: never half a word, never a key alone. */
function wholeParts(line: Line, width: number): Line {
  const isKey = (each: Piece | undefined) => each !== undefined && /^\s*\[.+\]$/.test(each.text);
  if (!line.some(isKey)) return line;
  let kept = line;
  while (kept.length > 0 && lineWidth(trimmed(kept)) > width) {
    kept = kept.slice(0, -1);
    if (isKey(kept.at(-1))) kept = kept.slice(0, -1);
  }
  return trimmed(kept);
}

/** Without the blanks at its end. */
function trimmed(line: Line): Line {
  const last = line.at(-1);
  return last === undefined ? line : [...line.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}

function drawOnBorder(painter: Painter, theme: Theme, area: Rect, y: number, left: Line = [], right: Line = []): void {
  const room = area.width - 6;
  const rightWidth = lineWidth(right);
  // The words at the left come first; those at the right are drawn whole beside enough of them, or not at all.
  const enough = Math.min(lineWidth(left), Math.max(12, Math.floor(room / 3)));
  const rightUsed = rightWidth > 0 && rightWidth <= room - (enough > 0 ? enough + 3 : 0) ? rightWidth : 0;
  const leftRoom = rightUsed > 0 ? room - rightUsed - 3 : room;
  const leftUsed = Math.min(lineWidth(left), leftRoom);
  if (rightUsed > 0) {
    const x = area.x + area.width - 3 - rightUsed;
    painter.text(x - 1, y, ' ', theme.styles.text);
    drawLine(painter, theme, x, y, right, rightUsed);
    painter.text(x + rightUsed, y, ' ', theme.styles.text);
  }
  if (leftUsed > 0) {
    painter.text(area.x + 2, y, ' ', theme.styles.text);
    drawLine(painter, theme, area.x + 3, y, cutLine(left, leftUsed), leftUsed);
    painter.text(area.x + 3 + leftUsed, y, ' ', theme.styles.text);
  }
}

/** The line, with an ellipsis where it does not fit. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const cut: Piece[] = [];
  let room = width;
  for (const each of line) {
    const text = cutToWidth(each.text, room);
    cut.push({ ...each, text });
    room -= textWidth(text);
    if (text !== each.text || room <= 0) break;
  }
  return cut;
}

/**
 * A scrollbar one column wide: a thumb where the window of `shown` rows lies among `total`. Nothing where all is shown.
 */
export function drawScrollbar(
  painter: Painter,
  theme: Theme,
  area: Rect,
  above: number,
  shown: number,
  total: number,
): void {
  if (total <= shown || area.height < 2) return;
  const thumb = Math.max(1, Math.round((shown / total) * area.height));
  const room = area.height - thumb;
  const hidden = Math.max(1, total - shown);
  const offset = Math.min(room, Math.max(0, Math.round((above / hidden) * room)));
  painter.fill(rect(area.x, area.y + offset, 1, thumb), theme.styles.accent, '┃');
}

/** From whole to least: the first that fits. */
export function firstThatFits(variants: readonly Line[], width: number): Line {
  return variants.find((line) => lineWidth(line) <= width) ?? [];
}
