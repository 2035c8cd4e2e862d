import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the fake answers one request with: text, a list of parts, or everything spelled out. */
export type FakeReply = string | readonly FakePart[] | FakeStep;
export type FakeEntry<Body> = FakeReply | ((request: FakeRequest<Body>, index: number) => FakeReply);

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
  /** What a model says instead of an answer. */
  | { readonly refusal: string }
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

/** What a service refuses, worded as its own. */
export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

export interface StrictLimits {
  /** Pixels a side. */
  imageSide: number;
  /** Bytes of base64. */
  imageBytes: number;
  /** Bytes of the whole request: beyond it the prompt is too long. */
  promptBytes: number;
}

/** One request as it came. */
export interface Given {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The only key that is accepted; undefined: any. */
  readonly key: string | undefined;
}

export interface FakeRequest<Body> {
  readonly body: Body;
  readonly path: string;
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

export type StepUsage = Required<
  Pick<NonNullable<FakeStep['usage']>, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>
> &
  Pick<NonNullable<FakeStep['usage']>, 'thinking'>;

export interface FakeService<Body> {
  /** Address of the service, without a version. */
  readonly url: string;
  readonly requests: readonly FakeRequest<Body>[];
  /** Changed by a test mid-way, such as a lower image limit. */
  readonly limits: StrictLimits;
  /** Settles once `count` requests have arrived. */
  received(count: number): Promise<void>;
  /** Tokens billed so far, over all replies, broken ones included. */
  readonly billed: { input: number; output: number; cacheRead: number; cacheWrite: number };
  close(): Promise<void>;
}

/** What one kind of service does in its own way. `check` and `stream` share what was given out in between. */
export interface FakeHabits<Body> {
  readonly limits: StrictLimits;
  /** Names and words of an error that a script gives only the status of. */
  readonly usualErrors: Readonly<Record<number, readonly [string, string]>>;
  check(given: Given, limits: StrictLimits): { refused: Refusal | null; body: Body };
  errorBody(refusal: Refusal, id: string): object;
  /** The name of the header that carries the id of a request; null where the service gives none. */
  readonly idHeader: string | null;
  /** False when the stream was ended early on purpose. */
  stream(response: ServerResponse, reply: FakeReplyOrder<Body>): Promise<boolean>;
  /** Output tokens billed for a reply that was cut. */
  readonly cutOutput: number;
}

export interface FakeReplyOrder<Body> {
  readonly id: string;
  readonly body: Body;
  readonly step: FakeStep;
  readonly usage: StepUsage;
}

/**
 * A model service on loopback, as strict as the real one: what that refuses is refused here, in its words. A step is
 * used up by every request that passes; a refused request uses none.
 */
export async function startFakeService<Body>(
  habits: FakeHabits<Body>,
  entries: readonly FakeEntry<Body>[],
  options: FakeOptions = {},
): Promise<FakeService<Body>> {
  const requests: FakeRequest<Body>[] = [];
  const waiting: { count: number; settle: () => void }[] = [];
  const limits: StrictLimits = { ...habits.limits, ...options.limits };
  const billed = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  let answered = 0;

  const server = createServer((incoming, response) => {
    void answer(incoming, response).catch(() => response.destroy());
  });

  const sendError = (
    response: ServerResponse,
    id: string,
    refusal: Refusal,
    headers: Readonly<Record<string, string>>,
  ) => {
    const own = habits.idHeader === null ? {} : { [habits.idHeader]: id };
    response.writeHead(refusal.status, { 'content-type': 'application/json', ...own, ...headers });
    response.end(JSON.stringify(habits.errorBody(refusal, id)));
  };

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const id = `req_${String(requests.length + 1).padStart(4, '0')}`;
    const { pathname: path, searchParams: query } = new URL(incoming.url ?? '/', 'http://fake');
    const given = { method: incoming.method ?? '', path, query, headers: incoming.headers, bytes, key: options.key };
    const { refused, body } = habits.check(given, limits);
    const request: FakeRequest<Body> = { body, path, headers: incoming.headers, raw: bytes.toString(), refused };
    requests.push(request);
    for (const one of waiting) if (requests.length >= one.count) one.settle();
    if (refused) return sendError(response, id, refused, {});

    const index = answered++;
    const step = stepOf(entries[index] ?? (options.repeatLast ? entries.at(-1) : undefined), request, index);
    await pause(step.before);
    if (step.status !== undefined) {
      const [type, message] = habits.usualErrors[step.status] ?? ['api_error', 'scripted'];
      const refusal = { status: step.status, type: step.type ?? type, message: step.message ?? message };
      return sendError(response, id, refusal, step.headers ?? {});
    }
    const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, ...step.usage };
    billed.input += usage.input;
    billed.cacheRead += usage.cacheRead;
    billed.cacheWrite += usage.cacheWrite;
    const own = habits.idHeader === null ? {} : { [habits.idHeader]: id };
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...own, ...step.headers });
    const finished = await habits.stream(response, { id, body, step, usage });
    billed.output += finished ? usage.output : habits.cutOutput;
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

function stepOf<Body>(entry: FakeEntry<Body> | undefined, request: FakeRequest<Body>, index: number): FakeStep {
  if (entry === undefined) return { status: 400, message: `the fake has no step ${index + 1}` };
  const reply = typeof entry === 'function' ? entry(request, index) : entry;
  if (typeof reply === 'string') return { parts: [reply] };
  return 'length' in reply ? { parts: reply } : reply;
}

/** A part with its short form spelled out; where a service has no word of its own for a refusal, it is text. */
export function partOf(part: FakePart): Exclude<FakePart, string | { readonly refusal: string }> {
  if (typeof part === 'string') return { text: part };
  return 'refusal' in part ? { text: part.refusal } : part;
}

export function* cut(text: string, piece: number): Generator<string> {
  for (let from = 0; from < text.length; from += piece) yield text.slice(from, from + piece);
}

export async function pause(wait: Promise<unknown> | number | undefined): Promise<void> {
  if (typeof wait === 'number') await new Promise((resolve) => setTimeout(resolve, wait));
  else await wait;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
