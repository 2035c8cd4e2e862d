import type { Clock } from '../../system/clock.ts';

/** What came back from another machine. Whoever holds it decides nothing by it: bytes are carried, never read. */
export type Fetched =
  | { readonly ok: true; readonly url: string; readonly bytes: Uint8Array; readonly mediaType: string }
  /** In our own words only: a server's message is never repeated to the model (SEC-17). */
  | { readonly ok: false; readonly message: string };

export interface EgressParts {
  /** The system's one way out. */
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Pick<Clock, 'sleep' | 'after'>;
  /** Asked before each hop, the first included: null lets it go, else why not. */
  readonly gate: (url: URL) => Promise<string | null>;
}

export const MOST_BODY_BYTES = 5 * 1024 * 1024;
const MOST_HOPS = 5;
const TRIES = 3;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** For one hop, head and body. */
const DEADLINE_MS = 60_000;
/** Statuses that say "not now"; every other failure would fail again. */
const NOT_NOW = new Set([408, 425, 429, 502, 503, 504]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** An address as it may be fetched: http or https, without a name and password in it. */
export function readAddress(text: string): { readonly url: URL } | { readonly complaint: string } {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { complaint: 'it is not an absolute URL' };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { complaint: 'only http and https are fetched' };
  if (url.username !== '' || url.password !== '') return { complaint: 'it holds a user name or password' };
  url.hash = '';
  return { url };
}

/**
 * The one function through which tools reach another machine (NET-1): a GET without cookies or credentials. Each hop is
 * asked for again, stays on its host and never falls from https to http; a body that is too long is a failure, not a
 * part.
 */
export async function fetchOut(parts: EgressParts, address: URL, signal: AbortSignal): Promise<Fetched> {
  let url = address;
  for (let hop = 0; hop <= MOST_HOPS; hop++) {
    const refused = await parts.gate(url);
    if (refused !== null) return failed(refused);
    const answer = await tryHop(parts, url, signal);
    if (!('location' in answer)) return answer;
    const next = nextHop(url, answer.location);
    if ('complaint' in next) return failed(next.complaint);
    ({ url } = next);
  }
  return failed(`more than ${MOST_HOPS} redirects`);
}

type Hop = Fetched | { readonly location: string };

async function tryHop(parts: EgressParts, url: URL, signal: AbortSignal): Promise<Hop> {
  for (let attempt = 1; ; attempt++) {
    const answer = await oneHop(parts, url, signal);
    if (!('wait' in answer)) return answer;
    if (attempt === TRIES || signal.aborted) return failed(answer.message);
    const wait = answer.wait ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
    if (wait > LONGEST_WAIT_MS) return failed(`${answer.message}, and to come back after ${Math.ceil(wait / 1000)} s`);
    if (!(await parts.clock.sleep(wait, signal))) return failed('stopped');
  }
}

async function oneHop(
  { clock, ...network }: EgressParts,
  url: URL,
  signal: AbortSignal,
): Promise<Hop | { readonly wait: number | null; readonly message: string }> {
  const late = new AbortController();
  const forget = clock.after(DEADLINE_MS, () => late.abort());
  try {
    const response = await network.fetch(url, {
      redirect: 'manual',
      credentials: 'omit',
      headers: { accept: 'text/*, application/json;q=0.9, */*;q=0.5', 'user-agent': 'houston' },
      signal: AbortSignal.any([signal, late.signal]),
    });
    if (REDIRECTS.has(response.status)) {
      await response.body?.cancel();
      const location = response.headers.get('location');
      return location === null ? failed('a redirect that leads nowhere') : { location };
    }
    if (!response.ok) {
      await response.body?.cancel();
      const message = `the server answered ${response.status}`;
      return NOT_NOW.has(response.status) ? { wait: retryAfter(response), message } : failed(message);
    }
    const bytes = await readBody(response);
    if (bytes === null) return failed(`the body is longer than ${MOST_BODY_BYTES} bytes`);
    return { ok: true, url: url.href, bytes, mediaType: mediaTypeOf(response) };
  } catch {
    if (signal.aborted) return failed('stopped');
    // What exactly failed may hold words of the other side.
    return { wait: null, message: late.signal.aborted ? 'no answer in time' : 'the connection failed' };
  } finally {
    forget();
  }
}

function nextHop(from: URL, location: string): { readonly url: URL } | { readonly complaint: string } {
  const target = URL.canParse(location, from) ? readAddress(new URL(location, from).href) : null;
  if (target === null || 'complaint' in target) return { complaint: 'a redirect to something that is not fetched' };
  const { url } = target;
  if (url.hostname !== from.hostname) return { complaint: 'a redirect to another host, which was not approved' };
  if (from.protocol === 'https:' && url.protocol !== 'https:') return { complaint: 'a redirect from https to http' };
  // http to https of the same host brings its own default port along.
  if (url.port !== from.port) return { complaint: 'a redirect to another port, which was not approved' };
  return { url };
}

/** Null when there is more than may be taken: it is measured as it comes, whatever the head promised. */
async function readBody(response: Response): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (response.body === null) return new Uint8Array();
  for await (const piece of response.body as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > MOST_BODY_BYTES) return null;
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

/** A plain token or nothing: the rest of the header is the server's own text. */
function mediaTypeOf(response: Response): string {
  const [, type] = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)/.exec(response.headers.get('content-type') ?? '') ?? [];
  return type?.toLowerCase() ?? 'application/octet-stream';
}

/** Milliseconds; null when the server named none we can read. */
function retryAfter(response: Response): number | null {
  const seconds = /^\d{1,6}$/.exec(response.headers.get('retry-after') ?? '')?.[0];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

function failed(message: string): Extract<Fetched, { ok: false }> {
  return { ok: false, message };
}
