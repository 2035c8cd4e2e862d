import type { Sent } from '../../protocol/intent.ts';
import type { PermissionMode } from '../../protocol/message.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';

/** Holds from the next call on, also within the turn that runs. Bypass only where the command line offered it. */
export async function setMode(
  parts: Pick<SessionParts, 'bypassOffered' | 'recorder' | 'publisher'>,
  mode: PermissionMode,
): Promise<Sent> {
  if (mode === 'bypass' && !parts.bypassOffered) {
    return refused('bypass-not-offered', 'Bypass needs --dangerously-skip-permissions on the command line.');
  }
  if (parts.publisher.view.head.mode !== mode) await parts.recorder.write([{ kind: 'mode', mode }]);
  return accepted();
}
