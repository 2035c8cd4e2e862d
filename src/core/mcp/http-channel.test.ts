import { describe, expect, test } from 'bun:test';
import type { Json, JsonObject } from '../../base/json.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { connectServer } from './client.ts';
import { openHttpChannel } from './http-channel.ts';
import { createServerEvents } from './server-events.ts';

const URL_HERE = 'https://tools.example.org/mcp';

interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: JsonObject | null;
}

/** A strict server: it answers as it is told to, and remembers what it was sent. */
function house(answer: (heard: Heard) => Response | Promise<Response>) {
  const system = createMemorySystem();
  const heard: Heard[] = [];
  system.network.answer = async (request) => {
    const text = await request.text();
    const one: Heard = {
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: text === '' ? null : (JSON.parse(text) as JsonObject),
    };
    heard.push(one);
    return answer(one);
  };
  const connect = (signal = new AbortController().signal, timeoutMs = 5_000) =>
    connectServer(
      {
        server: 'web',
        clock: system.clock,
        version: '1',
        timeoutMs,
        open: async (events) =>
          openHttpChannel(
            {
              network: system.network,
              after: system.clock.after,
              url: URL_HERE,
              headers: { 'X-Own': 'yes' },
              bearer: null,
            },
            events,
          ),
      },
      signal,
    );
  return { system, heard, connect, clock: system.clock };
}

const json = (value: unknown, more: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json', ...more } });
const events = (...values: unknown[]): Response =>
  new Response(values.map((value) => `: ping\r\nevent: message\r\ndata: ${JSON.stringify(value)}\r\n\r\n`).join(''), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });

function good(heard: Heard): Response {
  const { body } = heard;
  if (heard.method === 'DELETE') return new Response(null, { status: 204 });
  if (body?.id === undefined) return new Response(null, { status: 202 });
  const result = (value: Json): JsonObject => ({ jsonrpc: '2.0', id: body.id!, result: value });
  switch (body.method) {
    case 'initialize':
      return json(result({ protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo: {} }), {
        'mcp-session-id': 'abc',
      });
    case 'tools/list':
      return events(result({ tools: [{ name: 'find', inputSchema: { type: 'object' } }] }));
    default:
      return events(
        { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: body.id, progress: 1 } },
        result({ content: [{ type: 'text', text: 'found' }] }),
      );
  }
}

describe('Streamable HTTP', () => {
  test('messages are posted, answered by JSON or events, in a session that is ended in the end (MC-4)', async () => {
    const { connect, heard } = house(good);
    const opened = await connect();
    if (!opened.ok) throw new Error(opened.refusal.message);
    const client = opened.value;
    const signal = new AbortController().signal;
    const told: string[] = [];
    expect(await client.listTools(signal)).toMatchObject({
      ok: true,
      value: { tools: [{ offered: 'mcp__web__find' }] },
    });
    expect(await client.callTool('find', { q: 'x' }, signal, (text) => told.push(text))).toMatchObject({ ok: true });
    expect(told).toEqual(['1']);
    await client.close();
    expect(heard.map(({ method, body }) => `${method} ${String(body?.method ?? '')}`.trim())).toEqual([
      'POST initialize',
      'POST notifications/initialized',
      'POST tools/list',
      'POST tools/call',
      'DELETE',
    ]);
    expect(heard[0]?.headers).toMatchObject({
      'x-own': 'yes',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    });
    expect(heard[0]?.headers['mcp-session-id']).toBeUndefined();
    for (const later of heard.slice(1))
      expect(later.headers).toMatchObject({ 'mcp-session-id': 'abc', 'mcp-protocol-version': '2025-03-26' });
  });

  test.each([
    ['another host', 307, 'https://evil.example.net/mcp'],
    ['another port', 308, 'https://tools.example.org:8443/mcp'],
    ['no encryption', 307, 'http://tools.example.org/mcp'],
    ['another method', 302, '/elsewhere'],
    ['itself for ever', 307, '/mcp'],
  ])('what sends on to %s is not followed', async (_name, status, location) => {
    const { connect, heard } = house(() => new Response(null, { status, headers: { location } }));
    expect(await connect()).toMatchObject({
      ok: false,
      refusal: { message: 'it sends requests on to another place, which is not followed' },
    });
    for (const { url } of heard) expect(new URL(url).origin).toBe('https://tools.example.org');
    expect(heard.length).toBeLessThan(6);
  });

  test('a redirect on its own host is followed with all that was sent', async () => {
    const { connect, heard } = house((one) =>
      one.url.endsWith('/mcp') ? new Response(null, { status: 307, headers: { location: '/mcp2' } }) : good(one),
    );
    expect((await connect()).ok).toBe(true);
    expect(heard[1]).toMatchObject({
      url: 'https://tools.example.org/mcp2',
      method: 'POST',
      body: { method: 'initialize' },
    });
  });

  test.each([
    ['it answered HTTP 500', () => new Response('stack trace with <secrets>', { status: 500 })],
    [
      'it answered with neither JSON nor events',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    ],
    ['it answered with what is no JSON', () => new Response('{', { headers: { 'content-type': 'application/json' } })],
    ['its answer ended before the reply to what was asked', () => events({ jsonrpc: '2.0', method: 'x' })],
    ['its answer ended before the reply to what was asked', () => json({ jsonrpc: '2.0', id: 99, result: {} })],
    ['it named its session by what cannot name one', () => json({}, { 'mcp-session-id': 'a b' })],
    ['it could not be reached', () => Promise.reject(new TypeError('dns'))],
  ] as const)('%s', async (message, answer) => {
    const { connect } = house(answer as () => Response);
    expect(await connect()).toMatchObject({ ok: false, refusal: { message } });
  });

  test('one that never answers is given up, and its request is called off; a body without end costs no memory', async () => {
    let aborted = false;
    const { connect, clock } = house(() => new Promise(() => {}));
    const waiting = connect();
    await clock.advance(5_000);
    expect(await waiting).toMatchObject({ ok: false, refusal: { message: 'it did not answer within 5 s' } });
    const endless = house(
      () =>
        new Response(
          new ReadableStream({
            pull: (stream) => stream.enqueue(new Uint8Array(1024 * 1024).fill(120)),
            cancel: () => {
              aborted = true;
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    );
    expect(await endless.connect()).toMatchObject({
      ok: false,
      refusal: { message: 'it sent a message of more than 16 MiB' },
    });
    expect(aborted).toBe(true);
  });

  test('a session that was forgotten there is at its end: the next call begins another', async () => {
    let forgotten = false;
    const { connect } = house((heard) => (forgotten ? new Response(null, { status: 404 }) : good(heard)));
    const opened = await connect();
    if (!opened.ok) throw new Error(opened.refusal.message);
    forgotten = true;
    const came = await opened.value.callTool('find', {}, new AbortController().signal, () => {});
    expect(came).toMatchObject({ ok: false, message: 'it has forgotten this session' });
    expect(opened.value.gone).toBe('it has forgotten this session');
  });
});

test('events are the same however they are cut', () => {
  const text = 'data: {"a":\ndata: 1}\n\n: note\nid: 4\nretry: 5\ndata:two\r\n\r\nevent: x\n\ndata: ü';
  const bytes = new TextEncoder().encode(`${text}\n\n`);
  for (let step = 1; step <= 7; step++) {
    const decoder = createServerEvents(1_000);
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += step) found.push(...decoder.push(bytes.subarray(at, at + step)));
    expect(found).toEqual(['{"a":\n1}', 'two', 'ü']);
    expect(decoder.tooLong).toBe(false);
  }
});
