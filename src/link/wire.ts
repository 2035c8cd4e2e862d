import type { Refusal } from '../base/refusal.ts';
import type { Intent, Sent } from '../protocol/intent.ts';
import type { Answered, Query, QueryType } from '../protocol/query.ts';
import type { ClientId } from '../protocol/session.ts';
import type { Change, Update } from '../protocol/update.ts';
import type { RawMessage } from './frame-reader.ts';

/**
 * Never changes, so that every build can name itself to, end, and restart a host of any other build: `hello` and its
 * answers `ready` and `refused`, then `stop` or `restart` and their answer `stopping`.
 */
export type FrozenFromClient =
  | {
      readonly type: 'hello';
      readonly protocol: number;
      readonly build: string;
      readonly client: ClientId;
      readonly token?: string;
      /** The client wants to look and no more: nothing it sends later counts. */
      readonly readOnly?: boolean;
    }
  | { readonly type: 'stop' }
  | { readonly type: 'restart' };

export type FrozenFromHost =
  /** `session`: which one lies behind it, so that a link that came by another name finds it again. */
  | { readonly type: 'ready'; readonly protocol: number; readonly build: string; readonly session?: string }
  /** `protocol` and `build` are the host's; `stop` and `restart` still work for a moment on this connection. */
  | {
      readonly type: 'refused';
      readonly protocol: number;
      readonly build: string;
      readonly identifier: string;
      readonly message: string;
    }
  | { readonly type: 'stopping' };

export type ClosedWhy = Extract<Change, { type: 'closed' }>['why'];

export type FromClient =
  | FrozenFromClient
  /** Before the hello, by whoever carries the connection here: whatever comes over it may look only. */
  | { readonly type: 'look-only' }
  /** `attachment` is the client's own number; naming one again starts it anew. */
  | {
      readonly type: 'attach';
      readonly attachment: number;
      readonly after?: number;
      readonly readOnly?: boolean;
      /** The side conversation. */
      readonly side?: boolean;
    }
  | { readonly type: 'detach'; readonly attachment: number }
  /** Numbers of intents only go up. `behind`: a cancel names the last intent sent before it, which it may overtake. */
  | { readonly type: 'send'; readonly id: number; readonly intent: Intent; readonly behind?: number }
  | { readonly type: 'read'; readonly id: number; readonly query: Query }
  | { readonly type: 'ping'; readonly id: number }
  /** The client leaves on purpose: nobody waits for it to come back. */
  | { readonly type: 'bye' };

export type FromHost =
  | FrozenFromHost
  | { readonly type: 'update'; readonly attachment: number; readonly update: Update }
  | { readonly type: 'detached'; readonly attachment: number; readonly reason: 'ended' | 'lost' }
  | { readonly type: 'sent'; readonly id: number; readonly sent: Sent }
  | { readonly type: 'answered'; readonly id: number; readonly answered: Answered<QueryType> }
  | { readonly type: 'pong'; readonly id: number }
  /** The host is going away; `refusal` says what went wrong, when something did. */
  | { readonly type: 'closed'; readonly why: ClosedWhy; readonly refusal?: Refusal }
  /** What the peer did wrong, before the connection closes. */
  | { readonly type: 'fault'; readonly identifier: string; readonly message: string };

type Check = (message: RawMessage) => boolean;

const numbered =
  (...names: string[]): Check =>
  (message) =>
    names.every((name) => Number.isSafeInteger(message[name]));
const always: Check = () => true;
const greeting: Check = (message) => Number.isSafeInteger(message.protocol) && typeof message.build === 'string';
const holds =
  (name: string, field: string): Check =>
  (message) => {
    const inner = message[name];
    return typeof inner === 'object' && inner !== null && field in inner;
  };
const all =
  (...checks: Check[]): Check =>
  (message) =>
    checks.every((check) => check(message));

const FROM_CLIENT: { readonly [K in FromClient['type']]: Check } = {
  'look-only': always,
  hello: all(greeting, (message) => typeof message.client === 'string' && message.client !== ''),
  stop: always,
  restart: always,
  attach: numbered('attachment'),
  detach: numbered('attachment'),
  send: all(numbered('id'), holds('intent', 'type')),
  read: all(numbered('id'), holds('query', 'type')),
  ping: numbered('id'),
  bye: always,
};

const FROM_HOST: { readonly [K in FromHost['type']]: Check } = {
  ready: greeting,
  refused: all(greeting, (message) => typeof message.identifier === 'string' && typeof message.message === 'string'),
  stopping: always,
  update: all(numbered('attachment'), holds('update', 'seq'), holds('update', 'changes')),
  detached: numbered('attachment'),
  sent: all(numbered('id'), holds('sent', 'accepted')),
  answered: all(numbered('id'), holds('answered', 'ok')),
  pong: numbered('id'),
  closed: (message) => typeof message.why === 'string',
  fault: (message) => typeof message.identifier === 'string' && typeof message.message === 'string',
};

/** Null when the message is not one a client may send. Unknown fields are left alone. */
export function readFromClient(message: RawMessage): FromClient | null {
  return accepts(FROM_CLIENT, message) ? (message as unknown as FromClient) : null;
}

export function readFromHost(message: RawMessage): FromHost | null {
  return accepts(FROM_HOST, message) ? (message as unknown as FromHost) : null;
}

function accepts(checks: Readonly<Record<string, Check>>, message: RawMessage): boolean {
  return Object.hasOwn(checks, message.type) && checks[message.type]!(message);
}
