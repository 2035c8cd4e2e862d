import type { EntryId } from '../../protocol/entry.ts';
import type { Intent, Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { typedText } from './one-turn-target.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';
import { queueEntry } from './turn-loop.ts';

/** Takes what still waits out of the queue: what a turn has taken stays taken (QUE-16). */
export async function takeOut(
  parts: SessionParts,
  inputs: readonly EntryId[] | 'all',
  reason: 'recalled' | 'discarded',
): Promise<Sent> {
  const { inbox, recorder, outcomes } = parts;
  const wasPaused = inbox.paused !== null;
  const gone = inbox.remove(inputs);
  if (gone.length > 0) {
    const resumed = wasPaused && inbox.paused === null ? [queueEntry(inbox)] : [];
    await recorder.write([...gone.map((row) => ({ kind: 'dropped', input: row.id, reason }) as const), ...resumed], {
      onFailure: 'keep',
    });
    for (const row of gone)
      outcomes.set(row, 'dropped', { messages: [{ level: 'info', identifier: reason, text: row.text }] });
    // A job that ended meanwhile had to leave them the turn: with nothing waiting it begins one after all (SC-15.5).
    parts.desk.rest();
  }
  if (reason === 'discarded') return accepted({ kind: 'discarded', count: gone.length });
  return accepted({
    kind: 'recalled',
    drafts: gone.map((row) => ({ text: typedText(row), attachments: row.attachments })),
  });
}

export async function resumeQueue(parts: SessionParts): Promise<Sent> {
  const { inbox, recorder, loop } = parts;
  if (inbox.paused === null) return accepted();
  inbox.resume();
  await recorder.write([queueEntry(inbox)], { onFailure: 'keep' });
  loop.wake();
  return accepted();
}

export async function editQueue(parts: SessionParts, intent: Extract<Intent, { type: 'queue-edit' }>): Promise<Sent> {
  const { inbox, recorder } = parts;
  const row = inbox.find(intent.input);
  if (row === null) return refused('not-waiting', 'That no longer waits: it was taken or removed.');
  const text = intent.text ?? row.text;
  // A turn under way can not change its model (SC-7.1).
  const steers = intent.delivery === 'steering' && row.target != null;
  const delivery = steers ? 'queue' : (intent.delivery ?? row.delivery);
  if (text.trim() === '' && row.attachments.length === 0)
    return refused('empty-prompt', 'An empty prompt cannot wait; remove it instead.');
  if ((delivery === 'command') !== (row.delivery === 'command'))
    return refused(
      'delivery-unfitting',
      'A command and a prompt can not be made into each other; take it back instead.',
    );
  inbox.edit(row.id, text, delivery);
  if (intent.before !== undefined) inbox.move(row.id, intent.before);
  await recorder.write([{ ...queueEntry(inbox), edited: [{ input: row.id, text, delivery }] }], { onFailure: 'keep' });
  parts.loop.wake();
  return accepted();
}

/** Asks the model again where the last turn ended, ahead of everything that waits. */
export async function retry(parts: SessionParts, client: ClientId): Promise<Sent> {
  if (parts.loop.running !== null) return refused('busy', 'A turn is running.');
  if (!parts.memory.lastTurnFailed) return refused('nothing-to-retry', 'The last turn did not fail.');
  return askAgain(parts, client);
}

/** Puts the last prompt in front of everything that waits, to be asked without being said again. */
export async function askAgain(parts: SessionParts, client: ClientId): Promise<Sent> {
  const { inbox, recorder, loop, memory, system } = parts;
  if (memory.lastInput === null) return refused('nothing-to-retry', 'Nothing was asked here yet.');
  const { text, attachments } = memory.lastInput;
  const body = { client, ref: `retry-${system.ids.uuid()}`, text, attachments, delivery: 'resend' } as const;
  const [entry] = await recorder.write([{ kind: 'input', ...body, target: null }]);
  inbox.resume();
  inbox.add({ id: entry!.id, ...body }, inbox.rows[0]?.id ?? null);
  const moved = recorder.write([queueEntry(inbox)], { onFailure: 'keep' });
  loop.wake();
  await moved;
  return accepted({ kind: 'input', input: entry!.id });
}
