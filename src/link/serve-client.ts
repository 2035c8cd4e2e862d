import type { Refusal } from '../base/refusal.ts';
import { sha256 } from '../base/sha256.ts';
import type { Intent } from '../protocol/intent.ts';
import type { Query } from '../protocol/query.ts';
import type { Attachment, ClientId, Session } from '../protocol/session.ts';
import type { Update } from '../protocol/update.ts';
import type { Clock } from '../system/clock.ts';
import type { Connection } from '../system/network.ts';
import type { RawMessage } from './frame-reader.ts';
import { type Framed, frame } from './framing.ts';
import { type Report, readGuarded, sendGuarded } from './guard-session.ts';
import { createUpdateGate, isCalm } from './update-gate.ts';
import { type ClosedWhy, type FromClient, type FromHost, readFromClient } from './wire.ts';

/** A peer that does not say hello in this time is let go; so is one that was refused and does not stop us. */
export const HANDSHAKE_MS = 5_000;

/** What one served connection asks of the server it belongs to. */
export interface ClientOwner {
  readonly session: Session;
  readonly clock: Clock;
  readonly build: string;
  readonly protocol: number;
  readonly token: string | null;
  /** Bytes that may wait for a client before its backlog is dropped for a snapshot. */
  readonly backlogLimit: number;
  /** Calm updates of a running turn that follow each other closer than this, in milliseconds, are sent together. */
  readonly gatherMs: number;
  readonly report: Report;
  /** Of the session, once it is known. */
  readonly sessionId: () => string;
  /** The `update` message for attachment `number`; throws when it is too long for the wire. */
  encodeUpdate(number: number, update: Update): Uint8Array;
  onGreeted(served: ServedClient): void;
  onUsed(client: ClientId, intent: Intent): void;
  onAttached(): void;
  onStop(why: 'stop' | 'restart'): void;
  onEnded(): void;
  onGone(served: ServedClient): void;
}

export interface ServedClient {
  /** Null until it said hello. */
  readonly client: ClientId | null;
  readonly attached: boolean;
  /** It said goodbye: nobody need wait for it. */
  readonly left: boolean;
  /** It asked the host to stop: its connection closes last, as the sign that everything is done. */
  readonly askedToStop: boolean;
  /** Tells it why and closes once that is written. */
  close(why: ClosedWhy, refusal: Refusal | null): void;
  /** Takes the connection away without a word. */
  cut(): void;
}

interface Served {
  readonly side: boolean;
  attachment: Attachment;
  /** Takes nothing until the client caught up. */
  behind: boolean;
  readonly readOnly: boolean;
}

/** What whoever took the connection in says of it. */
export interface ClientRole {
  /** Whoever comes over it may look only. */
  readonly readOnly?: boolean;
}

