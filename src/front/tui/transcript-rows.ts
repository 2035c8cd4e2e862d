import { type Layout, transcriptInner } from './layout.ts';
import { roomAbove } from './regions/room.ts';

/** Rows of cards the frame shows. */
export function transcriptRows(layout: Layout): number {
  return roomAbove(transcriptInner(layout), layout.dialog).height;
}
