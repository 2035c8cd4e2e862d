// A sign-in service of the tests' own on loopback, as strict as RFC 6749 and 7636 let it be.
import type { CodexService } from '../../src/core/models/sign-in/codex.ts';

export const ACCOUNT = 'acct-0a1b2c';
export const EMAIL = 'pat@example.org';

export interface FakeOAuth {
  /** What is passed in instead of the true service; `port` is where the product listens. */
  service(port: number): CodexService;
  /**
   * The person in the browser at an address the product showed: where the browser is sent to. Throws when the address is
   * not one the true service would take.
   */
  browse(address: string, decides?: 'approves' | 'denies'): string;
  /** Every exchange and refresh so far, in order, as `grant_type` and the answer's status. */
  readonly asked: readonly string[];
  /** Every secret given out so far: none may be found anywhere but in `auth.json`. */
  readonly secrets: readonly string[];
  /** Access tokens that still count. */
  accepts(access: string): boolean;
  /** Access tokens given so far count no more; refreshing still gives new ones. */
  endTokens(): void;
  /** The service forgets this sign-in: refreshing is refused from now on. */
  forget(): void;
  /** Misbehaves for the next exchange. */
  next: {
    /** Answers only once this settles. */
    wait?: Promise<void>;
    status?: number;
    account?: boolean;
    body?: string;
    expiresIn?: number;
  };
  /** Seconds a token holds. */
  life: number;
  /** Headers of every request a model was asked with. */
  readonly modelRequests: readonly Headers[];
  /** What it answers to a request at its address, for systems in memory. */
  answer(request: Request): Promise<Response>;
}

/** The same on loopback. */
export interface ServedOAuth extends FakeOAuth {
  close(): Promise<void>;
}

/** What the product knows the service by, where that is not what it is here. */
type NamedAs = Pick<CodexService, 'authorizeUrl' | 'clientId'>;

const SCOPE = 'openid profile email offline_access';

export function startFakeOAuth(named?: NamedAs): ServedOAuth {
  let fake: FakeOAuth | null = null;
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => fake!.answer(request) });
  fake = createFakeOAuth(`http://127.0.0.1:${server.port}`, named);
  return Object.assign(fake, { close: async () => void (await server.stop(true)) });
}