/** Serves one client over one connection until either side closes it. Nothing a client sends ends the host. */
export function serveClient(connection: Connection, owner: ClientOwner, role: ClientRole = {}): ServedClient {
  const { session, report } = owner;
  const attachments = new Map<number, Served>();
  let phase: 'greeting' | 'refused' | 'serving' | 'gone' = 'greeting';
  let client: ClientId | null = null;
  let looksOnly = role.readOnly ?? false;
  let left = false;
  let askedToStop = false;
  let lastIntent = 0;
  /** Cancels that arrived before intents they were sent behind, by the number of the last of those. */
  let early: { readonly behind: number; readonly intent: Intent }[] = [];
  let backlogLimit = owner.backlogLimit;

  const framed: Framed<FromHost> = frame<FromHost>(connection, {
    onMessage(message) {
      try {
        take(message);
      } catch (error) {
        fault('internal', `${message.type}: ${String(error)}`);
      }
    },
    onMalformed: (reason) => fault('malformed-frame', reason),
    onClosed: gone,
  });
  const gate = createUpdateGate(owner.clock, owner.gatherMs, (encoded) => framed.sendEncoded(encoded));
  const stopWaiting = owner.clock.after(HANDSHAKE_MS, () => {
    if (phase !== 'serving') framed.close();
  });

  function tell(message: FromHost, lane: 'urgent' | 'ordered' | 'bulk' = 'ordered'): void {
    try {
      gate.open();
      framed.send(message, lane);
    } catch (error) {
      fault('too-long', String(error));
    }
  }

  function fault(identifier: string, message: string): void {
    report(`client ${client ?? '(unknown)'}: ${identifier}: ${message}`);
    tell({ type: 'fault', identifier, message }, 'urgent');
    framed.close();
  }

  function gone(): void {
    if (phase === 'gone') return;
    phase = 'gone';
    stopWaiting();
    gate.drop();
    for (const served of attachments.values()) served.attachment.close();
    attachments.clear();
    owner.onGone(self);
  }

  function take(raw: RawMessage): void {
    const message = readFromClient(raw);
    if (message === null) {
      fault('bad-message', `a ${raw.type.slice(0, 40)} message cannot be read`);
      return;
    }
    if (phase === 'greeting') {
      if (message.type === 'look-only') looksOnly = true;
      else greet(message);
      return;
    }
    if (looksOnly && (message.type === 'stop' || message.type === 'restart')) {
      fault('read-only', 'whoever may look only cannot end the session');
      return;
    }
    if (message.type === 'stop' || message.type === 'restart') {
      tell({ type: 'stopping' }, 'urgent');
      askedToStop = true;
      stopWaiting();
      owner.onStop(message.type);
      return;
    }
    if (phase !== 'serving') {
      fault('not-greeted', 'the handshake was refused');
      return;
    }
    serve(message);
  }

  function greet(message: FromClient): void {
    if (message.type !== 'hello') {
      framed.close();
      return;
    }
    const about = { protocol: owner.protocol, build: owner.build };
    if (owner.token !== null && !sameText(owner.token, message.token ?? '')) {
      tell({ type: 'refused', ...about, identifier: 'not-allowed', message: 'the token is wrong' }, 'urgent');
      framed.close();
      return;
    }
    if (message.protocol !== owner.protocol) {
      phase = 'refused';
      const text = protocolMismatch(owner.protocol, message.protocol);
      looksOnly ||= message.readOnly === true;
      tell({ type: 'refused', ...about, identifier: 'protocol-mismatch', message: text }, 'urgent');
      return;
    }
    phase = 'serving';
    looksOnly ||= message.readOnly === true;
    // A name of its own: who looks on is never taken for one who may do more, nor sees that one's draft.
    client = looksOnly ? `look-${message.client}` : message.client;
    const opened = owner.sessionId();
    stopWaiting();
    tell({ type: 'ready', ...about, ...(opened === '' ? {} : { session: opened }) }, 'urgent');
    owner.onGreeted(self);
  }

  function serve(message: FromClient): void {
    switch (message.type) {
      case 'attach':
        attach(message);
        break;
      case 'detach':
        detach(message.attachment);
        break;
      case 'send':
        send(message);
        break;
      case 'read':
        void readGuarded(session, message.query as Query, client!, report).then((answered) =>
          tell({ type: 'answered', id: message.id, answered }, 'bulk'),
        );
        break;
      case 'ping':
        tell({ type: 'pong', id: message.id }, 'urgent');
        break;
      case 'bye':
        left = true;
        framed.close();
        break;
      case 'hello':
      case 'look-only':
      case 'stop':
      case 'restart':
        fault('bad-message', `${message.type} is out of place`);
        break;
    }
  }

  function attach(message: Extract<FromClient, { type: 'attach' }>): void {
    const number = message.attachment;
    const old = attachments.get(number);
    const readOnly = looksOnly || message.readOnly === true;
    const after = message.after === undefined ? {} : { after: message.after };
    const side = message.side === true;
    const served: Served = { attachment: NOWHERE, behind: false, readOnly, side };
    attachments.set(number, served);
    served.attachment = session.attach({ client: client!, readOnly, side, onlyReads: true, ...after }, (update) =>
      deliver(number, served, update),
    );
    watchEnd(number, served);
    // The old one goes only after the new one stands: the client is attached without a break.
    old?.attachment.close();
    owner.onAttached();
  }

  function watchEnd(number: number, served: Served): void {
    const { attachment } = served;
    attachment.closed.then((reason) => {
      if (reason === 'closed-here' || served.attachment !== attachment || attachments.get(number) !== served) return;
      attachments.delete(number);
      tell({ type: 'detached', attachment: number, reason });
      owner.onAttached();
    });
  }

  function detach(number: number): void {
    const served = attachments.get(number);
    if (served === undefined) return;
    attachments.delete(number);
    served.attachment.close();
    owner.onAttached();
  }

  function deliver(number: number, served: Served, update: Update): void {
    if (served.behind || attachments.get(number) !== served) return;
    let encoded: Uint8Array;
    try {
      encoded = owner.encodeUpdate(number, update);
    } catch (error) {
      fault('too-long', String(error));
      return;
    }
    if (update.changes[0]?.type === 'snapshot') {
      // A snapshot may be larger than the limit: what counts is what comes on top of it.
      backlogLimit = owner.backlogLimit + encoded.length;
    } else if (framed.backlog > backlogLimit) {
      for (const other of attachments.values()) other.behind = true;
      gate.drop();
      framed.drop();
      return;
    }
    gate.give(encoded, update.changes.every(isCalm));
  }

  framed.onDrain(() => {
    for (const [number, served] of attachments) {
      if (!served.behind) continue;
      served.behind = false;
      const { attachment: old, readOnly, side } = served;
      served.attachment = session.attach({ client: client!, readOnly, side, onlyReads: true }, (update) =>
        deliver(number, served, update),
      );
      watchEnd(number, served);
      old.close();
    }
  });

  function send(message: Extract<FromClient, { type: 'send' }>): void {
    const { id, intent } = message;
    const guest = { client: client!, readOnly: looksOnly || isReadOnly() };
    if (!guest.readOnly) owner.onUsed(guest.client, intent);
    if (intent.type !== 'cancel') lastIntent = id;
    void sendGuarded(session, intent, guest, report).then((sent) => {
      tell({ type: 'sent', id, sent });
      if (intent.type === 'end' && sent.accepted) owner.onEnded();
    });
    if (intent.type === 'cancel') {
      const behind = message.behind ?? 0;
      if (behind > lastIntent) early.push({ behind, intent });
      return;
    }
    // What a cancel overtook on the wire is cancelled on its arrival, as if it had come first.
    const due = early.filter((cancel) => cancel.behind <= id);
    if (due.length === 0) return;
    early = early.filter((cancel) => cancel.behind > id);
    for (const cancel of due) void sendGuarded(session, cancel.intent, guest, report);
  }

  function isReadOnly(): boolean {
    if (attachments.size === 0) return false;
    for (const served of attachments.values()) if (!served.readOnly) return false;
    return true;
  }

  const self: ServedClient = {
    get client() {
      return client;
    },
    get attached() {
      return attachments.size > 0;
    },
    get left() {
      return left;
    },
    get askedToStop() {
      return askedToStop;
    },
    close(why, refusal) {
      if (phase === 'serving') tell({ type: 'closed', why, ...(refusal === null ? {} : { refusal }) });
      // Who connects while a start fails learns the reason too, whatever protocol it speaks.
      else if (refusal !== null) tell({ type: 'refused', protocol: owner.protocol, build: owner.build, ...refusal });
      framed.close();
    },
    cut: () => framed.cut(),
  };
  return self;
}

const NOWHERE: Attachment = { close() {}, closed: new Promise(() => {}) };

function protocolMismatch(host: number, client: number): string {
  return `the host speaks protocol ${host} and this program ${client}; restart the host to go on`;
}

/** Hashes are compared, so that the time it takes says nothing about how much of a guess was right. */
function sameText(expected: string, given: string): boolean {
  return sha256(expected) === sha256(given);
}
