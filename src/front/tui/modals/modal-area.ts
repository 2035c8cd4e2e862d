import { type Rect, rect } from '../frame/rect.ts';
import { connectArea } from './connect-provider-rows.ts';
import type { Modal } from './modal.ts';

/** Where a dialog stands: the whole screen but a rim where there is room, a small one in the middle for a yes or no. */
export function modalArea(
  modal: Modal | { readonly kind: 'watch' },
  screen: { readonly columns: number; readonly rows: number },
): Rect {
  const { columns, rows } = screen;
  const rimX = columns >= 70 ? 3 : 0;
  const rimY = rows >= 20 ? 2 : 0;
  if (modal.kind === 'reader' || modal.kind === 'history') return rect(0, 0, columns, rows);
  if (modal.kind === 'connect-provider') return connectArea(screen);
  if (modal.kind === 'watch' || modal.kind === 'scroller' || modal.kind === 'list')
    return rect(rimX, rimY, columns - 2 * rimX, rows - 2 * rimY);
  const wanted = modal.kind === 'confirm' ? 66 : 84;
  const width = Math.min(columns, wanted);
  const height = Math.min(
    rows,
    modal.kind === 'confirm'
      ? 5
      : modal.kind === 'queue'
        ? 18
        : Math.min(22, Math.max(8, (modal.items?.length ?? 1) + 4)),
  );
  return rect(Math.floor((columns - width) / 2), Math.max(0, Math.floor((rows - height) / 2) - 1), width, height);
}
