import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Issued,
  type Refusal,
  type RequestBody,
  refusalOf,
  type StrictLimits,
  USUAL_LIMITS,
} from './fake-anthropic-rules.ts';

/** What the fake answers one request with: text, a list of parts, or everything spelled out. */
export type FakeReply = string | readonly FakePart[] | FakeStep;
export type FakeEntry = FakeReply | ((request: FakeRequest, index: number) => FakeReply);

export interface FakeStep {
  readonly parts?: readonly FakePart[];
  /** Default: `tool_use` when a tool is called, else `end_turn`. */
  readonly stop?: string;
  readonly usage?: {
    readonly input?: number;
    readonly output?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    readonly thinking?: number;
  };
  /** An error instead of a reply. `type` and `message` are the API's usual ones unless given. */
  readonly status?: number;
  readonly type?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Before the first byte, headers included: until it settles, or for milliseconds. */
  readonly before?: Promise<unknown> | number;
}

export type FakePart =
  | string
  | { readonly text: string; readonly piece?: number; readonly every?: number }
  | { readonly thinking: string; readonly signature?: string; readonly piece?: number }
  /** Thinking the service keeps sealed. */
  | { readonly redacted: string }
  /** `json` in place of `input`: arguments exactly as written, valid or not. */
  | {
      readonly tool: string;
      readonly input?: unknown;
      readonly json?: string;
      readonly id?: string;
      readonly piece?: number;
    }
  | { readonly wait: Promise<unknown> | number }
  | { readonly ping: true }
  /** Bytes as they are, between two events. */
  | { readonly raw: string }
  /** An error event in the middle of the stream. */
  | { readonly error: { readonly type: string; readonly message: string } }
  /**
   * The connection is torn down here (a reset may overtake what was just written: let the test wait first); `quiet`
   * closes it in order, without the end of the message.
   */
  | { readonly cut: 'reset' | 'quiet' };

export interface FakeRequest {
  readonly body: RequestBody;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly raw: string;
  /** Why it was refused; null when it was answered. */
  readonly refused: Refusal | null;
}

export interface FakeOptions {
  /** The only key that is accepted; default: any. */
  readonly key?: string;
  readonly limits?: Partial<StrictLimits>;
  /** After the last step, go on with it. */
  readonly repeatLast?: boolean;
}

export interface FakeAnthropic {
  /** For `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  readonly requests: readonly FakeRequest[];
  /** Changed by a test mid-way, such as a lower image limit. */
  readonly limits: StrictLimits;
  /** Settles once `count` requests have arrived. */
  received(count: number): Promise<void>;
  /** Tokens billed so far, over all replies, broken ones included. */
  readonly billed: { input: number; output: number; cacheRead: number; cacheWrite: number };
  close(): Promise<void>;
}

/**
 * Anthropic Messages on loopback, as strict as the service: what that refuses with 400 is refused here, in its words.
 * A step is used up by every request that passes; a refused request uses none.
 */
export async function startFakeAnthropic(
  entries: readonly FakeEntry[],
  options: FakeOptions = {},
): Promise<FakeAnthropic> {
  const requests: FakeRequest[] = [];
  const waiting: { count: number; settle: () => void }[] = [];
  const limits: StrictLimits = { ...USUAL_LIMITS, ...options.limits };
  const issued: Issued = { signatures: new Map(), thinkingOfCall: new Map() };
  const billed = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  let answered = 0;

  const server = createServer((incoming, response) => {
    void answer(incoming, response).catch(() => response.destroy());
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const id = `req_${String(requests.length + 1).padStart(4, '0')}`;
    const path = new URL(incoming.url ?? '/', 'http://fake').pathname;
    const given = { method: incoming.method ?? '', path, headers: incoming.headers, bytes, key: options.key };
    const { refused, body } = refusalOf(given, limits, issued);
    const request: FakeRequest = { body, headers: incoming.headers, raw: bytes.toString(), refused };
    requests.push(request);
    for (const one of waiting) if (requests.length >= one.count) one.settle();
    if (refused) return sendError(response, id, refused.status, refused.type, refused.message, {});

    const index = answered++;
    const step = stepOf(entries[index] ?? (options.repeatLast ? entries.at(-1) : undefined), request, index);
    await pause(step.before);
    if (step.status !== undefined) {
      const [type, message] = USUAL_ERRORS[step.status] ?? ['api_error', 'scripted'];
      return sendError(response, id, step.status, step.type ?? type, step.message ?? message, step.headers ?? {});
    }
    const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, ...step.usage };
    billed.input += usage.input;
    billed.cacheRead += usage.cacheRead;
    billed.cacheWrite += usage.cacheWrite;
    const finished = await streamReply(response, id, body, step, issued);
    billed.output += finished ? usage.output : 1;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    limits,
    billed,
    received: (count) =>
      requests.length >= count ? Promise.resolve() : new Promise((settle) => waiting.push({ count, settle })),
    close: () => closeServer(server),
  };
}

