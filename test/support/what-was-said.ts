// What a session said and was told, as tests look at it.
import type { ModelRequest } from '../../src/core/models/model.ts';
import type { Entry } from '../../src/protocol/entry.ts';
import type { Change } from '../../src/protocol/update.ts';
import type { House, Seat } from './controller.ts';
import type { LinkedSeat } from './linked-house.ts';

/** Lines that pass, to this seat, in order. */
export function flashes(seat: Pick<Seat, 'updates'> | Pick<LinkedSeat, 'changes'>): string[] {
  const changes: readonly Change[] =
    'changes' in seat ? seat.changes : seat.updates.flatMap((update) => update.changes);
  return changes.flatMap((change) => (change.type === 'flash' ? [change.text] : []));
}

/** What a request holds of the person's own words, in order. */
export function saidIn(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).flatMap((message) =>
    message.role === 'user' ? message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
}

/** All that is written down of a session. */
export async function entriesOf({ journal }: Pick<House, 'journal'>): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.all()) entries.push(entry);
  return entries;
}
