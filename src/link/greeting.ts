import { type Outcome, refuse } from '../base/refusal.ts';
import type { ClientId } from '../protocol/session.ts';
import { PROTOCOL_VERSION } from '../protocol/version.ts';
import type { Clock } from '../system/clock.ts';
import type { Connection } from '../system/network.ts';
import { type Framed, frame } from './framing.ts';
import { type FromClient, type FromHost, readFromHost } from './wire.ts';

/** How long a host may take to answer a hello. */
const ANSWER_MS = 5_000;

export interface GreetOptions {
  readonly client: ClientId;
  readonly build: string;
  readonly clock: Clock;
  /** Other than the one of this build only in tests. */
  readonly protocol?: number;
  readonly token?: string;
  /** To look and no more. */
  readonly readOnly?: boolean;
  readonly answerMs?: number;
}

export interface Greeted {
  readonly framed: Framed<FromClient>;
  readonly host: { readonly protocol: number; readonly build: string; readonly session: string | null };
  /** False when the host refused us for another protocol: only the frozen part works. */
  readonly ready: boolean;
  readonly refusal: { readonly identifier: string; readonly message: string } | null;
}

/** Which end is which, said by ours: the other end knows only numbers. */
function skewText(host: Extract<FromHost, { type: 'refused' }>, own: GreetOptions): string | null {
  if (host.identifier !== 'protocol-mismatch') return null;
  const protocol = own.protocol ?? PROTOCOL_VERSION;
  const older = host.protocol < protocol ? `Houston ${host.build} there` : `Houston ${own.build} here`;
  return `the host speaks protocol ${host.protocol} and this program ${protocol}: ${older} is the older one, to be updated or restarted`;
}

/**
 * Says hello and waits for the answer, a few seconds at most. Messages after it go to `onMessage`, its end to
 * `onClosed`. Refusals: `protocol-mismatch` is a value of its own (`ready: false`, so that the host can be stopped);
 * `not-allowed`, `host-not-answering`, `link-lost` close the connection.
 */
export function greet(
  connection: Connection,
  options: GreetOptions,
  onMessage: (message: FromHost) => void,
  onClosed: () => void,
): Promise<Outcome<Greeted>> {
  const { promise, resolve } = Promise.withResolvers<Outcome<Greeted>>();
  let greeted = false;

  function fail(identifier: string, message: string): void {
    resolve(refuse(identifier, message));
    framed.cut();
  }

  function answer(message: FromHost): void {
    if (message.type === 'fault') {
      fail(message.identifier, message.message);
      return;
    }
    if (message.type !== 'ready' && message.type !== 'refused') {
      fail('not-a-host', 'what answered is no host');
      return;
    }
    const { protocol, build } = message;
    const session = message.type === 'ready' ? (message.session ?? null) : null;
    const refusal =
      message.type === 'refused'
        ? { identifier: message.identifier, message: skewText(message, options) ?? message.message }
        : null;
    if (refusal !== null && refusal.identifier !== 'protocol-mismatch') {
      fail(refusal.identifier, refusal.message);
      return;
    }
    greeted = true;
    stopWaiting();
    resolve({ ok: true, value: { framed, host: { protocol, build, session }, ready: refusal === null, refusal } });
  }

  const framed = frame<FromClient>(connection, {
    onMessage(raw) {
      const message = readFromHost(raw);
      // What this build cannot read is left out: a host of the same protocol may know more.
      if (message === null) return;
      if (greeted) onMessage(message);
      else answer(message);
    },
    onMalformed: (reason) => fail('malformed-frame', reason),
    onClosed() {
      stopWaiting();
      if (greeted) onClosed();
      else resolve(refuse('link-lost', 'the host closed the connection before answering'));
    },
  });
  const answerMs = options.answerMs ?? ANSWER_MS;
  const stopWaiting = options.clock.after(answerMs, () => {
    fail('host-not-answering', `the host did not answer within ${answerMs / 1000} s`);
  });
  const token = options.token === undefined ? {} : { token: options.token };
  const protocol = options.protocol ?? PROTOCOL_VERSION;
  const readOnly = options.readOnly === true ? { readOnly: true } : {};
  framed.send({ type: 'hello', protocol, build: options.build, client: options.client, ...token, ...readOnly });
  return promise;
}
