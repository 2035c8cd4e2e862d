import type { Intent, Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { saidKey } from './fold-journal.ts';
import type { SessionParts } from './parts.ts';
import { type Arriving, STOPPED } from './say.ts';
import { accepted, refused } from './sent.ts';
import { queueEntry } from './turn-loop.ts';

/**
 * Puts a command that needs an idle session in line, where it waits its turn like a prompt: on the disk, seen, and taken
 * back like one. Where nothing was under way when it was sent, it runs ahead of whatever came since (`ahead`, SC-5.8).
 */
export async function queueCommand(
  parts: SessionParts,
  { name, argument, ref, here }: Extract<Intent, { type: 'command' }>,
  client: ClientId,
  arriving: Arriving,
  ahead: boolean,
  /** A way out of what keeps turns from starting: it runs ahead of what waits for that. */
  cures = false,
): Promise<Sent> {
  const { memory, inbox, loop, recorder, outcomes } = parts;
  const key = saidKey(client, ref);
  const known = memory.said.get(key);
  if (known !== undefined) return accepted(known === null ? null : { kind: 'input', input: known });
  const idle = loop.running === null && inbox.next() === null;
  // Nobody is there to watch a row wait (decisions: headless callers are told at once).
  if (!idle && !parts.canAsk)
    return refused('busy', `/${name} needs an idle session: wait for the turn to end, or cancel it.`);
  const text = `/${name} ${argument}`.trim();
  const body = { client, ref, text, attachments: [], delivery: 'command' } as const;
  const [entry] = await recorder.write([{ kind: 'input', ...body, target: null }]);
  memory.said.set(key, entry!.id);
  outcomes.set({ client, ref }, 'waiting');
  if (here === true) parts.handBacks.expect(entry!.id);
  const first =
    (idle || (cures && (parts.model.model === null || parts.agents.problem !== null))) && ahead && loop.running === null
      ? (inbox.rows[0]?.id ?? null)
      : null;
  const row = inbox.add({ id: entry!.id, ...body }, first);
  if (arriving.fate === 'stillborn') row.stillborn = true;
  const moved =
    arriving.fate === 'hold'
      ? loop.pause(arriving.because ?? STOPPED)
      : first === null
        ? null
        : recorder.write([queueEntry(inbox)], { onFailure: 'keep' });
  loop.wake();
  await moved;
  return accepted({ kind: 'input', input: entry!.id });
}
