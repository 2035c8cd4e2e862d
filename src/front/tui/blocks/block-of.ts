import type { Item, LivePart } from '../../../protocol/view.ts';
import { firstThatFits } from '../draw.ts';
import { count, duration, money, plural } from '../figures.ts';
import { facts, type Line, piece } from '../piece.ts';
import { hookRows, injectedRows } from './hook-rows.ts';
import { proseRows, textRows } from './prose.ts';
import { type BlockOptions, INDENT, type Row } from './row.ts';
import { targetWords } from './target.ts';
import { callRows, writingRows } from './tool-call.ts';

/** An item as rows at a width. Pure: the transcript caches it by item, revision, width and whether it is unfolded. */
export function blockOf(item: Item, options: BlockOptions): Row[] {
  switch (item.kind) {
    case 'user':
      return userRows(item, options);
    case 'assistant':
      return proseRows(item.text, [], options);
    case 'thinking':
      return thinkingRows(item.text, options);
    case 'call':
      return [...callRows(item, options), ...hookRows(item, options)];
    case 'hook':
      return injectedRows(item, options);
    case 'note':
      return noteRows(item, options);
    case 'turn-end':
      return turnEndRows(item, options);
    case 'compaction':
      return compactionRows(item, options);
  }
}

/** A part of the message being streamed, standing where its item will stand (TR-2). */
export function liveBlockOf(part: LivePart, options: BlockOptions): Row[] {
  if (part.type === 'text') return proseRows(part.text, [], options);
  if (part.type === 'thinking') return thinkingRows(part.text, options, true);
  return writingRows(part);
}

/** Empty rows before an item: one between cards of different kinds, none between calls of one round. */
export function gapBefore(previous: Item['kind'] | null, kind: Item['kind']): number {
  if (previous === null) return 0;
  if (kind === 'call' && previous === 'call') return 0;
  if (kind === 'call' && previous === 'thinking') return 0;
  if (kind === 'note' && previous === 'note') return 0;
  return 1;
}

/**
 * What began a turn without a person's prompt: a job that ended, what was watched and changed, what was had elsewhere and
 * brought here; never like words of the person. Unfolded, all the model was told.
 */
function wakeRows({ text }: Extract<Item, { kind: 'user' }>, options: BlockOptions): Row[] {
  const [first = ''] = text.split('\n');
  const rows = textRows(options.expanded ? text : wakeWords(first), [INDENT], 'quiet', options);
  return rows.map((row, index): Row => (index === 0 ? { ...row, margin: [piece('↻ ', 'signal')] } : row));
}

