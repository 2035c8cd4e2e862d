import { expandTabs } from '../../../base/text-width.ts';
import { wrapText } from '../../../base/wrap.ts';
import { type Line, piece } from '../piece.ts';
import type { Role } from '../theme.ts';
import { type BlockOptions, fullColumns, type Row, textColumns } from './row.ts';

/** Plain text in one role, wrapped between words. */
export function textRows(text: string, margin: Line, role: Role, options: BlockOptions): Row[] {
  return wrapped(text, margin, role, textColumns(options, margin), false);
}

/** Text whose columns matter (output, code, diffs): broken anywhere, every blank kept, as wide as the card. */
export function exactRows(text: string, margin: Line, role: Role, options: BlockOptions): Row[] {
  return wrapped(text, margin, role, fullColumns(options, margin), true);
}

function wrapped(text: string, margin: Line, role: Role, width: number, exact: boolean): Row[] {
  const rows = wrapText(text, width, { exact });
  return rows.map((row, index): Row => {
    const next = rows[index + 1];
    const source = text.slice(row.from, row.to);
    const drawn = expandTabs(source);
    return {
      margin,
      line: drawn === '' ? [] : [piece(drawn, role)],
      join: next?.continues ? text.slice(row.to, next.from) : '\n',
      ...(drawn === source ? {} : { source }),
    };
  });
}

export function proseRows(text: string, margin: Line, options: BlockOptions): Row[] {
  return textRows(text, margin, 'text', options);
}

export function codeRows(text: string, _language: string | null, margin: Line, options: BlockOptions): Row[] {
  return exactRows(text.replace(/\n$/, ''), margin, 'quiet', options);
}
