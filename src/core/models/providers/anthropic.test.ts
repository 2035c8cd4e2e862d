import { afterEach, expect, test } from 'bun:test';
import {
  type FakeAnthropic,
  type FakeEntry,
  type FakeOptions,
  startFakeAnthropic,
} from '../../../../test/support/fake-anthropic.ts';
import { gate } from '../../../../test/support/script.ts';
import type { AssistantPart } from '../../../protocol/message.ts';
import { createMemoryClock } from '../../../system/memory/clock.ts';
import type { Message, Model, ModelEnd, ModelEvent, ModelRequest } from '../model.ts';
import { streamWithRetry } from '../retry.ts';
import { anthropicWire } from './anthropic.ts';

const servers: FakeAnthropic[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(entries: readonly FakeEntry[], options?: FakeOptions, model = 'claude-opus-5-5') {
  const server = await startFakeAnthropic(entries, options);
  servers.push(server);
  return { server, model: connect(server.url, model) };
}

function connect(baseUrl: string, model = 'claude-opus-5-5', key: string | null = 'test-key-123456'): Model {
  const facts = anthropicWire.facts(model)!;
  return anthropicWire.open({
    ref: { provider: 'anthropic', model },
    facts,
    baseUrl,
    key,
    headers: {},
    fetch: globalThis.fetch,
    clock: createMemoryClock(),
  });
}

const SAY: Message = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };

function ask(messages: readonly Message[] = [SAY], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: ['You are Houston.', 'Be brief.'],
    messages,
    tools: [
      { name: 'read_file', description: 'Reads.', input: { type: 'object', properties: { path: { type: 'string' } } } },
      { name: 'run_shell', description: 'Runs.', input: { type: 'object', properties: {} } },
    ],
    effort: 'default',
    maxOutput: null,
    cacheMarks: [messages.length - 1],
    session: 's',
    ...more,
  };
}

async function collect(events: AsyncIterable<ModelEvent>): Promise<{ events: ModelEvent[]; end: ModelEnd }> {
  const all: ModelEvent[] = [];
  for await (const event of events) if (event.type !== 'alive') all.push(event);
  return { events: all, end: all.at(-1) as ModelEnd };
}

const reply = (model: Model, request = ask(), signal = new AbortController().signal) =>
  collect(model.stream(request, signal));

/** The message after an assistant's: results of all its calls. */
function resultsFor(parts: readonly AssistantPart[]): Message {
  const results = parts.flatMap((part) =>
    part.type === 'call' ? [{ call: part.call, tool: part.tool, text: 'ok', error: false, images: [] }] : [],
  );
  return { role: 'results', results };
}

test('text, thinking and parallel calls arrive whole, with usage and request id', async () => {
  const parts = [
    { thinking: 'Let me see …' },
    'I will look.',
    { tool: 'read_file', input: { path: 'a/ü.ts' } },
    { tool: 'read_file', input: { path: 'b.ts', deep: [1, { x: null }] } },
  ];
  const usage = { input: 1_000, output: 50, cacheRead: 9_000, cacheWrite: 20, thinking: 7 };
  const { model } = await serve([{ parts, usage }]);
  const { events, end } = await reply(model);
  expect(events[0]).toEqual({ type: 'begin', requestId: 'req_0001' });
  expect(end).toMatchObject({
    result: { outcome: 'complete', stop: 'calls' },
    usage: { input: 1_000, output: 50, cacheRead: 9_000, cacheWrite: 20, reasoning: 7 },
    requestId: 'req_0001',
    parts: [
      { type: 'thinking', text: 'Let me see …', opaque: { signature: 'sig-req_0001-0' } },
      { type: 'text', text: 'I will look.' },
      { type: 'call', tool: 'read_file', input: { path: 'a/ü.ts' } },
      { type: 'call', tool: 'read_file', input: { path: 'b.ts', deep: [1, { x: null }] } },
    ],
  });
  const streamed = (type: 'text' | 'thinking') =>
    events.flatMap((event) => (event.type === type ? [event.text] : [])).join('');
  expect(streamed('thinking')).toBe('Let me see …');
  expect(streamed('text')).toBe('I will look.');
  const calls = events.filter((event) => event.type === 'call');
  expect(new Set(calls.map((event) => event.part))).toEqual(new Set([2, 3]));
  expect(calls.at(-1)?.inputBytes).toBe(JSON.stringify({ path: 'b.ts', deep: [1, { x: null }] }).length);
});

test('a whole conversation with sealed and signed thinking is accepted again and again', async () => {
  const call = { tool: 'read_file', input: { path: 'x' } };
  const { server, model } = await serve([
    [{ thinking: 'first' }, { redacted: 'c2VhbGVk' }, call, call],
    [{ thinking: '', signature: 'hidden' }, 'and', call],
    'done',
    'still here',
  ]);
  const messages: Message[] = [SAY];
  for (let round = 0; round < 4; round++) {
    const { end } = await reply(model, ask(messages));
    expect(end.result.outcome).toBe('complete');
    messages.push({ role: 'assistant', parts: end.parts, from: model.ref });
    messages.push(
      end.parts.some((part) => part.type === 'call')
        ? resultsFor(end.parts)
        : { role: 'user', parts: [{ type: 'text', text: 'go on' }] },
    );
  }
  expect(server.requests.map((request) => request.refused)).toEqual([null, null, null, null]);
  expect(server.requests[3]?.body.messages).toHaveLength(7);
});

