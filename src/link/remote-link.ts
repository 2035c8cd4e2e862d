import type { Outcome, Refusal } from '../base/refusal.ts';
import type { LinkedSession } from '../protocol/link.ts';
import type { ClientId } from '../protocol/session.ts';
import type { System } from '../system/system.ts';
import { connectProgram } from './byte-stream.ts';
import type { Report } from './guard-session.ts';
import type { Placement } from './placement.ts';
import { REMOTE_RECONNECT } from './reconnect.ts';
import { connectSession } from './socket-client.ts';

export interface RemoteOptions {
  readonly client: ClientId;
  readonly build: string;
  readonly readOnly?: boolean;
  readonly report: Report;
}

/** The program may have to wake a machine, look up a name, exchange keys, and start a host there. */
const ANSWER_MS = 30_000;
/** A peer that owes an answer and is silent this long, and again after a probe, is lost. */
const SILENCE_MS = 5_000;
const SAID_BYTES = 4_096;

/**
 * A session at the end of a program's byte stream. When the stream breaks the program is started again and asks for the
 * very session it had. What the program said before it gave up is the reason a person reads.
 */
export function connectPlacement(
  system: Pick<System, 'processes' | 'clock' | 'environment'>,
  placement: Placement,
  options: RemoteOptions,
): Promise<Outcome<LinkedSession>> {
  const { processes, clock, environment } = system;
  let session = placement.session;
  let said = '';
  return connectSession({
    ...options,
    clock,
    answerMs: ANSWER_MS,
    silenceMs: SILENCE_MS,
    reconnect: REMOTE_RECONNECT,
    connect() {
      said = '';
      const decoder = new TextDecoder();
      const program = { argv: placement.argv(session), folder: environment.folder, environment: environment.all() };
      return connectProgram({ processes, clock }, program, (bytes) => {
        said = (said + decoder.decode(bytes, { stream: true })).slice(-SAID_BYTES);
      });
    },
    onHost(host) {
      // `new` and the newest are asked for once.
      session = host.session ?? session;
    },
    explain: (refusal) => explained(placement.name, refusal, said),
  });
}

/** Houston at the other end says what is wrong in its own words; the program's last line is the next best. */
function explained(name: string, refusal: Refusal, said: string): Refusal {
  if (refusal.identifier !== 'link-lost' && refusal.identifier !== 'host-not-answering') return refusal;
  const lines = said.split(/\r?\n/).filter((line) => line.trim() !== '');
  const own = lines.map((line) => /^houston: ([a-z][a-z-]*): (.*)$/.exec(line)).findLast((match) => match !== null);
  if (own !== undefined && own !== null) return { identifier: own[1]!, message: `${name}: ${own[2]}` };
  const last = lines.at(-1)?.trim();
  return { identifier: refusal.identifier, message: `${name}: ${last ?? refusal.message}` };
}
