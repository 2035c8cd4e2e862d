import { done, type Outcome, type Refusal, refuse } from '../base/refusal.ts';
import type { Intent, IntentType, Sent } from '../protocol/intent.ts';
import type { LinkedSession, LinkState } from '../protocol/link.ts';
import type { Answered, Query, QueryType } from '../protocol/query.ts';
import type { Attachment, AttachOptions } from '../protocol/session.ts';
import type { Update } from '../protocol/update.ts';
import type { Connection } from '../system/network.ts';
import type { Framed } from './framing.ts';
import { type Greeted, type GreetOptions, greet } from './greeting.ts';
import type { Report } from './guard-session.ts';
import { createListeners } from './listeners.ts';
import { createLiveness, type Liveness } from './liveness.ts';
import { createOutbox, type Waiting } from './outbox.ts';
import type { ReconnectPolicy } from './reconnect.ts';
import type { FromClient, FromHost } from './wire.ts';

export interface ConnectOptions extends GreetOptions {
  /** Opens the byte stream, and opens it again after it was lost. Throws when nobody is there. */
  readonly connect: () => Promise<Connection>;
  readonly reconnect: ReconnectPolicy;
  /** How long a peer that owes an answer may be silent before it is probed, and again before it counts as lost. */
  readonly silenceMs?: number;
  /** Who answered, each time a connection stands. */
  readonly onHost?: (host: Greeted['host']) => void;
  /** Says more of why nobody answered than the link itself can. */
  readonly explain?: (refusal: Refusal) => Refusal;
  readonly report: Report;
}

/**
 * What may be sent again when the link was lost before the answer came: doing it twice is doing it once, or the session
 * knows the client's `ref`. The rest is refused, since nobody can tell whether it took effect.
 */
const REPEATABLE: { readonly [K in IntentType]: boolean } = {
  say: true,
  cancel: true,
  answer: true,
  command: false,
  'command-done': true,
  draft: true,
  'draft-edit': false,
  'stop-delegate': true,
  'tell-delegate': true,
  'recall-delegate': false,
  aside: false,
  'set-mode': true,
  'set-model': true,
  'adjust-effort': false,
  'cycle-agent': false,
  'set-thinking': true,
  recall: false,
  'queue-resume': true,
  'queue-discard': false,
  'queue-edit': true,
  'sign-in': false,
  'connect-provider': false,
  withdraw: true,
  retry: false,
  navigate: false,
  job: true,
  'job-input': false,
  'job-size': true,
  seen: true,
  'side-open': true,
  'side-reset': false,
  // As what is in it: see `repeatable`.
  side: false,
  end: true,
  custom: false,
};

function repeatable(intent: Intent): boolean {
  return intent.type === 'side' ? repeatable(intent.intent) : REPEATABLE[intent.type];
}

/** What does not get better by waiting: another build, a wrong token, a session that is not there any more. */
const IN_VAIN: ReadonlySet<string> = new Set([
  'protocol-mismatch',
  'not-allowed',
  'no-such-host',
  'ambiguous-host',
  'session-not-found',
  'session-ambiguous',
]);

interface Watching {
  readonly options: AttachOptions;
  readonly listener: (update: Update) => void;
  readonly end: (reason: 'closed-here' | 'ended' | 'lost') => void;
  seen: number | null;
  /** A gap was seen and a snapshot asked for: nothing else counts until it comes. */
  resyncing: boolean;
}

interface Reading {
  readonly query: Query;
  readonly answer: (answered: Answered<QueryType>) => void;
}

/** Refusals of the first connection come back as such (see `greet`); later ones end the link as `lost`. */
export async function connectSession(options: ConnectOptions): Promise<Outcome<LinkedSession>> {
  const client = createClient(options);
  const opened = await client.open();
  return opened.ok ? done(client.session) : opened;
}

