import { describe, expect, test } from 'bun:test';
import { createHandClock } from '../../../test/support/hand-clock.ts';
import { type Fetched, fetchOut, MOST_BODY_BYTES, readAddress } from './egress.ts';

type Answer = Response | Error | ((signal: AbortSignal) => Promise<Response>);

/** Answers in order; what was asked for and which hops were gated is kept. */
async function fetched(
  address: string,
  answers: readonly Answer[],
  gate: (url: URL) => string | null = () => null,
): Promise<{ result: Fetched; asked: string[]; headers: Headers[] }> {
  const asked: string[] = [];
  const headers: Headers[] = [];
  const fetch = async (url: URL | string | Request, init?: RequestInit): Promise<Response> => {
    asked.push(String(url));
    headers.push(new Headers(init?.headers));
    expect(init?.redirect).toBe('manual');
    const answer = answers[asked.length - 1];
    if (answer === undefined) throw new Error('asked too often');
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(init!.signal!) : answer;
  };
  const read = readAddress(address);
  if ('complaint' in read) throw new Error(read.complaint);
  const parts = {
    fetch: fetch as typeof globalThis.fetch,
    clock: createHandClock(),
    gate: async (url: URL) => gate(url),
  };
  return { result: await fetchOut(parts, read.url, new AbortController().signal), asked, headers };
}

const to = (location: string, status = 302) => new Response(null, { status, headers: { location } });
const ok = (body: string | Uint8Array = 'hello') =>
  new Response(body as never, { headers: { 'content-type': 'Text/Html; charset=x' } });

describe('an address', () => {
  test('NET-1: only http and https without credentials are fetched', () => {
    for (const wrong of ['ftp://h/', 'file:///etc/passwd', 'javascript:1', '/relative', 'https://u:p@h/', 'data:,x'])
      expect(readAddress(wrong)).toHaveProperty('complaint');
    expect(readAddress('HTTPS://ExAmple.org:443/a#part')).toMatchObject({ url: { href: 'https://example.org/a' } });
  });

  test('TOOL-8: the host is what the parser reads, whatever the address looks like', () => {
    const read = readAddress('https://good.example\\@evil.example/');
    expect(read).toMatchObject({ url: { host: 'good.example' } });
    expect(readAddress('https://аpple.com/')).toMatchObject({ url: { host: 'xn--pple-43d.com' } });
  });
});

describe('fetching', () => {
  test('gives bytes and a plain media type, and sends no cookie or credential', async () => {
    const { result, headers } = await fetched('https://h.example/a', [ok()]);
    expect(result).toMatchObject({ ok: true, mediaType: 'text/html', bytes: new TextEncoder().encode('hello') });
    expect([...headers[0]!.keys()].sort()).toEqual(['accept', 'user-agent']);
  });

  test('NET-1 TOOL-8: each hop is gated; none leaves the host, falls from https to http or goes on for ever', async () => {
    const gated: string[] = [];
    const chain = await fetched('http://h.example/', [to('/a'), to('https://h.example/b'), ok()], (url) => {
      gated.push(url.href);
      return null;
    });
    expect(chain.result.ok).toBe(true);
    expect(gated).toEqual(['http://h.example/', 'http://h.example/a', 'https://h.example/b']);
    const message = async (address: string, answers: Answer[]) => {
      const { result, asked } = await fetched(address, answers);
      return [result.ok ? 'ok' : result.message, asked.length];
    };
    expect(await message('https://h.example/', [to('https://other.example/')])).toEqual([
      'a redirect to another host, which was not approved',
      1,
    ]);
    expect(await message('https://h.example/', [to('https://sub.h.example/')])).toEqual([expect.any(String), 1]);
    expect(await message('https://h.example/', [to('http://h.example/')])).toEqual([
      'a redirect from https to http',
      1,
    ]);
    expect(await message('https://h.example/', [to('https://h.example:8443/')])).toEqual([expect.any(String), 1]);
    expect(await message('https://h.example/', [to('file:///etc/passwd')])).toEqual([expect.any(String), 1]);
    const loop = Array.from({ length: 20 }, () => to('/again'));
    expect(await message('https://h.example/', loop)).toEqual(['more than 5 redirects', 6]);
    const second = await fetched('https://h.example/', [to('/secret')], (url) =>
      url.pathname === '/secret' ? 'no' : null,
    );
    expect(second).toMatchObject({ result: { ok: false, message: 'no' }, asked: ['https://h.example/'] });
  });

  test('NET-1: a body that is too long is a failure, and is not read to its end', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1 << 20;
        controller.enqueue(new Uint8Array(1 << 20));
      },
    });
    const { result } = await fetched('https://h.example/', [new Response(endless)]);
    expect(result).toEqual({ ok: false, message: `the body is longer than ${MOST_BODY_BYTES} bytes` });
    expect(sent).toBeLessThan(3 * MOST_BODY_BYTES);
    const whole = await fetched('https://h.example/', [ok(new Uint8Array(MOST_BODY_BYTES))]);
    expect(whole.result.ok).toBe(true);
  });

  test('NET-1: only what says "not now" is asked again', async () => {
    const status = (code: number, headers = {}) => new Response('their words', { status: code, headers });
    const asked = async (...answers: Answer[]) => {
      const { result, asked: urls } = await fetched('https://h.example/', answers);
      expect(JSON.stringify(result)).not.toContain('their words');
      return [result.ok, urls.length];
    };
    expect(await asked(status(503), ok())).toEqual([true, 2]);
    expect(await asked(status(429, { 'retry-after': '2' }), new Error('reset'), ok())).toEqual([true, 3]);
    expect(await asked(status(503), status(503), status(503), ok())).toEqual([false, 3]);
    expect(await asked(status(429, { 'retry-after': '600' }), ok())).toEqual([false, 1]);
    for (const code of [400, 401, 404, 500]) expect(await asked(status(code), ok())).toEqual([false, 1]);
  });

  test('SEC-17: nothing of what the other side or the system said is repeated', async () => {
    const { result } = await fetched('https://h.example/', [
      new Error('their words'),
      new Error('their words'),
      new Error('their words'),
    ]);
    expect(result).toEqual({ ok: false, message: 'the connection failed' });
  });
});
