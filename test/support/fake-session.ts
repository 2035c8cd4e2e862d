import type { Ask } from '../../src/protocol/ask.ts';
import { editedDraft } from '../../src/protocol/draft-edit.ts';
import type { Entry, EntryBody } from '../../src/protocol/entry.ts';
import type { Draft, Intent, Sent } from '../../src/protocol/intent.ts';
import type { Usage } from '../../src/protocol/message.ts';
import type { Answered, Query, QueryType } from '../../src/protocol/query.ts';
import { apply, emptyHead, emptyView } from '../../src/protocol/reduce.ts';
import type { Attachment, AttachOptions, ClientId, Session } from '../../src/protocol/session.ts';
import type { Change, Update } from '../../src/protocol/update.ts';
import type { View } from '../../src/protocol/view.ts';

/** What the model does for one prompt. */
export type ModelStep =
  /** Streams it, one update a word. */
  | { readonly text: string }
  /** Waits for `release`. */
  | { readonly hold: true }
  /** Asks everybody a question and waits for its answer. */
  | { readonly ask: string };

export interface FakeSession extends Session {
  /** What the next prompt without a script gets; `['done']` when there is none. */
  script(steps: readonly ModelStep[]): void;
  release(): void;
  /** While held, nothing that must be on disk is accepted. */
  holdFlush(): void;
  letFlush(): void;
  /** A question for one client alone. */
  askOne(client: ClientId, question: string): void;
  clientLost(client: ClientId): void;
  publish(changes: readonly Change[]): void;
  end(): void;
  /** The next `send` or `read` throws, as a bug would. */
  failNext(): void;
  readonly attached: readonly ClientId[];
  readonly view: View;
}

const MODEL = { provider: 'fake', model: 'one' };
const NO_USAGE: Usage = { input: 1, output: 1, cacheRead: null, cacheWrite: null, reasoning: null };
const OK: Sent = { accepted: true, value: null };
const REPLAYED = 200;

interface Said {
  readonly intent: Extract<Intent, { type: 'say' }>;
  readonly client: ClientId;
  cancelled: boolean;
}

interface Listening {
  readonly options: AttachOptions;
  readonly listener: (update: Update) => void;
  readonly end: (reason: 'closed-here' | 'ended') => void;
}

