import type { CellStyle } from '../../../base/terminal-screen.ts';
import type { JobRow } from '../../../protocol/view.ts';
import { drawBox } from '../draw.ts';
import { clockTime } from '../figures.ts';
import type { Painter, Style } from '../frame/painter.ts';
import type { Rect } from '../frame/rect.ts';
import { type Line, piece } from '../piece.ts';
import type { Theme } from '../theme.ts';
import { jobState } from './jobs.ts';
import { type WatchModal, watchRows } from './watch-job.ts';

/** A command's own view: its name and how it stands on the border, what it printed inside (VIEW-8b, VIEW-11). */
export function drawWatch(
  painter: Painter,
  theme: Theme,
  area: Rect,
  modal: WatchModal,
  job: JobRow | null,
  now: number,
): void {
  painter.fill(area, theme.styles.text);
  painter.hit(area, { region: 'modal' });
  const standing =
    job === null ? 'gone' : `${jobState(job)} · ${clockTime(Math.max(0, (job.ended ?? now) - job.started))}`;
  drawBox(painter, theme, area, modal.driving ? 'warn' : 'accent', {
    topLeft: [piece(`${modal.job} $ ${(job?.command ?? '').split('\n', 1)[0]}`, 'accent')],
    topRight: [piece(standing, job?.state === 'running' ? 'signal' : 'quiet')],
    bottomLeft: keyLine(modal, job),
    bottomRight: modal.back > 0 ? [piece(`${modal.back} rows back`, 'quiet')] : [],
  });
  const left = area.x + 1;
  const top = area.y + 1;
  const inside = painter.within({ x: left, y: top, width: area.width - 2, height: area.height - 2 });
  watchRows(modal).forEach((line, y) => {
    for (let x = 0; x < line.length; ) {
      const { text, style } = line[x]!;
      let run = text;
      let end = x + 1;
      while (end < line.length && line[end]!.style === style) run += line[end++]!.text;
      inside.text(left + x, top + y, run, styleOf(style, theme));
      x = end;
    }
  });
  const { cursor } = modal.shown;
  if (modal.driving && cursor.shown && modal.back === 0) inside.cursor(left + cursor.x, top + cursor.y, 'block');
}

function styleOf(style: CellStyle, theme: Theme): Style {
  const { fg, bg, ...attributes } = style;
  const plain = theme.styles.text;
  if (!theme.color) return { ...plain, ...attributes };
  return { ...plain, ...attributes, ...(fg === null ? {} : { fg }), ...(bg === null ? {} : { bg }) };
}

function keyLine({ driving, back }: WatchModal, job: JobRow | null): Line {
  const key = (chord: string, words: string): Line => [piece(`[${chord}]`, 'accent'), piece(` ${words}  `, 'quiet')];
  if (driving) return [...key('Ctrl-]', 'Hand back'), piece('Your keys go to this command', 'warn')];
  const running = job?.state === 'running';
  return [
    ...key('Esc', 'Close'),
    ...(running && job.terminal === true ? key('t', 'Take over') : []),
    ...(running ? key('x', 'Stop') : []),
    ...(running && !job.background ? key('Ctrl-B', 'To the background') : []),
    ...(back > 0 ? key('G', 'Newest') : []),
  ];
}
