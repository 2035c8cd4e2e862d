/** Where a ChatGPT account signs in, and where it then speaks. A part like any other: tests pass their own. */
export interface CodexService {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string;
  /** As it is registered with the service; the port is where we listen for it. */
  readonly redirect: { readonly url: string; readonly port: number };
  readonly api: string;
}

export const CODEX: CodexService = {
  authorizeUrl: 'https://auth.openai.com/oauth/authorize',
  tokenUrl: 'https://auth.openai.com/oauth/token',
  clientId: 'app_EMoamEEZ73f0CkXaXp7hrann',
  scope: 'openid profile email offline_access',
  redirect: { url: 'http://localhost:1455/auth/callback', port: 1455 },
  api: 'https://chatgpt.com/backend-api/codex',
};

/** The address a person opens. `state` and `challenge` hold for one attempt. */
export function authorizeAddress(service: CodexService, state: string, challenge: string): string {
  const url = new URL(service.authorizeUrl);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: service.clientId,
    redirect_uri: service.redirect.url,
    scope: service.scope,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    id_token_add_organizations: 'true',
    codex_cli_simplified_flow: 'true',
    originator: 'houston',
    state,
  }).toString();
  return url.toString();
}

/** Headers by which the service knows whose request it is. */
export function codexHeaders(access: string, account: string): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${access}`,
    'chatgpt-account-id': account,
    'openai-beta': 'responses=experimental',
    originator: 'houston',
  };
}

/** What proves, when the code is exchanged, that it was us who asked for it (RFC 7636). */
export function challengeOf(verifier: string): string {
  return new Bun.CryptoHasher('sha256').update(verifier).digest('base64url');
}
