import fc from 'fast-check';
import type { Json } from '../../src/base/json.ts';
import type { CallResult, Message, UserPart } from '../../src/core/models/model.ts';
import type { AssistantPart, Effort, ModelRef } from '../../src/protocol/message.ts';
import { pngHeader } from './image-size.ts';

const OTHER: ModelRef = { provider: 'elsewhere', model: 'other' };
const IMAGE: Extract<UserPart, { type: 'image' }> = {
  type: 'image',
  mediaType: 'image/png',
  base64: pngHeader(40, 30).toString('base64'),
  name: 'a.png',
};

/** Any text at all: empty, blank, half a surrogate pair. */
export const anyText = fc.oneof(
  fc.constant(''),
  fc.constant(' \n'),
  fc.constant('half \ud83d'),
  fc.string({ unit: 'binary' }),
);

export const anyEffort = fc.constantFrom<Effort>('low', 'medium', 'high', 'xhigh', 'max', 'default');

const userPart: fc.Arbitrary<UserPart> = fc.oneof(
  anyText.map((text) => ({ type: 'text' as const, text })),
  fc.constant(IMAGE),
);

const input = fc.oneof(
  fc.constant(null),
  fc.dictionary(anyText, fc.oneof(anyText, fc.integer(), fc.array(anyText, { maxLength: 2 })), { maxKeys: 3 }),
) as fc.Arbitrary<Json>;

const assistantPart: fc.Arbitrary<AssistantPart> = fc.oneof(
  anyText.map((text) => ({ type: 'text' as const, text })),
  fc.tuple(anyText, fc.constantFrom<Json | undefined>(undefined, {})).map(([text, opaque]) => ({
    type: 'thinking' as const,
    text,
    ...(opaque === undefined ? {} : { opaque }),
  })),
  fc.tuple(input, anyText).map(([value, raw]) => ({
    type: 'call' as const,
    call: '',
    tool: 'read_file',
    title: '',
    why: null,
    input: value,
    ...(value === null ? { raw } : {}),
  })),
);

/** Conversations as the runtime hands them over, calls numbered, each answered in the message after; some replies are `own`. */
export function anyConversation(own: ModelRef, idOf = (number: number) => `call:${number}`): fc.Arbitrary<Message[]> {
  return fc
    .array(
      fc.tuple(fc.array(userPart, { maxLength: 3 }), fc.array(assistantPart, { maxLength: 4 }), fc.boolean(), anyText),
      { maxLength: 5 },
    )
    .map((exchanges) => {
      const messages: Message[] = [];
      let number = 0;
      for (const [user, assistant, isOwn, result] of exchanges) {
        messages.push({ role: 'user', parts: [{ type: 'text', text: 'go' }, ...user] });
        const parts = assistant.map((part) => (part.type === 'call' ? { ...part, call: idOf(number++) } : part));
        if (parts.length > 0) messages.push({ role: 'assistant', parts, from: isOwn ? own : OTHER });
        const results: CallResult[] = parts.flatMap((part) =>
          part.type === 'call'
            ? [
                {
                  call: part.call,
                  tool: part.tool,
                  text: result,
                  error: number % 2 === 0,
                  images: isOwn ? [IMAGE] : [],
                },
              ]
            : [],
        );
        if (results.length > 0) messages.push({ role: 'results', results });
      }
      messages.push({ role: 'user', parts: [{ type: 'text', text: 'and now?' }] });
      return messages;
    });
}
