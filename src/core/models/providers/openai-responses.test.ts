import { afterEach, expect, test } from 'bun:test';
import {
  type FakeResponses,
  type ResponsesEntry,
  startFakeResponses,
} from '../../../../test/support/fake-openai-responses.ts';
import { collectReply, plainRequest, resultsOf, SAY, tryUntilDone } from '../../../../test/support/wire-asking.ts';
import type { AssistantPart } from '../../../protocol/message.ts';
import { createMemoryClock } from '../../../system/memory/clock.ts';
import type { Message, Model, ModelFacts } from '../model.ts';
import { openaiResponsesWire } from './openai-responses.ts';

const servers: FakeResponses[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const UNKNOWN: ModelFacts = {
  contextWindow: null,
  maxOutput: null,
  images: true,
  thinking: false,
  efforts: [],
  price: null,
};

async function serve(entries: readonly ResponsesEntry[], name = 'gpt-6.2-sol') {
  const server = await startFakeResponses(entries);
  servers.push(server);
  const model: Model = openaiResponsesWire.open({
    ref: { provider: 'openai', model: name },
    facts: openaiResponsesWire.facts(name) ?? UNKNOWN,
    baseUrl: `${server.url}/v1`,
    key: 'test-key-123456',
    headers: {},
    fetch: globalThis.fetch,
    clock: createMemoryClock(),
  });
  return { server, model };
}

test('nothing is kept by the service: reasoning travels sealed, the cache is found by session', async () => {
  const { server, model } = await serve(['ok']);
  await collectReply(model, plainRequest([SAY], { effort: 'max', session: 'abc', tier: 'priority' }));
  expect(server.requests[0]?.body).toMatchObject({
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'abc',
    service_tier: 'priority',
    reasoning: { effort: 'max', summary: 'auto' },
    instructions: 'You are Houston.\n\nBe brief.',
  });
});

test('effort is the nearest the model knows; one that does not reason is not asked to', async () => {
  const { server, model } = await serve(['ok'], 'gpt-5');
  await collectReply(model, plainRequest([SAY], { effort: 'max' }));
  expect(server.requests[0]?.body.reasoning).toMatchObject({ effort: 'high' });
  const { server: plain, model: quick } = await serve(['ok'], 'gpt-4.1');
  await collectReply(quick, plainRequest([SAY], { effort: 'high' }));
  expect(plain.requests[0]?.refused).toBeNull();
  expect(plain.requests[0]?.body).not.toContainAnyKeys(['reasoning', 'include']);
});

test('what an unknown model turns out not to take is left out, and the next try goes through', async () => {
  const { server, model } = await serve(['ok'], 'gpt-4-unheard-of');
  const { end } = await tryUntilDone(model, plainRequest([SAY], { effort: 'high' }));
  expect(end.result.outcome).toBe('complete');
  expect(server.requests.map((request) => request.refused?.status ?? null)).toEqual([400, 400, null]);
});

test('a reasoning item that nothing followed stays out, one with its call goes back as it came', async () => {
  const { server, model } = await serve([
    [{ thinking: 'one\n\ntwo' }, { tool: 'look', input: { at: 'x' } }],
    [{ thinking: 'alone' }, { cut: 'quiet' }],
    'ok',
  ]);
  const first = await collectReply(model, plainRequest());
  const messages: Message[] = [
    SAY,
    { role: 'assistant', parts: first.end.parts, from: model.ref },
    resultsOf(first.end.parts),
  ];
  const second = await collectReply(model, plainRequest(messages));
  expect(second.end.parts).toMatchObject([{ type: 'thinking', text: 'alone' }]);
  messages.push({ role: 'assistant', parts: second.end.parts, from: model.ref }, SAY);
  expect((await collectReply(model, plainRequest(messages))).end.result.outcome).toBe('complete');
  const reasoning = server.requests[2]?.body.input?.filter((item) => item.type === 'reasoning');
  expect(reasoning).toEqual([
    {
      type: 'reasoning',
      id: 'item_req_0001_0',
      summary: [
        { type: 'summary_text', text: 'one' },
        { type: 'summary_text', text: 'two' },
      ],
      encrypted_content: 'sealed-req_0001-0',
    },
  ]);
});

test('reasoning the service no longer accepts is left out, and the next try goes through', async () => {
  const { server, model } = await serve(['ok']);
  const opaque = {
    reasoning: { type: 'reasoning', id: 'rs_old', summary: [], encrypted_content: 'of another account' },
  };
  const parts: AssistantPart[] = [
    { type: 'thinking', text: 'old', opaque },
    { type: 'text', text: 'before' },
  ];
  const request = plainRequest([SAY, { role: 'assistant', parts, from: model.ref }, SAY]);
  expect((await tryUntilDone(model, request)).end.result.outcome).toBe('complete');
  expect(server.requests.map((one) => one.refused?.type ?? null)).toEqual(['invalid_encrypted_content', null]);
  expect(server.requests[1]?.raw).toContain('before');
});

test('what the model says instead of an answer is a refusal, with its words', async () => {
  const { model } = await serve([[{ refusal: 'I cannot help with that.' }]]);
  expect((await collectReply(model)).end).toMatchObject({
    result: { outcome: 'complete', stop: 'refusal' },
    parts: [{ type: 'text', text: 'I cannot help with that.' }],
  });
});

test('messages keep the phase they were said in', async () => {
  const { server, model } = await serve(['so far', 'ok']);
  const { end } = await collectReply(model);
  await collectReply(model, plainRequest([SAY, { role: 'assistant', parts: end.parts, from: model.ref }, SAY]));
  expect(server.requests[1]?.body.input?.[1]).toMatchObject({ role: 'assistant', phase: 'final_answer' });
});

test('a response that failed has the failure of its code', async () => {
  const failed = (code: string) =>
    `event: response.failed\ndata: ${JSON.stringify({ type: 'response.failed', response: { status: 'failed', error: { code, message: 'no' } } })}\n\n`;
  const { model } = await serve([[{ raw: failed('rate_limit_exceeded') }], [{ raw: failed('server_error') }]]);
  expect((await collectReply(model)).end.result).toMatchObject({ failure: { category: 'rate-limited' } });
  expect((await collectReply(model)).end.result).toMatchObject({
    failure: { category: 'server-error', retryable: true },
  });
});

test('an item that comes whole, without pieces, is taken as it is', async () => {
  const item = {
    type: 'function_call',
    id: 'fc',
    call_id: 'c9',
    name: 'look',
    arguments: '{"at":"z"}',
    status: 'completed',
  };
  const whole = `data: ${JSON.stringify({ type: 'response.output_item.done', output_index: 7, item })}\n\n`;
  const { model } = await serve([[{ raw: whole }]]);
  expect((await collectReply(model)).end.parts).toMatchObject([{ type: 'call', call: 'c9', input: { at: 'z' } }]);
});

test('images go in beside text, and out of a result', async () => {
  const { server, model } = await serve(['ok']);
  const image = { type: 'image', mediaType: 'image/png', base64: PIXEL, name: 'a' } as const;
  const parts: AssistantPart[] = [{ type: 'call', call: 'c', tool: 'look', title: '', why: null, input: {} }];
  await collectReply(
    model,
    plainRequest([
      { role: 'user', parts: [{ type: 'text', text: 'see' }, image] },
      { role: 'assistant', parts, from: model.ref },
      { role: 'results', results: [{ call: 'c', tool: 'look', text: 'seen', error: false, images: [image] }] },
    ]),
  );
  expect(server.requests[0]?.refused).toBeNull();
  expect(server.requests[0]?.raw.split(`data:image/png;base64,${PIXEL}`)).toHaveLength(3);
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

test('a limit on output that the service does not take is left out, and said nothing more of', async () => {
  const refused = { status: 400, message: 'Unsupported parameter: max_output_tokens' };
  const { server, model } = await serve([refused, 'ok']);
  const { end } = await tryUntilDone(model, plainRequest([SAY], { maxOutput: 100 }));
  expect(end.result).toMatchObject({ outcome: 'complete' });
  expect(server.requests[0]?.raw).toContain('max_output_tokens');
  expect(server.requests.at(-1)?.raw).not.toContain('max_output_tokens');
});
