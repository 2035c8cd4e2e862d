import type { AssistantPart } from '../../protocol/message.ts';
import type { Message, UserPart } from '../models/model.ts';

/** How much of each text is left, in characters. */
export interface Lean {
  readonly text: number;
  readonly result: number;
}

/** The same messages with less detail: both ends of long texts, no pictures, no thinking. As valid as they were. */
export function leanMessages(messages: readonly Message[], lean: Lean): Message[] {
  return messages.map((message) => leanMessage(message, lean));
}

function leanMessage(message: Message, { text, result }: Lean): Message {
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: message.parts.map((part) => leanPart(part, text)) };
    case 'assistant':
      return {
        ...message,
        parts: message.parts.flatMap((part): AssistantPart[] => {
          if (part.type === 'thinking') return [];
          return [part.type === 'text' ? { type: 'text', text: bothEnds(part.text, text) } : part];
        }),
      };
    case 'results':
      return {
        role: 'results',
        results: message.results.map((each) => ({ ...each, text: bothEnds(each.text, result), images: [] })),
      };
  }
}

function leanPart(part: UserPart, most: number): UserPart {
  if (part.type === 'text') return { type: 'text', text: bothEnds(part.text, most) };
  return { type: 'text', text: `[image ${JSON.stringify(part.name)}, not shown]` };
}

function bothEnds(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const omitted = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${omitted} characters left out …]\n${text.slice(-half)}`.toWellFormed();
}
