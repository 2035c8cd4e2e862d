import { afterEach, expect, test } from 'bun:test';
import {
  type ChatEntry,
  type ChatQuirks,
  type FakeChat,
  startFakeChat,
} from '../../../../test/support/fake-openai-chat.ts';
import { collectReply, plainRequest, resultsOf, SAY, tryUntilDone } from '../../../../test/support/wire-asking.ts';
import { createMemoryClock } from '../../../system/memory/clock.ts';
import type { Message, Model, ModelFacts } from '../model.ts';
import { openaiChatWire } from './openai-chat.ts';

const servers: FakeChat[] = [];
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

async function serve(entries: readonly ChatEntry[], quirks: ChatQuirks = {}, dialect = 'ollama', name = 'qwen3') {
  const server = await startFakeChat(entries, {}, quirks);
  servers.push(server);
  const model: Model = openaiChatWire.open({
    ref: { provider: 'p', model: name },
    facts: openaiChatWire.facts(name) ?? UNKNOWN,
    baseUrl: `${server.url}/v1`,
    key: 'test-key-123456',
    headers: {},
    dialect,
    fetch: globalThis.fetch,
    clock: createMemoryClock(),
  });
  return { server, model };
}

const CALLS = [
  { tool: 'look', input: { at: 'a', long: 'x'.repeat(100) } },
  { tool: 'look', input: { at: 'b' } },
];

test.each(['usual', 'empty-id', 'no-index', 'one-index', 'whole'] as const)(
  'parallel calls are told apart where a server numbers them its own way: %s',
  async (calls) => {
    const { model } = await serve([['I look.', ...CALLS]], { calls });
    const { end } = await collectReply(model);
    expect(end.result).toEqual({ outcome: 'complete', stop: 'calls' });
    expect(end.parts).toMatchObject([
      { type: 'text', text: 'I look.' },
      { type: 'call', tool: 'look', input: CALLS[0]!.input },
      { type: 'call', tool: 'look', input: CALLS[1]!.input },
    ]);
  },
);

test.each([
  ['reasoning_content', 'llama.cpp'],
  ['reasoning', 'ollama'],
  ['tags', 'vllm'],
] as const)(
  'thinking in %s is thinking, and goes back where it came from while its calls are answered',
  async (thinking, dialect) => {
    const { server, model } = await serve(
      [[{ thinking: 'Let me see …' }, 'So.', CALLS[1]!], 'done', 'ok'],
      { thinking },
      dialect,
    );
    const { end } = await collectReply(model);
    expect(end.parts).toMatchObject([
      { type: 'thinking', text: 'Let me see …' },
      { type: 'text', text: 'So.' },
      { type: 'call' },
    ]);
    const messages: Message[] = [SAY, { role: 'assistant', parts: end.parts, from: model.ref }, resultsOf(end.parts)];
    await collectReply(model, plainRequest(messages));
    await collectReply(model, plainRequest([...messages, SAY]));
    expect(server.requests.map((request) => request.refused)).toEqual([null, null, null]);
    const sent = server.requests.map(
      ({ body }) => body.messages?.find((message) => message.role === 'assistant')?.[thinking],
    );
    expect(sent).toEqual([undefined, thinking === 'tags' ? undefined : 'Let me see …', undefined]);
  },
);

test('details of thinking go back exactly, put together from their pieces', async () => {
  const { server, model } = await serve(
    [[{ thinking: 'a long thought in pieces', signature: 'seal' }, { redacted: 'c2Vj' }, 'So.'], 'ok'],
    { thinking: 'reasoning_details', takes: ['reasoning'] },
    'openrouter',
  );
  const { end } = await collectReply(model);
  await collectReply(model, plainRequest([SAY, { role: 'assistant', parts: end.parts, from: model.ref }, SAY]));
  expect(server.requests[1]?.body.messages?.[2]?.reasoning_details).toEqual([
    { type: 'reasoning.text', index: 0, format: 'fake-v1', text: 'a long thought in pieces', signature: 'seal' },
    { type: 'reasoning.encrypted', index: 1, data: 'c2Vj' },
  ]);
});

