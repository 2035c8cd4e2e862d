import { onAbort } from '../../base/abort.ts';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { Clock } from '../../system/clock.ts';
import type { Network } from '../../system/network.ts';

export interface ServiceParts {
  readonly network: Pick<Network, 'fetch'>;
  readonly clock: Clock;
}

/** Where to sign in to one MCP server. */
export interface OAuthService {
  readonly issuer: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** Where a client makes itself known; null where that is done by hand. */
  readonly registerUrl: string | null;
}

type Answer = Readonly<Record<string, unknown>>;

const LONGEST_MS = 30_000;
const MOST_BYTES = 1024 * 1024;

/** Finds who signs people in to this server: by what it says itself, else by itself (RFC 9728, RFC 8414). */
export async function findService(
  parts: ServiceParts,
  server: string,
  signal: AbortSignal,
): Promise<Outcome<OAuthService>> {
  const { origin, pathname } = new URL(server);
  const path = pathname === '/' ? '' : pathname;
  const named = await namedMetadata(parts, server, signal);
  const places = [
    named,
    `${origin}/.well-known/oauth-protected-resource${path}`,
    `${origin}/.well-known/oauth-protected-resource`,
  ];
  let issuer = origin;
  for (const place of places) {
    const found = place === null ? null : await getJson(parts, place, signal);
    if (found === null) continue;
    // It speaks for this server, or for nothing (RFC 9728, 3.3).
    const { resource, authorization_servers: servers } = found;
    if (typeof resource !== 'string' || !URL.canParse(resource) || new URL(resource).origin !== origin)
      return refuse('mcp-sign-in', 'what it says of signing in is about another server');
    const [first] = Array.isArray(servers) ? (servers as readonly unknown[]) : [];
    if (typeof first === 'string') issuer = first;
    break;
  }
  if (!isSafeAddress(issuer)) return refuse('mcp-sign-in', 'it names a sign-in service that is not reached by https');
  return findEndpoints(parts, issuer.replace(/\/$/, ''), signal);
}

async function findEndpoints(parts: ServiceParts, issuer: string, signal: AbortSignal): Promise<Outcome<OAuthService>> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname;
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${issuer}/.well-known/openid-configuration`,
  ];
  for (const place of places) {
    const found = await getJson(parts, place, signal);
    if (found === null) continue;
    if (typeof found.issuer !== 'string' || found.issuer.replace(/\/$/, '') !== issuer) continue;
    const {
      authorization_endpoint: authorizeUrl,
      token_endpoint: tokenUrl,
      registration_endpoint: registerUrl,
    } = found;
    const methods = found.code_challenge_methods_supported;
    if (!Array.isArray(methods) || !methods.includes('S256'))
      return refuse('mcp-sign-in', 'its sign-in service has no PKCE, and nothing else is safe');
    if (!isSafeAddress(authorizeUrl) || !isSafeAddress(tokenUrl)) break;
    return done({ issuer, authorizeUrl, tokenUrl, registerUrl: isSafeAddress(registerUrl) ? registerUrl : null });
  }
  return refuse('mcp-sign-in', 'where to sign in to it could not be found out');
}

/** What it names when nobody has signed in; only a place of its own counts. */
async function namedMetadata(parts: ServiceParts, server: string, signal: AbortSignal): Promise<string | null> {
  const reply = await send(parts, server, { method: 'GET', headers: { accept: 'text/event-stream' } }, signal);
  const [, place = ''] = /resource_metadata="([^"]+)"/.exec(reply?.challenge ?? '') ?? [];
  return URL.canParse(place) && new URL(place).origin === new URL(server).origin ? place : null;
}

async function getJson(parts: ServiceParts, url: string, signal: AbortSignal): Promise<Answer | null> {
  const reply = await send(parts, url, { headers: { accept: 'application/json' } }, signal);
  return reply?.ok === true ? reply.answer : null;
}

/** What a token or registration endpoint answered; refused in our own words. */
export async function postTo(
  parts: ServiceParts,
  url: string,
  body: Readonly<Record<string, string>> | { readonly json: unknown },
  signal: AbortSignal,
): Promise<Outcome<Answer>> {
  const isJson = 'json' in body;
  const reply = await send(
    parts,
    url,
    {
      method: 'POST',
      headers: {
        'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: isJson ? JSON.stringify(body.json) : new URLSearchParams(body as Record<string, string>).toString(),
    },
    signal,
  );
  if (reply === null)
    return refuse(
      'mcp-sign-in',
      signal.aborted ? 'the sign-in was stopped' : 'the sign-in service could not be reached',
    );
  const { ok, status, answer } = reply;
  if (ok && answer !== null) return done(answer);
  // The service's own name for it; never its sentences, which may repeat what was sent.
  const code =
    typeof answer?.error === 'string' && /^[a-z_]{1,40}$/.test(answer.error) ? answer.error : `HTTP ${status}`;
  return refuse('mcp-sign-in', `the sign-in service refused (${code.replaceAll('_', ' ')})`);
}

interface Reply {
  readonly ok: boolean;
  readonly status: number;
  readonly challenge: string | null;
  /** Its JSON; null where it is none, or no end of it came. */
  readonly answer: Answer | null;
}

/** Null where nobody answered in time, or with a redirect: that would carry codes and tokens to somebody else. */
async function send(
  { network, clock }: ServiceParts,
  url: string,
  init: RequestInit,
  signal: AbortSignal,
): Promise<Reply | null> {
  const late = new AbortController();
  const stopTimer = clock.after(LONGEST_MS, () => late.abort());
  const release = onAbort(signal, () => late.abort());
  try {
    const response = await network.fetch(url, { ...init, redirect: 'manual', signal: late.signal });
    const { ok, status, headers } = response;
    const json = (headers.get('content-type') ?? '').toLowerCase().includes('json');
    const answer = json ? await readAnswer(response) : null;
    if (!json) await response.body?.cancel().catch(() => undefined);
    if (status >= 300 && status < 400) return null;
    return { ok, status, challenge: headers.get('www-authenticate'), answer };
  } catch {
    return null;
  } finally {
    stopTimer();
    release();
  }
}

async function readAnswer(response: Response): Promise<Answer | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of response.body ?? []) {
    size += (bytes as Uint8Array).length;
    if (size > MOST_BYTES) return null;
    pieces.push(bytes as Uint8Array);
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(Buffer.concat(pieces)));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Answer) : null;
  } catch {
    return null;
  }
}

/** Https, or on this machine. */
export function isSafeAddress(url: unknown): url is string {
  if (typeof url !== 'string' || !/^[!-~]{1,2048}$/.test(url) || !URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  return (
    protocol === 'https:' ||
    (protocol === 'http:' &&
      (hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)))
  );
}
