import type { QueueRow, View } from '../../../protocol/view.ts';

/** Phases in which a running turn still reads what is sent into it. */
const JOINABLE = new Set<View['activity']['phase']>(['waiting', 'thinking', 'writing', 'tools', 'asking', 'retrying']);

/** Where each waiting row will go, in words, in the order of the rows (QUE-2). */
export function destinations(view: View): string[] {
  // Whether the running turn would still take a prompt here, and whether a prompt further up begins a turn of its own.
  let joins = JOINABLE.has(view.activity.phase);
  let begun = false;
  return view.queue.rows.map((row: QueueRow) => {
    if (row.held === true) return 'held';
    switch (row.delivery) {
      case 'shell':
        [joins, begun] = [false, false];
        return 'run in your shell';
      case 'command':
        [joins, begun] = [false, false];
        return 'carried out after this';
      case 'interrupt':
        [joins, begun] = [false, true];
        return 'stops the turn and goes next';
      case 'steering':
        if (joins) return 'into this turn, next round';
        if (begun) return 'into the next turn';
        begun = true;
        return firstWords(view);
      default:
        // Steering may pass a prompt that waits for a turn of its own.
        begun = true;
        return firstWords(view);
    }
  });
}

function firstWords(view: View): string {
  return view.head.ready ? 'a new turn after this' : 'a turn once everything is ready';
}