/** Of the first line of what the model was told, what is for the person. */
function wakeWords(first: string): string {
  // A job's last sentence is for the model: where the output is read.
  if (/^\[?Job /.test(first)) return `A job ended: ${/^\[?(.*\.) [^.]*\.\]?$/.exec(first)?.[1] ?? first}`;
  return /^\[(?:Houston: )?(.*)\]$/.exec(first)?.[1] ?? first;
}

function userRows(item: Extract<Item, { kind: 'user' }>, options: BlockOptions): Row[] {
  if (item.as === 'wake') return wakeRows(item, options);
  const mark = item.as === 'shell' ? piece('! ', 'accent') : piece('❯ ', 'accent');
  const tags = [
    targetWords(item.target),
    item.as === 'steering' ? 'into the turn' : '',
    item.stopped ? '■ stopped' : '',
  ].filter((tag) => tag !== '');
  const tag = tags.join(' • ');
  // What a person said is never cut: beside a tag it is wrapped a little earlier.
  const width = tag === '' ? options.width : Math.max(20, options.width - tag.length - 2);
  const rows = textRows(item.text, [INDENT], 'said', { ...options, width }).map(
    (row): Row => ({ ...row, fill: 'said' }),
  );
  const first = rows[0];
  if (first !== undefined)
    rows[0] = { ...first, margin: [mark], ...(tag === '' ? {} : { right: [piece(tag, 'quiet')] }) };
  for (const attachment of item.attachments) {
    rows.push(furniture([INDENT], [piece(`▫ ${attachment.name}`, 'quiet')]));
  }
  return rows;
}

/**
 * Folded to one row and a count: its first, or, while it is still being thought, its last. Unfolded it is all there,
 * never in the conversation's own colour.
 */
function thinkingRows(text: string, options: BlockOptions, live = false): Row[] {
  const rows = textRows(text.trim(), [INDENT], 'quiet', options);
  const first = rows[0];
  if (first === undefined) return [];
  const mark = piece('✦ ', 'muse');
  if (options.expanded) {
    return rows.map((row, index): Row => (index === 0 ? { ...row, margin: [mark], action: 'toggle' } : row));
  }
  const rest = rows.length - 1;
  const head: Row = { ...(live ? rows.at(-1)! : first), margin: [mark], action: 'toggle', join: '\n', cuts: true };
  return [rest > 0 ? { ...head, right: [piece(`+${plural(rest, 'row')}`, 'muse')] } : head];
}

const NOTE_MARKS = { info: piece('• ', 'quiet'), warning: piece('▲ ', 'warn'), error: piece('✗ ', 'bad') } as const;

function noteRows(item: Extract<Item, { kind: 'note' }>, options: BlockOptions): Row[] {
  const role = item.level === 'info' ? 'quiet' : 'text';
  return textRows(item.text, [INDENT], role, options).map(
    (row, index): Row => (index === 0 ? { ...row, margin: [NOTE_MARKS[item.level]] } : row),
  );
}

const END_WORDS = {
  done: null,
  stopped: '■ stopped',
  failed: '✗ failed',
  limit: '■ stopped at the round limit',
  repeating: '■ stopped, it was repeating itself',
  interrupted: '? interrupted',
} as const;

/** Number, cost and duration; a failed or stopped turn has its own words, and the reason from Houston's own list (TR-5). */
function turnEndRows(item: Extract<Item, { kind: 'turn-end' }>, options: BlockOptions): Row[] {
  const words = END_WORDS[item.reason];
  const role = item.reason === 'failed' ? 'bad' : item.reason === 'done' ? 'quiet' : 'warn';
  const title: Line =
    words === null ? [piece(`turn ${item.turn}`, 'quiet')] : [piece(`turn ${item.turn} `, 'quiet'), piece(words, role)];
  const { usage } = item;
  const spent: readonly Line[] =
    item.reason === 'done'
      ? [
          [piece(duration(item.duration), 'quiet')],
          [piece(money(usage.cost), 'quiet')],
          [piece(`${count(usage.input + usage.cacheRead + usage.cacheWrite)} in`, 'quiet')],
          [piece(`${count(usage.output)} out`, 'quiet')],
        ]
      : [];
  // Where the row is narrow, whole figures go, the last ones first.
  const shown = [4, 3, 2, 1, 0].map((kept) => facts([title, ...spent.slice(0, kept)]));
  const rule: Row = {
    margin: [piece('── ', 'line')],
    line: firstThatFits(shown, options.width - 4),
    join: '\n',
    rule: true,
    furniture: true,
  };
  if (item.failure === null) {
    const said =
      item.message === null || item.reason === 'done' ? [] : textRows(item.message, [INDENT], 'text', options);
    return [...said, rule];
  }
  const { failure } = item;
  const named = failure.status === null || failure.message.includes(`(${failure.status})`);
  const status = named ? '' : ` (HTTP ${failure.status})`;
  const tries = failure.attempts > 1 ? `, after ${plural(failure.attempts, 'attempt')}` : '';
  const more = [
    ...textRows(`category ${failure.category}`, [INDENT], 'quiet', options),
    ...(item.more === undefined ? [] : textRows(`more in ${item.more}`, [INDENT], 'quiet', options)),
    ...(failure.requestId === null ? [] : textRows(`request ${failure.requestId}`, [INDENT], 'quiet', options)),
    ...(failure.detail === null ? [] : textRows(failure.detail, [INDENT, piece('▒ ', 'quarantine')], 'quiet', options)),
  ];
  const folded: Line = options.expanded ? [] : [piece(`+${plural(more.length, 'row')}`, 'quiet')];
  const reason = textRows(`${failure.message}${status}${tries}`, [INDENT], 'text', options).map(
    (row, index): Row =>
      index === 0 ? { ...row, margin: [piece('✗ ', 'bad')], action: 'toggle', right: folded } : row,
  );
  return [...reason, ...(options.expanded ? more : []), rule];
}

function compactionRows(item: Extract<Item, { kind: 'compaction' }>, options: BlockOptions): Row[] {
  const figures =
    item.tokensBefore === null || item.tokensAfter === null
      ? 'compacted'
      : `compacted • ${count(item.tokensBefore)} to ${count(item.tokensAfter)} tokens`;
  const rule: Row = {
    margin: [piece('── ', 'line')],
    line: [piece(figures, 'muse')],
    join: '\n',
    rule: true,
    furniture: true,
    action: 'toggle',
  };
  return options.expanded ? [rule, ...proseRows(item.summary, [INDENT], options)] : [rule];
}

function furniture(margin: Line, line: Line): Row {
  return { margin, line, join: '\n', furniture: true };
}
