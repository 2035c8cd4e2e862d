import { isRunningAside } from '../protocol/aside.ts';
import type { HostedSession } from '../protocol/host.ts';
import { apply, emptyHead, emptyView } from '../protocol/reduce.ts';
import type { Session } from '../protocol/session.ts';
import type { Change } from '../protocol/update.ts';
import type { View } from '../protocol/view.ts';

/** What a host knows of its session by watching it like any other client. */
export interface HostState {
  readonly state: HostedSession['state'];
  /** Something runs or will run without anybody's doing: such a host does not end by itself. */
  readonly busy: boolean;
  readonly session: string;
  readonly title: string;
  readonly model: string;
  /** Since this process began. */
  readonly turnsEnded: number;
  /** Settles when the session ended by itself. */
  readonly ended: Promise<void>;
  close(): void;
}

/** `onChange` after each update that may have changed any of it. */
export function watchState(session: Session, client: string, onChange: () => void): HostState {
  const view = emptyView(emptyHead('', '', ''));
  let turnsEnded = 0;
  const attachment = session.attach({ client, readOnly: true, onlyReads: true }, ({ seq, changes }) => {
    const told = changes.filter((change) => !isOnlySaid(change));
    if (told.length === 0) return;
    turnsEnded += told.filter((change) => change.type === 'entry' && change.entry.kind === 'turn-end').length;
    // A copy of the little that is left: what is folded is changed later. An activity is only ever replaced.
    apply(view, {
      seq,
      changes: told.map((change) => (change.type === 'activity' ? change : structuredClone(change))),
    });
    // What is said is nothing to this watcher: kept, a host would hold every word twice.
    view.transcript.items = [];
    view.live = null;
    onChange();
  });
  const ended = attachment.closed.then((reason) => (reason === 'ended' ? undefined : new Promise<undefined>(() => {})));
  return {
    get state() {
      if (view.asks.length > 0) return 'asking';
      if (isBusy(view)) return 'working';
      return view.activity.phase === 'starting' ? 'starting' : 'idle';
    },
    get busy() {
      return isBusy(view);
    },
    get session() {
      return view.head.session;
    },
    get title() {
      return view.head.title;
    },
    get model() {
      const { model } = view.head;
      return model === null ? '' : `${model.provider}:${model.model}`;
    },
    get turnsEnded() {
      return turnsEnded;
    },
    ended,
    close: () => attachment.close(),
  };
}

/** Words and their cards, by far the most of what there is to tell: they change nothing here. */
function isOnlySaid(change: Change): boolean {
  switch (change.type) {
    case 'delta':
    case 'live-start':
    case 'live-end':
    case 'live-call':
    case 'call':
    case 'call-output':
      return true;
    case 'entry':
      return change.entry.kind === 'assistant' || change.entry.kind === 'call' || change.entry.kind === 'result';
    default:
      return false;
  }
}

function isBusy(view: View): boolean {
  const { phase } = view.activity;
  if (phase !== 'idle' && phase !== 'starting') return true;
  if (view.jobs.some((job) => job.state === 'running' || job.state === 'stopping')) return true;
  if (view.asides.some(isRunningAside) || view.signIn !== null) return true;
  // What waits for a person (a held queue, a start that failed) waits on disk as well.
  return view.queue.rows.length > 0 && view.queue.paused === null && view.head.ready;
}
