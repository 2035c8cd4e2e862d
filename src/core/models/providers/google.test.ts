import { afterEach, expect, test } from 'bun:test';
import { type FakeGoogle, type GoogleEntry, startFakeGoogle } from '../../../../test/support/fake-google.ts';
import { collectReply, plainRequest, resultsOf, SAY, tryUntilDone } from '../../../../test/support/wire-asking.ts';
import type { AssistantPart } from '../../../protocol/message.ts';
import { createMemoryClock } from '../../../system/memory/clock.ts';
import type { Message, Model } from '../model.ts';
import { googleWire } from './google.ts';

const servers: FakeGoogle[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(entries: readonly GoogleEntry[], name = 'gemini-4-neon', base = '') {
  const server = await startFakeGoogle(entries);
  servers.push(server);
  const model: Model = googleWire.open({
    ref: { provider: 'google', model: name },
    facts: googleWire.facts(name)!,
    baseUrl: `${server.url}${base}`,
    key: 'test-key-123456',
    headers: {},
    fetch: globalThis.fetch,
    clock: createMemoryClock(),
  });
  return { server, model };
}

test.each([
  ['gemini-4-neon', 'max', { includeThoughts: true, thinkingLevel: 'xhigh' }],
  ['gemini-3.1-pro-preview', 'xhigh', { includeThoughts: true, thinkingLevel: 'high' }],
  ['gemini-2.5-pro', 'high', { includeThoughts: true, thinkingBudget: 16_384 }],
  ['gemini-4-neon', 'default', { includeThoughts: true }],
] as const)('%s at %s is asked to think its own way', async (name, effort, thinkingConfig) => {
  const { server, model } = await serve(['ok'], name, '/v1beta/');
  await collectReply(model, plainRequest([SAY], { effort }));
  expect(server.requests[0]?.refused).toBeNull();
  expect(server.requests[0]?.body.generationConfig).toEqual({ maxOutputTokens: 4_096, thinkingConfig });
});

test('signatures stand in the very parts they came with, text and calls', async () => {
  const { server, model } = await serve([
    ['a long text in several pieces', { redacted: 'seal-of-nothing' }, ' and more'],
    'ok',
  ]);
  const { end } = await collectReply(model);
  expect(end.parts).toMatchObject([{ type: 'text', text: 'a long text in several pieces and more' }]);
  await collectReply(model, plainRequest([SAY, { role: 'assistant', parts: end.parts, from: model.ref }, SAY]));
  expect(server.requests[1]?.refused).toBeNull();
  expect(server.requests[1]?.body.contents?.[1]?.parts).toEqual([
    { text: 'a long text in several pieces' },
    { text: '', thoughtSignature: 'seal-of-nothing' },
    { text: ' and more' },
  ]);
});

test('calls of another model pass without a signature of their own', async () => {
  const { server, model } = await serve(['ok']);
  const parts: AssistantPart[] = [
    { type: 'call', call: 'a', tool: 'look', title: '', why: null, input: {}, opaque: { signature: 'foreign' } },
  ];
  await collectReply(
    model,
    plainRequest([SAY, { role: 'assistant', parts, from: { provider: 'x', model: 'y' } }, resultsOf(parts)]),
  );
  expect(server.requests[0]?.refused).toBeNull();
  expect(server.requests[0]?.raw).not.toContain('foreign');
});

test('a signature the service no longer accepts is left out, and the next try goes through', async () => {
  const { server, model } = await serve(['ok']);
  const parts: AssistantPart[] = [
    { type: 'call', call: 'a', tool: 'look', title: '', why: null, input: {}, opaque: { signature: 'old' } },
  ];
  const messages: Message[] = [SAY, { role: 'assistant', parts, from: model.ref }, resultsOf(parts)];
  expect((await tryUntilDone(model, plainRequest(messages))).end.result.outcome).toBe('complete');
  expect(server.requests.map((one) => one.refused?.message ?? null)).toEqual(['Thought signature is not valid.', null]);
});

const chunk = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;

test('a prompt that was blocked is a refusal; a call that is none is tried again', async () => {
  const { model } = await serve([
    [{ raw: chunk({ promptFeedback: { blockReason: 'SAFETY' } }) }],
    [{ raw: chunk({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'print(look)' }] }) }],
    'ok',
  ]);
  expect((await collectReply(model)).end.result).toEqual({ outcome: 'complete', stop: 'refusal' });
  const { end } = await tryUntilDone(model);
  expect(end.parts).toEqual([{ type: 'text', text: 'ok' }]);
});

test('thoughts are billed as output, cached tokens are part of the prompt (UP-56)', async () => {
  const usage = { input: 1_000, cacheRead: 9_000, output: 100, thinking: 40 };
  const { model } = await serve([{ parts: ['ok'], usage }]);
  expect((await collectReply(model)).end.usage).toEqual({
    input: 1_000,
    cacheRead: 9_000,
    cacheWrite: null,
    output: 100,
    reasoning: 40,
  });
});

test('a wrong key is said to be one, though the service answers as to a bad request', async () => {
  const { model } = await serve([{ status: 400, message: 'API key not valid. Please pass a valid API key.' }]);
  expect((await collectReply(model)).end.result).toMatchObject({ failure: { category: 'credential-refused' } });
});

test('the reply is known by the id the service gave it', async () => {
  const { model } = await serve(['ok']);
  expect((await collectReply(model)).end.requestId).toBe('req_0001');
});
