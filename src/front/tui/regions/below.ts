import { cutToWidth, textWidth } from '../../../base/text-width.ts';
import { isLost } from '../../../protocol/delegate.ts';
import type { QueuePause } from '../../../protocol/entry.ts';
import type { View } from '../../../protocol/view.ts';
import type { Keymap } from '../../commands/keymap.ts';
import { targetWords } from '../blocks/target.ts';
import { drawLine, drawRight, firstThatFits, lineWidth } from '../draw.ts';
import { bytes } from '../figures.ts';
import type { Painter } from '../frame/painter.ts';
import { rect } from '../frame/rect.ts';
import { keyListLines } from '../modals/help-rows.ts';
import { oneLine } from '../one-line.ts';
import { type Line, piece } from '../piece.ts';
import type { Scene } from '../scene.ts';
import type { Screen } from '../screen.ts';
import type { BelowRow } from './below-row.ts';
import { completionLines } from './completion-rows.ts';
import { destinations } from './destination.ts';

/** Waiting rows drawn one by one; more of them fold into a count. */
const WAITING_ROWS = 5;

/** The rows under the prompt, nearest first: stash, what waits, completions or the key list (MARK-1). */
export function belowRows(view: View, screen: Screen, keymap: Keymap): BelowRow[] {
  const width = screen.columns - 4;
  return [
    ...attachmentRows(screen),
    ...stashRows(screen, keymap, width),
    ...lostRows(view, keymap, width),
    ...waitingRows(view, keymap, width),
    ...unansweredRows(view, screen, width),
    ...(screen.completion === null ? [] : completionLines(screen.completion, width)),
    ...(screen.keyList ? keyListLines(keymap, width).map((line): BelowRow => ({ line, right: [] })) : []),
  ];
}

/** Pictures and files the line carries, by their markers (MARK-1, MARK-2). */
function attachmentRows(screen: Screen): BelowRow[] {
  const { text, atoms } = screen.prompt.editor.buffer;
  if (atoms.length === 0) return [];
  return atoms.flatMap((atom): BelowRow[] => {
    if (atom.attachment === null) return [];
    const { attachment } = atom;
    const [name, size] =
      attachment.kind === 'stored'
        ? [attachment.attachment.name, attachment.attachment.bytes]
        : [attachment.name, Math.floor((attachment.base64.length * 3) / 4)];
    return [
      {
        line: [
          piece('▫ ', 'signal'),
          piece(text.slice(atom.from, atom.to), 'text'),
          piece(`  ${name} • ${bytes(size)}`, 'quiet'),
        ],
        right: [],
      },
    ];
  });
}

/** The stashed line and the key that brings it back; narrow, the words stay and the key goes (STASH-6). */
function stashRows(screen: Screen, keymap: Keymap, width: number): BelowRow[] {
  const { stash } = screen.prompt;
  if (stash === null) return [];
  const words = oneLine(stash.text);
  return [
    {
      line: [
        piece('▫ ', 'muse'),
        piece('put away: ', 'quiet'),
        piece(cutToWidth(words, Math.max(8, width - 30)), 'text'),
      ],
      right: keyWords(keymap, 'stash', 'brings it back'),
    },
  ];
}

/** What a delegate that was cut short was told and never read: nothing begins before it is taken back or dropped (SA-14). */
function lostRows({ delegates = [] }: View, keymap: Keymap, width: number): BelowRow[] {
  return delegates.filter(isLost).flatMap(({ name, unread }, index): BelowRow[] => {
    const rows = unread.map(({ text }): BelowRow => {
      const words = `${name} never read: `;
      const line = [
        piece('■ ', 'warn'),
        piece(words, 'quiet'),
        piece(cutToWidth(oneLine(text), Math.max(8, width - 2 - textWidth(words))), 'text'),
      ];
      return { line, right: [] };
    });
    // The keys mean the first of them.
    if (index > 0) return rows;
    const keys: Line = [
      piece('  ', 'text'),
      ...keyWords(keymap, 'recall', 'take back'),
      piece('   ', 'text'),
      ...keyWords(keymap, 'queue-discard', 'discard'),
      piece('   until then nothing begins', 'quiet'),
    ];
    return [...rows, { line: keys, right: [] }];
  });
}

