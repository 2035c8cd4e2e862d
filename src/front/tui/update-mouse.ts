import { CHOOSE, VIEW } from './blocks/delegate-card.ts';
import { marginColumns } from './blocks/row.ts';
import { accept } from './completion.ts';
import { placeCaret, selectLine, selectWord } from './editor/editor-state.ts';
import { offsetUnder } from './editor/paint-editor.ts';
import type { Target } from './frame/painter.ts';
import type { InputEvent } from './input/event.ts';
import { promptInner, transcriptInner } from './layout.ts';
import { askWindow } from './modals/ask.ts';
import { currentAsk } from './modals/ask-state.ts';
import { connectClick } from './modals/connect-provider-keys.ts';
import { matches } from './modals/picker.ts';
import { openItem } from './open-card.ts';
import { isPanel, type PanelName } from './panels/stack.ts';
import { pressPanel } from './panels/update-panels.ts';
import { isEmpty, lineRows, type Point, type Selection, wordColumns } from './regions/selection.ts';
import { topOf } from './regions/transcript-scroll.ts';
import { scrolled } from './run-command.ts';
import { type Click, type Screen, withNote } from './screen.ts';
import type { Context } from './screen-event.ts';
import { type Step, stay } from './step.ts';
import { transcriptRows } from './transcript-rows.ts';
import { chooseDelegate, showDelegate, viewDelegate } from './update-delegates.ts';
import { choosePicked, chooseSent, modalWheel, replaceTop } from './update-modal.ts';
import { settingsModalClick } from './update-settings.ts';

type MouseEvent = Extract<InputEvent, { type: 'mouse' }>;

/** The mouse acts on what is drawn under it: `target` is what the frame put there (LA-28, KY-12). */
export function updateMouse(before: Screen, context: Context, event: MouseEvent, target: Target | null): Step {
  const screen: Screen = before.exit === null ? before : { ...before, exit: null };
  if (event.action === 'wheel-up' || event.action === 'wheel-down') {
    return wheel(screen, context, event.action === 'wheel-up' ? -screen.wheelRows : screen.wheelRows, target);
  }
  if (event.button !== 'left' && event.action !== 'release') return stay(screen);
  switch (event.action) {
    case 'press':
      return press(screen, context, event, target);
    case 'drag':
      return drag(screen, context, event);
    case 'release':
      return release(screen, context, target);
    default:
      return stay(screen);
  }
}

function wheel(screen: Screen, context: Context, rows: number, target: Target | null): Step {
  if (screen.modals.length > 0) return modalWheel(screen, context, rows);
  const ask = currentAsk(context.view, screen.client);
  if (target?.region === 'question' && screen.ask !== null && ask !== null) {
    const end = Math.max(0, screen.ask.total - askWindow(ask, context.layout.dialog));
    // As a key does, it skips nothing that was not drawn yet.
    const to = Math.min(screen.ask.scroll + rows, Math.max(screen.ask.scroll, screen.ask.seen));
    return stay({ ...screen, ask: { ...screen.ask, scroll: Math.max(0, Math.min(end, to)) } });
  }
  if (target?.region === 'panel' && isPanel(target.item ?? ''))
    return context.panels?.wheel(screen, context, target.item as PanelName, rows) ?? stay(screen);
  // The wheel over the prompt does nothing (PE-3); anywhere else it scrolls what one reads.
  return target?.region === 'prompt' ? stay(screen) : scrolled(screen, context, rows);
}

/** Presses at one place within this many ms are one gesture. */
const AGAIN = 400;

function clicked({ click }: Screen, event: MouseEvent, now: number): Click {
  const again = click !== null && now - click.at < AGAIN && click.column === event.column && click.row === event.row;
  return { column: event.column, row: event.row, at: now, count: again ? (click.count % 3) + 1 : 1 };
}

