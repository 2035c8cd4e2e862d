import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Issued, refusalOf, USUAL_LIMITS } from '../../../../test/support/fake-anthropic-rules.ts';
import { pngHeader } from '../../../../test/support/image-size.ts';
import type { Json } from '../../../base/json.ts';
import type { AssistantPart, Effort, ModelRef } from '../../../protocol/message.ts';
import type { CallResult, Message, ModelRequest, UserPart } from '../model.ts';
import { ANTHROPIC_MODELS, anthropicModel } from './anthropic-models.ts';
import { anthropicRequest } from './anthropic-request.ts';

const OTHER: ModelRef = { provider: 'elsewhere', model: 'other' };
const IMAGE: UserPart = {
  type: 'image',
  mediaType: 'image/png',
  base64: pngHeader(40, 30).toString('base64'),
  name: 'a.png',
};

/** Any text at all: empty, blank, half a surrogate pair. */
const text = fc.oneof(fc.constant(''), fc.constant(' \n'), fc.constant('half \ud83d'), fc.string({ unit: 'binary' }));
const userPart: fc.Arbitrary<UserPart> = fc.oneof(
  text.map((value) => ({ type: 'text' as const, text: value })),
  fc.constant(IMAGE),
);
const input = fc.oneof(
  fc.constant(null),
  fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 2 })), { maxKeys: 3 }),
) as fc.Arbitrary<Json>;
const assistantPart: fc.Arbitrary<AssistantPart> = fc.oneof(
  text.map((value) => ({ type: 'text' as const, text: value })),
  fc.tuple(text, fc.constantFrom<Json | undefined>(undefined, {})).map(([value, opaque]) => ({
    type: 'thinking' as const,
    text: value,
    ...(opaque === undefined ? {} : { opaque }),
  })),
  fc.tuple(input, text).map(([value, raw]) => ({
    type: 'call' as const,
    call: '',
    tool: 'read_file',
    title: '',
    why: null,
    input: value,
    ...(value === null ? { raw } : {}),
  })),
);

/** Conversations as the runtime hands them over: calls numbered, each answered in the message after. */
const conversation = fc
  .array(
    fc.tuple(fc.array(userPart, { maxLength: 3 }), fc.array(assistantPart, { maxLength: 4 }), fc.boolean(), text),
    { maxLength: 5 },
  )
  .map((exchanges) => {
    const messages: Message[] = [];
    let number = 0;
    for (const [user, assistant, own, result] of exchanges) {
      messages.push({ role: 'user', parts: [{ type: 'text', text: 'go' }, ...user] });
      const parts = assistant.map((part) => (part.type === 'call' ? { ...part, call: `call:${number++}` } : part));
      if (parts.length > 0)
        messages.push({ role: 'assistant', parts, from: own ? { provider: 'anthropic', model: 'x' } : OTHER });
      const results: CallResult[] = parts.flatMap((part) =>
        part.type === 'call'
          ? [
              {
                call: part.call,
                tool: part.tool,
                text: result,
                error: number % 2 === 0,
                images: own ? [IMAGE as CallResult['images'][number]] : [],
              },
            ]
          : [],
      );
      if (results.length > 0) messages.push({ role: 'results', results });
    }
    messages.push({ role: 'user', parts: [{ type: 'text', text: 'and now?' }] });
    return messages;
  });

const effort = fc.constantFrom<Effort>('low', 'medium', 'high', 'xhigh', 'max', 'default');

test('whatever a conversation holds, the service accepts the request made of it (UP-24, UP-29)', () => {
  const models = fc.constantFrom(...ANTHROPIC_MODELS);
  const marks = fc.array(fc.nat({ max: 12 }), { maxLength: 6 });
  fc.assert(
    fc.property(
      conversation,
      models,
      effort,
      marks,
      fc.array(text, { maxLength: 3 }),
      fc.boolean(),
      (messages, model, level, cacheMarks, system, tools) => {
        const request: ModelRequest = {
          system,
          messages,
          tools: tools ? [{ name: 'read_file', description: '', input: { type: 'object', properties: {} } }] : [],
          effort: level,
          maxOutput: null,
          cacheMarks,
          session: 's',
        };
        const known = anthropicModel(model)!;
        const shape = {
          ref: { provider: 'anthropic', model },
          facts: known.facts,
          thinking: known.thinking,
          deadSignatures: new Set<string>(),
        };
        const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };
        const bytes = Buffer.from(JSON.stringify(anthropicRequest(request, shape)));
        const issued: Issued = { signatures: new Map(), thinkingOfCall: new Map() };
        const { refused } = refusalOf(
          { method: 'POST', path: '/v1/messages', headers, bytes, key: undefined },
          USUAL_LIMITS,
          issued,
        );
        expect(refused).toBeNull();
      },
    ),
  );
});

test('an unknown model is asked plainly: no thinking, the effort as given, a small output', () => {
  const facts = { contextWindow: null, maxOutput: null, images: true, thinking: false, efforts: [], price: null };
  const shape = {
    ref: { provider: 'own', model: 'new' },
    facts,
    thinking: 'unknown',
    deadSignatures: new Set<string>(),
  } as const;
  const request: ModelRequest = {
    system: [],
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
    tools: [],
    effort: 'max',
    maxOutput: null,
    cacheMarks: [],
    session: 's',
  };
  expect(anthropicRequest(request, shape)).toEqual({
    model: 'new',
    max_tokens: 8_192,
    stream: true,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    output_config: { effort: 'max' },
  });
});