test('thinking of another model stays out', async () => {
  const { server, model } = await serve(['fine']);
  const foreign: AssistantPart[] = [
    { type: 'thinking', text: 'mine', opaque: { signature: 'foreign' } },
    { type: 'text', text: 'I am another' },
  ];
  const { end } = await reply(
    model,
    ask([SAY, { role: 'assistant', parts: foreign, from: { provider: 'x', model: 'y' } }, SAY]),
  );
  expect(end.result.outcome).toBe('complete');
  expect(server.requests[0]?.raw).not.toContain('foreign');
});

test('thinking the service stopped accepting is left out, and the next try goes through', async () => {
  const { server, model } = await serve(['fine']);
  const stale: AssistantPart[] = [
    { type: 'thinking', text: 'old', opaque: { signature: 'no longer valid' } },
    { type: 'text', text: 'before' },
  ];
  const request = ask([SAY, { role: 'assistant', parts: stale, from: model.ref }, SAY]);
  const clock = createMemoryClock();
  const options = { signal: new AbortController().signal, clock, random: () => 0 };
  const { end } = await collect(
    streamWithRetry(model, request, { ...options, clock: { ...clock, sleep: async () => true } }),
  );
  expect(end.result.outcome).toBe('complete');
  expect(server.requests.map((one) => one.refused?.status ?? null)).toEqual([400, null]);
  expect(server.requests[1]?.raw).toContain('before');
});

test('arguments that cannot be read are kept as written, and go back in a form the service takes', async () => {
  const { server, model } = await serve([
    [
      { tool: 'read_file', json: '{"path": "a' },
      { tool: 'run_shell', json: '[1]' },
      { tool: 'run_shell', json: '' },
    ],
    'ok',
  ]);
  const { end } = await reply(model);
  expect(end.parts).toMatchObject([
    { type: 'call', input: null, raw: '{"path": "a' },
    { type: 'call', input: null, raw: '[1]' },
    { type: 'call', input: {} },
  ]);
  await reply(model, ask([SAY, { role: 'assistant', parts: end.parts, from: model.ref }, resultsFor(end.parts)]));
  expect(server.requests[1]?.refused).toBeNull();
});

test('at most four cache marks, on tools, system and the newest messages', async () => {
  const { server, model } = await serve(['ok']);
  const messages: Message[] = [
    SAY,
    { role: 'assistant', parts: [{ type: 'text', text: 'yes' }], from: model.ref },
    SAY,
  ];
  await reply(model, ask(messages, { cacheMarks: [0, 1, 2] }));
  const { body, refused, raw } = server.requests[0]!;
  expect(refused).toBeNull();
  expect(raw.match(/cache_control/g)).toHaveLength(4);
  expect(body.tools?.map((tool) => 'cache_control' in tool)).toEqual([false, true]);
  expect(body.messages?.map((message) => JSON.stringify(message).includes('cache_control'))).toEqual([
    false,
    true,
    true,
  ]);
});

test.each([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
] as const)('%p means %p', async (given, stop) => {
  const { model } = await serve([{ parts: ['x'], stop: given }]);
  expect((await reply(model)).end.result).toEqual({ outcome: 'complete', stop });
});

test.each(['reset', 'quiet'] as const)(
  'a stream that ends without its end is cut, never complete: %p (UP-25)',
  async (cut) => {
    const { opened, open } = gate();
    const { model } = await serve([
      ['twenty words', { tool: 'run_shell', input: { line: 'echo hi' } }, { wait: opened }, { cut }],
    ]);
    let end: ModelEvent | null = null;
    for await (const event of model.stream(ask(), new AbortController().signal)) {
      // The tear comes after all of it was seen: a reset may otherwise overtake what was written.
      if (event.type === 'call') open();
      end = event;
    }
    expect(end).toMatchObject({
      type: 'end',
      result: { outcome: 'failed', failure: { category: 'stream-cut', retryable: true, requestId: 'req_0001' } },
      parts: [{ text: 'twenty words' }, { type: 'call' }],
      usage: { input: 100 },
    });
  },
);

test('a damaged event ends the reply as cut', async () => {
  const { model } = await serve([['a', { raw: 'event: content_block_delta\ndata: {"type": "content_b\n\n' }, 'b']]);
  expect((await reply(model)).end).toMatchObject({
    result: { outcome: 'failed', failure: { category: 'stream-cut' } },
    parts: [{ type: 'text', text: 'a' }],
  });
});

