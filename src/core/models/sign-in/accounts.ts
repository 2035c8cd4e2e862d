import { done, type Outcome, refuse } from '../../../base/refusal.ts';
import type { Clock } from '../../../system/clock.ts';
import type { Network } from '../../../system/network.ts';
import type { AuthFile, OAuthRecord } from './auth-file.ts';
import { type CodexService, codexHeaders } from './codex.ts';
import { refreshTokens } from './codex-tokens.ts';

/** Requests of somebody who is signed in. */
export interface SignedRequests {
  /** Signs each request with the token there is then, and renews it where that is needed. */
  readonly fetch: typeof globalThis.fetch;
  /** Where the account is served; it goes nowhere else. */
  readonly api: string;
}

/** What sign-ins and the person's own `auth.json` give beside the environment. */
export interface Accounts {
  has(provider: string): boolean;
  /** A key kept for this provider; null for none. */
  keyOf(provider: string): string | null;
  /** Refuses with `no-credential` where nobody is signed in. */
  signed(provider: string): Promise<Outcome<SignedRequests>>;
  /** Everything that must not appear in what is kept, shown or sent. */
  secrets(): readonly string[];
}

export const NO_ACCOUNTS: Accounts = {
  has: () => false,
  keyOf: () => null,
  signed: async (provider) => missing(provider),
  secrets: () => [],
};

export interface AccountsParts {
  readonly auth: AuthFile;
  readonly service: CodexService;
  readonly network: Pick<Network, 'fetch'>;
  readonly clock: Clock;
}

/** A token that ends sooner is renewed first: a request may take a while to get there. */
const EARLY_MS = 5 * 60_000;

export function createAccounts(parts: AccountsParts): Accounts {
  const { auth, service, network, clock } = parts;
  const renewing = new Map<string, Promise<Outcome<OAuthRecord>>>();

  const oauth = (provider: string): OAuthRecord | null => {
    const record = auth.record(provider);
    return record?.type === 'oauth' ? record : null;
  };

  /** One at a time, in all processes: whoever comes second finds what the first one got. */
  const renew = (provider: string, stale: string): Promise<Outcome<OAuthRecord>> => {
    const work = (): Promise<Outcome<OAuthRecord>> =>
      auth.alone(async () => {
        const loaded = await auth.load();
        if (!loaded.ok) return loaded;
        const record = oauth(provider);
        if (record === null) return missing(provider);
        if (record.access !== stale && record.expires - clock.now() > EARLY_MS) return done(record);
        const fresh = await refreshTokens(parts, record, new AbortController().signal);
        if (!fresh.ok) return fresh;
        await auth.keep(provider, fresh.value);
        return fresh;
      });
    const running = renewing.get(provider) ?? work().finally(() => renewing.delete(provider));
    renewing.set(provider, running);
    return running;
  };

  const usable = async (provider: string): Promise<Outcome<OAuthRecord>> => {
    const record = oauth(provider);
    if (record === null) return missing(provider);
    return record.expires - clock.now() > EARLY_MS ? done(record) : renew(provider, record.access);
  };

  const signedFetch = (provider: string): typeof globalThis.fetch => {
    const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const record = await usable(provider);
      if (!record.ok) return refusedResponse(record.refusal);
      const first = await network.fetch(input, signedInit(init, record.value));
      if (first.status !== 401) return first;
      const fresh = await renew(provider, record.value.access);
      if (!fresh.ok) return refusedResponse(fresh.refusal);
      await first.body?.cancel().catch(() => {});
      return network.fetch(input, signedInit(init, fresh.value));
    };
    return Object.assign(send, { preconnect: network.fetch.preconnect });
  };

  return {
    has: (provider) => auth.has(provider),
    keyOf: (provider) => {
      const record = auth.record(provider);
      return record?.type === 'api-key' ? record.key : null;
    },
    signed: async (provider) => {
      // Somebody may have signed in elsewhere since.
      if (oauth(provider) === null) {
        const loaded = await auth.load();
        if (!loaded.ok) return loaded;
      }
      if (auth.record(provider)?.type === 'api-key')
        return refuse('no-credential', `provider '${provider}' requires provider-keyed OAuth auth: /login ${provider}`);
      return oauth(provider) === null ? missing(provider) : done({ fetch: signedFetch(provider), api: service.api });
    },
    secrets: () =>
      auth.providers().flatMap((provider) => {
        const record = auth.record(provider);
        return record === null ? [] : record.type === 'oauth' ? [record.access, record.refresh] : [record.key];
      }),
  };
}

function missing(provider: string): ReturnType<typeof refuse> {
  return refuse('no-credential', `missing auth for provider '${provider}': sign in with /login ${provider}`);
}

/** The tokens go where they belong or nowhere: a redirect is not followed. */
function signedInit(init: RequestInit | undefined, { access, account }: OAuthRecord): RequestInit {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(codexHeaders(access, account))) headers.set(name, value);
  return { ...init, headers, redirect: 'error' };
}

/** As the service would say it, so that it is read like any refusal of a service; a network that is away stays one. */
function refusedResponse({ identifier, message }: { identifier: string; message: string }): Response {
  if (identifier === 'sign-in-unreachable') throw new TypeError(message);
  return Response.json({ error: { code: 'sign_in_ended', message } }, { status: 401 });
}
