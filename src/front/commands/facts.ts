import { isLost } from '../../protocol/delegate.ts';
import type { View } from '../../protocol/view.ts';

/** The few facts on which it depends whether a command can run now. */
export interface Facts {
  /** A turn, a shell line or a compaction runs. */
  readonly running: boolean;
  /** Items waiting in line, and delegates that were cut short with words in hand. */
  readonly waiting: number;
  /** Of these, the ones no pause holds. */
  readonly lined: number;
  readonly paused: boolean;
  readonly pausedByFailure: boolean;
  /** A command that could be moved to the background runs. */
  readonly movable: boolean;
  /** The session has started. */
  readonly ready: boolean;
  readonly draft: boolean;
  readonly items: number;
}

export function factsOf(view: View, draft: boolean): Facts {
  return {
    running: isRunning(view),
    waiting: view.queue.rows.length + (view.delegates?.filter(isLost).length ?? 0),
    lined: view.queue.rows.filter((row) => row.held !== true).length,
    paused: view.queue.paused !== null,
    pausedByFailure: view.queue.paused?.because === 'failed',
    movable: view.jobs.some((job) => job.state === 'running' && !job.background),
    ready: view.head.ready,
    draft,
    items: view.transcript.total,
  };
}

/** Whether Esc and Ctrl-C have something to stop. */
export function isRunning(view: View): boolean {
  return view.activity.phase !== 'idle' && view.activity.phase !== 'starting';
}
