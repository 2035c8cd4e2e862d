import { textRows } from './blocks/prose.ts';
import type { Row } from './blocks/row.ts';
import type { PickerItem, ScrollerModal } from './modals/modal.ts';
import { modalArea } from './modals/modal-area.ts';
import { scrollerWindow } from './modals/scroller.ts';
import { piece } from './piece.ts';
import type { Screen } from './screen.ts';
import type { Context, ScreenEvent } from './screen-event.ts';
import { type Step, stay } from './step.ts';
import { replaceTop, withChunk } from './update-modal.ts';

/** Items of the picker on top are here. */
export function choiceItems(screen: Screen, items: readonly PickerItem[]): Screen {
  const top = screen.modals.at(-1);
  if (top?.kind !== 'picker' || top.items !== null) return screen;
  return replaceTop(screen, {
    ...top,
    items,
    cursor: Math.max(
      0,
      items.findIndex((item) => item.current),
    ),
  });
}

/** Lines of an output are here: they take their place in the scroller that asked for them. */
export function outputArrived(
  screen: Screen,
  _context: Context,
  event: Extract<ScreenEvent, { type: 'output' }>,
): Step {
  const top = screen.modals.at(-1);
  if (top?.kind === 'activity' && top.output?.call === event.call) {
    const { fogged, chunks } = top.output;
    const here = new Map(chunks).set(event.from, event.lines);
    const { totalLines } = event;
    const output = { ...top.output, chunks: here, totalLines, fogged: fogged || event.fogged, failed: null };
    return stay(replaceTop(screen, { ...top, output }));
  }
  if (top?.kind !== 'scroller' || top.body.kind !== 'output' || top.body.call !== event.call) return stay(screen);
  const chunks = new Map(top.body.chunks).set(event.from, event.lines);
  const body = {
    ...top.body,
    chunks,
    totalLines: event.totalLines,
    fogged: top.body.fogged || event.fogged,
    failed: null,
  };
  const modal: ScrollerModal = { ...top, body };
  return withChunk(replaceTop(screen, modal), modal, scrollerWindow(modalArea(modal, screen)));
}

export function outputFailed(screen: Screen, event: Extract<ScreenEvent, { type: 'output-failed' }>): Screen {
  const top = screen.modals.at(-1);
  if (top?.kind === 'activity' && top.output?.call === event.call)
    return replaceTop(screen, { ...top, output: { ...top.output, failed: event.message } });
  if (top?.kind !== 'scroller' || top.body.kind !== 'output' || top.body.call !== event.call) return screen;
  return replaceTop(screen, { ...top, body: { ...top.body, failed: event.message } });
}

/** `/status`: what the session says of itself, a name and a value a row. */
export function statusOpened(screen: Screen, rows: readonly { name: string; value: string }[]): Screen {
  const longest = Math.min(28, Math.max(0, ...rows.map((row) => row.name.length)) + 2);
  const width = modalArea({ kind: 'watch' }, screen).width - 4;
  const lines = rows.flatMap((row) =>
    textRows(row.value, [piece(' '.repeat(longest), 'quiet')], 'text', { width, expanded: true, openKey: '' }).map(
      (each, index): Row => (index === 0 ? { ...each, margin: [piece(row.name.padEnd(longest), 'quiet')] } : each),
    ),
  );
  return {
    ...screen,
    modals: [
      ...screen.modals,
      { kind: 'scroller', title: 'Status', body: { kind: 'rows', rows: lines }, top: 0, search: null },
    ],
  };
}
