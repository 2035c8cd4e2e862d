import type { Display } from '../../../protocol/display.ts';
import { bytes, plural } from '../figures.ts';
import { type Line, piece } from '../piece.ts';
import { diffRows } from './diff.ts';
import { codeRows, exactRows, textRows } from './prose.ts';
import { type BlockOptions, FOG, fogOf, INDENT, RAIL, type Row } from './row.ts';

/** Rows of an excerpt before it is cut to a count (TR-4). */
const EXCERPT_ROWS = 5;
/** Unfolded, a card still never holds more rows than this: the scroller shows everything. */
const UNFOLDED_ROWS = 200;

/** What a result wants to be shown as, by its kind alone. */
export function displayRows(display: Display, options: BlockOptions): Row[] {
  switch (display.kind) {
    case 'none':
      return [];
    case 'text': {
      const margin = [RAIL, ...fogOf(display.label)];
      const lines = display.text === '' ? [] : display.text.replace(/\n$/, '').split('\n');
      // Folded, what lies behind the first rows is neither wrapped nor coloured: a turn may read fifty files a second.
      const seen = options.expanded || display.end === 'tail' ? lines : lines.slice(0, EXCERPT_ROWS);
      const rows = codeRows(seen.join('\n'), display.language ?? null, margin, options);
      return excerpt(rows, display.end, display.totalLines - seen.length, options);
    }
    case 'terminal':
      return terminalRows(display, options);
    case 'diff':
      return display.files.flatMap((file) => diffRows(file, options, display.files.length > 1));
    case 'todo':
      return display.items.flatMap((item) => todoRows(item, options));
    case 'answer':
      return [
        ...textRows(display.question, [RAIL], 'quiet', options),
        ...textRows(display.answer, [RAIL], 'text', options),
      ];
    case 'quarantined': {
      const what = `${display.ref} • ${display.origin} • ${plural(display.lines, 'line')} • ${bytes(display.bytes)} • kept from the model`;
      const title: Row = { margin: [RAIL], line: [piece(what, 'quarantine')], join: '\n', furniture: true };
      const rows = exactRows(display.preview.text, [RAIL, FOG], 'text', options);
      return [title, ...excerpt(rows, 'head', 0, options)];
    }
  }
}

function terminalRows(display: Extract<Display, { kind: 'terminal' }>, options: BlockOptions): Row[] {
  const margin = [RAIL, ...fogOf(display.label)];
  const rows = exactRows(display.tail.replace(/\n$/, ''), margin, 'quiet', options);
  const lines = display.tail === '' ? 0 : display.tail.replace(/\n$/, '').split('\n').length;
  const shown = display.tail === '' ? [] : excerpt(rows, 'tail', display.totalLines - lines, options);
  const end = ENDINGS[display.endedBy];
  return end === null ? shown : [...shown, { margin: [RAIL], line: [piece(end, 'warn')], join: '\n', furniture: true }];
}

const ENDINGS = {
  exit: null,
  signal: 'ended by a signal',
  timeout: 'stopped at its time limit',
  stopped: 'stopped',
  background: 'goes on in the background',
} as const;

/** The running tail of a command: its last rows, as they come. */
export function tailRows(tail: string, options: BlockOptions): Row[] {
  const text = tail.replace(/\n$/, '');
  if (text === '') return [];
  // Only the last lines can be seen: wrapping the whole tail on every piece of output would be work for nothing.
  const lines = text.split('\n');
  const recent = lines.slice(-(options.expanded ? UNFOLDED_ROWS : EXCERPT_ROWS)).join('\n');
  return excerpt(exactRows(recent, [RAIL], 'quiet', options), 'tail', 0, options);
}

/** Cuts to the first or last rows and says how many more there are; `unseen` counts lines that are not here at all. */
function excerpt(rows: Row[], end: 'head' | 'tail', unseen: number, options: BlockOptions): Row[] {
  const limit = options.expanded ? UNFOLDED_ROWS : EXCERPT_ROWS;
  const hidden = Math.max(0, rows.length - limit) + Math.max(0, unseen);
  if (hidden === 0) return rows;
  const kept = end === 'head' ? rows.slice(0, limit) : rows.slice(-limit);
  const count: Row = {
    margin: [RAIL],
    line: [piece(`⋮ ${plural(hidden, 'more line')} `, 'quiet'), piece(options.openKey, 'accent')],
    join: '\n',
    furniture: true,
    action: 'open',
  };
  return end === 'head' ? [...kept, count] : [count, ...kept];
}

const TODO_MARKS = { pending: '○ ', active: '◍ ', done: '● ', cancelled: '⊘ ' } as const;
const TODO_ROLES = { pending: 'text', active: 'accent', done: 'quiet', cancelled: 'struck' } as const;

function todoRows(item: { text: string; state: keyof typeof TODO_MARKS }, options: BlockOptions): Row[] {
  const mark: Line = [INDENT, piece(TODO_MARKS[item.state], item.state === 'done' ? 'good' : TODO_ROLES[item.state])];
  return textRows(item.text, [INDENT, INDENT], TODO_ROLES[item.state], options).map(
    (row, index): Row => (index === 0 ? { ...row, margin: mark } : row),
  );
}
