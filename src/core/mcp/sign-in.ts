import { onAbort } from '../../base/abort.ts';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Ids } from '../../system/environment.ts';
import type { Network } from '../../system/network.ts';
import type { OAuthWish } from './config.ts';
import { findService, type OAuthService, postTo, type ServiceParts } from './find-sign-in.ts';
import type { TokenFile, Tokens } from './token-file.ts';

export interface SignInParts extends ServiceParts {
  readonly network: Pick<Network, 'fetch' | 'answerLoopback'>;
  readonly ids: Pick<Ids, 'hex'>;
  readonly tokens: TokenFile;
}

/** Shows the person where to go; resolves to the address the browser ended at where they paste it, null where they give up. */
export type Visit = (url: string, signal: AbortSignal) => Promise<string | null>;

/** A person may look for a password; after this nobody is there any more. */
const LONGEST_MS = 15 * 60_000;
/** A token is renewed so long before it ends. */
const MARGIN_MS = 60_000;
const PATH = '/callback';

/** OAuth with PKCE in the browser, which comes back to this machine (MC-6). What came of it is kept by the server's address. */
export async function signIn(
  parts: SignInParts,
  server: string,
  wish: OAuthWish,
  visit: Visit,
  signal: AbortSignal,
): Promise<Outcome<Tokens>> {
  const found = await findService(parts, server, signal);
  if (!found.ok) return found;
  const service = found.value;
  const state = parts.ids.hex(32);
  const verifier = parts.ids.hex(48);
  const over = Promise.withResolvers<Outcome<Tokens>>();
  const code = Promise.withResolvers<Outcome<string>>();
  const take = (address: string): Outcome<string> => {
    const read = readRedirect(address, state, service.issuer);
    if (read.ok || read.refusal.identifier === 'mcp-sign-in') code.resolve(read);
    return read;
  };
  const listener = await parts.network.answerLoopback(0, async (request) => {
    if (request.method !== 'GET' || new URL(request.url).pathname !== PATH)
      return new Response('Not found\n', { status: 404 });
    const taken = take(request.url);
    const outcome = taken.ok ? await over.promise : taken;
    return page(outcome.ok ? 'You are signed in' : 'You are not signed in');
  });
  const redirect = `http://127.0.0.1:${listener.port}${PATH}`;
  const shown = new AbortController();
  const stopTimer = parts.clock.after(LONGEST_MS, () =>
    code.resolve(refuse('mcp-sign-in', 'nobody came back from the browser')),
  );
  const release = onAbort(signal, () => {
    shown.abort('stopped');
    code.resolve(refuse('stopped', 'it was stopped'));
  });
  const work = async (): Promise<Outcome<Tokens>> => {
    const client = await clientOf(parts, service, wish, redirect, signal);
    if (!client.ok) return client;
    const { clientId, clientSecret } = client.value;
    const asked = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirect,
      state,
      code_challenge: Buffer.from(sha256(verifier), 'hex').toString('base64url'),
      code_challenge_method: 'S256',
      resource: server,
      ...(wish.scopes.length === 0 ? {} : { scope: wish.scopes.join(' ') }),
    });
    const url = `${service.authorizeUrl}${service.authorizeUrl.includes('?') ? '&' : '?'}${asked}`;
    const pasting = async (): Promise<void> => {
      for (;;) {
        const pasted = await visit(url, shown.signal);
        if (shown.signal.aborted) return;
        if (pasted === null) return code.resolve(refuse('mcp-declined', 'you did not sign in'));
        if (take(pasted).ok) return;
      }
    };
    void pasting();
    const came = await code.promise;
    shown.abort('over');
    if (!came.ok) return came;
    const answer = await postTo(
      parts,
      service.tokenUrl,
      {
        grant_type: 'authorization_code',
        code: came.value,
        redirect_uri: redirect,
        client_id: clientId,
        code_verifier: verifier,
        resource: server,
        ...(clientSecret === null ? {} : { client_secret: clientSecret }),
      },
      signal,
    );
    if (!answer.ok) return answer;
    return tokensIn(answer.value, { ...client.value, tokenUrl: service.tokenUrl, refresh: null }, parts.clock.now());
  };
  try {
    const outcome = await work();
    if (outcome.ok) await parts.tokens.alone(() => parts.tokens.keep(server, outcome.value));
    over.resolve(outcome);
    return outcome;
  } finally {
    stopTimer();
    release();
    shown.abort('over');
    over.resolve(refuse('stopped', 'it was stopped'));
    await listener.close();
  }
}

