import { sha256 } from '../../../base/sha256.ts';
import type { AssistantPart } from '../../../protocol/message.ts';
import type { Message } from '../model.ts';
import type { ClaudeProcess } from './claude-process.ts';
import { answersOf, markedContent, mcpContent, userContent } from './render-conversation.ts';

/** A process with what it has seen of its conversation. */
export interface Conversation {
  readonly cli: ClaudeProcess;
  /** What it was started with. */
  readonly setup: string;
  readonly mark: string;
  /**
   * `busy` while a reply is read, `settling` after one until it says that it is done, `calling` while it waits for answers
   * of tools, `ended` when it is of no use any more.
   */
  state: 'busy' | 'settling' | 'idle' | 'calling' | 'ended';
  /** One name for each message. */
  seen: readonly string[];
  /** The calls that wait for their answers, in order. */
  calls: readonly string[];
  stopTimer: () => void;
}

/** A name for a message that stays the same from its first request to the last. */
export function messageName(message: Message): string {
  return sha256(JSON.stringify(essence(message)));
}

export function replyName(parts: readonly AssistantPart[]): string {
  return messageName({ role: 'assistant', parts, from: { provider: '', model: '' } });
}

/** Ids of calls and titles are added by whoever keeps the session, and empty parts are left out by some. */
function essence(message: Message): unknown {
  switch (message.role) {
    case 'user':
      return ['user', message.parts];
    case 'assistant':
      return message.parts.flatMap((part) => {
        if (part.type === 'call') return [['call', part.tool, part.input]];
        return part.text === '' ? [] : [[part.type, part.text]];
      });
    case 'results':
      return message.results.map(({ tool, text, error, images }) => [tool, text, error, images]);
  }
}

/** What a process has not seen yet; null where the conversation does not go on from what it has. */
export function continuation(
  { state, seen, calls }: Pick<Conversation, 'state' | 'seen' | 'calls'>,
  messages: readonly Message[],
  names: readonly string[],
): readonly Message[] | null {
  if (state === 'busy' || state === 'ended') return null;
  if (names.length <= seen.length || !seen.every((name, at) => names[at] === name)) return null;
  const rest = messages.slice(seen.length);
  const [first, ...others] = rest;
  if (state !== 'calling') return rest.every(({ role }) => role === 'user') ? rest : null;
  if (first?.role !== 'results' || first.results.length !== calls.length) return null;
  return others.every(({ role }) => role === 'user') ? rest : null;
}

/** Hands a process what it has not seen: the answers it waits for, and what the person has said. */
export function goOn(conversation: Conversation, rest: readonly Message[]): void {
  const { cli, calls, mark } = conversation;
  const [first, ...said] = rest;
  if (first?.role !== 'results') {
    cli.say(userContent(rest));
    return;
  }
  const answers = answersOf(first);
  for (const [at, answer] of answers.entries()) {
    const more = at === answers.length - 1 && said.length > 0 ? mcpContent(markedContent(said, mark)) : [];
    cli.answer(calls[at] ?? '', { ...answer, content: [...answer.content, ...more] });
  }
  conversation.calls = [];
}