test.each([
  ['details', 9_000, 1_000],
  ['top', 9_000, 1_000],
  ['hit', 9_000, 1_000],
  ['none', null, 10_000],
] as const)('cached tokens are found where a server counts them: %s (UP-56)', async (cached, cacheRead, input) => {
  const { model } = await serve([{ parts: ['ok'], usage: { input: 1_000, cacheRead: 9_000, output: 100 } }], {
    cached,
  });
  expect((await collectReply(model)).end.usage).toMatchObject({ input, cacheRead, output: 100 });
});

test('a model that takes no tools is asked without them, and its calls are told in words', async () => {
  const { server, model } = await serve(['hello'], { noTools: true });
  const parts = [{ type: 'call', call: 'c', tool: 'look', title: '', why: null, input: { at: 'x' } }] as const;
  const messages: Message[] = [SAY, { role: 'assistant', parts, from: model.ref }, resultsOf(parts)];
  expect((await tryUntilDone(model, plainRequest(messages))).end.result.outcome).toBe('complete');
  expect(server.requests).toHaveLength(2);
  expect(server.requests[1]?.body.tools).toBeUndefined();
  expect(server.requests[1]?.raw).toContain('[Called look with ');
});

test('a field a server does not know is left out from then on, one after the other', async () => {
  const refuses = ['stream_options', 'reasoning_effort'];
  const { server, model } = await serve(['ok', 'ok'], { refuses });
  const request = plainRequest([SAY], { effort: 'high' });
  expect((await tryUntilDone(model, request)).end.result.outcome).toBe('complete');
  expect((await tryUntilDone(model, request)).end.result.outcome).toBe('complete');
  expect(server.requests.map((one) => one.refused === null)).toEqual([false, false, true, true]);
});

test('the limit of output goes by the name the service takes', async () => {
  const { server, model } = await serve(['ok'], {}, 'openai', 'gpt-5');
  await collectReply(model, plainRequest([SAY], { effort: 'max' }));
  expect(server.requests[0]?.refused).toBeNull();
  expect(server.requests[0]?.body).toMatchObject({
    max_completion_tokens: 4_096,
    reasoning_effort: 'high',
    prompt_cache_key: 's',
  });
  const { server: other, model: renamed } = await serve(['ok'], {}, 'plain', 'gpt-5');
  expect((await tryUntilDone(renamed)).end.result.outcome).toBe('complete');
  expect(other.requests.map((one) => Object.keys(one.body).filter((key) => key.startsWith('max_')))).toEqual([
    ['max_tokens'],
    ['max_completion_tokens'],
  ]);
});

test('without a closing mark a reply is whole when it said why it stopped', async () => {
  const { model } = await serve(['all of it'], { noMark: true });
  expect((await collectReply(model)).end).toMatchObject({
    result: { outcome: 'complete', stop: 'end' },
    parts: [{ text: 'all of it' }],
  });
});

test('arguments that cannot be read are kept as written, and go back in a form services take', async () => {
  const { server, model } = await serve([
    [
      { tool: 'look', json: '{"at": "a' },
      { tool: 'look', json: '' },
    ],
    'ok',
  ]);
  const { end } = await collectReply(model);
  expect(end.parts).toMatchObject([{ input: null, raw: '{"at": "a' }, { input: {} }]);
  await collectReply(
    model,
    plainRequest([SAY, { role: 'assistant', parts: end.parts, from: model.ref }, resultsOf(end.parts)]),
  );
  expect(server.requests[1]?.refused).toBeNull();
});

test('what people say in a row is one message, and images of results follow them', async () => {
  const { server, model } = await serve(['ok']);
  const image = { type: 'image', mediaType: 'image/png', base64: PIXEL, name: 'a' } as const;
  const parts = [{ type: 'call', call: 'c', tool: 'look', title: '', why: null, input: {} }] as const;
  await collectReply(
    model,
    plainRequest([
      SAY,
      SAY,
      { role: 'assistant', parts, from: model.ref },
      { role: 'results', results: [{ call: 'c', tool: 'look', text: '', error: true, images: [image] }] },
      SAY,
    ]),
  );
  expect(server.requests[0]?.refused).toBeNull();
  expect(server.requests[0]?.body.messages?.map((message) => message.role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'user',
  ]);
  expect(server.requests[0]?.body.messages?.[1]?.content).toBe('hi\n\nhi');
  expect(server.requests[0]?.body.messages?.[3]?.content).toBe('Error: (no output)');
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