/** Signs in, and then answers as a model at `/v1/responses`, to whoever brings a token it gave and the account's id. */
export function createFakeOAuth(
  base = 'http://oauth.test',
  named: NamedAs = { authorizeUrl: `${base}/oauth/authorize`, clientId: 'app_of_the_tests' },
): FakeOAuth {
  const codes = new Map<string, { challenge: string; redirect: string; used: boolean }>();
  const refreshes = new Map<string, boolean>();
  const access = new Set<string>();
  const asked: string[] = [];
  const secrets: string[] = [];
  const modelRequests: Headers[] = [];
  let forgotten = false;

  const secret = (kind: string): string => {
    const made = `${kind}-${crypto.randomUUID()}`;
    secrets.push(made);
    return made;
  };
  const tokens = (withAccount: boolean, life: number): object => {
    const claims = {
      email: EMAIL,
      ...(withAccount ? { 'https://api.openai.com/auth': { chatgpt_account_id: ACCOUNT } } : {}),
    };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const given = { access_token: secret('access'), refresh_token: secret('refresh') };
    access.add(given.access_token);
    refreshes.set(given.refresh_token, false);
    const id_token = `${part({ alg: 'none' })}.${part(claims)}.sig`;
    return { ...given, id_token, token_type: 'Bearer', expires_in: life };
  };
  const wrong = (error: string, status = 400): Response => Response.json({ error }, { status });

  const exchange = (form: URLSearchParams): Response => {
    const code = codes.get(form.get('code') ?? '');
    if (code === undefined || code.used) return wrong('invalid_grant');
    code.used = true;
    const hash = new Bun.CryptoHasher('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
    if (form.get('redirect_uri') !== code.redirect || hash !== code.challenge) return wrong('invalid_grant');
    return Response.json(tokens(fake.next.account !== false, fake.next.expiresIn ?? fake.life));
  };
  const refresh = (form: URLSearchParams): Response => {
    const used = refreshes.get(form.get('refresh_token') ?? '');
    if (used === undefined || used || forgotten) return wrong('invalid_grant', 401);
    refreshes.set(form.get('refresh_token')!, true);
    return Response.json(tokens(true, fake.life));
  };

  const takeToken = async (request: Request): Promise<Response> => {
    if (request.headers.get('content-type') !== 'application/x-www-form-urlencoded') return wrong('invalid_request');
    const form = new URLSearchParams(await request.text());
    const grant = form.get('grant_type') ?? '';
    await fake.next.wait;
    const judge = (): Response => {
      if (fake.next.status !== undefined) return wrong('server_error', fake.next.status);
      if (fake.next.body !== undefined) return new Response(fake.next.body);
      if (form.get('client_id') !== named.clientId) return wrong('invalid_client', 401);
      if (grant === 'authorization_code') return exchange(form);
      return grant === 'refresh_token' ? refresh(form) : wrong('unsupported_grant_type');
    };
    const response = judge();
    asked.push(`${grant} ${response.status}`);
    fake.next = {};
    return response;
  };
  const reply = async (request: Request): Promise<Response> => {
    modelRequests.push(request.headers);
    const token = request.headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
    if (!access.has(token) || request.headers.get('chatgpt-account-id') !== ACCOUNT)
      return Response.json({ error: { code: 'invalid_api_key', message: `not ${token}` } }, { status: 401 });
    const body = (await request.json()) as { store?: unknown; stream?: unknown };
    if (body.store !== false || body.stream !== true) return wrong('invalid_request_error');
    const item = { type: 'message', id: 'm', role: 'assistant', status: 'completed' };
    const content = [{ type: 'output_text', text: 'from the account', annotations: [] }];
    const usage = { input_tokens: 3, output_tokens: 2, input_tokens_details: { cached_tokens: 0 } };
    const events = [
      { type: 'response.created', response: { id: 'r', status: 'in_progress' } },
      { type: 'response.output_item.done', output_index: 0, item: { ...item, content } },
      { type: 'response.completed', response: { id: 'r', status: 'completed', usage } },
    ];
    const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  };

  const fake: FakeOAuth = {
    service: (port) => ({
      authorizeUrl: named.authorizeUrl,
      tokenUrl: `${base}/oauth/token`,
      clientId: named.clientId,
      scope: SCOPE,
      redirect: { url: `http://localhost:${port}/auth/callback`, port },
      api: `${base}/v1`,
    }),
    browse: (address, decides = 'approves') => {
      const url = new URL(address);
      const query = url.searchParams;
      const must = (holds: boolean, what: string): void => {
        if (!holds) throw new Error(`the sign-in service refuses the address: ${what}`);
      };
      must(`${url.origin}${url.pathname}` === named.authorizeUrl, 'path');
      must(query.get('response_type') === 'code', 'response_type');
      must(query.get('client_id') === named.clientId, 'client_id');
      must(query.get('scope') === SCOPE, 'scope');
      must(query.get('code_challenge_method') === 'S256', 'code_challenge_method');
      must(/^[\w-]{43}$/.test(query.get('code_challenge') ?? ''), 'code_challenge');
      must((query.get('state') ?? '').length >= 32, 'state');
      const redirect = query.get('redirect_uri') ?? '';
      must(/^http:\/\/localhost:\d+\/auth\/callback$/.test(redirect), 'redirect_uri');
      const state = query.get('state')!;
      if (decides === 'denies') return `${redirect}?${new URLSearchParams({ error: 'access_denied', state })}`;
      const code = secret('code');
      codes.set(code, { challenge: query.get('code_challenge')!, redirect, used: false });
      return `${redirect}?${new URLSearchParams({ code, state })}`;
    },
    asked,
    secrets,
    accepts: (token) => access.has(token),
    endTokens: () => access.clear(),
    forget: () => {
      forgotten = true;
      access.clear();
    },
    next: {},
    life: 3600,
    modelRequests,
    answer: async (request) => {
      const { pathname } = new URL(request.url);
      if (request.method !== 'POST') return wrong('not_found', 404);
      if (pathname === '/oauth/token') return takeToken(request);
      return pathname === '/v1/responses' ? reply(request) : wrong('not_found', 404);
    },
  };
  return fake;
}
