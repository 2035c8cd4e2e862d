import { expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { googleRefusal } from '../../../../test/support/fake-google.ts';
import { chatRefusal } from '../../../../test/support/fake-openai-chat.ts';
import { responsesRefusal } from '../../../../test/support/fake-openai-responses.ts';
import type { Refusal } from '../../../../test/support/fake-service.ts';
import { anyConversation, anyEffort, anyText } from '../../../../test/support/random-conversations.ts';
import type { ModelRef } from '../../../protocol/message.ts';
import { knownModels, snapshotFacts } from '../facts/snapshot.ts';
import type { ModelFacts, ModelRequest } from '../model.ts';
import { anthropicRequest } from './anthropic-request.ts';
import { geminiRequest } from './google-request.ts';
import { CHAT_DIALECTS, type ChatLack } from './openai-chat-dialects.ts';
import { chatRequest } from './openai-chat-request.ts';
import { responsesRequest } from './openai-responses-request.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

const LIMITS = { imageSide: 10_000, imageBytes: 1e7, promptBytes: 1e7 };
const OWN: ModelRef = { provider: 'own', model: 'x' };
const HEADERS = { authorization: 'Bearer k', 'x-goog-api-key': 'k', 'content-type': 'application/json' };

interface Wire {
  readonly vendor: string;
  readonly refused: (request: ModelRequest, ref: ModelRef, facts: ModelFacts) => Refusal | null;
}

function given(path: string, body: object) {
  const query = new URLSearchParams({ alt: 'sse' });
  return { method: 'POST', path, query, headers: HEADERS, bytes: Buffer.from(JSON.stringify(body)), key: undefined };
}

function chatRefused(dialect: string, lacks: readonly ChatLack[] = []): Wire['refused'] {
  return (request, ref, facts) => {
    const shape = { ref, facts, dialect: CHAT_DIALECTS[dialect]!, lacks: new Set(lacks) };
    const thinking = dialect === 'openrouter' ? 'reasoning_details' : 'reasoning_content';
    const quirks = dialect === 'openai' ? {} : ({ thinking, takes: ['reasoning'] } as const);
    return chatRefusal(given('/v1/chat/completions', chatRequest(request, shape)), LIMITS, quirks).refused;
  };
}

const WIRES: Readonly<Record<string, Wire>> = {
  'openai-responses': {
    vendor: 'openai',
    refused: (request, ref, facts) => {
      const shape = { ref, facts, known: true, lacks: new Set<never>(), deadReasoning: new Set<string>() };
      return responsesRefusal(given('/v1/responses', responsesRequest(request, shape)), LIMITS).refused;
    },
  },
  google: {
    vendor: 'google',
    refused: (request, ref, facts) => {
      const body = geminiRequest(request, {
        ref,
        facts,
        noThinking: false,
        deadSignatures: new Set(),
      });
      return googleRefusal(given(`/v1beta/models/${ref.model}:streamGenerateContent`, body), LIMITS).refused;
    },
  },
  'openai-chat of openai': { vendor: 'openai', refused: chatRefused('openai') },
  'openai-chat of ollama, without tools': { vendor: '', refused: chatRefused('ollama', ['tools']) },
  'openai-chat of openrouter': { vendor: '', refused: chatRefused('openrouter') },
};

test.each(Object.entries(WIRES))(
  'whatever a conversation holds, the service accepts the request made of it: %s (UP-24, UP-29)',
  (_, { vendor, refused }) => {
    const models = vendor === '' ? ['local'] : knownModels(vendor);
    fc.assert(
      fc.property(
        fc.constantFrom(...models).chain((model) => fc.tuple(fc.constant(model), anyConversation({ ...OWN, model }))),
        anyEffort,
        fc.array(anyText, { maxLength: 3 }),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        ([model, messages], effort, system, tools, forbidden, unread) => {
          const unknown = {
            contextWindow: null,
            maxOutput: null,
            images: true,
            thinking: false,
            efforts: [],
            price: null,
          };
          const facts = snapshotFacts(vendor, model) ?? unknown;
          const request: ModelRequest = {
            system,
            messages,
            tools: tools ? [{ name: 'read_file', description: '', input: { type: 'object', properties: {} } }] : [],
            ...(forbidden ? { calls: 'forbidden' } : {}),
            ...(unread ? { readableThinking: false } : {}),
            effort,
            maxOutput: facts.maxOutput,
            cacheMarks: [],
            session: 's'.repeat(80),
          };
          expect(refused(request, { ...OWN, model }, facts)).toBeNull();
        },
      ),
    );
  },
);

test('where nobody reads the thinking no words of it are asked for; what a service needs back is asked for as ever (SC-19.9)', () => {
  const request: ModelRequest = {
    system: [],
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
    tools: [],
    effort: 'high',
    maxOutput: null,
    cacheMarks: [],
    session: 's',
  };
  const unread: ModelRequest = { ...request, readableThinking: false };
  const facts = {
    contextWindow: null,
    maxOutput: null,
    images: true,
    thinking: true,
    efforts: ['low', 'medium', 'high'],
    price: null,
  } as const;
  const responses = (one: ModelRequest) =>
    responsesRequest(one, { ref: OWN, facts, known: true, lacks: new Set(), deadReasoning: new Set() });
  expect(responses(request).reasoning).toEqual({ effort: 'high', summary: 'auto' });
  expect(responses(unread)).toEqual({ ...responses(request), reasoning: { effort: 'high' } });
  expect(responses(unread).include).toEqual(['reasoning.encrypted_content']);
  const gemini = (one: ModelRequest, model = 'gemini-4-neon') =>
    geminiRequest(one, { ref: { ...OWN, model }, facts, noThinking: false, deadSignatures: new Set() });
  expect(gemini(request).generationConfig?.thinkingConfig).toEqual({ includeThoughts: true, thinkingLevel: 'high' });
  expect(gemini(unread).generationConfig?.thinkingConfig).toEqual({ thinkingLevel: 'high' });
  expect(gemini({ ...unread, effort: 'default' }).generationConfig).toBeUndefined();
  // Signed thinking goes back word for word, so it is asked for with its words.
  const anthropic = (one: ModelRequest) =>
    anthropicRequest(one, { ref: OWN, facts, thinking: 'adaptive', deadSignatures: new Set() });
  expect(anthropic(unread)).toEqual(anthropic(request));
});
