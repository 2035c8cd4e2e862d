import type { Draft } from '../../protocol/intent.ts';
import { apply } from '../../protocol/reduce.ts';
import type { Attachment, AttachOptions, ClientId } from '../../protocol/session.ts';
import type { Change, Update } from '../../protocol/update.ts';
import type { View } from '../../protocol/view.ts';
import type { Clock } from '../../system/clock.ts';
import { createOnlyChanged } from './only-changed.ts';

/**
 * Deltas are gathered for this long, in milliseconds: a few more updates a second than the 30 frames a client draws of a
 * stream. One sent more often would be encoded, read and folded for nothing.
 */
const FRAME_MS = 25;
/** Updates kept for a client that comes back; an older gap gets a snapshot. */
const REPLAY_LIMIT = 512;

export interface Publisher {
  /** The host's own View, moved by the same reducer as every client's. */
  readonly view: View;
  /** Numbers and sends these changes as one update, together with whatever deltas waited before them. */
  publish(...changes: readonly Change[]): void;
  attach(options: AttachOptions, listener: (update: Update) => void): Attachment;
  attached(client: ClientId): readonly { readonly readOnly: boolean }[];
  /** Tells every client why it ends, and ends their attachments. */
  close(why: Extract<Change, { type: 'closed' }>['why']): void;
}

export interface PublisherOptions {
  readonly view: View;
  readonly clock: Clock;
  /** What this client had half written; never rejects. One that may only look is not handed anybody else's. */
  readonly draftOf: (client: ClientId, readOnly: boolean) => Promise<Draft | null>;
}

interface Watcher {
  readonly client: ClientId;
  readonly readOnly: boolean;
  /** Needs no copy of its own. */
  readonly onlyReads: boolean;
  readonly listener: (update: Update) => void;
  /** False until its snapshot is on the way: what happens before is in it. */
  ready: boolean;
  readonly settle: (why: 'closed-here' | 'ended' | 'lost') => void;
}

/**
 * Moves the host's View by what changed, at once, numbers it and hands each client a copy of its own, unless it only reads.
 * Changes that only append (streamed text, output) or say what goes on wait for the end of the frame; any other change takes
 * them along first, so order holds.
 */
