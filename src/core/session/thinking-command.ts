import type { Sent } from '../../protocol/intent.ts';
import type { ThinkingShown } from '../../protocol/message.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';
import { forwardedWords } from './thinking-forwarded.ts';

export const THINKING_MODES: readonly ThinkingShown[] = ['off', 'status', 'transcript'];

const WORDS: Readonly<Record<ThinkingShown, string>> = {
  off: 'Thinking is not shown',
  status: 'The newest line of thinking is shown on the box while it streams',
  transcript: 'Thinking is shown in the transcript',
};

/** `/thinking`: alone it says what holds. */
export async function chooseThinking(parts: SessionParts, argument: string, client: ClientId): Promise<Sent> {
  const mode = THINKING_MODES.find((one) => one === argument);
  if (mode !== undefined) return setThinking(parts, mode, client);
  if (argument !== '') return refused('argument-unknown', `Usage: /thinking [${THINKING_MODES.join('|')}]`);
  const { thinking, publisher } = parts;
  publisher.publish({ type: 'flash', client, level: 'info', text: `${WORDS[thinking.mode]}.${expected(parts)}` });
  return accepted();
}

function expected({ thinking, forwarded }: SessionParts): string {
  const { state } = forwarded;
  return thinking.mode === 'off' || state === null ? '' : ` ${forwardedWords(state)}`;
}

/**
 * On the screen at once, also in the middle of a turn; what services are asked for follows with the next request. It
 * becomes the default of sessions to come. A mode nobody here knows changes nothing (SC-19.9).
 */
export async function setThinking(parts: SessionParts, wish: string, client: ClientId): Promise<Sent> {
  const mode = THINKING_MODES.find((one) => one === wish);
  if (mode === undefined) return accepted();
  const { thinking, publisher } = parts;
  thinking.mode = mode;
  publisher.publish({ type: 'head', head: { thinking: mode } });
  const saved = await parts.saveDefaults({ thinking: mode });
  const said = `${WORDS[mode]}.${expected(parts)}`;
  const text = saved ? said : `${said} It applies only here: the default could not be saved.`;
  publisher.publish({ type: 'flash', client, level: saved ? 'info' : 'warning', text });
  return accepted();
}
