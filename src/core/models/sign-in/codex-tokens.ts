import { done, type Outcome, refuse } from '../../../base/refusal.ts';
import type { Clock } from '../../../system/clock.ts';
import type { Network } from '../../../system/network.ts';
import type { OAuthRecord } from './auth-file.ts';
import type { CodexService } from './codex.ts';

export interface TokenParts {
  readonly service: CodexService;
  readonly network: Pick<Network, 'fetch'>;
  readonly clock: Clock;
}

/** The token service is waited for so long. */
const LONGEST_MS = 30_000;
const MOST_BYTES = 1024 * 1024;
/** Where the service does not say how long a token holds. */
const USUAL_LIFE_MS = 3_600_000;

/**
 * A code from the browser for tokens. Refuses with `sign-in-refused`, `sign-in-unreachable`, `sign-in-cancelled` or
 * `no-account`.
 */
export function exchangeCode(
  parts: TokenParts,
  code: string,
  verifier: string,
  signal: AbortSignal,
): Promise<Outcome<OAuthRecord>> {
  const { clientId, redirect } = parts.service;
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirect.url,
    code_verifier: verifier,
  };
  return askForTokens(parts, form, null, signal);
}

/** New tokens for old ones. Besides the above: `sign-in-ended` where the service no longer takes the old one. */
export async function refreshTokens(
  parts: TokenParts,
  old: OAuthRecord,
  signal: AbortSignal,
): Promise<Outcome<OAuthRecord>> {
  const form = { grant_type: 'refresh_token', client_id: parts.service.clientId, refresh_token: old.refresh };
  const got = await askForTokens(parts, form, old, signal);
  if (got.ok || got.refusal.identifier !== 'sign-in-refused') return got;
  return refuse('sign-in-ended', 'The sign-in has ended');
}

async function askForTokens(
  { service, network, clock }: TokenParts,
  form: Readonly<Record<string, string>>,
  old: OAuthRecord | null,
  signal: AbortSignal,
): Promise<Outcome<OAuthRecord>> {
  const late = new AbortController();
  const stopTimer = clock.after(LONGEST_MS, () => late.abort());
  try {
    const response = await network.fetch(service.tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      // A redirect would carry the code to somebody else.
      redirect: 'error',
      signal: AbortSignal.any([signal, late.signal]),
    });
    const answer = readObject(await response.text());
    if (response.status >= 500 || response.status === 429)
      return refuse('sign-in-unreachable', `The sign-in service failed (${response.status})`);
    if (!response.ok)
      return refuse('sign-in-refused', `The sign-in service refused: ${reasonOf(answer, response.status)}`);
    return recordOf(answer, old, clock.now());
  } catch {
    if (signal.aborted) return refuse('sign-in-cancelled', 'The sign-in was cancelled');
    return refuse(
      'sign-in-unreachable',
      late.signal.aborted ? 'The sign-in service did not answer in time' : 'The sign-in service cannot be reached',
    );
  } finally {
    stopTimer();
  }
}

function recordOf(
  answer: Readonly<Record<string, unknown>>,
  old: OAuthRecord | null,
  now: number,
): Outcome<OAuthRecord> {
  const access = textOf(answer.access_token);
  const refresh = textOf(answer.refresh_token) ?? old?.refresh ?? null;
  if (access === null || refresh === null) return refuse('sign-in-refused', 'The sign-in service gave no tokens');
  const claims = claimsOf(textOf(answer.id_token));
  const account = claims.account ?? claimsOf(access).account ?? old?.account ?? '';
  if (account === '') return refuse('no-account', 'missing ChatGPT account id: this account cannot be used here');
  const life =
    typeof answer.expires_in === 'number' && answer.expires_in > 0 ? answer.expires_in * 1000 : USUAL_LIFE_MS;
  return done({
    type: 'oauth',
    access,
    refresh,
    expires: now + life,
    account,
    email: claims.email ?? old?.email ?? null,
  });
}

/** The service's own name for what is wrong; never its sentences, which may repeat what was sent. */
function reasonOf(answer: Readonly<Record<string, unknown>>, status: number): string {
  const { error } = answer;
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : error;
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code.replaceAll('_', ' ') : `status ${status}`;
}

/**
 * Who signed in, out of a token's middle part. Its signature is not looked at: it came from the service itself, over TLS,
 * and serves to fill in a header and a row.
 */
export function claimsOf(token: string | null): { readonly account: string | null; readonly email: string | null } {
  const middle = token?.split('.')[1] ?? '';
  const claims = readObject(Buffer.from(middle, 'base64url').toString('utf8'));
  const auth = claims['https://api.openai.com/auth'];
  const account =
    typeof auth === 'object' && auth !== null ? (auth as Record<string, unknown>).chatgpt_account_id : null;
  return {
    account: typeof account === 'string' && /^[\w.-]{1,128}$/.test(account) ? account : null,
    email: typeof claims.email === 'string' && /^[^\s\p{C}]{1,200}$/u.test(claims.email) ? claims.email : null,
  };
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  if (text.length > MOST_BYTES) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : null;
}