/** Every waiting input with a mark and where it will go; narrow, the mark stands alone (QUE-1..QUE-3). */
function waitingRows(view: View, keymap: Keymap, width: number): BelowRow[] {
  const { rows, paused } = view.queue;
  if (rows.length === 0 && paused === null) return [];
  const words = destinations(view);
  const shown = rows.slice(0, WAITING_ROWS).map((row, index): BelowRow => {
    const mark =
      row.delivery === 'shell'
        ? piece('! ', 'accent')
        : row.delivery === 'command'
          ? piece('/ ', 'accent')
          : piece('○ ', 'accent');
    const target = targetWords(row.target);
    const where = [target, words[index]!].filter((word) => word !== '').join(' • ');
    const room = width - 2 - textWidth(where) - 3;
    const withWords = room >= 16;
    return {
      line: [mark, piece(cutToWidth(oneLine(row.text), withWords ? room : width - 2), 'text')],
      right: withWords ? [piece(where, 'quiet')] : [],
    };
  });
  const hidden = rows.length - shown.length;
  const more: BelowRow[] = hidden > 0 ? [{ line: [piece(`  and ${hidden} more`, 'quiet')], right: [] }] : [];
  return [...shown, ...more, ...pauseRows(view, keymap, width)];
}

/** What was sent and is in no journal yet: the host is still starting, or does not answer (decisions §10.18). */
function unansweredRows(view: View, screen: Screen, width: number): BelowRow[] {
  if (screen.onTheWay.size === 0) return [];
  const known = new Set(view.outcomes.filter(({ client }) => client === screen.client).map(({ ref }) => ref));
  const slow = [...screen.onTheWay].flatMap(([ref, one]) => (one.slow && !known.has(ref) ? [one] : []));
  const shown = slow.slice(0, WAITING_ROWS).map(({ text }): BelowRow => {
    const room = width - 2 - textWidth(NOT_SAVED) - 3;
    const withWords = room >= 16;
    return {
      line: [piece('○ ', 'quiet'), piece(cutToWidth(oneLine(text), withWords ? room : width - 2), 'text')],
      right: withWords ? [piece(NOT_SAVED, 'signal')] : [],
    };
  });
  const hidden = slow.length - shown.length;
  return hidden > 0 ? [...shown, { line: [piece(`  and ${hidden} more`, 'quiet')], right: [] }] : shown;
}

const NOT_SAVED = 'not saved yet';

/** Why what waits is held, and the keys that go on, take back, discard or try again (decisions §10.5). */
function pauseRows(view: View, keymap: Keymap, width: number): BelowRow[] {
  const { paused, rows } = view.queue;
  if (paused === null) return [];
  const again: readonly [string, string][] = paused.because === 'failed' ? [['retry', 'try again']] : [];
  const keys: readonly [string, string][] =
    rows.length === 0 && again.length > 0
      ? again
      : [
          ['queue-resume', 'go on'],
          ...again,
          ...(rows.length === 0
            ? []
            : ([
                ['recall', 'take back'],
                ['queue-discard', 'discard'],
              ] as [string, string][])),
        ];
  const named = (gap: string, some: typeof keys): Line =>
    some.flatMap(([command, text], index) => [
      piece(index === 0 ? '  ' : gap, 'text'),
      ...keyWords(keymap, command, text),
    ]);
  const words = named('   ', keys);
  const why: Line = [piece('■ ', 'warn'), piece(pauseWords(view, paused), 'text')];
  const together: Line = [...why, piece(' ', 'text'), ...words];
  if (keys.length === 1 && lineWidth(together) <= width) return [{ line: together, right: [] }];
  return [
    { line: why, right: [] },
    {
      line: firstThatFits(
        [words, named('  ', keys), named('  ', [keys[0]!, keys.at(-1)!]), named('', [keys[0]!])],
        width,
      ),
      right: [],
    },
  ];
}