const USUAL_ERRORS: Readonly<Record<number, readonly [string, string]>> = {
  400: ['invalid_request_error', 'scripted'],
  401: ['authentication_error', 'invalid x-api-key'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'model: not found'],
  413: ['request_too_large', 'Request exceeds the maximum allowed number of bytes.'],
  429: ['rate_limit_error', 'This request would exceed your rate limit.'],
  500: ['api_error', 'Internal server error'],
  529: ['overloaded_error', 'Overloaded'],
};

function stepOf(entry: FakeEntry | undefined, request: FakeRequest, index: number): FakeStep {
  if (entry === undefined) return { status: 400, message: `the fake has no step ${index + 1}` };
  const reply = typeof entry === 'function' ? entry(request, index) : entry;
  if (typeof reply === 'string') return { parts: [reply] };
  return 'length' in reply ? { parts: reply } : reply;
}

function sendError(
  response: ServerResponse,
  id: string,
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': id, ...headers });
  response.end(JSON.stringify({ type: 'error', error: { type, message }, request_id: id }));
}

/** False when the stream was ended early on purpose. */
async function streamReply(
  response: ServerResponse,
  id: string,
  body: RequestBody,
  step: FakeStep,
  issued: Issued,
): Promise<boolean> {
  const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, ...step.usage };
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': id, ...step.headers });
  const send = (type: string, fields: object) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  };
  send('message_start', {
    message: {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage.input,
        cache_creation_input_tokens: usage.cacheWrite,
        cache_read_input_tokens: usage.cacheRead,
        output_tokens: 1,
      },
    },
  });
  send('ping', {});

  let index = 0;
  let called = false;
  const signatures: string[] = [];
  const block = async (content: object, deltas: AsyncIterable<object> | Iterable<object>) => {
    send('content_block_start', { index, content_block: content });
    for await (const delta of deltas) send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
    index++;
  };
  for (const given of step.parts ?? []) {
    const part = typeof given === 'string' ? { text: given } : given;
    if ('wait' in part) await pause(part.wait);
    else if ('ping' in part) send('ping', {});
    else if ('raw' in part) response.write(part.raw);
    else if ('error' in part) {
      send('error', { error: part.error });
      response.end();
      return false;
    } else if ('cut' in part) {
      if (part.cut === 'reset') response.destroy();
      else response.end();
      return false;
    } else if ('text' in part) {
      const { every } = part;
      await block(
        { type: 'text', text: '' },
        paced(part.text, part.piece ?? 20, every, (text) => ({ type: 'text_delta', text })),
      );
    } else if ('thinking' in part) {
      const signature = part.signature ?? `sig-${id}-${index}`;
      signatures.push(signature);
      issued.signatures.set(signature, { text: part.thinking, model: body.model ?? '' });
      const thinking = [...cut(part.thinking, part.piece ?? 20)].map((text) => ({
        type: 'thinking_delta',
        thinking: text,
      }));
      await block({ type: 'thinking', thinking: '', signature: '' }, [
        ...thinking,
        { type: 'signature_delta', signature },
      ]);
    } else if ('redacted' in part) {
      signatures.push(part.redacted);
      issued.signatures.set(part.redacted, { text: null, model: body.model ?? '' });
      await block({ type: 'redacted_thinking', data: part.redacted }, []);
    } else {
      called = true;
      const call = part.id ?? `toolu_${id}_${index}`;
      issued.thinkingOfCall.set(call, [...signatures]);
      const json = part.json ?? JSON.stringify(part.input ?? {});
      const deltas = [...cut(json, part.piece ?? 24)].map((text) => ({ type: 'input_json_delta', partial_json: text }));
      await block({ type: 'tool_use', id: call, name: part.tool, input: {} }, deltas);
    }
  }
  send('message_delta', {
    delta: { stop_reason: step.stop ?? (called ? 'tool_use' : 'end_turn'), stop_sequence: null },
    usage: {
      output_tokens: usage.output,
      ...(usage.thinking === undefined ? {} : { output_tokens_details: { thinking_tokens: usage.thinking } }),
    },
  });
  send('message_stop', {});
  response.end();
  return true;
}

function* cut(text: string, piece: number): Generator<string> {
  for (let from = 0; from < text.length; from += piece) yield text.slice(from, from + piece);
}

async function* paced(
  text: string,
  piece: number,
  every: number | undefined,
  wrap: (text: string) => object,
): AsyncGenerator<object> {
  for (const one of cut(text, piece)) {
    if (every) await pause(every);
    yield wrap(one);
  }
}

async function pause(wait: Promise<unknown> | number | undefined): Promise<void> {
  if (typeof wait === 'number') await new Promise((resolve) => setTimeout(resolve, wait));
  else await wait;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
