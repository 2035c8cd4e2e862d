/** One exact replacement. A line feed in either text stands for whatever line ending the file has there. */
export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

export type Replaced =
  | { readonly ok: true; readonly text: string; readonly count: number }
  /** Which replacement (from 0) could not be made, and where its text occurs (line numbers from 1). */
  | {
      readonly ok: false;
      readonly at: number;
      readonly problem: 'missing' | 'ambiguous' | 'overlap' | 'same';
      readonly lines: readonly number[];
    };

interface Span {
  readonly start: number;
  readonly end: number;
  readonly replacement: Replacement;
  readonly at: number;
}

/**
 * Makes all replacements in `text`, or none. Each old text must occur exactly once (unless `all`) in the text as it is
 * now, and no two may overlap. Nothing in a new text has a special meaning.
 */
export function replaceText(text: string, replacements: readonly Replacement[]): Replaced {
  const flat = flatten(text);
  const spans: Span[] = [];
  for (const [at, replacement] of replacements.entries()) {
    const wanted = replacement.oldText.replaceAll('\r\n', '\n');
    if (wanted === replacement.newText.replaceAll('\r\n', '\n')) return { ok: false, at, problem: 'same', lines: [] };
    const found = occurrences(flat.text, wanted);
    if (found.length === 0) return { ok: false, at, problem: 'missing', lines: [] };
    if (found.length > 1 && !replacement.all)
      return { ok: false, at, problem: 'ambiguous', lines: found.map((index) => lineAt(flat.text, index)) };
    for (const index of found) {
      spans.push({ start: flat.original(index), end: flat.original(index + wanted.length), replacement, at });
    }
  }
  spans.sort((one, other) => one.start - other.start);
  const clash = spans.find((span, index) => index > 0 && span.start < spans[index - 1]!.end);
  if (clash !== undefined) return { ok: false, at: clash.at, problem: 'overlap', lines: [] };

  let result = '';
  let from = 0;
  for (const { start, end, replacement } of spans) {
    result += text.slice(from, start) + withEndingsOf(text, start, end, replacement.newText);
    from = end;
  }
  return { ok: true, text: result + text.slice(from), count: spans.length };
}

/** The text with every CRLF as LF, and the way back: a place in it to the same place in the original. */
function flatten(text: string): { text: string; original(index: number): number } {
  const returns: number[] = [];
  let flat = '';
  let from = 0;
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) {
    flat += text.slice(from, at);
    returns.push(flat.length);
    from = at + 1;
  }
  flat += text.slice(from);
  return {
    text: flat,
    original(index) {
      let low = 0;
      let high = returns.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (returns[middle]! < index) low = middle + 1;
        else high = middle;
      }
      return index + low;
    },
  };
}

function occurrences(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

/** Each new line end takes the ending of the line it replaces; further ones that of the last, or of their surroundings. */
function withEndingsOf(text: string, start: number, end: number, newText: string): string {
  const replaced = text.slice(start, end).match(/\r?\n/g) ?? [];
  const fallback = replaced.at(-1) ?? endingNear(text, start, end);
  let line = 0;
  return newText.replaceAll('\r\n', '\n').replace(/\n/g, () => replaced[line++] ?? fallback);
}

function endingNear(text: string, start: number, end: number): string {
  const next = text.indexOf('\n', end);
  const near = next >= 0 ? next : text.lastIndexOf('\n', start - 1);
  return near > 0 && text[near - 1] === '\r' ? '\r\n' : '\n';
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
