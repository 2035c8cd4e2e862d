import type { OutcomeMessage } from './outcomes.ts';
import type { CommandEnd } from './turn-loop.ts';

/** A command's end with one thing to say. */
export function ended(
  state: CommandEnd['state'],
  level: OutcomeMessage['level'],
  identifier: string,
  text: string,
): CommandEnd {
  return { state, messages: [{ level, identifier, text }] };
}
