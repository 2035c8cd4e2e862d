import { BOLD, DIM, INVERSE, ITALIC, UNDERLINE } from '../../src/front/tui/frame/cell.ts';
import { contrast } from '../../src/front/tui/frame/color.ts';
import type { Cell, Frame } from '../../src/front/tui/frame/frame.ts';
import type { Rect } from '../../src/front/tui/frame/rect.ts';

/** The screen as text, one line a row, without trailing blanks. */
export function frameText(frame: Frame): string {
  return frame.rows().join('\n');
}

/** The text of a part of the screen. */
export function textWithin(frame: Frame, area: Rect): string {
  const rows: string[] = [];
  for (let y = area.y; y < area.y + area.height; y++) {
    let row = '';
    for (let x = area.x; x < area.x + area.width; x++) row += frame.cell(x, y).text;
    rows.push(row.trimEnd());
  }
  return rows.join('\n');
}

/** Where `text` stands first, in cells; null when it is not on the screen. */
export function findText(frame: Frame, text: string): { x: number; y: number } | null {
  for (let y = 0; y < frame.height; y++) {
    const cells: string[] = [];
    for (let x = 0; x < frame.width; x++) cells.push(frame.cell(x, y).text);
    for (let x = 0; x < frame.width; x++) if (cells.slice(x).join('').startsWith(text)) return { x, y };
  }
  return null;
}

export function attributesOf(cell: Cell): {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
} {
  const has = (bit: number) => (cell.attributes & bit) !== 0;
  return { bold: has(BOLD), dim: has(DIM), italic: has(ITALIC), underline: has(UNDERLINE), inverse: has(INVERSE) };
}

const BORDERS = /^[─│╭╮╰╯┃⠀-⣿]$/u;

/** Cells whose contrast is below what they need: 4.5 for text, 3 for borders; `defaults` are the terminal's own colours. */
export function poorContrast(
  frame: Frame,
  defaults: { fg: number; bg: number },
): { x: number; y: number; text: string; ratio: number }[] {
  const poor: { x: number; y: number; text: string; ratio: number }[] = [];
  for (let y = 0; y < frame.height; y++) {
    for (let x = 0; x < frame.width; x++) {
      const cell = frame.cell(x, y);
      if (cell.text.trim() === '') continue;
      const ratio = contrast(cell.fg ?? defaults.fg, cell.bg ?? defaults.bg);
      if (ratio < (BORDERS.test(cell.text) ? 3 : 4.5)) poor.push({ x, y, text: cell.text, ratio });
    }
  }
  return poor;
}
