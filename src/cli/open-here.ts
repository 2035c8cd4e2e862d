import { done, type Outcome } from '../base/refusal.ts';
import { linkInProcess } from '../link/in-process.ts';
import type { LinkedSession } from '../protocol/link.ts';
import { createBunSystem } from '../system/bun/system.ts';
import { openSession } from './open-session.ts';
import type { SessionRequest } from './session-request.ts';
import { withSide } from './with-side.ts';

/**
 * A session in this process, and what ends it. Not in one bundle with the screen that asks for it, and between bundles no
 * class is the same: so it makes a system of its own, and what it takes and gives is plain.
 */
export async function openHere(
  request: SessionRequest,
  client: string,
): Promise<Outcome<{ readonly session: LinkedSession; readonly close: () => Promise<void> }>> {
  const system = createBunSystem();
  const opened = await openSession(system, request);
  if (!opened.ok) return opened;
  const { session, close, clientLost } = withSide(system, request, opened.value);
  return done({
    session: linkInProcess(session, { client, onClientLost: clientLost, report: () => {} }),
    close,
  });
}