function createClient(options: ConnectOptions) {
  const { client, clock, report } = options;
  const listeners = createListeners<void>((error) => report(`a link listener failed: ${String(error)}`));
  const outbox = createOutbox(changed);
  const sent = new Map<number, Waiting>();
  const reads = new Map<number, Reading>();
  const watching = new Map<number, Watching>();
  const stopped = new AbortController();
  let state: LinkState = { phase: 'opening' };
  let framed: Framed<FromClient> | null = null;
  let liveness: Liveness | null = null;
  let nextNumber = 0;
  /** The last intent sent over the present connection, which a cancel may overtake. */
  let lastIntent = 0;
  /** The session was seen once: what keeps it away later may pass. */
  let wasThere = false;
  /** Tries since it was last seen. */
  let tries = 0;
  /** Why the session could not be taken up at the last of them. */
  let kept: Refusal | null = null;

  function changed(): void {
    liveness?.owed(outbox.waiting.length + reads.size);
    listeners.call();
  }

  function setState(next: LinkState): void {
    state = next;
    listeners.call();
  }

  async function open(): Promise<Outcome<null>> {
    const opened = await tryToOpen();
    return opened.ok || options.explain === undefined
      ? opened
      : { ok: false, refusal: options.explain(opened.refusal) };
  }

  async function tryToOpen(): Promise<Outcome<null>> {
    let connection: Connection;
    try {
      connection = await options.connect();
    } catch (error) {
      return refuse(
        'link-lost',
        `the host cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    const early: FromHost[] = [];
    let current: Framed<FromClient> | null = null;
    const greeted = await greet(
      connection,
      options,
      (message) => (current === null ? early.push(message) : receive(message)),
      () => {
        if (current !== null && framed === current) lost();
      },
    );
    if (!greeted.ok) return greeted;
    const { refusal } = greeted.value;
    if (refusal !== null || state.phase === 'closed') {
      greeted.value.framed.close();
      return { ok: false, refusal: refusal ?? { identifier: 'closed', message: 'the link was closed' } };
    }
    options.onHost?.(greeted.value.host);
    current = greeted.value.framed;
    if (current.closed) return refuse('link-lost', 'the host closed the connection');
    resume(current);
    for (const message of early) receive(message);
    return done(null);
  }

  /** A connection stands: takes up where the last one ended. */
  function resume(fresh: Framed<FromClient>): void {
    framed = fresh;
    lastIntent = 0;
    if (options.silenceMs !== undefined) {
      liveness = createLiveness(
        clock,
        options.silenceMs,
        () => fresh.send({ type: 'ping', id: 0 }, 'urgent'),
        () => fresh.cut(),
      );
    }
    for (const [number, watch] of watching) sendAttach(number, watch);
    sent.clear();
    for (const waiting of outbox.waiting) {
      if (waiting.sends > 0 && !repeatable(waiting.intent)) outbox.settle(waiting, maybeLost(waiting.intent));
      else transmit(waiting);
    }
    for (const [id, { query }] of reads) fresh.send({ type: 'read', id, query });
    setState({ phase: 'connected' });
    liveness?.owed(outbox.waiting.length + reads.size);
  }

  function lost(): void {
    framed = null;
    liveness?.stop();
    liveness = null;
    if (state.phase !== 'closed') void reconnect();
  }

  async function reconnect(): Promise<void> {
    let refusal: Refusal = kept ?? { identifier: 'link-lost', message: 'the host closed the connection' };
    kept = null;
    for (let attempt = tries + 1; ; attempt++) {
      tries = attempt;
      const delay = options.reconnect.delay(attempt);
      if (delay === null) return finish('lost', refusal);
      setState({ phase: 'reconnecting', attempt });
      await clock.sleep(delay, stopped.signal);
      if (isClosed()) return;
      const opened = await open();
      if (opened.ok || isClosed()) return;
      refusal = opened.refusal;
      if (IN_VAIN.has(refusal.identifier)) return finish('lost', refusal);
    }
  }

  function isClosed(): boolean {
    return state.phase === 'closed';
  }

  function finish(because: 'closed-here' | 'ended' | 'lost', refusal: Refusal | null): void {
    if (state.phase === 'closed') return;
    state = { phase: 'closed', because, refusal };
    stopped.abort();
    liveness?.stop();
    const why = refusal ?? noLink(because);
    outbox.settleAll({ accepted: false, refusal: why });
    for (const { answer } of reads.values()) answer({ ok: false, refusal: why });
    reads.clear();
    for (const watch of watching.values()) watch.end(because);
    watching.clear();
    framed?.close();
    framed = null;
    listeners.call();
  }

  function receive(message: FromHost): void {
    liveness?.heard();
    if (message.type === 'update') {
      wasThere = true;
      tries = 0;
    }
    switch (message.type) {
      case 'update':
        takeUpdate(message.attachment, message.update);
        break;
      case 'sent': {
        const waiting = sent.get(message.id);
        if (waiting === undefined) break;
        sent.delete(message.id);
        outbox.settle(waiting, message.sent);
        break;
      }
      case 'answered': {
        const reading = reads.get(message.id);
        reads.delete(message.id);
        reading?.answer(message.answered);
        changed();
        break;
      }
      case 'detached': {
        const watch = watching.get(message.attachment);
        watching.delete(message.attachment);
        watch?.end(message.reason);
        break;
      }
      case 'closed':
        // A host that restarts or crashed may be back under the same name; one that ended will not.
        if (message.why === 'ended' || message.why === 'idle') finish('ended', null);
        else if (message.refusal !== undefined && (!wasThere || IN_VAIN.has(message.refusal.identifier)))
          finish('lost', message.refusal);
        // A new host that could not take the session up (a full disk) goes, and the next try may find it better.
        else if (message.refusal !== undefined) {
          kept = message.refusal;
          framed?.cut();
        }
        break;
      case 'fault':
        report(`the host closed the link: ${message.identifier}: ${message.message}`);
        break;
      case 'ready':
      case 'refused':
      case 'stopping':
      case 'pong':
        break;
    }
  }

  function takeUpdate(number: number, update: Update): void {
    const watch = watching.get(number);
    if (watch === undefined) return;
    const isSnapshot = update.changes[0]?.type === 'snapshot';
    if (!isSnapshot && (watch.resyncing || (watch.seen !== null && update.seq !== watch.seen + 1))) {
      if (watch.resyncing) return;
      watch.resyncing = true;
      watch.seen = null;
      sendAttach(number, watch);
      return;
    }
    watch.resyncing = false;
    watch.seen = update.seq;
    try {
      watch.listener(update);
    } catch (error) {
      report(`an update listener failed: ${String(error)}`);
    }
  }

  function sendAttach(attachment: number, watch: Watching): void {
    const after = watch.seen === null ? {} : { after: watch.seen };
    const readOnly = watch.options.readOnly === undefined ? {} : { readOnly: watch.options.readOnly };
    const side = watch.options.side === true ? { side: true } : {};
    framed?.send({ type: 'attach', attachment, ...after, ...readOnly, ...side });
  }

  function transmit(waiting: Waiting): void {
    if (framed === null) return;
    const { intent } = waiting;
    const id = ++nextNumber;
    waiting.id = id;
    waiting.sends++;
    sent.set(id, waiting);
    if (intent.type === 'cancel') {
      framed.send({ type: 'send', id, intent, behind: lastIntent }, 'urgent');
    } else {
      lastIntent = id;
      framed.send({ type: 'send', id, intent });
    }
  }

  const session: LinkedSession = {
    client,
    get state() {
      return state;
    },
    get unanswered() {
      return outbox.intents;
    },
    onLinkChange: (listener) => listeners.add(listener),
    attach(attach, listener): Attachment {
      const number = ++nextNumber;
      const { promise, resolve } = Promise.withResolvers<'closed-here' | 'ended' | 'lost'>();
      if (state.phase === 'closed') {
        resolve(state.because);
        return { close() {}, closed: promise };
      }
      const watch: Watching = { options: attach, listener, end: resolve, seen: attach.after ?? null, resyncing: false };
      watching.set(number, watch);
      sendAttach(number, watch);
      return {
        close() {
          if (!watching.delete(number)) return;
          framed?.send({ type: 'detach', attachment: number });
          resolve('closed-here');
        },
        closed: promise,
      };
    },
    send(intent: Intent): Promise<Sent> {
      if (state.phase === 'closed') {
        return Promise.resolve({ accepted: false, refusal: state.refusal ?? noLink(state.because) });
      }
      const { waiting, answer } = outbox.add(intent);
      transmit(waiting);
      return answer;
    },
    read<K extends QueryType>(query: { readonly type: K }): Promise<Answered<K>> {
      if (state.phase === 'closed') {
        return Promise.resolve({ ok: false, refusal: state.refusal ?? noLink(state.because) });
      }
      const id = ++nextNumber;
      const { promise, resolve } = Promise.withResolvers<Answered<QueryType>>();
      const asked = query as unknown as Query;
      const reading: Reading = { query: asked, answer: resolve };
      reads.set(id, reading);
      changed();
      framed?.send({ type: 'read', id, query: asked });
      return promise as Promise<Answered<K>>;
    },
    async close() {
      framed?.send({ type: 'bye' });
      finish('closed-here', null);
    },
  };
  return { open, session };
}

function noLink(because: 'closed-here' | 'ended' | 'lost'): Refusal {
  if (because === 'ended') return { identifier: 'ended', message: 'the session has ended' };
  return { identifier: 'link-lost', message: 'the link to the session is closed' };
}

function maybeLost(intent: Intent): Sent {
  const message = `the link was lost before ${intent.type} was answered; it may have taken effect`;
  return { accepted: false, refusal: { identifier: 'link-lost', message } };
}
