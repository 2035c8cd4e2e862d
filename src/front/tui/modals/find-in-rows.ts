import { textWidth } from '../../../base/text-width.ts';
import type { Row } from '../blocks/row.ts';
import { plainText } from '../piece.ts';

/** Columns of one match in a drawn row, counted from the end of its margin. */
export interface Found {
  readonly from: number;
  readonly to: number;
}

/** Where `needle` stands in a row; case counts only where the needle has a capital (SCR-3). */
export function findInRow(row: Row | null, needle: string): Found[] {
  if (row === null || needle === '') return [];
  const text = plainText(row.line);
  const exact = needle !== needle.toLowerCase();
  const hay = exact ? text : text.toLowerCase();
  // A letter whose small form has another length would shift every place behind it.
  const same = exact || hay.length === text.length;
  const wanted = exact ? needle : needle.toLowerCase();
  const found: Found[] = [];
  for (let at = hay.indexOf(wanted); at >= 0; at = hay.indexOf(wanted, at + wanted.length)) {
    const shown = same ? text : hay;
    const from = textWidth(shown.slice(0, at));
    found.push({ from, to: from + textWidth(shown.slice(at, at + wanted.length)) });
  }
  return found;
}
