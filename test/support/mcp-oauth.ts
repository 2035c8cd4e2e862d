// An MCP server over HTTP and the service that signs people in to it, both in memory and strict: what a request lacks is refused.

import type { JsonObject } from '../../src/base/json.ts';
import { sha256 } from '../../src/base/sha256.ts';
import type { MemorySystem } from '../../src/system/memory/system.ts';

export const SERVER = 'https://tools.example.org/mcp';
export const ISSUER = 'https://login.example.org';

export interface McpOAuth {
  /** Requests in order, as `METHOD place`. */
  readonly asked: string[];
  /** Every token given out so far. */
  readonly secrets: string[];
  /** What differs from a good service. */
  wrong: {
    resource?: string;
    issuer?: string;
    methods?: string[];
    register?: false;
    token?: () => Response;
    denies?: boolean;
    iss?: string;
  };
  /** Access tokens given so far count no more. */
  endTokens(): void;
  /** The service renews nothing any more. */
  forget(): void;
  /** The person in the browser at this address: it comes back to whoever listens. Answers the page shown there. */
  browse(address: string): Promise<string>;
  /** The address the browser would end at. */
  redirectOf(address: string): string;
}

export function mcpOAuth(system: MemorySystem): McpOAuth {
  const asked: string[] = [];
  const secrets: string[] = [];
  const clients = new Map<string, string>();
  const codes = new Map<string, { challenge: string; redirect: string; client: string }>();
  const access = new Set<string>();
  const refreshes = new Map<string, string>();
  let count = 0;
  let forgotten = false;

  const secret = (kind: string): string => {
    const made = `${kind}-${++count}-secret`;
    secrets.push(made);
    return made;
  };
  const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
    new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } });
  const bad = (error: string): Response => json({ error, error_description: 'words of the service' }, 400);

  const tokens = (client: string): Response => {
    if (fake.wrong.token !== undefined) return fake.wrong.token();
    const [token, refresh] = [secret('access'), secret('refresh')];
    access.add(token);
    refreshes.set(refresh, client);
    return json({ access_token: token, token_type: 'Bearer', expires_in: 3600, refresh_token: refresh });
  };

  const answerToken = (form: URLSearchParams): Response => {
    if (form.get('resource') !== SERVER) return bad('invalid_target');
    const client = form.get('client_id') ?? '';
    if (form.get('grant_type') === 'refresh_token') {
      const known = refreshes.get(form.get('refresh_token') ?? '');
      refreshes.delete(form.get('refresh_token') ?? '');
      return known === client && !forgotten ? tokens(client) : bad('invalid_grant');
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    const challenge = Buffer.from(sha256(verifier), 'hex').toString('base64url');
    const fits =
      form.get('grant_type') === 'authorization_code' &&
      code !== undefined &&
      verifier.length >= 43 &&
      code.challenge === challenge &&
      code.redirect === form.get('redirect_uri') &&
      code.client === client;
    return fits ? tokens(client) : bad('invalid_grant');
  };

  const answerServer = (request: Request, body: JsonObject): Response => {
    const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    if (!access.has(token))
      return new Response('words of the server', {
        status: 401,
        headers: { 'www-authenticate': `Bearer resource_metadata="https://tools.example.org/.well-known/here"` },
      });
    if (request.method !== 'POST' || body.id === undefined) return new Response(null, { status: 202 });
    const result = (value: unknown): Response => json({ jsonrpc: '2.0', id: body.id, result: value });
    if (body.method === 'initialize') return result({ protocolVersion: '2025-06-18', capabilities: { tools: {} } });
    if (body.method === 'tools/list') return result({ tools: [{ name: 'find', inputSchema: { type: 'object' } }] });
    return result({ content: [{ type: 'text', text: 'found' }] });
  };

  system.network.answer = async (request) => {
    const url = new URL(request.url);
    asked.push(`${request.method} ${url.origin}${url.pathname}`);
    const text = await request.text();
    switch (`${url.origin}${url.pathname}`) {
      case SERVER:
        return answerServer(request, text === '' ? {} : (JSON.parse(text) as JsonObject));
      case 'https://tools.example.org/.well-known/here':
        return json({ resource: fake.wrong.resource ?? SERVER, authorization_servers: [fake.wrong.issuer ?? ISSUER] });
      case `${ISSUER}/.well-known/oauth-authorization-server`:
        return json({
          issuer: ISSUER,
          authorization_endpoint: `${ISSUER}/authorize`,
          token_endpoint: `${ISSUER}/token`,
          ...(fake.wrong.register === false ? {} : { registration_endpoint: `${ISSUER}/register` }),
          code_challenge_methods_supported: fake.wrong.methods ?? ['S256'],
        });
      case `${ISSUER}/register`: {
        const { redirect_uris } = JSON.parse(text) as { redirect_uris: string[] };
        const client = `client-${++count}`;
        clients.set(client, redirect_uris[0] ?? '');
        return json({ client_id: client }, 201);
      }
      case `${ISSUER}/token`:
        return request.headers.get('content-type') === 'application/x-www-form-urlencoded'
          ? answerToken(new URLSearchParams(text))
          : bad('invalid_request');
      default:
        return new Response('not found', { status: 404 });
    }
  };

  const fake: McpOAuth = {
    asked,
    secrets,
    wrong: {},
    endTokens: () => access.clear(),
    forget: () => {
      forgotten = true;
    },
    redirectOf: (address) => {
      const url = new URL(address);
      const given = Object.fromEntries(url.searchParams);
      const { client_id: client = '', redirect_uri: redirect = '', state = '', code_challenge: challenge = '' } = given;
      const registered = clients.get(client);
      const right =
        `${url.origin}${url.pathname}` === `${ISSUER}/authorize` &&
        given.response_type === 'code' &&
        given.code_challenge_method === 'S256' &&
        given.resource === SERVER &&
        state.length >= 32 &&
        challenge.length === 43 &&
        /^http:\/\/127\.0\.0\.1:\d+\/callback$/.test(redirect) &&
        (registered === redirect || client === 'mine');
      if (!right) throw new Error(`the service refuses ${address}`);
      const back = new URLSearchParams({ state, iss: fake.wrong.iss ?? ISSUER });
      if (fake.wrong.denies === true) back.set('error', 'access_denied');
      else {
        const code = secret('code');
        codes.set(code, { challenge, redirect, client });
        back.set('code', code);
      }
      return `${redirect}?${back}`;
    },
    browse: async (address) => {
      const page = await system.network.visit(fake.redirectOf(address));
      return page === null ? 'nobody listens' : page.text();
    },
  };
  return fake;
}
