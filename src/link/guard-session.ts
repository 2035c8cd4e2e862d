import type { Refusal } from '../base/refusal.ts';
import type { Intent, Sent } from '../protocol/intent.ts';
import type { Answered, Query, QueryType } from '../protocol/query.ts';
import type { ClientId, Session } from '../protocol/session.ts';

/** Told of bugs behind or before the door: one line for a log. */
export type Report = (what: string) => void;

export const READ_ONLY: Sent = {
  accepted: false,
  refusal: { identifier: 'read-only', message: 'this screen may look but not send' },
};

/** What a session may be told and asked is a list of its own; whoever goes beyond it is a line in the log. */
const UNKNOWN: ReadonlySet<string> = new Set(['unknown-intent', 'unknown-query']);

/** A client as its host knows it. What it may do is decided here, never by what it says of itself later. */
export interface Guest {
  readonly client: ClientId;
  readonly readOnly: boolean;
}

/**
 * Hands an intent on at once, in the order of calls; a bug behind the door becomes a refusal instead of an end. Whoever may
 * look only sends nothing.
 */
export async function sendGuarded(session: Session, intent: Intent, guest: Guest, report: Report): Promise<Sent> {
  if (guest.readOnly) return READ_ONLY;
  try {
    const sent = await session.send(intent, guest.client);
    if (!sent.accepted && UNKNOWN.has(sent.refusal.identifier)) report(`${guest.client}: ${sent.refusal.message}`);
    return sent;
  } catch (error) {
    return { accepted: false, refusal: internal(`${intent.type} failed`, error, report) };
  }
}

export async function readGuarded(
  session: Session,
  query: Query,
  client: ClientId | undefined,
  report: Report,
): Promise<Answered<QueryType>> {
  try {
    const answered = await session.read(query, client);
    if (!answered.ok && UNKNOWN.has(answered.refusal.identifier)) report(`${client}: ${answered.refusal.message}`);
    return answered;
  } catch (error) {
    return { ok: false, refusal: internal(`reading ${query.type} failed`, error, report) };
  }
}

export function internal(what: string, error: unknown, report: Report): Refusal {
  const message = `${what}: ${error instanceof Error ? error.message : String(error)}`;
  report(message);
  return { identifier: 'internal', message };
}