/** The one that was set, or one this service makes for us. */
async function clientOf(
  parts: SignInParts,
  { registerUrl }: OAuthService,
  { clientId, clientSecret }: OAuthWish,
  redirect: string,
  signal: AbortSignal,
): Promise<Outcome<{ readonly clientId: string; readonly clientSecret: string | null }>> {
  if (clientId !== null) return done({ clientId, clientSecret });
  if (registerUrl === null)
    return refuse('mcp-sign-in', 'its sign-in service takes only clients it knows: set client_id');
  const json = {
    client_name: 'Houston',
    redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  const made = await postTo(parts, registerUrl, { json }, signal);
  if (!made.ok) return made;
  const id = textOf(made.value.client_id);
  return id === null
    ? refuse('mcp-sign-in', 'its sign-in service gave no client_id')
    : done({ clientId: id, clientSecret: textOf(made.value.client_secret) });
}

/** Tells whoever sends a request who it is for: renews what is about to end, by one process at a time. */
export function bearerOf(parts: SignInParts, server: string): (refused: string | null) => Promise<string | null> {
  return async (refused) => {
    const usable = (tokens: Tokens | null): string | null => {
      if (tokens === null || tokens.access === refused) return null;
      return tokens.expires !== null && tokens.expires - MARGIN_MS <= parts.clock.now() ? null : tokens.access;
    };
    const there = usable(await parts.tokens.load(server));
    if (there !== null) return there;
    return parts.tokens.alone(async () => {
      const old = await parts.tokens.load(server);
      const meanwhile = usable(old);
      if (meanwhile !== null || old === null) return meanwhile;
      if (old.refresh === null) return null;
      const form = {
        grant_type: 'refresh_token',
        refresh_token: old.refresh,
        client_id: old.clientId,
        resource: server,
        ...(old.clientSecret === null ? {} : { client_secret: old.clientSecret }),
      };
      const answer = await postTo(parts, old.tokenUrl, form, new AbortController().signal);
      const renewed = answer.ok ? tokensIn(answer.value, old, parts.clock.now()) : answer;
      if (!renewed.ok) return null;
      await parts.tokens.keep(server, renewed.value);
      return renewed.value.access;
    });
  };
}

function tokensIn(
  answer: Readonly<Record<string, unknown>>,
  old: Pick<Tokens, 'clientId' | 'clientSecret' | 'tokenUrl' | 'refresh'>,
  now: number,
): Outcome<Tokens> {
  const access = textOf(answer.access_token);
  if (access === null) return refuse('mcp-sign-in', 'the sign-in service gave no token');
  const life = answer.expires_in;
  return done({
    access,
    refresh: textOf(answer.refresh_token) ?? old.refresh,
    expires: typeof life === 'number' && life > 0 ? now + life * 1000 : null,
    clientId: old.clientId,
    clientSecret: old.clientSecret,
    tokenUrl: old.tokenUrl,
  });
}

/** `foreign`: no answer to this attempt, whatever sent it; the attempt goes on. */
function readRedirect(text: string, state: string, issuer: string): Outcome<string> {
  const trimmed = text.trim();
  const address = /^[a-z]+:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  if (!URL.canParse(address)) return refuse('foreign', 'that is no address');
  const { pathname, searchParams } = new URL(address);
  if (pathname !== PATH || searchParams.get('state') !== state)
    return refuse('foreign', 'that address is of another sign-in');
  const from = searchParams.get('iss');
  if (from !== null && from.replace(/\/$/, '') !== issuer)
    return refuse('foreign', 'that address is of another service');
  const error = searchParams.get('error');
  if (error !== null)
    return refuse(
      'mcp-sign-in',
      `the sign-in was refused${/^[a-z_]{1,40}$/.test(error) ? ` (${error.replaceAll('_', ' ')})` : ''}`,
    );
  const code = textOf(searchParams.get('code'));
  return code === null ? refuse('foreign', 'there is no code in that address') : done(code);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,8192}$/.test(value) ? value : null;
}

/** Our words alone; nothing of the request is repeated. */
function page(words: string): Response {
  const html = `<!doctype html><meta charset="utf-8"><title>Houston</title><h1>${words}</h1><p>You can close this window and go back to the terminal.</p>\n`;
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'",
      connection: 'close',
    },
  });
}
