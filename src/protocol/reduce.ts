import type { Aside } from './aside.ts';
import type { Entry } from './entry.ts';
import { amendItems, findCall, itemOfOwnCall, itemsOf, setHook } from './fold.ts';
import { addUsage, contextTokens, isSameModel, NO_TOTALS } from './message.ts';
import { isOwnCall } from './own-call.ts';
import { applyDelegate } from './reduce-delegates.ts';
import type { Change, Update } from './update.ts';
import type { Head, Item, ItemOf, LiveMessage, View } from './view.ts';

/** Parts of the View an update touched; a front end draws only the regions that depend on them. */
export type DirtyPart =
  | 'all'
  | 'head'
  | 'transcript'
  | 'live'
  | 'activity'
  | 'asks'
  | 'queue'
  | 'todo'
  | 'outcomes'
  | 'jobs'
  | 'asides'
  | 'delegates'
  | 'sign-in';

/** The View keeps this many items at most, and is cut back to `WINDOW_KEPT` when it grows past it. */
const WINDOW_LIMIT = 480;
const WINDOW_KEPT = 360;
/** Kept of a running call's output, in UTF-16 units. */
const TAIL_LIMIT = 16 * 1024;

export function emptyView(head: Head): View {
  return {
    seq: 0,
    head,
    transcript: { total: 0, first: 0, items: [], generation: 0 },
    live: null,
    activity: { phase: 'starting', turn: null, since: null, detail: '', retry: null },
    asks: [],
    queue: { paused: null, rows: [] },
    todo: [],
    outcomes: [],
    jobs: [],
    asides: [],
    signIn: null,
  };
}

export function emptyHead(session: string, folder: string, version: string): Head {
  return {
    session,
    title: '',
    folder,
    gitBranch: null,
    home: null,
    model: null,
    pendingModel: null,
    effort: 'default',
    mode: 'ask',
    bypassOffered: false,
    contextWindow: null,
    compactAt: null,
    contextTokens: null,
    totals: NO_TOTALS,
    activeTime: 0,
    notSaved: null,
    ready: false,
    startupProblem: null,
    sandbox: 'off',
    version,
    commands: [],
  };
}

/**
 * The one reducer: moves `view` in place by `update` and says what became dirty. Deterministic; runs in the host and in
 * every client. The cost does not depend on the length of the session.
 */
export function apply(view: View, update: Update): Set<DirtyPart> {
  const dirty = new Set<DirtyPart>();
  for (const change of update.changes) applyChange(view, change, dirty);
  view.seq = update.seq;
  return dirty;
}