test('an error in mid-stream has the category of its type', async () => {
  const { model } = await serve([['a', { error: { type: 'overloaded_error', message: 'Overloaded' } }]]);
  expect((await reply(model)).end.result).toMatchObject({
    outcome: 'failed',
    failure: { category: 'overloaded', retryable: true },
  });
});

test('retry-after, retry-after-ms and backoff are waited for in turn; a refused key is not (UP-26)', async () => {
  const { model } = await serve([
    { status: 429, headers: { 'retry-after': '3' } },
    { status: 429, headers: { 'retry-after-ms': '1500' } },
    { status: 529 },
    'at last',
    { status: 401 },
  ]);
  const clock = createMemoryClock();
  const waits: number[] = [];
  const options = {
    signal: new AbortController().signal,
    clock: { ...clock, sleep: async (ms: number) => waits.push(ms) > 0 },
    random: () => 0,
  };
  expect((await collect(streamWithRetry(model, ask(), options))).end.result.outcome).toBe('complete');
  expect(waits).toEqual([3_000, 1_500, 750]);
  const { end } = await collect(streamWithRetry(model, ask(), options));
  expect(end.result).toMatchObject({
    outcome: 'failed',
    failure: { category: 'credential-refused', status: 401, attempts: 1 },
  });
  expect(waits).toHaveLength(3);
});

test('the key is sent, and no failure repeats it', async () => {
  const { model } = await serve([{ status: 400, message: 'bad key test-key-123456' }], {
    key: 'test-key-123456',
  });
  const { end } = await reply(model);
  expect(end.result).toMatchObject({
    outcome: 'failed',
    failure: { category: 'request-rejected', status: 400, requestId: 'req_0001' },
  });
  expect(JSON.stringify(end)).not.toContain('test-key-123456');
  const { model: stranger } = await serve([], { key: 'another' });
  expect((await reply(stranger)).end.result).toMatchObject({ failure: { category: 'credential-refused' } });
});

test('a service that is not there is unreachable', async () => {
  const { server, model } = await serve([]);
  await server.close();
  expect((await reply(model)).end.result).toMatchObject({
    outcome: 'failed',
    failure: { category: 'unreachable', retryable: true },
  });
});

test('an abort ends a stream at once and keeps what came (UP-24)', async () => {
  const { opened, open } = gate();
  const { model } = await serve([['half a sentence', { tool: 'read_file', json: '{"path"' }, { wait: opened }]]);
  const stop = new AbortController();
  const events: ModelEvent[] = [];
  for await (const event of model.stream(ask(), stop.signal)) {
    events.push(event);
    if (event.type === 'call') stop.abort();
  }
  open();
  expect(events.at(-1)).toMatchObject({
    type: 'end',
    result: { outcome: 'aborted' },
    parts: [
      { type: 'text', text: 'half a sentence' },
      { type: 'call', input: null },
    ],
    usage: { input: 100 },
  });
});

test('an abort before the first byte ends the request', async () => {
  const { opened, open } = gate();
  const { server, model } = await serve([{ before: opened, parts: ['late'] }]);
  const stop = new AbortController();
  const done = reply(model, ask(), stop.signal);
  await server.received(1);
  stop.abort();
  expect((await done).end.result).toEqual({ outcome: 'aborted' });
  open();
});

test('half a character anywhere in a request is mended before it is sent (UP-29)', async () => {
  const { server, model } = await serve(['ok']);
  const half = 'cut \ud83d';
  const parts: AssistantPart[] = [
    { type: 'call', call: 'c1', tool: 'read_file', title: '', why: null, input: { path: half, list: [half] } },
  ];
  const messages: Message[] = [
    { role: 'user', parts: [{ type: 'text', text: half }] },
    { role: 'assistant', parts, from: model.ref },
    { role: 'results', results: [{ call: 'c1', tool: 'read_file', text: half, error: false, images: [] }] },
  ];
  expect((await reply(model, ask(messages, { system: [half] }))).end.result.outcome).toBe('complete');
  expect(server.requests[0]?.refused).toBeNull();
});

test('models that think by budget are asked by budget, and get no effort', async () => {
  const { server, model } = await serve(['ok'], {}, 'claude-haiku-4-5');
  await reply(model, ask(undefined, { effort: 'high' }));
  expect(server.requests[0]?.body.thinking).toEqual({ type: 'enabled', budget_tokens: 16_384 });
  expect(server.requests[0]?.body.output_config).toBeUndefined();
  const { server: other, model: adaptive } = await serve(['ok'], {}, 'claude-sonnet-4-6');
  await reply(adaptive, ask(undefined, { effort: 'xhigh' }));
  expect(other.requests[0]?.body).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } });
});

test('a reply of 200 KB in tiny pieces is folded into few events', async () => {
  const text = 'lorem ipsum dolor si'.repeat(10_000);
  const { model } = await serve([text]);
  const { events, end } = await reply(model);
  expect(end.parts).toEqual([{ type: 'text', text }]);
  expect(events.length).toBeLessThan(5_000);
});
