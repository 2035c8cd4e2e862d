import { done, type Outcome, refuse } from '../../../base/refusal.ts';
import type { Clock } from '../../../system/clock.ts';
import type { Ids } from '../../../system/environment.ts';
import { SystemError } from '../../../system/files.ts';
import type { Network } from '../../../system/network.ts';
import type { AuthFile, OAuthRecord } from './auth-file.ts';
import { callbackPage } from './callback-page.ts';
import { authorizeAddress, type CodexService, challengeOf } from './codex.ts';
import { exchangeCode } from './codex-tokens.ts';
import type { SignInAttempt } from './way.ts';

export interface CodexSignInParts {
  readonly service: CodexService;
  readonly network: Pick<Network, 'fetch' | 'answerLoopback'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly auth: AuthFile;
}

/** A person may look for a password; after this nobody is there any more. */
const LONGEST_MS = 15 * 60_000;

type Redirect =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Not an answer to this attempt: whatever sent it, the attempt goes on. */
  | { readonly kind: 'foreign'; readonly why: string };

/**
 * One try to sign in with a ChatGPT account (PC-4..PC-6, PC-16). The browser comes back to a listener on this machine, or
 * the person pastes where it ended. Cancelling changes nothing until the tokens are being written; from then on the write
 * decides. Refuses with `sign-in-cancelled`, `sign-in-timeout`, `sign-in-denied` and those of `codex-tokens.ts` and
 * `auth-file.ts`.
 */
export async function signInToCodex(
  parts: CodexSignInParts,
  provider: string,
  attempt: SignInAttempt,
): Promise<Outcome<string>> {
  const { service, clock, ids, auth } = parts;
  const state = ids.hex(32);
  const verifier = ids.hex(48);
  const url = authorizeAddress(service, state, challengeOf(verifier));
  const found = Promise.withResolvers<Extract<Redirect, { kind: 'code' | 'refused' }> | null>();
  const over = Promise.withResolvers<Outcome<string>>();
  let used = false;

  const take = (address: string): Redirect => {
    const redirect = readRedirect(address, service, state);
    if (redirect.kind === 'foreign') return redirect;
    if (used) return { kind: 'foreign', why: 'This sign-in was answered already' };
    used = true;
    found.resolve(redirect);
    return redirect;
  };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (request.method !== 'GET' || pathname !== new URL(service.redirect.url).pathname)
      return new Response('Not found\n', { status: 404 });
    const redirect = take(request.url);
    if (redirect.kind === 'foreign') return callbackPage(400, redirect.why);
    const outcome = await over.promise;
    return outcome.ok ? callbackPage(200, 'You are signed in') : callbackPage(400, outcome.refusal.message);
  };

  const cancelled = new AbortController();
  const stop = (): void => {
    cancelled.abort();
    found.resolve(null);
  };
  attempt.signal.addEventListener('abort', stop, { once: true });
  let late = false;
  const stopTimer = clock.after(LONGEST_MS, () => {
    late = true;
    stop();
  });
  const listener = await listen(parts, answer);
  const work = async (): Promise<Outcome<string>> => {
    if (attempt.signal.aborted) return CANCELLED;
    attempt.onStage({ stage: 'browser', url, note: listener === null ? portTaken(service) : null });
    attempt.onPaste((address) => {
      const redirect = take(address);
      return redirect.kind === 'foreign' ? refuse('redirect-unfitting', redirect.why) : done(null);
    });
    const redirect = await found.promise;
    if (redirect === null) return late ? refuse('sign-in-timeout', 'Nobody came back from the browser') : CANCELLED;
    if (redirect.kind === 'refused') return refuse('sign-in-denied', `The sign-in was refused: ${redirect.reason}`);
    attempt.onStage({ stage: 'checking', url: null, note: null });
    const tokens = await exchangeCode(parts, redirect.code, verifier, cancelled.signal);
    if (!tokens.ok) return tokens;
    if (cancelled.signal.aborted) return CANCELLED;
    attempt.onStage({ stage: 'saving', url: null, note: null });
    const kept = await auth.alone(() => auth.keep(provider, tokens.value));
    return kept.ok ? done(signedInAs(tokens.value)) : kept;
  };
  try {
    const outcome = await work();
    over.resolve(outcome);
    return outcome;
  } finally {
    stopTimer();
    attempt.signal.removeEventListener('abort', stop);
    over.resolve(CANCELLED);
    await listener?.close();
  }
}

const CANCELLED = refuse('sign-in-cancelled', 'The sign-in was cancelled');

export function signedInAs({ email, account }: OAuthRecord): string {
  return `signed in as ${email ?? account}`;
}

/** Null when something else listens there: then the redirect is pasted. */
async function listen({ network, service }: CodexSignInParts, answer: (request: Request) => Promise<Response>) {
  try {
    return await network.answerLoopback(service.redirect.port, answer);
  } catch (error) {
    if (error instanceof SystemError) return null;
    throw error;
  }
}

function portTaken({ redirect }: CodexService): string {
  return `Port ${redirect.port} is in use, so the browser cannot come back by itself: paste where it ended`;
}

/** Browsers hide `http://`, so an address without it counts too. */
function readRedirect(text: string, { redirect }: CodexService, state: string): Redirect {
  const trimmed = text.trim();
  const address = /^[a-z]+:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  if (!URL.canParse(address)) return { kind: 'foreign', why: 'That is not the address the browser ended at' };
  const { pathname, searchParams } = new URL(address);
  if (pathname !== new URL(redirect.url).pathname)
    return { kind: 'foreign', why: 'That is not the address the browser ended at' };
  if (searchParams.get('state') !== state) return { kind: 'foreign', why: 'That address is of another sign-in' };
  const error = searchParams.get('error');
  if (error !== null)
    return { kind: 'refused', reason: /^[a-z_]{1,40}$/.test(error) ? error.replaceAll('_', ' ') : 'no reason given' };
  const code = searchParams.get('code');
  if (code === null || !/^[\x21-\x7e]{1,4096}$/.test(code))
    return { kind: 'foreign', why: 'There is no code in that address' };
  return { kind: 'code', code };
}