/** Folds one journal entry, as happens live and when a session is opened again. */
export function applyEntry(view: View, entry: Entry, dirty: Set<DirtyPart> = new Set()): Set<DirtyPart> {
  foldTranscript(view, entry, dirty);
  const head = view.head;
  switch (entry.kind) {
    case 'session':
      head.session = entry.session;
      dirty.add('head');
      break;
    case 'input':
      if (!view.queue.rows.some((row) => row.id === entry.id)) {
        view.queue.rows.push({
          id: entry.id,
          client: entry.client,
          ref: entry.ref,
          text: entry.text,
          attachments: entry.attachments,
          delivery: entry.delivery,
          ...(entry.target === null ? {} : { target: entry.target }),
        });
      }
      dirty.add('queue');
      break;
    case 'taken':
    case 'dropped':
      view.queue.rows = view.queue.rows.filter((row) => row.id !== entry.input);
      dirty.add('queue');
      break;
    case 'queue': {
      const edited = new Map(entry.edited.map((edit) => [edit.input, edit]));
      const place = new Map(entry.order.map((id, index) => [id, index]));
      const held = new Set(entry.paused === null ? [] : (entry.held ?? entry.order));
      view.queue.rows = view.queue.rows
        .map(({ held: _, ...row }) => ({
          ...row,
          ...pick(edited.get(row.id)),
          ...(held.has(row.id) ? { held: true } : {}),
        }))
        .sort((a, b) => (place.get(a.id) ?? Number.MAX_SAFE_INTEGER) - (place.get(b.id) ?? Number.MAX_SAFE_INTEGER));
      view.queue.paused = entry.paused;
      dirty.add('queue');
      break;
    }
    case 'turn-start':
      if (entry.once === true) {
        // With an effort of its own alone it measures the conversation like any other.
        if (head.model !== null && !isSameModel(head.model, entry.model)) head.elsewhere = entry.turn;
        break;
      }
      head.model = entry.model;
      head.effort = entry.effort;
      dirty.add('head');
      break;
    case 'assistant':
      view.live = null;
      head.totals = addUsage(head.totals, entry.usage, entry.cost);
      // What another model counted, in a turn of its own, says nothing about the conversation's.
      if (head.elsewhere !== entry.turn) head.contextTokens = contextTokens(entry.usage) ?? head.contextTokens;
      dirty.add('live').add('head');
      break;
    case 'usage':
      head.totals = addUsage(head.totals, entry.usage, entry.cost);
      // A try that failed after its request was counted measured the context all the same (CTX-6).
      if (entry.purpose === 'retry') head.contextTokens = contextTokens(entry.usage) ?? head.contextTokens;
      dirty.add('head');
      break;
    case 'compaction':
      head.totals = addUsage(head.totals, entry.usage, entry.cost);
      head.contextTokens = entry.tokensAfter;
      dirty.add('head');
      break;
    case 'turn-end':
      head.activeTime += entry.duration;
      head.trail = true;
      dirty.add('head');
      break;
    case 'active-time':
      head.activeTime += entry.duration;
      dirty.add('head');
      break;
    case 'model':
      // Another model counts otherwise: the figure is unknown until its first answer.
      if (head.model !== null && !isSameModel(head.model, entry.model)) head.contextTokens = null;
      head.model = entry.model;
      head.effort = entry.effort;
      dirty.add('head');
      break;
    case 'mode':
      head.mode = entry.mode;
      dirty.add('head');
      break;
    case 'name':
      head.title = entry.name;
      dirty.add('head');
      break;
    case 'todo':
      view.todo = [...entry.items];
      dirty.add('todo');
      break;
    default:
      break;
  }
  return dirty;
}

function pick(edit: { text: string; delivery: View['queue']['rows'][number]['delivery'] } | undefined) {
  return edit ? { text: edit.text, delivery: edit.delivery } : {};
}

function foldTranscript(view: View, entry: Entry, dirty: Set<DirtyPart>): void {
  const transcript = view.transcript;
  if (amendItems(transcript.items, entry).length > 0) dirty.add('transcript');
  const fresh: Item[] = itemsOf(entry, (input) => view.queue.rows.find((row) => row.id === input) ?? null);
  if (entry.kind === 'call' && isOwnCall(entry.tool) && findCall(transcript.items, entry.call) < 0) {
    fresh.push(itemOfOwnCall(entry));
    amendItems(fresh, entry);
  }
  if (fresh.length === 0) return;
  transcript.items.push(...fresh);
  transcript.total += fresh.length;
  if (transcript.items.length > WINDOW_LIMIT) {
    const cut = transcript.items.length - WINDOW_KEPT;
    transcript.items.splice(0, cut);
    transcript.first += cut;
  }
  dirty.add('transcript');
}

