import { cutToWidth } from '../../../base/text-width.ts';
import type { Delivery } from '../../../protocol/entry.ts';
import type { Intent } from '../../../protocol/intent.ts';
import type { QueueRow, View } from '../../../protocol/view.ts';
import { drawBox, drawLine, drawRight } from '../draw.ts';
import { applyKey, type EditorState, NEW_EDITOR, replaceAll } from '../editor/editor-state.ts';
import { Layout } from '../editor/layout.ts';
import { paintEditor } from '../editor/paint-editor.ts';
import type { Painter } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import { chordOf, type InputEvent } from '../input/event.ts';
import { oneLine } from '../one-line.ts';
import { type Line, piece } from '../piece.ts';
import { destinations } from '../regions/destination.ts';
import type { Theme } from '../theme.ts';

/** What waits, to be put in another order, rewritten, sent another way or dropped. The rows themselves are the View's. */
export interface QueueModal {
  readonly kind: 'queue';
  /** The row the keys mean: by its id, since rows move and leave while it is open. */
  readonly row: string | null;
  /** The words of that row while they are rewritten. */
  readonly words: EditorState | null;
}

export type QueueKey =
  | { readonly kind: 'close' }
  | { readonly kind: 'none' }
  | { readonly kind: 'modal'; readonly modal: QueueModal }
  | { readonly kind: 'send'; readonly modal: QueueModal; readonly intent: Intent };

/** Ways a prompt can be sent, in the order the key goes through them. */
const WAYS: readonly Delivery[] = ['steering', 'queue', 'interrupt'];
/** Rows of the editor inside the dialog. */
const EDITOR_ROWS = 6;

export function openQueue(view: View): QueueModal {
  return { kind: 'queue', row: view.queue.rows[0]?.id ?? null, words: null };
}

/** The row the keys mean; where it is gone, the one that took its place at the top. */
function chosenRow(modal: QueueModal, rows: readonly QueueRow[]): number {
  const at = rows.findIndex((row) => row.id === modal.row);
  return at < 0 ? Math.min(0, rows.length - 1) : at;
}

export function queueKey(
  modal: QueueModal,
  { key }: Extract<InputEvent, { type: 'key' }>,
  { queue }: View,
  width: number,
): QueueKey {
  const { rows } = queue;
  const at = chosenRow(modal, rows);
  const row = rows[at];
  const chord = chordOf(key);
  if (modal.words !== null) return wordsKey(modal, modal.words, key, chord, row, width);
  const go = (to: number): QueueKey => ({
    kind: 'modal',
    modal: { ...modal, row: rows[Math.max(0, Math.min(rows.length - 1, to))]?.id ?? null },
  });
  if (chord === 'escape' || chord === 'ctrl-c' || chord === 'q') return { kind: 'close' };
  if (row === undefined) return { kind: 'none' };
  const stay = { ...modal, row: row.id };
  const edit = (change: Partial<Pick<Extract<Intent, { type: 'queue-edit' }>, 'delivery' | 'before'>>): QueueKey => ({
    kind: 'send',
    modal: stay,
    intent: { type: 'queue-edit', input: row.id, ...change },
  });
  switch (chord) {
    case 'up':
    case 'k':
      return go(at - 1);
    case 'down':
    case 'j':
      return go(at + 1);
    case 'home':
      return go(0);
    case 'end':
      return go(rows.length - 1);
    case 'alt-up':
    case 'shift-up':
      return at === 0 ? { kind: 'none' } : edit({ before: rows[at - 1]!.id });
    case 'alt-down':
    case 'shift-down':
      return at === rows.length - 1 ? { kind: 'none' } : edit({ before: rows[at + 2]?.id ?? null });
    case 's': {
      const way = WAYS.indexOf(row.delivery);
      return way < 0 ? { kind: 'none' } : edit({ delivery: WAYS[(way + 1) % WAYS.length]! });
    }
    case 'd':
    case 'delete': {
      const next = rows[at + 1] ?? rows[at - 1];
      return {
        kind: 'send',
        modal: { ...modal, row: next?.id ?? null },
        intent: { type: 'queue-discard', inputs: [row.id] },
      };
    }
    case 'e':
    case 'enter':
      return { kind: 'modal', modal: { ...stay, words: replaceAll(NEW_EDITOR, { text: row.text, atoms: [] }).state } };
    case 'g':
      return queue.paused === null ? { kind: 'none' } : { kind: 'send', modal: stay, intent: { type: 'queue-resume' } };
    default:
      return { kind: 'none' };
  }
}

