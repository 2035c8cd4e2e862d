import { done } from '../../src/base/refusal.ts';
import { createWithSide } from '../../src/link/side-session.ts';
import type { LinkedSession } from '../../src/protocol/link.ts';
import { sideOf } from '../../src/protocol/side-of.ts';
import type { SessionRig } from '../contracts/session.ts';
import { createFakeSession } from './fake-session.ts';
import type { Scripted } from './session-rigs.ts';

/** The side conversation of a session, reached over whatever carries that session. */
export async function sideRig(scripted: Scripted, carry: (held: Scripted) => Promise<SessionRig>): Promise<SessionRig> {
  const primary = createFakeSession();
  const held = createWithSide(primary, primary.clientLost, async () =>
    done({ session: scripted.session, clientLost: scripted.clientLost, close: async () => {} }),
  );
  await held.session.send({ type: 'side-open' }, 'opener');
  const rig = await carry({
    ...scripted,
    session: held.session,
    clientLost: held.clientLost,
    end: async () => {
      await held.close();
      await primary.end();
    },
  });
  return {
    ...rig,
    connect: async (client) => asSide(await rig.connect(client)),
    dispose: async () => {
      await rig.dispose();
      await held.close();
    },
  };
}

function asSide(linked: LinkedSession): LinkedSession {
  const { client } = linked;
  const side = sideOf(linked);
  return {
    ...side,
    client,
    get state() {
      return linked.state;
    },
    get unanswered() {
      return linked.unanswered.map((intent) => (intent.type === 'side' ? intent.intent : intent));
    },
    onLinkChange: (listener) => linked.onLinkChange(listener),
    attach: (options, listener) => side.attach({ ...options, client }, listener),
    send: (intent) => side.send(intent, client),
    close: () => linked.close(),
  };
}
