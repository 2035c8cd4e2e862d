import { createWithSide, type WithSide } from '../link/side-session.ts';
import type { System } from '../system/system.ts';
import type { OpenedSession } from './open-session.ts';
import type { SessionRequest } from './session-request.ts';

/** A session as its process holds it: with a side conversation, where anything is kept at all (SI-8). */
export function withSide(system: System, request: SessionRequest, { session, close }: OpenedSession): WithSide {
  if (!request.save) return { session, close, clientLost: session.clientLost, isBusy: () => false };
  const held = createWithSide(session, session.clientLost, async (inherited) => {
    // Most sessions never have one.
    const { openSide } = await import('./side-session.ts');
    return openSide(system, request, session.workspaceTrust(), inherited);
  });
  return {
    ...held,
    close: async () => {
      await Promise.all([held.close(), close()]);
    },
  };
}