/** While words are rewritten: Enter keeps them, Esc leaves the row as it was. */
function wordsKey(
  modal: QueueModal,
  words: EditorState,
  key: Extract<InputEvent, { type: 'key' }>['key'],
  chord: string,
  row: QueueRow | undefined,
  width: number,
): QueueKey {
  // Taken meanwhile: there is nothing left to rewrite.
  if (chord === 'escape' || chord === 'ctrl-c' || row === undefined || row.id !== modal.row)
    return { kind: 'modal', modal: { ...modal, words: null } };
  if (chord === 'enter') {
    const text = words.buffer.text.toString();
    const done = { ...modal, words: null };
    return text === row.text
      ? { kind: 'modal', modal: done }
      : { kind: 'send', modal: done, intent: { type: 'queue-edit', input: row.id, text } };
  }
  const typed = applyKey(words, key, Layout.of(words.buffer.text, wordsWidth(width)));
  return typed === null ? { kind: 'none' } : { kind: 'modal', modal: { ...modal, words: typed.state } };
}

function wordsWidth(width: number): number {
  return Math.max(8, width - 6);
}

export function drawQueue(painter: Painter, theme: Theme, area: Rect, modal: QueueModal, view: View): void {
  const { rows, paused } = view.queue;
  painter.fill(area, theme.styles.text);
  drawBox(painter, theme, area, 'accent', {
    topLeft: [piece('What waits', 'accent')],
    topRight: [piece(paused === null ? `${rows.length}` : `${rows.length}, held`, 'quiet')],
    bottomLeft: keys(modal, paused !== null),
  });
  const x = area.x + 2;
  const width = area.width - 4;
  if (rows.length === 0) return void drawLine(painter, theme, x, area.y + 1, [piece('Nothing waits', 'quiet')], width);
  const at = chosenRow(modal, rows);
  const room = area.height - 2 - (modal.words === null ? 0 : EDITOR_ROWS + 1);
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), rows.length - room));
  const words = destinations(view);
  rows.slice(first, first + room).forEach((row, offset) => {
    const y = area.y + 1 + offset;
    const chosen = first + offset === at;
    if (chosen) painter.fill(rect(area.x + 1, y, area.width - 2, 1), theme.styles.chosen);
    const where: Line = [piece(words[first + offset]!, 'quiet')];
    const used = drawRight(painter, theme, x, y, where, width);
    const left = width - used - 4;
    const text = cutToWidth(oneLine(row.text), Math.max(4, left));
    const line = [piece(chosen ? '❯ ' : '  ', 'accent'), piece(text, chosen ? 'strong' : 'text')];
    drawLine(painter, theme, x, y, line, width, chosen ? 'chosen' : undefined);
  });
  if (modal.words === null) return;
  const box = rect(area.x + 3, area.y + area.height - 1 - EDITOR_ROWS, wordsWidth(area.width), EDITOR_ROWS);
  const { buffer } = modal.words;
  const styles = {
    text: theme.styles.text,
    selection: theme.styles.selection,
    atom: theme.styles.signal,
    atomAtCaret: theme.styles.selection,
    placeholder: theme.styles.ghost,
  };
  drawLine(painter, theme, x, box.y - 1, [piece('─'.repeat(Math.max(0, width)), 'quiet')], width);
  paintEditor(painter, box, buffer, Layout.of(buffer.text, box.width), styles, { top: 0, focused: true });
}

function keys(modal: QueueModal, paused: boolean): Line {
  const all: readonly (readonly [string, string])[] =
    modal.words !== null
      ? [
          ['Enter', 'Keep'],
          ['Esc', 'Leave as it was'],
        ]
      : [
          ['Alt-↑↓', 'Move'],
          ['e', 'Edit'],
          ['s', 'How it is sent'],
          ['d', 'Discard'],
          ...(paused ? [['g', 'Go on'] as const] : []),
          ['Esc', 'Close'],
        ];
  return all.flatMap(([chord, does]) => [piece(`[${chord}]`, 'accent'), piece(` ${does} `, 'quiet')]);
}
