import type { CallState, ItemOf, LivePart } from '../../../protocol/view.ts';
import { bytes, duration, plural } from '../figures.ts';
import { facts, type Line, type Piece, piece } from '../piece.ts';
import { delegateCardRows } from './delegate-card.ts';
import { displayRows, tailRows } from './display.ts';
import { textRows } from './prose.ts';
import { type BlockOptions, INDENT, type Row } from './row.ts';

/** The glyph alone says the state; running cards carry `RUNNING`, which the painter replaces by the orbit of the moment. */
export const RUNNING = '\u2b24';

export function stateMark(state: CallState): Piece {
  switch (state) {
    case 'writing':
      return piece('◌ ', 'quiet');
    case 'waiting':
      return piece('○ ', 'quiet');
    case 'asking':
      return piece('◍ ', 'warn');
    case 'running':
      return piece(`${RUNNING} `, 'signal');
    case 'ok':
      return piece('● ', 'good');
    case 'error':
      return piece('✗ ', 'bad');
    case 'denied':
      return piece('⊘ ', 'warn');
    case 'stopped':
      return piece('■ ', 'warn');
    case 'unknown':
      return piece('? ', 'warn');
  }
}

/** Words for the states that a glyph alone would leave open. */
const STATE_WORDS: Partial<Record<CallState, string>> = {
  asking: 'asks you',
  denied: 'refused',
  stopped: 'stopped',
  unknown: 'outcome unknown',
};

/** A call: one header row, the model's own reason, and what came of it in as few rows as say it (TC-1, TR-4). */
export function callRows(item: ItemOf<'call'>, options: BlockOptions): Row[] {
  const words = STATE_WORDS[item.state];
  const right = facts([
    words === undefined ? [] : [piece(words, item.state === 'unknown' ? 'warn' : 'quiet')],
    ...displayFacts(item),
    item.duration === null || item.duration < 100 ? [] : [piece(duration(item.duration), 'quiet')],
  ]);
  const title = oneLine(item.title === '' ? item.tool : item.title);
  const header: Row = {
    margin: [stateMark(item.state)],
    line: titleLine(title),
    join: '\n',
    right,
    cuts: true,
    action: 'open',
  };
  const why =
    item.why === null || item.why.trim() === '' ? [] : textRows(oneLine(item.why), [INDENT], 'quiet', options);
  const reason = why[0] === undefined ? [] : [{ ...why[0], furniture: true, join: '\n' }];
  if (item.state === 'running') {
    const { batch } = options;
    const live = batch === undefined ? tailRows(item.tail, options) : delegateCardRows(batch, options);
    return [header, ...reason, ...live];
  }
  const shown = displayRows(item.display, options);
  if (shown.length > 0) return [header, ...reason, ...shown];
  // A result with nothing of its own to show still says why it failed.
  const told = item.state === 'error' || item.state === 'denied' ? excerptOf(item.text, options) : [];
  return [header, ...reason, ...told];
}

/** A call the model is still writing: its name and how much of it is there (TR-3). */
export function writingRows(part: Extract<LivePart, { type: 'call' }>): Row[] {
  return [
    {
      margin: [stateMark('writing')],
      line: titleLine(oneLine(part.title === '' ? part.tool : part.title)),
      join: '\n',
      right: [piece(`writing • ${bytes(part.inputBytes)}`, 'quiet')],
    },
  ];
}

/** The verb stands out; what it acts on is text. */
function titleLine(title: string): Line {
  const space = title.indexOf(' ');
  if (space < 0) return [piece(title, 'strong')];
  return [piece(title.slice(0, space), 'strong'), piece(title.slice(space), 'text')];
}

function displayFacts(item: ItemOf<'call'>): Line[] {
  const { display } = item;
  switch (display.kind) {
    case 'diff': {
      const added = display.files.reduce((sum, file) => sum + file.added, 0);
      const removed = display.files.reduce((sum, file) => sum + file.removed, 0);
      return [[piece(`+${added}`, 'good'), piece(' ', 'text'), piece(`-${removed}`, 'bad')]];
    }
    case 'terminal':
      return display.exit === null || display.exit === 0 ? [] : [[piece(`exit ${display.exit}`, 'bad')]];
    case 'text':
      return [[piece(plural(display.totalLines, 'line'), 'quiet')]];
    default:
      return [];
  }
}

function excerptOf(text: string, options: BlockOptions): Row[] {
  if (text.trim() === '') return [];
  const rows = textRows(text, [piece('│ ', 'line')], 'quiet', options);
  return options.expanded ? rows : rows.slice(0, 5);
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ⏎ ');
}
