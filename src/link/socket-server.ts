import type { Refusal } from '../base/refusal.ts';
import type { Intent } from '../protocol/intent.ts';
import type { ClientId, Session } from '../protocol/session.ts';
import type { Update } from '../protocol/update.ts';
import { PROTOCOL_VERSION } from '../protocol/version.ts';
import type { Clock } from '../system/clock.ts';
import type { Connection } from '../system/network.ts';
import { encodeMessage } from './framing.ts';
import type { Report } from './guard-session.ts';
import { type ClientOwner, type ClientRole, type ServedClient, serveClient } from './serve-client.ts';
import type { ClosedWhy, FromHost } from './wire.ts';

const BACKLOG_LIMIT = 4 * 1024 * 1024;
/** A client whose link broke may come back in this time before the session hears that it is lost. */
const LOST_AFTER_MS = 5_000;
/** How long closing waits for clients to take what was written for them. */
const CLOSE_MS = 1_000;

/** What a front end tells by itself: a person pressed no key for it. */
const BY_ITSELF: ReadonlySet<Intent['type']> = new Set(['draft', 'draft-edit', 'seen']);

export interface ServeOptions {
  readonly session: Session;
  readonly clock: Clock;
  readonly build: string;
  readonly report: Report;
  /** Of the session, once it is known: told to whoever is greeted. */
  readonly sessionId?: () => string;
  /** Other than the one of this build only in tests. */
  readonly protocol?: number;
  /** When given, a hello must carry it. */
  readonly token?: string;
  readonly backlogLimit?: number;
  /** See `ClientOwner`; 0 where left out. */
  readonly gatherMs?: number;
  readonly lostAfterMs?: number;
  /** A client went for good: what was asked of it alone resolves to nothing, its command's turn is over. */
  readonly onClientLost?: (client: ClientId) => void;
  /** Somebody asked through the frozen part, perhaps with another build. */
  readonly onStop?: (why: 'stop' | 'restart') => void;
  /** An `end` intent was accepted: everything is on disk. */
  readonly onEnded?: () => void;
  /** Connections or attached clients became more or fewer. */
  readonly onChange?: () => void;
}

export interface SessionServer {
  accept(connection: Connection, role?: ClientRole): void;
  /** Open connections, those in handshake too. */
  readonly connections: number;
  /** Clients that said hello and are here. */
  readonly greeted: number;
  /** Clients with at least one attachment. */
  readonly attached: number;
  /** Who sent last, and when (ms since the epoch). */
  readonly lastUsed: { readonly client: ClientId; readonly time: number } | null;
  /**
   * Tells every client why and lets them go; resolves when they are gone, at most a second later. Who asked the host to
   * stop stays until `dismiss`.
   */
  close(why: ClosedWhy, refusal?: Refusal): Promise<void>;
  /** Everything is done: lets those go who asked for it. */
  dismiss(): void;
}

/** Serves one session to any number of clients, each over a connection of its own. */
export function serveSession(options: ServeOptions): SessionServer {
  const { clock, report } = options;
  const served = new Set<ServedClient>();
  const waitingForReturn = new Map<ClientId, () => void>();
  let lastUsed: SessionServer['lastUsed'] = null;
  let closing: { readonly why: ClosedWhy; readonly refusal: Refusal | null } | null = null;
  let onOneGone = () => {};

  const owner: ClientOwner = {
    session: options.session,
    clock,
    build: options.build,
    protocol: options.protocol ?? PROTOCOL_VERSION,
    token: options.token ?? null,
    backlogLimit: options.backlogLimit ?? BACKLOG_LIMIT,
    gatherMs: options.gatherMs ?? 0,
    report,
    sessionId: options.sessionId ?? (() => ''),
    encodeUpdate: updateEncoder(),
    onGreeted(fresh) {
      const client = fresh.client!;
      waitingForReturn.get(client)?.();
      waitingForReturn.delete(client);
      // The same client again: its old connection is dead or frozen, and nothing it still holds may arrive later.
      for (const other of [...served]) if (other !== fresh && other.client === client) other.cut();
      options.onChange?.();
    },
    onUsed(client: ClientId, intent: Intent) {
      if (!BY_ITSELF.has(intent.type)) lastUsed = { client, time: clock.now() };
    },
    onAttached: () => options.onChange?.(),
    onStop: (why) => options.onStop?.(why),
    onEnded: () => options.onEnded?.(),
    onGone(gone) {
      served.delete(gone);
      const { client } = gone;
      if (client !== null && !isHere(client)) {
        if (gone.left || closing !== null) lost(client);
        else
          waitingForReturn.set(
            client,
            clock.after(options.lostAfterMs ?? LOST_AFTER_MS, () => lost(client)),
          );
      }
      options.onChange?.();
      onOneGone();
    },
  };

  function isHere(client: ClientId): boolean {
    for (const other of served) if (other.client === client) return true;
    return false;
  }

  function lost(client: ClientId): void {
    waitingForReturn.delete(client);
    try {
      options.onClientLost?.(client);
    } catch (error) {
      report(`telling of lost client ${client} failed: ${String(error)}`);
    }
  }

  return {
    accept(connection, role) {
      const fresh = serveClient(connection, owner, role);
      served.add(fresh);
      if (closing !== null) fresh.close(closing.why, closing.refusal);
      options.onChange?.();
    },
    get connections() {
      return served.size;
    },
    get greeted() {
      let count = 0;
      for (const one of served) if (one.client !== null) count++;
      return count;
    },
    get attached() {
      let count = 0;
      for (const one of served) if (one.attached) count++;
      return count;
    },
    get lastUsed() {
      return lastUsed;
    },
    async close(why, refusal) {
      closing = { why, refusal: refusal ?? null };
      for (const back of waitingForReturn.values()) back();
      waitingForReturn.clear();
      const { promise, resolve } = Promise.withResolvers<void>();
      const leaving = () => [...served].filter((one) => !one.askedToStop);
      onOneGone = () => {
        if (leaving().length === 0) resolve();
      };
      for (const one of leaving()) one.close(why, refusal ?? null);
      onOneGone();
      const giveUp = clock.after(CLOSE_MS, () => {
        for (const one of leaving()) one.cut();
      });
      await promise;
      giveUp();
    },
    dismiss() {
      for (const one of [...served]) one.cut();
    },
  };
}

/** Several clients mostly number their one attachment alike: each update is then encoded once for all of them. */
function updateEncoder(): ClientOwner['encodeUpdate'] {
  let last: { readonly number: number; readonly update: Update; readonly bytes: Uint8Array } | null = null;
  return (number, update) => {
    if (last?.update === update && last.number === number) return last.bytes;
    const message: FromHost = { type: 'update', attachment: number, update };
    const bytes = encodeMessage(message);
    last = { number, update, bytes };
    return bytes;
  };
}
