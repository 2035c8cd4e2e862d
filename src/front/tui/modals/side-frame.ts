import { drawBox, drawLine } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import type { Rect } from '../frame/rect.ts';
import { piece } from '../piece.ts';
import type { Scene } from '../scene.ts';

/** The side conversation, or its empty frame while it is being opened. */
export function drawSide(painter: Painter, { theme, side }: Scene, area: Rect): void {
  if (side !== null) {
    side.draw(painter, theme, area);
    return;
  }
  painter.fill(area, theme.styles.text);
  painter.hit(area, { region: 'modal' });
  drawBox(painter, theme, area, 'accent', { topLeft: [piece('Side conversation', 'accent')] });
  drawLine(painter, theme, area.x + 2, area.y + 1, [piece('one moment', 'quiet')], area.width - 4);
}
