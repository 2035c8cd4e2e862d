import { eachCluster } from './graphemes.ts';
import { widthInText } from './text-width.ts';

const LETTER = /^[\p{L}\p{N}]/u;
/** Punctuation that must not begin a row. */
const CLOSING = /^[、。，．！？：；）」』】〉》〕!?,.:;)\]}%'"’”…]/;

/** One visual row: `text.slice(from, to)`. Rows keep their offsets, so a cell can always be led back to its source. */
export interface Row {
  readonly from: number;
  readonly to: number;
  /** Blank cells before it. */
  readonly indent: number;
  /** True when the row goes on with the line of the row above it (a soft wrap). */
  readonly continues: boolean;
}

export interface WrapOptions {
  /** Blank cells before the first row of each line. */
  readonly indent?: number;
  /** Blank cells before the others; default `indent`. */
  readonly hanging?: number;
  /** Break anywhere and keep every blank: for code and other text whose columns matter. */
  readonly exact?: boolean;
}

/** What `fillRow` found; one object is used again and again, since rows are filled by the thousand. */
export interface Fill {
  /** End of what is drawn on the row. */
  end: number;
  /** Start of the next row, past blanks swallowed by the break; equals the given end when the line is used up. */
  next: number;
}

/**
 * Fills one row with the line `text.slice(from, end)` (which holds no newline) up to `width` cells: costs no more than
 * the row is long. Always makes progress, also where a cluster is wider than the row. Blanks at a break are swallowed;
 * `keep` leaves them in place, as an editor needs it, one of them hanging over the width.
 */
export function fillRow(
  text: string,
  from: number,
  end: number,
  width: number,
  how: 'words' | 'exact' | 'keep',
  fill: Fill,
): void {
  if (fillPlainRow(text, from, end, width, how, fill)) return;
  let column = 0;
  let overflow = end;
  let lastBreak = -1;
  let afterBlank = false;
  let afterWide = false;
  let afterWordHyphen = false;
  let before = '';
  let swallowing = false;
  eachCluster(
    text,
    (cluster, offset) => {
      const size = widthInText(cluster, column);
      const blank = cluster === ' ' || cluster === '\t';
      const wide = size === 2 && cluster !== '\t';
      const mayStart =
        afterBlank || (afterWordHyphen && LETTER.test(cluster)) || ((wide || afterWide) && !CLOSING.test(cluster));
      if (offset > from && !blank && mayStart) lastBreak = offset;
      if (column + size > width && offset > from) {
        if (!blank || how !== 'words') {
          overflow = offset;
          // A row may always end at a blank: behind it where one hangs over, else before it.
          if (blank) overflow = lastBreak = how === 'keep' && cluster === ' ' && offset + 1 < end ? offset + 1 : offset;
          return false;
        }
        swallowing = true;
      }
      column += size;
      afterBlank = blank;
      afterWide = wide;
      afterWordHyphen = cluster === '-' && LETTER.test(before);
      before = cluster;
      return undefined;
    },
    from,
    end,
  );
  if (overflow >= end) {
    fill.end = swallowing ? trimBlanks(text, from, end) : end;
    fill.next = end;
    return;
  }
  const cut = how === 'exact' || lastBreak <= from ? overflow : lastBreak;
  fill.next = cut;
  fill.end = how === 'words' ? trimBlanks(text, from, cut) : cut;
}

/** The same for a row of printable ASCII, which most are; false where that cannot be told at once. */
function fillPlainRow(
  text: string,
  from: number,
  end: number,
  width: number,
  how: 'words' | 'exact' | 'keep',
  fill: Fill,
): boolean {
  const overflow = from + width;
  const limit = Math.min(end, overflow + 1);
  for (let at = from; at < limit; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e) return false;
  }
  if (text.charCodeAt(limit) >= 0x300) return false;
  fill.end = end;
  fill.next = end;
  if (end <= overflow) return true;
  let cut = overflow;
  if (text.charCodeAt(overflow) === 0x20) {
    if (how === 'words') while (cut < end && text.charCodeAt(cut) === 0x20) cut++;
    else if (how === 'keep' && cut + 1 < end) cut++;
    const next = text.charCodeAt(cut);
    if (next === 0x09 || next >= 0x300) return false;
  } else if (how !== 'exact') {
    while (cut > from && !mayBreakPlain(text, from, cut)) cut--;
    if (cut === from) cut = overflow;
  }
  fill.next = cut;
  fill.end = how === 'words' ? trimBlanks(text, from, cut) : cut;
  return true;
}

function mayBreakPlain(text: string, from: number, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (text.charCodeAt(at) === 0x20) return false;
  return (
    before === 0x20 ||
    (before === 0x2d &&
      isAlphanumeric(text.charCodeAt(at)) &&
      at - 2 >= from &&
      isAlphanumeric(text.charCodeAt(at - 2)))
  );
}

function isAlphanumeric(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

function trimBlanks(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && (text.charCodeAt(end - 1) === 0x20 || text.charCodeAt(end - 1) === 0x09)) end--;
  // A row of nothing but blanks keeps them: there is nothing else to see on it.
  return end === from ? to : end;
}

/** Wraps text, line by line, to rows of at most `width` cells, indent included. An empty line is one empty row. */
export function wrapText(text: string, width: number, options: WrapOptions = {}): Row[] {
  const rows: Row[] = [];
  const first = options.indent ?? 0;
  const hanging = options.hanging ?? first;
  const how = options.exact === true ? 'exact' : 'words';
  const fill: Fill = { end: 0, next: 0 };
  for (let lineStart = 0; lineStart <= text.length; ) {
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline < 0 ? text.length : newline;
    let at = lineStart;
    let indent = first;
    do {
      fillRow(text, at, lineEnd, Math.max(1, width - indent), how, fill);
      rows.push({ from: at, to: fill.end, indent, continues: at > lineStart });
      at = fill.next;
      indent = hanging;
    } while (at < lineEnd);
    lineStart = lineEnd + 1;
  }
  return rows;
}
