import type { Json, JsonObject } from '../../base/json.ts';
import type { Network } from '../../system/network.ts';
import { type Channel, type ChannelEvents, MOST_MESSAGE_BYTES } from './channel.ts';
import { createServerEvents } from './server-events.ts';

export interface HttpParts {
  readonly network: Pick<Network, 'fetch'>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The token of who asks, before each request; another than `refused`, where one was. Null: nobody signs in. */
  readonly bearer: ((refused: string | null) => Promise<string | null>) | null;
}

/** It wants to know who asks, and did not take what it was told. */
export const WANTS_SIGN_IN = 'it answered HTTP 401';

const MOST_HOPS = 3;
const REDIRECTS = new Set([307, 308]);
/** Milliseconds that saying goodbye may take. */
const END_MS = 2_000;

/** Streamable HTTP: each message is a POST, answered by JSON or by a stream of events. Nothing is kept open in between. */
export function openHttpChannel(
  parts: HttpParts & { readonly after: (ms: number, fire: () => void) => () => void },
  events: ChannelEvents,
): Channel {
  let session: string | null = null;
  let version: string | null = null;
  let over: string | null = null;
  const open = new Set<AbortController>();

  const headers = (token: string | null, more: Readonly<Record<string, string>>): Record<string, string> => {
    return {
      ...parts.headers,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(session === null ? {} : { 'mcp-session-id': session }),
      ...(version === null ? {} : { 'mcp-protocol-version': version }),
      ...more,
    };
  };

  const request = async (init: RequestInit, more: Readonly<Record<string, string>>): Promise<Response> => {
    let url = parts.url;
    let token = (await parts.bearer?.(null)) ?? null;
    let renewed = false;
    for (let hop = 0; ; hop++) {
      const response = await parts.network.fetch(url, { ...init, headers: headers(token, more), redirect: 'manual' });
      if (response.status === 401 && token !== null && !renewed) {
        renewed = true;
        const next = (await parts.bearer?.(token)) ?? null;
        if (next === null) return response;
        token = next;
        await response.body?.cancel().catch(() => undefined);
        continue;
      }
      if (response.status < 300 || response.status > 399) return response;
      await response.body?.cancel().catch(() => undefined);
      const place = response.headers.get('location') ?? '';
      // Off its host nothing is followed: whoever agreed to one place did not agree to another (MCP-3).
      const next = URL.canParse(place, url) ? new URL(place, url) : null;
      if (
        next === null ||
        next.origin !== new URL(parts.url).origin ||
        !REDIRECTS.has(response.status) ||
        hop === MOST_HOPS
      )
        throw new Error('it sends requests on to another place, which is not followed');
      url = next.href;
    }
  };

  const post = async (message: JsonObject, abort: AbortController): Promise<void> => {
    const response = await request(
      { method: 'POST', body: JSON.stringify(message), signal: abort.signal },
      { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    );
    if (response.status === 202 || response.status === 204) return void (await response.body?.cancel());
    if (!response.ok) {
      await response.body?.cancel().catch(() => undefined);
      const text =
        response.status === 404 && session !== null
          ? 'it has forgotten this session'
          : `it answered HTTP ${response.status}`;
      if (response.status === 404 && session !== null) closeWith(text);
      throw new Error(text);
    }
    const given = response.headers.get('mcp-session-id');
    if (given !== null && session === null) {
      if (!/^[\x21-\x7e]{1,1024}$/.test(given)) throw new Error('it named its session by what cannot name one');
      session = given;
    }
    const type = (response.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
    if (type === 'text/event-stream') return readEvents(response);
    if (type === 'application/json') return events.onMessage(await readJson(response)) as void | Promise<void>;
    await response.body?.cancel().catch(() => undefined);
    throw new Error('it answered with neither JSON nor events');
  };

  const readEvents = async (response: Response): Promise<void> => {
    const decoder = createServerEvents(MOST_MESSAGE_BYTES);
    for await (const bytes of response.body ?? []) {
      for (const data of decoder.push(bytes as Uint8Array)) {
        const value = parsed(data);
        if (value !== undefined) await events.onMessage(value);
      }
      if (decoder.tooLong) throw new Error(TOO_LONG);
    }
  };

  const closeWith = (why: string): void => {
    if (over !== null) return;
    over = why;
    events.onClosed(why);
  };

  return {
    answersWhenSent: true,
    agreed: (agreed) => {
      version = agreed;
    },
    send: async (message, signal) => {
      if (over !== null) throw new Error(over);
      const abort = new AbortController();
      const stop = (): void => abort.abort('stopped');
      signal?.addEventListener('abort', stop, { once: true });
      if (signal?.aborted) stop();
      open.add(abort);
      try {
        await post(message, abort);
      } catch (error) {
        // What the network throws has names of its own, and words that may hold anything.
        throw (error as { name?: string }).name === 'Error' ? error : new Error('it could not be reached');
      } finally {
        signal?.removeEventListener('abort', stop);
        open.delete(abort);
      }
    },
    close: async () => {
      over ??= 'it was ended';
      for (const abort of open) abort.abort('closing');
      if (session === null) return;
      const abort = new AbortController();
      const forget = parts.after(END_MS, () => abort.abort('closing'));
      await request({ method: 'DELETE', signal: abort.signal }, {})
        .then((response) => response.body?.cancel())
        .catch(() => undefined);
      forget();
    },
  };
}

const TOO_LONG = `it sent a message of more than ${MOST_MESSAGE_BYTES / 1024 / 1024} MiB`;

async function readJson(response: Response): Promise<Json> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of response.body ?? []) {
    size += (bytes as Uint8Array).length;
    if (size > MOST_MESSAGE_BYTES) throw new Error(TOO_LONG);
    pieces.push(bytes as Uint8Array);
  }
  const value = parsed(new TextDecoder().decode(Buffer.concat(pieces)));
  if (value === undefined) throw new Error('it answered with what is no JSON');
  return value;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
