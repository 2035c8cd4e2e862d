import type { SessionFile, TrailRow } from '../../../protocol/query.ts';
import { type Rect, rect } from '../frame/rect.ts';
import type { Layout } from '../layout.ts';
import { NO_STACK, overlayColumns, type PanelName, type PanelStack } from './stack.ts';

/** All the screen knows of its panels; what stands in them is drawn from the View. */
export interface PanelsState {
  /** False where there is no column to show or to speak of: in a side conversation (SI-10). */
  readonly offered: boolean;
  readonly stack: PanelStack;
  /** What Ctrl-X put away, to bring it back as it was. */
  readonly away: PanelStack | null;
  /** What the activity panel shows. */
  readonly lens: 'tree' | 'trail';
  /** The chosen row of the tree by its id; null: none yet, the newest is in sight. */
  readonly chosen: string | null;
  /** Rows of the tree that are not as they are at first: turns open, calls closed. */
  readonly turned: ReadonlySet<string>;
  /** First row in sight of each panel; null follows the newest. */
  readonly tops: Readonly<Record<PanelName | 'trail', number | null>>;
  /** The newest decisions, oldest first; null while they are on their way. */
  readonly trail: readonly TrailRow[] | null;
  /** Files of the session as it told of them last; null before it did. Newer ones are in the View. */
  readonly files: readonly SessionFile[] | null;
  /** The end of a turn up to which both were read. */
  readonly readTo: string | null;
  /** Number of the first item that came while this window looked on: of what was loaded no diff is shown (AD-8). */
  readonly liveFrom: number;
}

export const NO_PANELS: PanelsState = {
  offered: true,
  stack: NO_STACK,
  away: null,
  lens: 'tree',
  chosen: null,
  turned: new Set(),
  tops: { tree: null, trail: null, files: 0, summary: 0 },
  trail: null,
  files: null,
  readTo: null,
  liveFrom: 0,
};

/** Where the column lies; without rows or columns where there is no room. Only asked for while a panel is open. */
export function columnArea({ side, transcript, dialog }: Layout, { pinned }: PanelStack): Rect {
  if (pinned) return side;
  const width = overlayColumns(transcript.width);
  // A question outranks the panels (LA-13).
  return rect(transcript.x + transcript.width - width, transcript.y, width, transcript.height - dialog.height);
}