/** A session by hand: the real reducer and the door's promises, with a scripted model and no disk. */
export function createFakeSession(): FakeSession {
  const view = emptyView(emptyHead('session-1', '/project', 'test'));
  const history: Update[] = [];
  const listening = new Set<Listening>();
  const chains = new Map<ClientId, Promise<unknown>>();
  const drafts = new Map<ClientId, Draft>();
  const answers = new Map<string, Promise<Sent>>();
  const scripts: (readonly ModelStep[])[] = [];
  const holds: (() => void)[] = [];
  const unhandled = new Set<Said>();
  const waiting: { readonly said: Said; readonly input: string }[] = [];
  const open = new Map<string, { readonly ask: Ask; readonly answered: () => void }>();
  let flush: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null;
  let turn = 0;
  let running: AbortController | null = null;
  let entries = 0;
  let fail = false;
  view.head.ready = true;
  view.activity.phase = 'idle';

  function publish(changes: readonly Change[]): void {
    const update: Update = { seq: view.seq + 1, changes };
    apply(view, update);
    history.push(update);
    if (history.length > REPLAYED) history.shift();
    for (const { listener } of [...listening]) listener(update);
  }

  function entry(body: EntryBody): Change & { readonly type: 'entry' } {
    entries++;
    return { type: 'entry', entry: { id: `e${entries}`, parent: null, time: entries, ...body } as Entry };
  }

  function phase(name: View['activity']['phase']): Change {
    return { type: 'activity', activity: { ...view.activity, phase: name, turn: name === 'idle' ? null : turn } };
  }

  async function say(said: Said): Promise<Sent> {
    await flush?.promise;
    unhandled.delete(said);
    const { intent, client } = said;
    const { ref, text, delivery } = intent;
    const written = entry({ kind: 'input', client, ref, text, attachments: [], delivery, target: null });
    publish([written]);
    waiting.push({ said, input: written.entry.id });
    if (running === null && view.queue.paused === null) void runNext();
    return { accepted: true, value: { kind: 'input', input: written.entry.id } };
  }

  async function runNext(): Promise<void> {
    const next = waiting.shift();
    if (next === undefined) return;
    const stop = new AbortController();
    running = stop;
    turn++;
    const mine = turn;
    publish([
      entry({ kind: 'taken', input: next.input, turn: mine, as: 'prompt' }),
      entry({ kind: 'turn-start', turn: mine, model: MODEL, effort: 'default', mode: 'ask' }),
      phase('thinking'),
      { type: 'live-start', turn: mine, round: 1 },
    ]);
    if (next.said.cancelled) stop.abort();
    const text = await stream(scripts.shift() ?? [{ text: 'done' }], stop.signal);
    const reason = stop.signal.aborted ? 'stopped' : 'done';
    publish([
      entry({
        kind: 'assistant',
        turn: mine,
        round: 1,
        model: MODEL,
        parts: [{ type: 'text', text }],
        stop: stop.signal.aborted ? 'aborted' : 'end',
        usage: NO_USAGE,
        cost: 0,
        requestId: null,
        duration: 1,
      }),
      entry({
        kind: 'turn-end',
        turn: mine,
        reason,
        failure: null,
        message: null,
        duration: 1,
        usage: view.head.totals,
      }),
      phase('idle'),
    ]);
    running = null;
    if (view.queue.paused === null) void runNext();
  }

  async function stream(steps: readonly ModelStep[], signal: AbortSignal): Promise<string> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    let text = '';
    for (const step of steps) {
      if (signal.aborted) break;
      if ('text' in step) {
        for (const word of step.text.split(/(?<= )/)) {
          if (signal.aborted) break;
          publish([{ type: 'delta', part: 0, kind: 'text', text: word }]);
          text += word;
          await Promise.resolve();
        }
      } else if ('hold' in step) {
        await Promise.race([stopped, new Promise<void>((resolve) => holds.push(resolve))]);
      } else {
        await Promise.race([stopped, ask(null, step.ask)]);
        closeAll((one) => one.for === null, 'session', 'stopped');
      }
    }
    return text;
  }

  function ask(client: ClientId | null, question: string): Promise<void> {
    entries++;
    const body: Ask['body'] = { kind: 'questions', questions: [{ question, options: ['yes', 'no'], many: false }] };
    const asked: Ask = { id: `ask-${entries}`, for: client, origin: '', call: null, time: entries, body };
    const { promise, resolve } = Promise.withResolvers<void>();
    open.set(asked.id, { ask: asked, answered: resolve });
    publish([{ type: 'ask', ask: asked }]);
    return promise;
  }

  function close(id: string, by: string, answer: string): boolean {
    const one = open.get(id);
    if (one === undefined) return false;
    open.delete(id);
    publish([{ type: 'ask-closed', ask: id, by, answer }]);
    one.answered();
    return true;
  }

  function closeAll(which: (ask: Ask) => boolean, by: string, answer: string): void {
    for (const [id, one] of [...open]) if (which(one.ask)) close(id, by, answer);
  }

  function pause(because: 'stopped' | null): void {
    const paused = because === null ? null : { because, message: 'stopped' };
    publish([entry({ kind: 'queue', order: [], edited: [], paused })]);
  }

  function cancel(queue: 'pause' | 'go-on'): Sent {
    for (const said of unhandled) said.cancelled = true;
    if (queue === 'pause' && waiting.length > 0) pause('stopped');
    running?.abort();
    return OK;
  }

  function handle(intent: Intent, client: ClientId): Promise<Sent> | Sent {
    switch (intent.type) {
      case 'draft':
        drafts.set(client, intent.draft);
        return OK;
      case 'seen':
        return OK;
      case 'draft-edit': {
        const held = drafts.get(client);
        const next = held === undefined ? null : editedDraft(held, intent.edit);
        if (next === null) return { accepted: false, refusal: { identifier: 'draft-out-of-step', message: 'another' } };
        drafts.set(client, next);
        return OK;
      }
      case 'answer': {
        const whose = open.get(intent.ask)?.ask.for ?? null;
        if (whose !== null && whose !== client)
          return { accepted: false, refusal: { identifier: 'ask-elsewhere', message: 'another window is asked' } };
        if (close(intent.ask, client, 'answered')) return OK;
        return { accepted: false, refusal: { identifier: 'answered', message: 'that question is closed' } };
      }
      case 'set-mode':
        publish([entry({ kind: 'mode', mode: intent.mode })]);
        return OK;
      case 'queue-resume':
        pause(null);
        if (running === null) void runNext();
        return OK;
      case 'end':
        return flush === null ? OK : flush.promise.then(() => OK);
      case 'retry':
        return { accepted: false, refusal: { identifier: 'nothing-to-retry', message: 'nothing failed' } };
      default:
        return { accepted: false, refusal: { identifier: 'unknown-intent', message: `no ${intent.type} here` } };
    }
  }

  function queued(client: ClientId, task: () => Promise<Sent> | Sent): Promise<Sent> {
    const before = chains.get(client);
    const result = before === undefined ? Promise.resolve(task()) : before.then(task);
    chains.set(client, result);
    void result.then(() => {
      if (chains.get(client) === result) chains.delete(client);
    });
    return result;
  }

  function sayOnce(intent: Extract<Intent, { type: 'say' }>, client: ClientId): Promise<Sent> {
    const key = `${client}/${intent.ref}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const said: Said = { intent, client, cancelled: false };
    unhandled.add(said);
    const answer = queued(client, () => say(said));
    answers.set(key, answer);
    return answer;
  }

  function mayFail(): void {
    if (!fail) return;
    fail = false;
    throw new Error('a bug');
  }

  return {
    attach(options, listener): Attachment {
      const { promise, resolve } = Promise.withResolvers<'closed-here' | 'ended' | 'lost'>();
      const mine: Listening = { options, listener, end: resolve };
      const { after } = options;
      const oldest = history[0]?.seq ?? view.seq + 1;
      if (after !== undefined && after <= view.seq && after >= oldest - 1) {
        for (const update of history) if (update.seq > after) listener(update);
      } else {
        const draft = drafts.get(options.client) ?? null;
        listener({ seq: view.seq, changes: [{ type: 'snapshot', view: structuredClone(view), draft }] });
      }
      listening.add(mine);
      return {
        close() {
          listening.delete(mine);
          resolve('closed-here');
        },
        closed: promise,
      };
    },
    send(intent, client) {
      mayFail();
      if (intent.type === 'cancel') return Promise.resolve(cancel(intent.queue));
      if (intent.type === 'say') return sayOnce(intent, client);
      return queued(client, () => handle(intent, client));
    },
    async read<K extends QueryType>(asked: { readonly type: K }): Promise<Answered<K>> {
      mayFail();
      const query = asked as unknown as Query;
      if (query.type !== 'page') return { ok: false, refusal: { identifier: 'not-here', message: `no ${query.type}` } };
      const { first, items, generation } = view.transcript;
      const from = Math.max(query.from, first);
      const page = items.slice(from - first, query.from + query.count - first);
      return { ok: true, value: { generation, from, items: structuredClone(page) } } as Answered<K>;
    },
    script: (steps) => void scripts.push(steps),
    release: () => holds.shift()?.(),
    holdFlush() {
      flush = Promise.withResolvers<void>();
    },
    letFlush() {
      flush?.resolve();
      flush = null;
    },
    askOne: (client, question) => void ask(client, question),
    clientLost(client) {
      closeAll((one) => one.for === client, client, 'lost');
    },
    publish,
    end() {
      publish([{ type: 'closed', why: 'ended' }]);
      for (const one of [...listening]) one.end('ended');
      listening.clear();
    },
    failNext() {
      fail = true;
    },
    get attached() {
      return [...listening].map((one) => one.options.client);
    },
    view,
  };
}
