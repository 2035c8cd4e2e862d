import type { Intent } from '../../protocol/intent.ts';
import type { Screen } from './screen.ts';
import { type Step, step } from './step.ts';

/** A command of the session, as if its line had been typed. */
export function sendCommand(screen: Screen, name: string, argument: string): Step {
  const ref = `${screen.refPrefix}${screen.nextRef}`;
  const intent: Intent = { type: 'command', ref, name, argument };
  return step({ ...screen, nextRef: screen.nextRef + 1, unanswered: screen.unanswered + 1 }, { kind: 'send', intent });
}
