import { onAbort, raceAbort } from '../../base/abort.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Clock } from '../../system/clock.ts';
import type { Channel, ChannelEvents } from './channel.ts';
import { isObject } from './config.ts';

export type Answer =
  | { readonly ok: true; readonly result: Json }
  /** `said`: words of the server, which nobody vouched for; `message` is ours. */
  | {
      readonly ok: false;
      readonly why: 'error' | 'timeout' | 'stopped' | 'closed' | 'unsent';
      readonly message: string;
      readonly said?: string;
    };

export interface RequestOptions {
  /** Milliseconds without an answer or progress. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** How far it is, in the server's own words. */
  readonly onProgress?: (text: string) => void;
  /** Whether it may be called off on the other side; not so for the greeting. */
  readonly cancels?: boolean;
}

/** JSON-RPC with one server, strict about what it sends: what nobody asked for changes nothing here. */
export interface Peer {
  /** Never rejects. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<Answer>;
  notify(method: string, params?: JsonObject): Promise<void>;
  readonly events: ChannelEvents;
  /** Why nothing more is heard; null while it is. */
  readonly closed: string | null;
}

export interface PeerParts {
  readonly clock: Clock;
  readonly channel: () => Channel;
  /** What the server tells by itself: `tools/list_changed` and the like. */
  readonly onNotification: (method: string) => void;
  readonly onClosed: (why: string) => void;
}

/** However often it says that it goes on, no request takes longer. */
const MOST_REQUEST_MS = 30 * 60_000;
/** Messages that answer nothing, between two that do: more is a flood. */
const MOST_UNASKED = 10_000;
const MOST_BATCH = 100;
const MOST_WORDS = 2_000;

interface Waiting {
  readonly answer: (answer: Answer) => void;
  readonly progress: (params: JsonObject) => void;
}

export function createPeer(parts: PeerParts): Peer {
  const { clock } = parts;
  const waiting = new Map<number, Waiting>();
  let ids = 0;
  let unasked = 0;
  let closed: string | null = null;

  const close = (why: string): void => {
    if (closed !== null) return;
    closed = why;
    for (const { answer } of waiting.values()) answer({ ok: false, why: 'closed', message: why });
    waiting.clear();
    parts.onClosed(why);
  };

  const reply = async (message: JsonObject): Promise<void> => {
    await parts
      .channel()
      .send(message)
      .catch(() => undefined);
  };

  const take = async (message: Json): Promise<void> => {
    if (closed !== null) return;
    if (!isObject(message) || message.jsonrpc !== '2.0') return void flood();
    const { id, method, params } = message;
    if (typeof method === 'string') {
      flood();
      if (id === undefined) return notified(method, isObject(params) ? params : {});
      // A ping is answered whatever else goes on; nothing else can be asked of us, since we offer nothing.
      if (typeof id !== 'string' && typeof id !== 'number') return;
      if (method === 'ping') return reply({ jsonrpc: '2.0', id, result: {} });
      return reply({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'not offered by this client' } });
    }
    // Late, said twice, or to a question nobody asked: only the first answer to an open request counts.
    const open = typeof id === 'number' ? waiting.get(id) : undefined;
    if (open === undefined) return void flood();
    waiting.delete(id as number);
    unasked = 0;
    open.answer(answerIn(message));
  };

  const flood = (): void => {
    if (++unasked > MOST_UNASKED) {
      close('it sent thousands of messages that nobody had asked for');
      void parts.channel().close();
    }
  };

  const notified = (method: string, params: JsonObject): void => {
    const token = params.progressToken;
    if (method !== 'notifications/progress') parts.onNotification(method);
    else if (typeof token === 'number') waiting.get(token)?.progress(params);
  };

  const request: Peer['request'] = async (method, params, { timeoutMs, signal, onProgress, cancels = true }) => {
    if (closed !== null) return { ok: false, why: 'closed', message: closed };
    if (signal.aborted) return STOPPED;
    const id = ++ids;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const began = clock.ticks();
    const late = (): void =>
      resolve({
        ok: false,
        why: 'timeout',
        message: `it did not answer within ${Math.round((clock.ticks() - began) / 1000)} s`,
      });
    let forget = clock.after(timeoutMs, late);
    let furthest = Number.NEGATIVE_INFINITY;
    const progress = (told: JsonObject): void => {
      // Only what really goes on counts as going on.
      if (typeof told.progress !== 'number' || told.progress <= furthest) return;
      furthest = told.progress;
      forget();
      forget = clock.after(Math.max(0, Math.min(timeoutMs, began + MOST_REQUEST_MS - clock.ticks())), late);
      onProgress?.(progressText(told));
    };
    waiting.set(id, { answer: resolve, progress });
    const sending = new AbortController();
    const release = onAbort(signal, () => sending.abort('stopped'));
    const meta = onProgress === undefined ? {} : { _meta: { progressToken: id } };
    const message: JsonObject = { jsonrpc: '2.0', id, method, params: { ...params, ...meta } };
    void parts
      .channel()
      .send(message, sending.signal)
      .then(
        () => {
          if (parts.channel().answersWhenSent)
            resolve({ ok: false, why: 'unsent', message: 'its answer ended before the reply to what was asked' });
        },
        (error: unknown) => resolve({ ok: false, why: 'unsent', message: wordsOf(error) }),
      );
    const raced = await raceAbort(promise, signal);
    forget();
    release();
    const answer = raced.aborted ? STOPPED : raced.value;
    if (waiting.delete(id) && closed === null) {
      sending.abort('stopped');
      if (cancels && !answer.ok && (answer.why === 'stopped' || answer.why === 'timeout'))
        void reply({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id, reason: answer.why === 'stopped' ? 'stopped by the person' : 'took too long' },
        });
    }
    return answer;
  };

  return {
    request,
    notify: (method, params) => reply({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }),
    events: {
      onMessage: async (message) => {
        if (!Array.isArray(message)) return take(message);
        const batch = message as readonly Json[];
        for (const one of batch.slice(0, MOST_BATCH)) await take(one);
      },
      onClosed: close,
    },
    get closed() {
      return closed;
    },
  };
}

const STOPPED: Answer = { ok: false, why: 'stopped', message: 'it was stopped' };

function answerIn({ result, error }: JsonObject): Answer {
  if (isObject(error)) {
    const code = typeof error.code === 'number' && Number.isInteger(error.code) ? ` (${error.code})` : '';
    const said = typeof error.message === 'string' ? { said: error.message.slice(0, MOST_WORDS) } : {};
    return { ok: false, why: 'error', message: `it answered with an error${code}`, ...said };
  }
  if (result === undefined)
    return { ok: false, why: 'error', message: 'its answer holds neither a result nor an error' };
  return { ok: true, result };
}

function progressText({ progress, total, message }: JsonObject): string {
  const share = typeof total === 'number' && total > 0 ? `${progress}/${total}` : `${progress}`;
  return typeof message === 'string' && message !== '' ? `${share} ${message.slice(0, MOST_WORDS)}` : share;
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
