import type { FileDiff } from '../../../protocol/display.ts';
import { plural } from '../figures.ts';
import { piece } from '../piece.ts';
import type { Role } from '../theme.ts';
import { exactRows } from './prose.ts';
import { type BlockOptions, fogOf, INDENT, RAIL, type Row } from './row.ts';

/** Changed lines of a card before it is cut (TC-5), and rows with what stands around them. */
const FOLDED_CHANGES = 4;
const FOLDED_ROWS = 12;

/** One file's change: numbered rows, signs kept, tinted where something was added or removed. */
export function diffRows(file: FileDiff, options: BlockOptions, named: boolean): Row[] {
  const rows = hunkRows(file, options, [INDENT, ...fogOf(file.label)]);
  const limit = options.expanded ? rows.length : Math.min(FOLDED_ROWS, previewRows(rows));
  const hidden = rows.length - limit;
  const title: Row[] = named
    ? [{ margin: [INDENT], line: [piece(file.path, 'signal')], join: '\n', furniture: true }]
    : [];
  const more = hidden > 0 || !file.complete;
  const words = hidden > 0 ? `⋮ ${plural(hidden, 'more row')} ` : '⋮ cut here ';
  const rest: Row = {
    margin: [RAIL],
    line: [piece(words, 'quiet'), piece(options.openKey, 'accent')],
    join: '\n',
    furniture: true,
    action: 'open',
  };
  return [...title, ...rows.slice(0, limit), ...(more ? [rest] : [])];
}

/** Rows up to the last of the changed lines that a card shows; all of them where no more are changed. */
function previewRows(rows: readonly Row[]): number {
  let changes = 0;
  let end = 0;
  for (const [at, row] of rows.entries()) {
    const begins = row.margin.some(({ role }) => role === 'added' || role === 'removed');
    if (begins && ++changes > FOLDED_CHANGES) return end;
    if (row.fill !== undefined) end = at + 1;
  }
  return rows.length;
}

/** Every row of every hunk: also what an ask dialog shows. */
export function hunkRows(
  file: FileDiff,
  options: BlockOptions,
  margin: readonly { text: string; role: Role }[],
): Row[] {
  const digits = Math.max(3, String(lastLine(file)).length);
  return file.hunks.flatMap((hunk, index) => {
    let old = hunk.oldStart;
    let fresh = hunk.newStart;
    const body = hunk.lines.flatMap((line) => {
      const sign = line.charAt(0);
      const number = sign === '-' ? old : fresh;
      if (sign === '-' || sign === ' ') old++;
      if (sign === '+' || sign === ' ') fresh++;
      return lineRows(line, sign === '\\' ? '' : String(number), digits, options, margin);
    });
    const gap: Row = {
      margin: [...margin],
      line: [piece(`${' '.repeat(digits)} ⋮`, 'hunk')],
      join: '\n',
      furniture: true,
    };
    return index === 0 ? body : [gap, ...body];
  });
}

const SIGN_ROLES: Readonly<Record<string, { readonly sign: Role; readonly text: Role; readonly fill: Role | null }>> = {
  '+': { sign: 'added', text: 'addedRow', fill: 'addedRow' },
  '-': { sign: 'removed', text: 'removedRow', fill: 'removedRow' },
};
const EVEN: { readonly sign: Role; readonly text: Role; readonly fill: Role | null } = {
  sign: 'quiet',
  text: 'text',
  fill: null,
};

function lineRows(
  line: string,
  number: string,
  digits: number,
  options: BlockOptions,
  margin: readonly { text: string; role: Role }[],
): Row[] {
  const sign = line.charAt(0);
  const look = SIGN_ROLES[sign] ?? EVEN;
  const gutter = [
    ...margin,
    piece(`${number.padStart(digits)} `, 'quiet'),
    piece(`${sign === '\\' ? ' ' : sign} `, look.sign),
  ];
  const blank = [...margin, piece(' '.repeat(digits + 3), 'quiet')];
  return exactRows(line.slice(1), blank, look.text, options).map((row, index): Row => {
    const base = index === 0 ? { ...row, margin: gutter } : row;
    return look.fill === null ? base : { ...base, fill: look.fill };
  });
}

function lastLine(file: FileDiff): number {
  return file.hunks.reduce(
    (most, hunk) => Math.max(most, hunk.oldStart + hunk.lines.length, hunk.newStart + hunk.lines.length),
    1,
  );
}
