import type { Node, ParseError } from 'jsonc-parser';
// The parser alone: the whole package fills tables for formatting when it is loaded.
import { getNodeValue, parseTree } from 'jsonc-parser/lib/esm/impl/parser.js';
import type { Json, JsonObject } from '../../base/json.ts';
import { done, type Outcome, refuse } from '../../base/refusal.ts';

/** How a server is reached, as written: `${VAR}` stands for itself until the server is enabled. */
export type ServerTransport =
  | {
      readonly kind: 'stdio';
      readonly argv: readonly string[];
      readonly variables: Readonly<Record<string, string>>;
      /** Where it starts, as written; null: where the session works. */
      readonly folder: string | null;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Whether it is signed in to with the browser, and as whom. */
      readonly oauth: OAuthWish | null;
    };

export interface OAuthWish {
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
}

export interface ServerDefinition {
  readonly name: string;
  /** The file it stands in. */
  readonly source: string;
  /** A project only asks for it. */
  readonly from: 'person' | 'project';
  /** Whether it is on in each new conversation. A project has no say in that. */
  readonly enabled: boolean;
  readonly description: string | null;
  /** Milliseconds a request may take. */
  readonly timeoutMs: number;
  /** Null with a `fault`: it cannot be enabled as it is written. */
  readonly transport: ServerTransport | null;
  /** One line: what is wrong with it. */
  readonly fault: string | null;
}

/**
 * A letter or digit, then letters, digits, `_` and `-`. No two `_` beside each other and none at the end: with that no
 * two servers can ever offer a tool under the same name.
 */
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9]|_(?=[-A-Za-z0-9])){0,31}$/;
const MOST_SERVERS = 100;
export const MOST_CONFIG_BYTES = 256 * 1024;

const SHARED = ['enabled', 'direct', 'description', 'timeout', 'type'];
const STDIO = new Set([...SHARED, 'command', 'args', 'env', 'cwd', 'dir']);
const HTTP = new Set([...SHARED, 'url', 'headers', 'auth', 'client_id', 'client_secret', 'oauth']);

/** Reads one file of servers. Refused, in one line, when it cannot be read as one at all; a server that is wrong costs itself only. */
export function readServers(
  text: string,
  source: string,
  from: ServerDefinition['from'],
): Outcome<readonly ServerDefinition[]> {
  if (text.trim() === '') return done([]);
  const broken = (line: number, what: string) => refuse('mcp-config', `${source}:${line}: ${what}`);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (first !== undefined || tree === undefined) return broken(lineAt(text, first?.offset ?? 0), 'not valid JSON');
  if (tree.type !== 'object') return broken(1, 'not a JSON object');
  const servers = childOf(tree, 'mcpServers');
  if (servers === null) return done([]);
  if (servers.type !== 'object') return broken(lineAt(text, servers.offset), 'mcpServers is not a JSON object');
  const found = new Map<string, ServerDefinition>();
  for (const property of servers.children ?? []) {
    const [key, value] = property.children ?? [];
    const name = String(key?.value ?? '');
    const line = lineAt(text, property.offset);
    if (!NAME.test(name)) return broken(line, `${JSON.stringify(name.slice(0, 64))} cannot name a server`);
    if (found.has(name)) return broken(line, `there are two servers called ${name}`);
    if (found.size === MOST_SERVERS) return broken(line, `more than ${MOST_SERVERS} servers`);
    const read = readServer(name, value === undefined ? null : (getNodeValue(value) as Json), { source, from });
    found.set(name, read.fault === null ? read : { ...read, fault: `${source}:${line}: ${name}: ${read.fault}` });
  }
  return done([...found.values()].sort(byName));
}

export function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
}

function readServer(
  name: string,
  value: Json,
  { source, from }: Pick<ServerDefinition, 'source' | 'from'>,
): ServerDefinition {
  const given = isObject(value) ? value : {};
  const read = isObject(value) ? readTransport(given) : 'not a JSON object';
  const seconds = given.timeout === undefined ? 30 : given.timeout;
  const timed = typeof seconds === 'number' && seconds >= 1 && seconds <= 300;
  const fault = typeof read === 'string' ? read : timed ? null : 'timeout is a number of seconds from 1 to 300';
  return {
    name,
    source,
    from,
    enabled: from === 'person' && given.enabled === true,
    description: typeof given.description === 'string' ? given.description.slice(0, 200) : null,
    timeoutMs: (timed ? seconds : 30) * 1000,
    transport: typeof read === 'string' || fault !== null ? null : read,
    fault,
  };
}

