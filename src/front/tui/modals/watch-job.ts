import { emptyTerminal, type ScreenLine, type TerminalScreen } from '../../../base/terminal-screen.ts';
import type { JobRow } from '../../../protocol/view.ts';
import type { Rect } from '../frame/rect.ts';
import { chordOf, type InputEvent } from '../input/event.ts';
import { pagingOf, stepRows } from './paging.ts';

/** What one command prints, as it prints it; with `driving` every key but one goes to its terminal. */
export interface WatchModal {
  readonly kind: 'watch';
  readonly job: string;
  readonly shown: TerminalScreen;
  /** Rows one has scrolled back; 0 follows what comes. */
  readonly back: number;
  readonly driving: boolean;
  /** Opened from the list, which comes back. */
  readonly fromList: boolean;
}

/** The chord that hands a terminal back; a program is never sent it. */
export const HAND_BACK = 'ctrl-]';

export function openWatch(job: JobRow, area: Rect, fromList: boolean, driving = false): WatchModal {
  const { columns, rows } = watchSize(area);
  const shown = emptyTerminal(columns, rows, job.terminal !== true);
  return { kind: 'watch', job: job.id, shown, back: 0, driving, fromList };
}

/** Columns and rows of what is shown inside the dialog. */
export function watchSize(area: Rect): { readonly columns: number; readonly rows: number } {
  return { columns: Math.max(1, area.width - 2), rows: Math.max(1, area.height - 2) };
}

/** More was printed, or (`whole`) all there is to show. */
export function watched(modal: WatchModal, text: string, whole: boolean, job: JobRow | null): WatchModal {
  const { shown } = modal;
  const before = whole ? emptyTerminal(shown.columns, shown.rows, job?.terminal !== true) : shown;
  const next = before.feed(text);
  // Where one reads stays where it is.
  const grown = next.above.length - before.above.length;
  return {
    ...modal,
    shown: next,
    back: modal.back === 0 || whole ? modal.back : Math.min(next.above.length, modal.back + grown),
  };
}

export type WatchMeant =
  | { readonly kind: 'close' }
  /** The list it came from as well (VIEW-3). */
  | { readonly kind: 'leave' }
  | { readonly kind: 'modal'; readonly modal: WatchModal }
  | { readonly kind: 'drive' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'background' }
  | { readonly kind: 'none' };

/** A key while one only watches. */
export function watchKey(modal: WatchModal, event: Extract<InputEvent, { type: 'key' }>): WatchMeant {
  const chord = chordOf(event.key);
  switch (chord) {
    case 'q':
    case 'escape':
      return { kind: 'close' };
    case 'ctrl-c':
    case 'ctrl-l':
      return { kind: 'leave' };
    case 't':
      return { kind: 'drive' };
    case 'x':
      return { kind: 'stop' };
    // In a job's own view the key means the job, not a page.
    case 'ctrl-b':
      return { kind: 'background' };
    default:
      break;
  }
  const text = event.key.ctrl || event.key.alt ? null : event.key.text;
  const paging = pagingOf(chord, text);
  if (paging === null) return { kind: 'none' };
  const { above, rows } = modal.shown;
  const to = (back: number): WatchMeant => ({
    kind: 'modal',
    modal: { ...modal, back: Math.max(0, Math.min(above.length, back)) },
  });
  if ('to' in paging) return to(paging.to === 'first' ? above.length : 0);
  return paging.by === 'prompt' ? { kind: 'none' } : to(modal.back - paging.direction * stepRows(paging.by, rows));
}

/** The rows in sight. */
export function watchRows({ shown, back }: WatchModal): readonly ScreenLine[] {
  if (back === 0) return shown.lines;
  const all = [...shown.above, ...shown.lines];
  const end = all.length - back;
  return all.slice(Math.max(0, end - shown.rows), end);
}
