import { type Rect, rect } from '../frame/rect.ts';
import { sideArea } from '../side-area.ts';
import { connectArea } from './connect-provider-rows.ts';
import type { Modal } from './modal.ts';

/** From these rows on a dialog leaves the header and the foot of the screen in sight. */
const ROOMY = 20;
const HEADER_ROWS = 3;
const HINT_ROWS = 1;
/** The prompt with one row of text, and the hint row. */
const FOOT_ROWS = 4;

/**
 * Where a dialog stands: as wide as the terminal, so that no stub of what lies under it peeps out beside it; long ones
 * between the header and the hint row, short ones at the foot of the transcript, above the prompt (docs/screen-style.md §19).
 */
export function modalArea(
  modal: Modal | { readonly kind: 'watch' },
  screen: { readonly columns: number; readonly rows: number },
): Rect {
  const { columns, rows } = screen;
  const roomy = rows >= ROOMY;
  if (modal.kind === 'reader' || modal.kind === 'history') return rect(0, 0, columns, rows);
  if (modal.kind === 'side') return sideArea(screen);
  if (modal.kind === 'connect-provider') return connectArea(screen);
  if (
    modal.kind === 'settings' ||
    modal.kind === 'watch' ||
    modal.kind === 'delegate' ||
    modal.kind === 'scroller' ||
    modal.kind === 'activity' ||
    modal.kind === 'list'
  )
    return roomy ? rect(0, HEADER_ROWS, columns, rows - HEADER_ROWS - HINT_ROWS) : rect(0, 0, columns, rows);
  const height = Math.min(
    rows,
    modal.kind === 'confirm'
      ? 5
      : modal.kind === 'queue'
        ? 18
        : Math.min(22, Math.max(8, (modal.items?.length ?? 1) + 4)),
  );
  const foot = rows - height >= FOOT_ROWS ? FOOT_ROWS : 0;
  return rect(0, rows - foot - height, columns, height);
}
