import { type Rect, rect } from './frame/rect.ts';

/** What the size of the terminal has to be shared among. */
export interface Wanted {
  readonly columns: number;
  readonly rows: number;
  /** Rows of draft text at the prompt's inner width. */
  readonly promptRows: number;
  readonly maxPromptRows: number;
  /** Rows under the prompt: attachments, stash, what waits, completions (MARK-1). */
  readonly belowRows: number;
  /** Rows of those that are worth more than the header: a list one chooses from. */
  readonly belowLeast?: number;
  /** Rows the open question would like; 0 when none is open. */
  readonly dialogRows: number;
  /** Rows it can hardly do without: they are worth more than the hint row and the prompt's border. */
  readonly dialogLeast?: number;
  /** No header at all: it stands inside another window. */
  readonly inside?: boolean;
  /** Columns of the panel column at the right; 0 while there is none. */
  readonly sideColumns: number;
  /** Columns of the tab rail at the far right; 0 while there is none. */
  readonly railColumns: number;
}

/** Named rectangles; a part that was shed has no rows (or no columns). Borders belong to their part. */
export interface Layout {
  readonly header: Rect;
  readonly separator: Rect;
  readonly transcript: Rect;
  /** False where the transcript gave up its border for room. */
  readonly transcriptBorder: boolean;
  /** The open question, over the foot of the transcript; never touching the prompt. */
  readonly dialog: Rect;
  readonly side: Rect;
  readonly rail: Rect;
  readonly prompt: Rect;
  readonly promptBorder: boolean;
  readonly below: Rect;
  readonly hint: Rect;
}

const NONE: Rect = rect(0, 0, 0, 0);
/** A question needs its title, one row of content and its keys. */
const DIALOG_LEAST = 4;
const DIALOG_WORTH = 9;
const TRANSCRIPT_LEAST = 4;

/**
 * Size to rectangles. Short terminals shed in the order of docs/screen-style.md §18: waiting rows, header row two, the
 * header, the transcript's border, the hint row; then the prompt gives up its border. One row of prompt always stays, and
 * an open question keeps at least four rows while the terminal has five.
 */
export function layoutOf(wanted: Wanted): Layout {
  const { columns, rows } = wanted;
  // An open question is worth more than furniture: it gets its rows up to a point before anything else is kept.
  let body = Math.max(TRANSCRIPT_LEAST, wanted.dialogRows > 0 ? Math.min(wanted.dialogRows, DIALOG_WORTH) + 1 : 0);
  let prompt = Math.max(1, Math.min(wanted.promptRows, wanted.maxPromptRows));
  let promptFrame = 2;
  let header = wanted.inside === true ? 0 : 2;
  let separator = wanted.inside === true ? 0 : 1;
  let hint = 1;
  let below = wanted.belowRows;
  const spare = () => rows - header - separator - hint - below - prompt - promptFrame - body;

  if (spare() < 0) below = Math.max(Math.min(below, wanted.belowLeast ?? 1), below + spare());
  if (spare() < 0) prompt = Math.max(Math.min(prompt, 2), prompt + spare());
  if (spare() < 0) header = Math.min(header, 1);
  if (spare() < 0) [header, separator] = [0, 0];
  if (spare() < 0) prompt = 1;
  // What waits is worth more than the transcript's border; what is being chosen from, than all of it.
  const choosing = (wanted.belowLeast ?? 1) > 1;
  if (spare() < 0 && below > 0 && wanted.dialogRows === 0) body = Math.max(choosing ? 0 : 2, body + spare());
  if (spare() < 0) below = Math.max(0, below + spare());
  const border = spare() >= 0 && body + spare() >= TRANSCRIPT_LEAST;
  const dialogLeast = wanted.dialogRows > 0 ? Math.max(DIALOG_LEAST, wanted.dialogLeast ?? 0) : 0;
  if (!border && rows - hint - prompt - promptFrame < Math.max(2, dialogLeast)) hint = 0;
  if (!border && rows - hint - prompt - promptFrame < Math.max(1, dialogLeast)) promptFrame = 0;

  let y = 0;
  const take = (height: number, width = columns, x = 0): Rect => {
    const area = rect(x, y, width, Math.max(0, Math.min(height, rows - y)));
    y += area.height;
    return area;
  };
  const headerArea = take(header);
  const separatorArea = take(separator);
  const bodyRows = Math.max(0, rows - y - prompt - promptFrame - below - hint);
  const rail = rect(columns - wanted.railColumns, y, wanted.railColumns, bodyRows);
  const side = rect(rail.x - wanted.sideColumns, y, wanted.sideColumns, bodyRows);
  const transcript = take(bodyRows, columns - wanted.railColumns - wanted.sideColumns);
  // The dialog leaves one row of the transcript's own border above it where there is room.
  const room = transcript.height - (border ? 2 : 0);
  const dialogRows =
    wanted.dialogRows > 0 ? Math.min(wanted.dialogRows, Math.max(room, dialogLeast), transcript.height) : 0;
  const dialog =
    dialogRows > 0
      ? rect(transcript.x, transcript.y + transcript.height - dialogRows, transcript.width, dialogRows)
      : NONE;
  return {
    header: headerArea,
    separator: separatorArea,
    transcript,
    transcriptBorder: border,
    dialog,
    side: wanted.sideColumns > 0 ? side : NONE,
    rail: wanted.railColumns > 0 ? rail : NONE,
    prompt: take(prompt + promptFrame),
    promptBorder: promptFrame > 0,
    below: take(below),
    hint: take(hint),
  };
}

/** The transcript without its border and, where it has one, the column of the scrollbar. */
export function transcriptInner(layout: Layout): Rect {
  const { transcript, transcriptBorder } = layout;
  if (!transcriptBorder) return transcript;
  return rect(transcript.x + 2, transcript.y + 1, transcript.width - 4, transcript.height - 2);
}

/** Where draft text is drawn: inside the border, after the prompt mark. */
export function promptInner(layout: Layout): Rect {
  const { prompt, promptBorder } = layout;
  if (!promptBorder) return rect(prompt.x + 2, prompt.y, prompt.width - 2, prompt.height);
  return rect(prompt.x + 4, prompt.y + 1, prompt.width - 6, prompt.height - 2);
}

/** Columns of draft text for a terminal of `columns`; known before the layout is, which needs the rows it makes. */
export function promptColumns(columns: number): number {
  return Math.max(1, columns - 6);
}
