import type { Intent } from '../../protocol/intent.ts';
import { type Screen, withNote } from './screen.ts';
import type { ScreenEffect } from './screen-event.ts';
import { noted, type Step, step } from './step.ts';

/** A command of the session, as if its line had been typed. */
export function sendCommand(screen: Screen, name: string, argument: string): Step {
  const ref = `${screen.refPrefix}${screen.nextRef}`;
  const intent: Intent = { type: 'command', ref, name, argument };
  return step({ ...screen, nextRef: screen.nextRef + 1, unanswered: screen.unanswered + 1 }, { kind: 'send', intent });
}

/** Stops what runs, and says what becomes of what waits (decisions §10.5). */
export function cancelling(queue: 'pause' | 'go-on'): ScreenEffect {
  return { kind: 'send', intent: { type: 'cancel', queue } };
}

/** The session one is in already is said, not opened (SC-20.5). */
export function resumeSession(screen: Screen, current: string, id: string): Step {
  if (id === current || (id.length >= 8 && current.startsWith(id))) return noted(screen, 'You are in that session');
  return step(withNote(screen, 'Opening that session'), { kind: 'switch-session', wish: { kind: 'resume', id } });
}