function applyChange(view: View, change: Change, dirty: Set<DirtyPart>): void {
  switch (change.type) {
    case 'snapshot':
    case 'branch': {
      const { generation } = view.transcript;
      Object.assign(view, structuredClone(change.view));
      if (change.type === 'branch') view.transcript.generation = generation + 1;
      dirty.add('all');
      break;
    }
    case 'entry':
      applyEntry(view, change.entry, dirty);
      break;
    case 'live-start':
      view.live = { turn: change.turn, round: change.round, parts: [], tokens: 0 };
      dirty.add('live');
      break;
    case 'live-end':
      view.live = null;
      dirty.add('live');
      break;
    case 'delta':
      if (view.live) appendDelta(view.live, change);
      dirty.add('live');
      break;
    case 'live-call':
      if (view.live) {
        view.live.parts[change.part] = {
          type: 'call',
          call: change.call,
          tool: change.tool,
          title: change.title,
          inputBytes: change.inputBytes,
        };
      }
      dirty.add('live');
      break;
    case 'call': {
      const found = callItem(view, change.call);
      if (found) {
        found.state = change.state;
        if (change.title !== undefined) found.title = change.title;
        if (change.effects !== undefined) found.effects = change.effects;
        if (change.started !== undefined) found.started = change.started;
        found.revision++;
      }
      dirty.add('transcript');
      break;
    }
    case 'hook':
      setHook(view.transcript.items, change.call, change.row);
      dirty.add('transcript');
      break;
    case 'call-output': {
      const found = callItem(view, change.call);
      if (found) {
        const joined = change.whole === true ? change.text : found.tail + change.text;
        found.tail = joined.length > TAIL_LIMIT ? joined.slice(joined.length - TAIL_LIMIT) : joined;
        found.revision++;
      }
      dirty.add('transcript');
      break;
    }
    case 'delegate':
    case 'delegate-act':
      applyDelegate(view, change);
      dirty.add('delegates').add('transcript');
      break;
    case 'activity':
      view.activity = change.activity;
      dirty.add('activity');
      break;
    case 'head':
      Object.assign(view.head, change.head);
      dirty.add('head');
      break;
    case 'ask':
      view.asks = [...view.asks.filter((ask) => ask.id !== change.ask.id), change.ask];
      dirty.add('asks');
      break;
    case 'ask-closed':
      view.asks = view.asks.filter((ask) => ask.id !== change.ask);
      dirty.add('asks');
      break;
    case 'outcome': {
      const { client, ref } = change.outcome;
      const others = view.outcomes.filter((outcome) => outcome.client !== client || outcome.ref !== ref);
      view.outcomes = [...others, change.outcome];
      dirty.add('outcomes');
      break;
    }
    case 'outcomes-seen': {
      const seen = new Set(change.refs);
      view.outcomes = view.outcomes.filter((outcome) => outcome.client !== change.client || !seen.has(outcome.ref));
      dirty.add('outcomes');
      break;
    }
    case 'jobs':
      view.jobs = [...change.jobs];
      dirty.add('jobs');
      break;
    case 'sign-in':
      view.signIn = change.signIn;
      dirty.add('sign-in');
      break;
    case 'aside':
      view.asides = [...(view.asides ?? []).filter((one) => one.id !== change.aside.id), change.aside].sort(
        (a, b) => a.id - b.id,
      );
      dirty.add('asides');
      break;
    case 'aside-gone':
      view.asides = (view.asides ?? []).filter((one) => one.id !== change.id);
      dirty.add('asides');
      break;
    case 'aside-text':
      view.asides = (view.asides ?? []).map((one) => (one.id === change.id ? withMore(one, change.text) : one));
      dirty.add('asides');
      break;
    case 'job-output':
    case 'flash':
    case 'your-turn':
    case 'closed':
      break;
  }
}

function withMore(aside: Aside, text: string): Aside {
  const last = aside.exchanges.at(-1);
  if (last?.state !== 'running') return aside;
  return { ...aside, exchanges: [...aside.exchanges.slice(0, -1), { ...last, answer: last.answer + text }] };
}

function callItem(view: View, call: string): ItemOf<'call'> | null {
  const position = findCall(view.transcript.items, call);
  return position < 0 ? null : (view.transcript.items[position] as ItemOf<'call'>);
}

/** Estimate while streaming: about four characters a token. The closing entry brings the true count. */
const CHARACTERS_PER_TOKEN = 4;

function appendDelta(live: LiveMessage, change: Extract<Change, { type: 'delta' }>): void {
  const part = live.parts[change.part];
  if (part === undefined) live.parts[change.part] = { type: change.kind, text: change.text };
  else if (part.type !== 'call') part.text += change.text;
  live.tokens += change.text.length / CHARACTERS_PER_TOKEN;
}