function press(screen: Screen, context: Context, event: MouseEvent, target: Target | null): Step {
  const click = clicked(screen, event, context.now);
  const calm: Screen = { ...screen, selection: null, dragging: null, click };
  if (screen.modals.length > 0) {
    const top = screen.modals.at(-1)!;
    if (target?.region === 'delegate' && target.item !== undefined && top.kind === 'delegate')
      return showDelegate(calm, top, target.item);
    if (target?.region === 'history' && target.item !== undefined) return chooseSent(calm, Number(target.item));
    if (target?.region === 'settings') return settingsModalClick(calm, target);
    if (target?.region === 'connect' && target.item !== undefined) return connectClick(calm, context, target.item);
    if (top.kind === 'activity' && target !== null)
      return context.panels?.detailPress(calm, context, top, target) ?? stay(calm);
    // A click chooses a row; what is done with it is a key's to say.
    if (target?.region === 'list' && top.kind === 'list')
      return stay(replaceTop(calm, { ...top, cursor: Number(target.item) }));
    const item = target?.region === 'picker' && top.kind === 'picker' ? matches(top)[Number(target.item)] : undefined;
    return item === undefined ? stay(calm) : choosePicked(calm, context, item.value);
  }
  switch (target?.region) {
    case 'prompt': {
      const { editor } = screen.prompt;
      const offset = offsetAt(screen, context, event);
      const placed =
        click.count === 1
          ? placeCaret(editor, offset, event.shift)
          : click.count === 2
            ? selectWord(editor, offset)
            : selectLine(editor, offset);
      return stay({ ...calm, focus: 'prompt', dragging: 'prompt', prompt: { ...screen.prompt, editor: placed } });
    }
    case 'panel':
    case 'header':
      return pressPanel(calm, context, target);
    case 'below':
      return target.item === undefined ? stay(calm) : accept(screen, context, Number(target.item));
    case 'question':
      return stay(screen.ask === null ? calm : { ...calm, focus: 'question', ask: { ...screen.ask, chosen: true } });
    case 'transcript': {
      if (isPanel(screen.focus)) return press({ ...screen, focus: 'transcript' }, context, event, target);
      const point = pointAt(screen, context, event);
      if (point === null) return stay({ ...calm, dragging: 'transcript' });
      const from = event.shift && screen.selection !== null ? screen.selection.from : point;
      const selection = click.count === 1 ? { from, to: point } : wordOrLine(context, point, click.count === 3);
      return stay({ ...calm, dragging: 'transcript', selection });
    }
    default:
      return stay(calm);
  }
}

/** The word or the whole source line around a cell, as a selection. */
function wordOrLine(context: Context, point: Point, whole: boolean): Selection {
  const rows = context.cards.rowsAt(context.view, point.index);
  if (whole) {
    const { from, to } = lineRows(rows, point.row);
    return { from: { ...point, row: from, column: 0 }, to: { ...point, row: to, column: Number.MAX_SAFE_INTEGER } };
  }
  const columns = wordColumns(rows[point.row]?.line ?? [], point.column);
  return { from: { ...point, column: columns.from }, to: { ...point, column: columns.to } };
}

function drag(screen: Screen, context: Context, event: MouseEvent): Step {
  if (screen.dragging === 'prompt') {
    const editor = placeCaret(screen.prompt.editor, offsetAt(screen, context, event), true);
    return stay({ ...screen, prompt: { ...screen.prompt, editor } });
  }
  if (screen.dragging !== 'transcript' || screen.selection === null) return stay(screen);
  // Past an edge the transcript scrolls on, so that more than one screen can be selected.
  const inner = transcriptInner(context.layout);
  const beyond = event.row < inner.y ? -1 : event.row >= inner.y + transcriptRows(context.layout) ? 1 : 0;
  const moved = beyond === 0 ? screen : scrolled(screen, context, beyond).screen;
  const point = pointAt(moved, context, event);
  return stay(point === null ? moved : { ...moved, selection: { from: screen.selection.from, to: point } });
}

function release(screen: Screen, context: Context, target: Target | null): Step {
  const { selection, dragging } = screen;
  const done: Screen = { ...screen, dragging: null };
  if (dragging !== 'transcript' || selection === null) return stay(done);
  if (!isEmpty(selection)) return stay(withNote(done, 'Ctrl-C sends the selection to the clipboard'));
  const plain: Screen = { ...done, selection: null };
  const item = target?.region === 'transcript' ? context.cards.itemAt(context.view, selection.from.index) : null;
  if (item === null || target?.action === undefined) return stay(plain);
  if (target.action === 'open') return openItem(plain, item);
  if (target.action.startsWith(CHOOSE)) return chooseDelegate(plain, context, target.action.slice(CHOOSE.length));
  if (target.action.startsWith(VIEW)) return viewDelegate(plain, target.action.slice(VIEW.length));
  if (target.action !== 'toggle') return stay(plain);
  const toggled = new Set(screen.toggled);
  if (!toggled.delete(item.id)) toggled.add(item.id);
  return stay({ ...plain, toggled });
}

/** The draft's offset under the pointer. */
function offsetAt(screen: Screen, context: Context, event: MouseEvent): number {
  const { editor, top } = screen.prompt;
  return offsetUnder(promptInner(context.layout), context.textLayout(editor.buffer.text), top, event.column, event.row);
}

/** The cell of transcript text under the pointer, or the nearest one; null over an empty transcript. */
function pointAt(screen: Screen, context: Context, event: MouseEvent): Point | null {
  const { view, cards, layout } = context;
  const inner = transcriptInner(layout);
  const height = transcriptRows(layout);
  const rows = cards.from(view, topOf({ ...context, screen }, height), height);
  const placed = rows[Math.max(0, Math.min(rows.length - 1, event.row - inner.y))];
  if (placed === undefined) return null;
  const margin = placed.row === null ? 0 : marginColumns(placed.row.margin);
  const below = event.row - inner.y >= rows.length;
  const column = below ? Number.MAX_SAFE_INTEGER : Math.max(0, event.column - inner.x - margin);
  return { ...placed.place, column };
}