export function createPublisher(options: PublisherOptions): Publisher {
  const { view, clock } = options;
  // Numbers start at the time of opening, so that one seen before a restart never lies inside this run's replay.
  view.seq = Math.max(view.seq, clock.now());
  const onlyChanged = createOnlyChanged(view);
  const watchers = new Set<Watcher>();
  let replay: Update[] = [];
  let gathered: Change[] = [];
  let cancelTimer: (() => void) | null = null;
  let lastFrame = Number.NEGATIVE_INFINITY;
  let closed = false;

  const emit = (changes: readonly Change[]): void => {
    lastFrame = clock.ticks();
    const update: Update = { seq: view.seq + 1, changes };
    view.seq = update.seq;
    replay.push(update);
    if (replay.length > REPLAY_LIMIT) replay = replay.slice(-REPLAY_LIMIT / 2);
    if (changes.some((change) => change.type === 'branch')) replay = [];
    for (const watcher of [...watchers]) if (watcher.ready) deliver(watcher, update);
  };

  const deliver = (watcher: Watcher, update: Update): void => {
    try {
      watcher.listener(watcher.onlyReads ? update : structuredClone(update));
    } catch {
      // A listener that throws is a bug of that client: it loses its attachment, nobody else is touched.
      detach(watcher, 'lost');
    }
  };

  const detach = (watcher: Watcher, why: 'closed-here' | 'ended' | 'lost'): void => {
    if (!watchers.delete(watcher)) return;
    watcher.settle(why);
  };

  const flush = (): void => {
    cancelTimer?.();
    cancelTimer = null;
    if (gathered.length === 0) return;
    const changes = gathered;
    gathered = [];
    emit(changes);
  };

  return {
    view,
    publish: (...wanted) => {
      if (closed) return;
      const changes: Change[] = [];
      for (const said of wanted) {
        const change = onlyChanged(said);
        if (change === null) continue;
        changes.push(change);
        // Of other kinds a copy: whoever gave it may change it later.
        apply(view, { seq: view.seq, changes: [neverChanges(change) ? change : structuredClone(change)] });
        gather(gathered, change);
      }
      if (changes.length === 0) return;
      if (!changes.every(mayWait)) return flush();
      const elapsed = clock.ticks() - lastFrame;
      if (elapsed >= FRAME_MS) return flush();
      cancelTimer ??= clock.after(FRAME_MS - elapsed, () => {
        cancelTimer = null;
        flush();
      });
    },
    attach: (wish, listener) => {
      flush();
      const { promise, resolve } = Promise.withResolvers<'closed-here' | 'ended' | 'lost'>();
      const { client, readOnly = false, onlyReads = false, after } = wish;
      const missed = missedSince(after);
      const watcher: Watcher = {
        client,
        readOnly,
        onlyReads,
        listener,
        ready: missed !== null,
        settle: resolve,
      };
      if (closed) resolve('ended');
      else watchers.add(watcher);
      if (missed !== null) for (const update of missed) deliver(watcher, update);
      else
        void options.draftOf(client, readOnly).then((draft) => {
          if (!watchers.has(watcher)) return;
          flush();
          watcher.ready = true;
          deliver(watcher, { seq: view.seq, changes: [{ type: 'snapshot', view, draft }] });
        });
      return { close: () => detach(watcher, 'closed-here'), closed: promise };
    },
    attached: (client) => [...watchers].filter((watcher) => watcher.client === client),
    close: (why) => {
      if (closed) return;
      flush();
      emit([{ type: 'closed', why }]);
      closed = true;
      for (const watcher of [...watchers]) detach(watcher, 'ended');
    },
  };

  /** What came after `after`, or null when it cannot be told without a snapshot. */
  function missedSince(after: number | undefined): readonly Update[] | null {
    if (after === undefined || after > view.seq) return null;
    if (after === view.seq) return [];
    const first = replay[0];
    if (first === undefined || after < first.seq - 1) return null;
    return replay.slice(after - first.seq + 1);
  }
}

/** More of the same, or what a running turn is at: a client that learns it with the next frame misses nothing. */
function mayWait(change: Change): boolean {
  switch (change.type) {
    case 'delta':
    case 'live-call':
    case 'call-output':
    case 'live-start':
      return true;
    case 'activity':
      return BUSY.has(change.activity.phase);
    default:
      return false;
  }
}

const BUSY: ReadonlySet<string> = new Set(['waiting', 'thinking', 'writing', 'tools']);

/** Entries and activities are never changed once they are made; of what only appends the reducer keeps text alone. */
function neverChanges(change: Change): boolean {
  return change.type === 'entry' || change.type === 'activity' || mayWait(change);
}

/** Joins `change` with the last one gathered where both say "more of the same". */
function gather(gathered: Change[], change: Change): void {
  const last = gathered.at(-1);
  if (last?.type === 'delta' && change.type === 'delta' && last.part === change.part && last.kind === change.kind) {
    gathered[gathered.length - 1] = { ...last, text: last.text + change.text };
  } else if (last?.type === 'call-output' && change.type === 'call-output' && last.call === change.call) {
    gathered[gathered.length - 1] = change.whole === true ? change : { ...last, text: last.text + change.text };
  } else if (last?.type === 'live-call' && change.type === 'live-call' && last.part === change.part) {
    gathered[gathered.length - 1] = change;
  } else if (last?.type === 'aside-text' && change.type === 'aside-text' && last.id === change.id) {
    gathered[gathered.length - 1] = { ...last, text: last.text + change.text };
  } else gathered.push(change);
}
