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

/** Hands an intent on at once, in the order of calls; a bug behind the door becomes a refusal instead of an end. */
export async function sendGuarded(session: Session, intent: Intent, client: ClientId, report: Report): Promise<Sent> {
  try {
    return await session.send(intent, client);
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
    return await session.read(query, client);
  } catch (error) {
    return { ok: false, refusal: internal(`reading ${query.type} failed`, error, report) };
  }
}

export function internal(what: string, error: unknown, report: Report): Refusal {
  const message = `${what}: ${error instanceof Error ? error.message : String(error)}`;
  report(message);
  return { identifier: 'internal', message };
}
