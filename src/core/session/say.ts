import { done } from '../../base/refusal.ts';
import type { QueuePause } from '../../protocol/entry.ts';
import type { Intent, Sent } from '../../protocol/intent.ts';
import type { Attachment } from '../../protocol/message.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { QueueRow } from '../../protocol/view.ts';
import { saidKey } from './fold-journal.ts';
import { takeTarget } from './one-turn-target.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';
import { queueEntry } from './turn-loop.ts';

export type Say = Extract<Intent, { type: 'say' }>;

/**
 * One `say` on its way to the disk. A `cancel` that arrives meanwhile is for it too, though nothing runs yet (INV-3):
 * `stillborn` is taken and stopped at once, `hold` waits with whatever else was paused.
 */
export interface Arriving {
  fate: 'run' | 'stillborn' | 'hold';
  /** Why it is held, where nobody stopped it. */
  because?: QueuePause;
  /** It goes on whatever fails meanwhile. */
  readonly interrupts?: boolean;
}

/** How a command was sent that runs as it comes. */
export interface Sending {
  readonly ref: string;
  readonly arriving: Arriving;
}

/**
 * Puts what was said on the disk, then in line. Nothing has run when this answers; a crash from here on loses nothing.
 * Rejects with a `SystemError` when it could not be saved: then it was not said.
 */
export async function say(parts: SessionParts, intent: Say, client: ClientId, arriving: Arriving): Promise<Sent> {
  const { memory, loop, recorder, outcomes } = parts;
  if (!SENDABLE.has(intent.delivery))
    return refused('delivery-unknown', `Nothing can be sent as "${intent.delivery}".`);
  const key = saidKey(client, intent.ref);
  const known = memory.said.get(key);
  if (known !== undefined) return accepted(known === null ? null : { kind: 'input', input: known });
  const nothing = intent.text.trim() === '' && intent.attachments.length === 0;
  if (nothing && intent.together === true) {
    loop.sendTogether();
    return accepted();
  }
  if (nothing) return refused('empty-prompt', 'There is nothing to send.');
  if (intent.delivery === 'shell' && intent.private === true) {
    memory.said.set(key, null);
    loop.runPrivately({ client, ref: intent.ref, text: intent.text });
    return accepted();
  }
  // A shell line and what goes out with the rest are said as they are.
  const aimed =
    intent.delivery === 'shell'
      ? done({ target: null, text: intent.text })
      : await takeTarget(intent.text, parts.models, parts.model.model?.facts ?? null);
  if (!aimed.ok) return { accepted: false, refusal: aimed.refusal };
  const { target, text } = aimed.value;
  const attachments: Attachment[] = [];
  for (const wish of intent.attachments) {
    const kept = await parts.attachments.keep(wish);
    if (!kept.ok) return { accepted: false, refusal: kept.refusal };
    attachments.push(kept.value);
  }
  // What goes out with the rest keeps its place in line.
  // A turn cannot change its model on the way: what has a target of its own waits for a turn of its own (SC-7.1).
  // What is said before there is any turn is never steering for the first one (QU-8).
  const steers = intent.delivery === 'steering' && (target !== null || parts.runtime() === null);
  const delivery = intent.together === true || steers ? 'queue' : intent.delivery;
  const body = { client, ref: intent.ref, text, attachments, delivery, target };
  const [entry] = await recorder.write([{ kind: 'input', ...body }]);
  memory.said.set(key, entry!.id);
  outcomes.set({ client, ref: intent.ref }, 'waiting');
  const moved = putInLine(parts, { id: entry!.id, ...body }, arriving);
  if (intent.together === true) loop.sendTogether();
  loop.wake();
  await moved;
  return accepted({ kind: 'input', input: entry!.id });
}

/** How a client may send; the other ways are the session's own, whatever a byte stream says. */
const SENDABLE: ReadonlySet<string> = new Set<Say['delivery']>(['steering', 'queue', 'interrupt', 'shell']);

function putInLine(parts: SessionParts, row: QueueRow, arriving: Arriving): Promise<unknown> | null {
  const { inbox, loop, recorder } = parts;
  // A command has the session to itself: whatever is said meanwhile waits for its end.
  if (row.delivery === 'interrupt' && loop.running !== null && loop.running !== 'command') {
    // Of several interrupts in a row only the last one asks the model anything; none is lost (INV-7).
    for (const other of inbox.rows)
      if (other.delivery === 'interrupt' && !inbox.held.includes(other.id)) other.stillborn = true;
    inbox.add(row, inbox.rows.find((other) => !other.stillborn)?.id ?? null);
    loop.stop('interrupted');
    return recorder.write([queueEntry(inbox)], { onFailure: 'keep' });
  }
  const waiting = inbox.add(row);
  if (arriving.fate === 'stillborn') waiting.stillborn = true;
  if (arriving.fate === 'hold') return loop.pause(arriving.because ?? STOPPED);
  return null;
}

export const STOPPED = { because: 'stopped', message: 'Held because you stopped the turn.' } as const;
