import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Issued, refusalOf, USUAL_LIMITS } from '../../../../test/support/fake-anthropic-rules.ts';
import { anyConversation, anyEffort, anyText } from '../../../../test/support/random-conversations.ts';
import type { ModelRequest } from '../model.ts';
import { ANTHROPIC_MODELS, anthropicModel } from './anthropic-models.ts';
import { anthropicRequest } from './anthropic-request.ts';

test('whatever a conversation holds, the service accepts the request made of it (UP-24, UP-29)', () => {
  const models = fc.constantFrom(...ANTHROPIC_MODELS);
  const marks = fc.array(fc.nat({ max: 12 }), { maxLength: 6 });
  fc.assert(
    fc.property(
      anyConversation({ provider: 'anthropic', model: 'x' }),
      models,
      anyEffort,
      marks,
      fc.array(anyText, { maxLength: 3 }),
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
