import { textRows } from '../blocks/prose.ts';
import { drawBox, drawLine } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import type { Rect } from '../frame/rect.ts';
import { piece } from '../piece.ts';
import type { Theme } from '../theme.ts';
import type { ConfirmModal } from './modal.ts';

export function drawConfirm(painter: Painter, theme: Theme, area: Rect, modal: ConfirmModal): void {
  painter.fill(area, theme.styles.text);
  drawBox(painter, theme, area, 'warn', {
    topLeft: [piece(modal.title, 'strong')],
    bottomLeft: [
      piece('[y]', 'accent'),
      piece(` ${modal.yes}  `, 'text'),
      piece('[n]', 'accent'),
      piece(' Leave it', 'text'),
    ],
  });
  const rows = textRows(modal.text, [], 'text', { width: area.width - 4, expanded: true, openKey: '' });
  rows.slice(0, area.height - 2).forEach((row, index) => {
    drawLine(painter, theme, area.x + 2, area.y + 1 + index, row.line, area.width - 4);
  });
}
