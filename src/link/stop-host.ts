import { done, type Outcome, refuse } from '../base/refusal.ts';
import { SystemError } from '../system/files.ts';
import type { Connection } from '../system/network.ts';
import { type GreetOptions, greet } from './greeting.ts';

/** How long an ending host may take to write everything down. */
const GONE_MS = 10_000;

/**
 * Ends a host of any build, through the frozen part of the protocol; resolves when its connection closed. `restart` tells
 * its other clients to come back; starting the new host is the caller's part.
 */
export async function stopHost(
  connect: () => Promise<Connection>,
  how: 'stop' | 'restart',
  options: GreetOptions,
): Promise<Outcome<null>> {
  const gone = Promise.withResolvers<Outcome<null>>();
  let connection: Connection;
  try {
    connection = await connect();
  } catch (error) {
    if (error instanceof SystemError) return refuse('host-gone', `the host cannot be reached: ${error.message}`);
    throw error;
  }
  const greeted = await greet(
    connection,
    options,
    (message) => {
      if (message.type === 'fault') gone.resolve(refuse(message.identifier, message.message));
    },
    () => gone.resolve(done(null)),
  );
  if (!greeted.ok) return greeted;
  const { framed } = greeted.value;
  framed.send({ type: how }, 'urgent');
  const giveUp = options.clock.after(GONE_MS, () => {
    gone.resolve(refuse('host-not-answering', `the host did not end within ${GONE_MS / 1000} s`));
    framed.cut();
  });
  const outcome = await gone.promise;
  giveUp();
  return outcome;
}
