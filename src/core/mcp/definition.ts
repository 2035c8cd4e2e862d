import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { sha256 } from '../../base/sha256.ts';
import type { ServerDefinition, ServerTransport } from './config.ts';

/** What was agreed to: how it is reached, what it runs or where, the variables it is given, and where it starts (MCP-1). */
export function definitionDigest({ name, transport }: Pick<ServerDefinition, 'name' | 'transport'>): string {
  return sha256(JSON.stringify([name, transport])).slice(0, 32);
}

/** One line that says what would be started or reached; values of variables are left out. */
export function definitionLine(transport: ServerTransport): string {
  return transport.kind === 'http' ? transport.url : transport.argv.map(quoted).join(' ');
}

/** Names of variables of this process that it is given in any way. */
export function variablesOf(transport: ServerTransport): readonly string[] {
  const texts =
    transport.kind === 'http'
      ? [transport.url, ...Object.values(transport.headers), transport.oauth?.clientId, transport.oauth?.clientSecret]
      : [...transport.argv, ...Object.values(transport.variables), transport.folder];
  const names = texts.flatMap((text) => [...(text ?? '').matchAll(VARIABLE)].map((match) => match[1] ?? ''));
  return [...new Set(names)].sort();
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Puts in what `${VAR}` and `${VAR:-default}` stand for, for the one server that is being enabled. `withheld`: variables it
 * is given in no case.
 */
export function expandTransport(
  transport: ServerTransport,
  environment: Readonly<Record<string, string>>,
  withheld: ReadonlySet<string>,
): Outcome<ServerTransport> {
  const missing = new Set<string>();
  const forbidden = new Set<string>();
  const expand = (text: string): string =>
    text.replace(VARIABLE, (_whole, name: string, otherwise: string | undefined) => {
      if (withheld.has(name)) forbidden.add(name);
      const value = environment[name];
      if (value !== undefined && value !== '') return value;
      if (otherwise === undefined) missing.add(name);
      return otherwise ?? '';
    });
  const each = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([name, text]) => [name, expand(text)]));
  const whole: ServerTransport =
    transport.kind === 'http'
      ? {
          ...transport,
          url: expand(transport.url),
          headers: each(transport.headers),
          oauth:
            transport.oauth === null
              ? null
              : {
                  ...transport.oauth,
                  clientId: transport.oauth.clientId === null ? null : expand(transport.oauth.clientId),
                  clientSecret: transport.oauth.clientSecret === null ? null : expand(transport.oauth.clientSecret),
                },
        }
      : {
          ...transport,
          argv: transport.argv.map(expand),
          variables: each(transport.variables),
          folder: transport.folder === null ? null : expand(transport.folder),
        };
  if (forbidden.size > 0)
    return refuse('mcp-variable', `a project is never given the variable ${[...forbidden].join(', ')}`);
  if (missing.size > 0) return refuse('mcp-variable', `the variable ${[...missing].join(', ')} is not set`);
  if (whole.kind === 'http') {
    const complaint = addressComplaint(whole.url);
    if (complaint !== null) return refuse('mcp-address', complaint);
    if (Object.values(whole.headers).some((text) => /[\0\r\n]/.test(text)))
      return refuse('mcp-variable', 'a header would hold a line break');
  }
  return done(whole);
}

/** Plain http only on this machine: a token must not cross a network in the open. */
function addressComplaint(url: string): string | null {
  if (!URL.canParse(url)) return 'its url is not an address';
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return 'its url holds a name or password: use a header';
  if (protocol === 'https:') return null;
  const here = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  return protocol === 'http:' && here ? null : 'its url begins with https: (http: is for this machine alone)';
}

function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
