import { drawBox, drawLine } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import type { Rect } from '../frame/rect.ts';
import { piece } from '../piece.ts';
import type { Theme } from '../theme.ts';
import type { SettingsModal } from './settings.ts';

/** The dialog, or its empty frame while what fills it is on its way. */
export function drawSettingsModal(painter: Painter, theme: Theme, area: Rect, { open }: SettingsModal): void {
  if (open !== null) {
    open.part.draw(painter, theme, area, open.state);
    return;
  }
  painter.fill(area, theme.styles.text);
  painter.hit(area, { region: 'modal' });
  drawBox(painter, theme, area, 'accent', { topLeft: [piece('Settings', 'accent')] });
  drawLine(painter, theme, area.x + 2, area.y + 1, [piece('one moment', 'quiet')], area.width - 4);
}