/** What it says, or what is wrong with it. */
function readTransport(given: JsonObject): ServerTransport | string {
  const { command, url, type } = given;
  if (command !== undefined && url !== undefined)
    return 'it has both a command and a url: one of them is its transport';
  if (command === undefined && url === undefined) return 'it has neither a command nor a url';
  const kind = command === undefined ? 'http' : 'stdio';
  const fields = kind === 'http' ? HTTP : STDIO;
  const unknown = Object.keys(given).find((field) => !fields.has(field));
  if (unknown !== undefined) return `the field ${JSON.stringify(unknown.slice(0, 40))} is not supported here`;
  for (const field of ['enabled', 'direct'])
    if (given[field] !== undefined && typeof given[field] !== 'boolean') return `${field} is true or false`;
  if (given.description !== undefined && typeof given.description !== 'string') return 'description is a text';
  const types = kind === 'http' ? ['http', 'streamable-http'] : ['stdio'];
  if (type !== undefined && !types.includes(String(type)))
    return `type is ${types.join(' or ')} where there is a ${kind === 'http' ? 'url' : 'command'}`;
  return kind === 'http' ? readHttp(given) : readStdio(given);
}

function readStdio({ command, args = [], env = {}, cwd, dir }: JsonObject): ServerTransport | string {
  if (typeof command !== 'string' || command.trim() === '') return 'command is not a text';
  if (!isTexts(args)) return 'args is not a list of texts';
  if (!isTextRecord(env)) return 'env is not an object of texts';
  const wrong = Object.keys(env).find((one) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(one));
  if (wrong !== undefined) return `${JSON.stringify(wrong.slice(0, 40))} cannot name a variable`;
  if (cwd !== undefined && dir !== undefined) return 'it has both cwd and dir';
  const folder = cwd ?? dir ?? null;
  if (folder !== null && typeof folder !== 'string') return 'cwd is not a text';
  if ([command, ...args, ...Object.values(env), folder ?? ''].some((text) => text.includes('\0')))
    return 'a zero character';
  return { kind: 'stdio', argv: [command, ...args], variables: env, folder };
}

function readHttp({ url, headers = {}, auth, client_id, client_secret, oauth }: JsonObject): ServerTransport | string {
  if (typeof url !== 'string') return 'url is not a text';
  if (!isTextRecord(headers)) return 'headers is not an object of texts';
  const wrong = Object.keys(headers).find((one) => !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(one));
  if (wrong !== undefined) return `${JSON.stringify(wrong.slice(0, 40))} cannot name a header`;
  if (Object.values(headers).some((text) => /[\0\r\n]/.test(text))) return 'a header holds a line break';
  if (auth !== undefined && auth !== 'oauth') return 'auth is oauth, or left out';
  const wish = isObject(oauth) ? oauth : {};
  if (oauth !== undefined && !isObject(oauth)) return 'oauth is not an object';
  const id = client_id ?? wish.client_id ?? null;
  const secret = client_secret ?? wish.client_secret ?? null;
  const scopes = wish.scopes ?? [];
  if ((id !== null && typeof id !== 'string') || (secret !== null && typeof secret !== 'string') || !isTexts(scopes))
    return 'client_id and client_secret are texts, scopes a list of them';
  const signsIn = auth === 'oauth' || oauth !== undefined;
  if (!signsIn && (id !== null || secret !== null)) return 'a client_id is for auth: "oauth"';
  if (signsIn && Object.keys(headers).some((one) => one.toLowerCase() === 'authorization'))
    return 'auth: "oauth" and an Authorization header exclude each other';
  return { kind: 'http', url, headers, oauth: signsIn ? { clientId: id, clientSecret: secret, scopes } : null };
}

function childOf(tree: Node, name: string): Node | null {
  const property = tree.children?.find(({ children }) => children?.[0]?.value === name);
  return property?.children?.[1] ?? null;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isTextRecord(value: Json): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((one) => typeof one === 'string');
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