/** Why a turn failed stands where it ended; told again here it would only be in the way. */
function pauseWords({ transcript, queue }: View, { because, message }: QueuePause): string {
  const ended = transcript.items.findLast((item) => item.kind === 'turn-end');
  if (because !== 'failed' || ended?.failure?.message !== message) return message;
  return queue.rows.length === 0 ? 'The turn failed' : 'Held, because the turn failed';
}

function keyWords(keymap: Keymap, command: string, words: string): Line {
  const chord = keymap.label(command);
  return chord === null ? [] : [piece(`[${chord}]`, 'accent'), piece(` ${words}`, 'quiet')];
}

export function drawBelow(painter: Painter, scene: Scene, rows: readonly BelowRow[]): void {
  const { below } = scene.layout;
  const { theme } = scene;
  if (below.height === 0) return;
  painter.hit(below, { region: 'below' });
  const width = below.width - 4;
  // What does not fit folds into a count on the last row; the keys of a pause are worth more than a waiting row.
  const fits = rows.length <= below.height;
  const chosen = rows.findIndex((row) => row.chosen);
  // Something is being chosen: the rows around it, to the last one there is room for.
  const from = Math.max(0, Math.min(chosen - below.height + 1, rows.length - below.height));
  const window = chosen >= 0 && !fits ? rows.slice(from, from + below.height) : null;
  const shown = window ?? (fits ? rows : rows.slice(0, below.height - 1));
  shown.forEach((row, index) => {
    const y = below.y + index;
    if (row.chosen) painter.fill(rect(below.x + 1, y, below.width - 2, 1), theme.styles.chosen);
    if (row.item !== undefined)
      painter.hit(rect(below.x, y, below.width, 1), { region: 'below', action: 'accept', item: row.item });
    const fitsRight = lineWidth(row.right) <= width - Math.min(lineWidth(row.line), Math.floor(width / 3)) - 2;
    const used = fitsRight ? drawRight(painter, theme, below.x + 2, y, row.right, width) : 0;
    const room = width - used - (used > 0 ? 2 : 0);
    drawLine(painter, theme, below.x + 2, y, row.line, room, row.chosen ? 'chosen' : undefined);
  });
  if (!fits && window === null) {
    const line = foldedLine(scene, rows, shown.length, width);
    drawLine(painter, theme, below.x + 2, below.y + shown.length, line, width);
  }
}

/** What the last row says of the rows there is no room for: how many, that they are held, and the key that helps most. */
function foldedLine({ view, screen, keymap }: Scene, rows: readonly BelowRow[], shown: number, width: number): Line {
  const { paused, rows: waiting } = view.queue;
  const hidden = piece(`  ${rows.length - shown} more`, 'quiet');
  if (screen.completion !== null) return [hidden];
  if (screen.keyList)
    return firstThatFits([[hidden, piece('  '), ...keyWords(keymap, 'help', 'all of them')], [hidden]], width);
  if (paused !== null) {
    const held: Line = waiting.length === 0 ? [] : [piece('■ ', 'warn'), piece(`${waiting.length} held`, 'text')];
    const on = keyWords(
      keymap,
      paused.because === 'failed' ? 'retry' : 'queue-resume',
      paused.because === 'failed' ? 'try again' : 'go on',
    );
    return shown > 0 ? rows.at(-1)!.line : firstThatFits([[...held, piece('  '), ...on], held], width);
  }
  if (shown > 0 || waiting.length === 0) return [hidden];
  const count: Line = [piece('○ ', 'accent'), piece(`${waiting.length} waiting`, 'text')];
  return firstThatFits([[...count, piece('  '), ...keyWords(keymap, 'queue', 'look')], count], width);
}
