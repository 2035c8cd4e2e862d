import { drawLine, drawRight, lineWidth } from '../draw.ts';
import { pasteAtCaret } from '../editor/editor-state.ts';
import type { Painter } from '../frame/painter.ts';
import { facts, type Line, piece } from '../piece.ts';
import type { Scene } from '../scene.ts';
import { fitParts, type HintPart, hintParts } from './hint-parts.ts';

/** The row at the very foot: passing offers, then the parts at rest; a note about the last key at the right (HINT-7). */
export function drawHint(painter: Painter, scene: Scene): void {
  const { hint } = scene.layout;
  if (hint.height === 0) return;
  painter.hit(hint, { region: 'hint' });
  const { theme, screen, view, keymap } = scene;
  const x = hint.x + 1;
  const width = hint.width - 2;
  const note = noteLine(scene);
  const used =
    note.length === 0
      ? 0
      : drawRight(painter, theme, x, hint.y, note, width) || drawLine(painter, theme, x, hint.y, note, width);
  const room = width - used - (used > 0 ? 2 : 0);
  const lead: HintPart[] = offers(scene).map((line) => ({ line, drop: -1 }));
  const parts = fitParts(
    [...lead, ...(screen.exit !== null ? [] : hintParts(view, keymap, screen.prompt.vi))],
    room,
    (kept) => lineWidth(facts(kept.map((part) => part.line))),
  );
  if (room > 0) drawLine(painter, theme, x, hint.y, facts(parts.map((part) => part.line)), room);
}

function offers({ screen, view, keymap }: Scene): Line[] {
  const lines: Line[] = [];
  if (screen.exit !== null)
    lines.push([
      piece('Ctrl-C', 'accent'),
      piece(' or ', 'quiet'),
      piece('Ctrl-D', 'accent'),
      piece(' again ends the session', 'text'),
    ]);
  else if (screen.sendMode !== null) lines.push([piece('next send: ', 'quiet'), piece(screen.sendMode, 'accent')]);
  const disk = view.head.waitsForDisk ?? null;
  if (disk !== null) lines.push([piece(disk, 'bad')]);
  if (screen.link === 'reconnecting')
    lines.push([
      piece('Reconnecting to the session: ', 'warn'),
      piece('what you type stays, what you send goes out when it is back', 'text'),
    ]);
  if (screen.link === 'lost') lines.push([piece('the session is out of reach, trying again', 'bad')]);
  if (view.asks.length > 0 && screen.focus !== 'question')
    lines.push([piece('Tab', 'accent'), piece(' answers the question', 'text')]);
  const unfold = keymap.label('expand');
  if (unfold !== null && screen.focus === 'prompt' && pasteAtCaret(screen.prompt.editor.buffer) !== null)
    lines.push([piece(unfold, 'accent'), piece(' unfolds the paste', 'quiet')]);
  return lines;
}

function noteLine({ screen }: Scene): Line {
  const { note } = screen;
  if (note === null) return [];
  return [piece(note.text, note.level === 'error' ? 'bad' : note.level === 'warning' ? 'warn' : 'text')];
}
