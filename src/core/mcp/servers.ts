import path from 'node:path';
import { raceAbort } from '../../base/abort.ts';
import type { Json } from '../../base/json.ts';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { Clock } from '../../system/clock.ts';
import type { Files } from '../../system/files.ts';
import type { Network } from '../../system/network.ts';
import type { Child, Processes } from '../../system/processes.ts';
import type { Tool } from '../tools/tool.ts';
import { type Approvals, isSameServer } from './approvals.ts';
import { asTool } from './as-tools.ts';
import type { Channel, ChannelEvents } from './channel.ts';
import { type Client, connectServer } from './client.ts';
import { byName, MOST_CONFIG_BYTES, readServers, type ServerDefinition, type ServerTransport } from './config.ts';
import { definitionDigest, definitionLine, expandTransport } from './definition.ts';
import { openHttpChannel, WANTS_SIGN_IN } from './http-channel.ts';
import { type Answer, wordsOf } from './peer.ts';
import { type McpAnswer, type McpQuestion, startQuestion, toolsQuestion } from './questions.ts';
import { createServerLog, type ServerLog } from './server-log.ts';
import { bearerOf, type SignInParts, signIn, type Visit } from './sign-in.ts';
import { openStdioChannel } from './stdio-channel.ts';
import { type ListedTool, type ToolList, toolDigest, toolsDigest } from './tool-list.ts';

/** Null for the question: nobody is there to agree to anything. */
export type Agree = ((question: McpQuestion, signal: AbortSignal) => Promise<McpAnswer | null>) | null;

/** Shows the person where to sign in to a server of this name; null: nobody is there to. */
export type VisitFor = ((name: string, ...where: Parameters<Visit>) => ReturnType<Visit>) | null;

/** A server that is configured, or on though it no longer is. */
export interface ServerRow {
  readonly name: string;
  readonly description: string | null;
  readonly from: ServerDefinition['from'];
  readonly byDefault: boolean;
  readonly signsIn: boolean;
  readonly state: 'on' | 'off';
  readonly tools: number;
  /** What is not right with one that is on; null for nothing. */
  readonly trouble: string | null;
}

export interface ServerList {
  /** The person's own file; null where there is none to have. */
  readonly file: string | null;
  /** By name. */
  readonly rows: readonly ServerRow[];
  /** What could not be read, one line each. */
  readonly broken: readonly string[];
}

/** The MCP servers of one session: which there are, which are on, and what they offer. Nothing starts by itself. */
export interface McpServers {
  list(): Promise<ServerList>;
  readonly on: readonly string[];
  /** Of what is on, in a stable order. */
  tools(): readonly Tool[];
  /**
   * Starts one, greets it, and has what it offers agreed to. Only once all of that succeeded is it on. A refusal begins
   * with its name. `log` of a failure: where what it printed lies.
   */
  enable(name: string, agree: Agree, signal: AbortSignal, visit?: VisitFor): Promise<Outcome<Enabled>>;
  /** False when it was not on. */
  disable(name: string): Promise<boolean>;
  /** Forgets a sign-in and turns the server off. */
  logout(name: string): Promise<Outcome<null>>;
  /** Writes whether it is on in each new conversation; answers the file. */
  saveDefault(name: string, enabled: boolean): Promise<Outcome<string>>;
  /** Lists anew what said that it changed; what of it was never agreed to is not offered. One line for each that matters. */
  refresh(signal: AbortSignal): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Enabled {
  readonly name: string;
  readonly tools: number;
  readonly leftOut: readonly string[];
}

export interface McpServersParts {
  readonly files: Pick<Files, 'read' | 'stat' | 'openAppend'>;
  readonly processes: Pick<Processes, 'spawn'>;
  readonly clock: Clock;
  readonly network: Pick<Network, 'fetch'>;
  readonly version: string;
  /** The person's `mcp.json`, absolute; null where there is none to have. */
  readonly file: string | null;
  /** Where the session works. */
  readonly folder: string;
  /** Lines of this project's requests that the person saw when they trusted it; null: what it asks for does not count. */
  readonly requested: () => readonly string[] | null;
  /** All variables, for what the configuration names of them. */
  readonly variables: Readonly<Record<string, string>>;
  /** Variables that a project is never given. */
  readonly withheld: ReadonlySet<string>;
  /** What every server that is started is given, marked as this start of this one. */
  readonly environment: (mark: string) => Readonly<Record<string, string>>;
  /** Puts an argv into the sandbox; rejects when it cannot be confined as it should be. */
  readonly confine: (
    argv: readonly string[],
    order: { readonly line: string; readonly folder: string },
  ) => Promise<{
    readonly argv: readonly string[];
    readonly added: Readonly<Record<string, string>>;
    readonly removed: readonly string[];
    readonly holdsTree: boolean;
  }>;
  /** Ends what was started under this mark, with everything it started. */
  readonly end: (mark: string, child: Child, holdsTree: boolean) => Promise<unknown>;
  /** Null where nothing is kept. */
  readonly approvals: Approvals | null;
  /** Writes a default into the person's file; false when it could not. */
  readonly saveDefault: (name: string, enabled: boolean) => Promise<boolean>;
  /** Folder of the logs; null: none are kept. */
  readonly logs: string | null;
  readonly redact: (text: string) => string;
  /** How servers are signed in to; null: none can be. */
  readonly signIn: SignInParts | null;
  /** Opens an address in the person's browser, where there is one here. */
  readonly browse: (url: string) => void;
}

interface Running {
  readonly definition: ServerDefinition;
  readonly digest: string;
  /** With its variables put in. */
  readonly transport: ServerTransport;
  client: Client;
  /** Digests of the tools the person agreed to. */
  readonly agreed: ReadonlySet<string>;
  listed: readonly ListedTool[];
  offered: readonly Tool[];
  /** Ends in a row, without an answer in between. */
  ends: number;
  restarting: Promise<Outcome<Client>> | null;
  trouble: string | null;
}

/** Milliseconds before a server that ended is started again; after the last of them it stays down. */
const RESTARTS = [0, 1_000, 4_000];

export function createMcpServers(parts: McpServersParts): McpServers {
  const { files, clock } = parts;
  const running = new Map<string, Running>();
  const logs = new Map<string, ServerLog>();
  /** What was agreed to for this session alone, beside what is kept. */
  const here: { name: string; project: string | null; definition: string; tools: string | null }[] = [];
  const life = new AbortController();
  /** On their way out. */
  const leaving = new Set<Promise<unknown>>();
  let closed = false;
  let starts = 0;

  const logOf = (name: string): ServerLog => {
    const known = logs.get(name);
    if (known !== undefined) return known;
    const file = parts.logs === null ? null : path.join(parts.logs, `mcp-${name}.log`);
    const made = createServerLog(files, file, parts.redact);
    logs.set(name, made);
    return made;
  };

  const read = async (file: string, from: ServerDefinition['from']): Promise<Outcome<readonly ServerDefinition[]>> => {
    try {
      if ((await files.stat(file)) === null) return done([]);
      const bytes = await files.read(file, MOST_CONFIG_BYTES);
      return readServers(new TextDecoder('utf-8', { fatal: true }).decode(bytes), file, from);
    } catch (error) {
      const { code } = error as { code?: string };
      return refuse(
        'mcp-config',
        `${file}: ${code === undefined ? 'cannot be read as text' : `cannot be read (${code})`}`,
      );
    }
  };

  /** A project's server never stands in for one of the person's own. */
  const configured = async (): Promise<{ servers: readonly ServerDefinition[]; broken: readonly string[] }> => {
    const own = parts.file === null ? done([]) : await read(parts.file, 'person');
    const asked = parts.requested() === null ? done([]) : await read(projectFile(parts.folder), 'project');
    const mine = own.ok ? own.value : [];
    const theirs = asked.ok ? asked.value.filter(({ name }) => !mine.some((one) => one.name === name)) : [];
    const broken = [own, asked].flatMap((one) => (one.ok ? [] : [one.refusal.message]));
    return { servers: [...mine, ...theirs].sort(byName), broken };
  };

  const projectOf = ({ from }: ServerDefinition): string | null => (from === 'project' ? parts.folder : null);

  const open = async (
    { definition, transport }: Pick<Running, 'definition' | 'transport'>,
    signal: AbortSignal,
  ): Promise<Outcome<Client>> => {
    const { name, timeoutMs } = definition;
    try {
      return await connectServer(
        {
          server: name,
          clock,
          timeoutMs,
          version: parts.version,
          open: (events) => openChannel(parts, name, ++starts, transport, logOf(name), events),
        },
        signal,
      );
    } catch (error) {
      return refuse('mcp-start', startWords(error));
    }
  };

  /** The definition is agreed to, before anything of it runs. */
  const agreeToStart = async (
    server: ServerDefinition,
    transport: ServerTransport,
    agree: Agree,
    signal: AbortSignal,
  ) => {
    const definition = definitionDigest(server);
    const project = projectOf(server);
    const kept = [...((await parts.approvals?.load()) ?? []), ...here].filter((one) =>
      isSameServer(one, { name: server.name, project }),
    );
    const known = kept.findLast((one) => one.definition === definition) ?? null;
    const shown = project !== null && (parts.requested() ?? []).includes(requestLine(server, transport));
    if (known !== null || shown) return done({ known, answer: 'remember' as const });
    if (agree === null)
      return refuse('mcp-not-agreed', `nobody agreed to start it yet, or it changed since: /mcp enable ${server.name}`);
    const answer = await agree(startQuestion(server, transport, kept.length > 0), signal);
    if (answer === null || answer === 'no') return declined(signal);
    const agreed = { name: server.name, project, definition, tools: null };
    await keep(agreed, answer);
    return done({ known: null, answer });
  };

  const keep = async (agreed: (typeof here)[number], answer: McpAnswer): Promise<void> => {
    here.push(agreed);
    if (answer === 'remember') await parts.approvals?.add(agreed);
  };

  const agreeToTools = async (
    server: ServerDefinition,
    list: ToolList,
    known: { readonly tools: string | null } | null,
    agree: Agree,
    signal: AbortSignal,
  ): Promise<Outcome<null>> => {
    const tools = toolsDigest(list.tools);
    if (known?.tools === tools || list.tools.length === 0) return done(null);
    if (agree === null)
      return refuse('mcp-not-agreed', `nobody agreed to its tools as they are now: /mcp enable ${server.name}`);
    const before = known?.tools ?? null;
    const answer = await agree(toolsQuestion(server.name, list, before !== null), signal);
    if (answer === null || answer === 'no') return declined(signal);
    await keep({ name: server.name, project: projectOf(server), definition: definitionDigest(server), tools }, answer);
    return done(null);
  };

  const offer = (one: Running, listed: readonly ListedTool[]): void => {
    one.listed = listed.filter((tool) => one.agreed.has(toolDigest(tool)));
    one.offered = one.listed.map((tool) => asTool(one.definition.name, one.digest, tool, callOf(one)));
  };

  /** Another list than the one agreed to: what is the same in both goes on. */
  const adopt = (one: Running, { tools }: ToolList): string | null => {
    const { name } = one.definition;
    const fresh = tools.filter((tool) => !one.agreed.has(toolDigest(tool))).length;
    const gone = one.agreed.size - (tools.length - fresh);
    offer(one, tools);
    one.trouble =
      fresh > 0
        ? `${fresh} of its tools changed or are new, and are not offered: /mcp enable ${name} shows them`
        : null;
    if (fresh > 0) return `${name}: ${one.trouble}.`;
    return gone > 0 ? `${name}: ${gone} of its tools are gone.` : null;
  };

  const restart = async (one: Running, signal: AbortSignal): Promise<Outcome<Client>> => {
    const wait = RESTARTS[one.ends - 1];
    if (wait === undefined || closed)
      return refuse(
        'mcp-down',
        `it ended ${one.ends} times in a row and stays down: /mcp enable ${one.definition.name} starts it again`,
      );
    if (wait > 0 && !(await clock.sleep(wait, signal))) return refuse('stopped', 'it was stopped');
    const opened = await open(one, signal);
    if (!opened.ok) return opened;
    const listed = await opened.value.listTools(signal);
    if (!listed.ok) {
      await opened.value.close();
      return listed;
    }
    one.client = opened.value;
    adopt(one, listed.value);
    return opened;
  };

  /** The client there is, or a new one where it ended; whoever calls beside another waits for the same one. */
  const alive = async (one: Running, signal: AbortSignal): Promise<Outcome<Client>> => {
    if (one.client.gone === null && one.restarting === null) return done(one.client);
    if (one.restarting === null) {
      one.ends++;
      one.trouble = `it ended: ${one.client.gone}`;
      one.restarting = restart(one, life.signal).finally(() => {
        one.restarting = null;
      });
    }
    const raced = await raceAbort(one.restarting, signal);
    return raced.aborted ? { ok: false, refusal: STOPPED } : raced.value;
  };

  const callOf =
    (one: Running) =>
    async (...[tool, input, signal, onProgress]: Parameters<Parameters<typeof asTool>[3]>): Promise<Answer> => {
      const client = await alive(one, signal);
      if (!client.ok)
        return {
          ok: false,
          why: client.refusal.identifier === 'stopped' ? 'stopped' : 'closed',
          message: client.refusal.message,
        };
      // What it started again as may offer something else under this name.
      if (!one.listed.some(({ name }) => name === tool) || running.get(one.definition.name) !== one)
        return { ok: false, why: 'closed', message: 'it does not offer this tool any more' };
      const answer = await client.value.callTool(tool, input, signal, onProgress);
      if (!answer.ok && answer.message === WANTS_SIGN_IN)
        one.trouble = `it wants you to sign in again: /mcp enable ${one.definition.name}`;
      if (answer.ok || answer.why === 'error') {
        one.ends = 0;
        if (one.trouble?.startsWith('it ended') === true) one.trouble = null;
      }
      return answer;
    };

  /** Opens it as whoever is signed in; the browser is only asked for where nobody is, or where that no longer counts. */
  const openSignedIn = async (
    one: Pick<Running, 'definition' | 'transport'>,
    visit: VisitFor,
    signal: AbortSignal,
  ): Promise<Outcome<Client>> => {
    const { name } = one.definition;
    if (one.transport.kind !== 'http' || one.transport.oauth === null) return open(one, signal);
    if (parts.signIn === null) return refuse('mcp-sign-in', 'it wants a sign-in, and none can be kept here');
    const { url, oauth } = one.transport;
    const there = await bearerOf(parts.signIn, url)(null);
    const opened = there === null ? null : await open(one, signal);
    if (opened !== null && (opened.ok || opened.refusal.message !== WANTS_SIGN_IN)) return opened;
    if (visit === null) return refuse('mcp-sign-in-needed', `it wants you to sign in: /mcp enable ${name}`);
    const show: Visit = (address, stop) => {
      parts.browse(address);
      return visit(name, address, stop);
    };
    const signedIn = await signIn(parts.signIn, url, oauth, show, signal);
    return signedIn.ok ? open(one, signal) : signedIn;
  };

  const enable: McpServers['enable'] = async (name, agree, signal, visit = null) => {
    const { servers, broken } = await configured();
    const server = servers.find((one) => one.name === name);
    const failed = (identifier: string, message: string) => refuse(identifier, `${name}: ${message}`);
    if (server === undefined)
      return broken.length > 0
        ? refuse('mcp-config', broken.join('; '))
        : failed('mcp-unknown', `there is no server of this name in ${parts.file ?? 'any configuration'}`);
    if (server.transport === null) return refuse('mcp-config', server.fault ?? `${name}: cannot be used`);
    const start = await agreeToStart(server, server.transport, agree, signal);
    if (!start.ok) return failed(start.refusal.identifier, start.refusal.message);
    const withheld = server.from === 'project' ? parts.withheld : new Set<string>();
    const expanded = expandTransport(server.transport, parts.variables, withheld);
    if (!expanded.ok) return failed(expanded.refusal.identifier, expanded.refusal.message);
    const transport = expanded.value;
    const opened = await openSignedIn({ definition: server, transport }, visit, signal);
    if (!opened.ok) return failed(opened.refusal.identifier, opened.refusal.message);
    const client = opened.value;
    const listed = await client.listTools(signal);
    const agreed = listed.ok ? await agreeToTools(server, listed.value, start.value.known, agree, signal) : listed;
    if (!listed.ok || !agreed.ok || signal.aborted || closed) {
      await client.close();
      const { identifier, message } = !listed.ok ? listed.refusal : !agreed.ok ? agreed.refusal : STOPPED;
      return failed(identifier, message);
    }
    const before = running.get(name);
    const one: Running = {
      definition: server,
      digest: definitionDigest(server),
      transport,
      client,
      agreed: new Set(listed.value.tools.map(toolDigest)),
      listed: [],
      offered: [],
      ends: 0,
      restarting: null,
      trouble: null,
    };
    offer(one, listed.value.tools);
    running.set(name, one);
    if (before !== undefined) leave(before);
    return done({ name, tools: one.offered.length, leftOut: listed.value.leftOut });
  };

  /** Nobody waits for it to end but the end of the session. */
  const leave = ({ client }: Running): void => {
    const ending: Promise<unknown> = client.close().finally(() => leaving.delete(ending));
    leaving.add(ending);
  };

  const all = (): readonly Running[] =>
    [...running.values()].sort((one, other) => byName(one.definition, other.definition));

  return {
    list: async () => {
      const { servers, broken } = await configured();
      const gone = all().flatMap(({ definition }) =>
        servers.some(({ name }) => name === definition.name) ? [] : [definition],
      );
      const rows = [...servers, ...gone].sort(byName).map((server): ServerRow => {
        const one = running.get(server.name);
        return {
          name: server.name,
          description: server.description,
          from: server.from,
          byDefault: server.enabled,
          signsIn: server.transport?.kind === 'http' && server.transport.oauth !== null,
          state: one === undefined ? 'off' : 'on',
          tools: one?.offered.length ?? 0,
          trouble:
            one === undefined ? server.fault : one.client.gone === null ? one.trouble : `it ended: ${one.client.gone}`,
        };
      });
      return { file: parts.file, rows, broken };
    },
    get on() {
      return all().map(({ definition }) => definition.name);
    },
    tools: () => all().flatMap(({ offered }) => offered),
    enable,
    disable: async (name) => {
      const one = running.get(name);
      if (one === undefined) return false;
      running.delete(name);
      leave(one);
      return true;
    },
    logout: async (name) => {
      const { servers } = await configured();
      const server = servers.find((one) => one.name === name);
      if (server === undefined) return refuse('mcp-unknown', `${name}: there is no server of this name`);
      if (server.transport?.kind !== 'http' || server.transport.oauth === null)
        return refuse('mcp-no-sign-in', `${name}: it has no sign-in to forget`);
      const expanded = expandTransport(server.transport, parts.variables, new Set());
      if (!expanded.ok) return refuse(expanded.refusal.identifier, `${name}: ${expanded.refusal.message}`);
      const { signIn: way } = parts;
      const url = expanded.value.kind === 'http' ? expanded.value.url : '';
      const forgotten = (await way?.tokens.alone(() => way.tokens.keep(url, null))) ?? false;
      if (!forgotten) return refuse('mcp-unsaved', `${name}: its sign-in could not be forgotten`);
      const one = running.get(name);
      running.delete(name);
      if (one !== undefined) leave(one);
      return done(null);
    },
    saveDefault: async (name, enabled) => {
      const { servers } = await configured();
      const server = servers.find((one) => one.name === name);
      if (server?.from === 'project')
        return refuse('mcp-unsaved', `${name} is this project’s; only servers of your own are on by default`);
      if (server === undefined || parts.file === null)
        return refuse('mcp-unsaved', `${name} stands in no file of yours`);
      return (await parts.saveDefault(name, enabled))
        ? done(parts.file)
        : refuse('mcp-unsaved', `${parts.file} could not be written`);
    },
    refresh: async (signal) => {
      const said: string[] = [];
      for (const one of all()) {
        if (!one.client.changed || one.client.gone !== null) continue;
        const { name } = one.definition;
        const listed = await one.client.listTools(signal);
        const line = listed.ok ? adopt(one, listed.value) : stale(one, name, listed.refusal.message);
        if (line !== null) said.push(line);
      }
      return said;
    },
    close: async () => {
      closed = true;
      life.abort('closing');
      const left = all();
      running.clear();
      await Promise.all(
        left.map(async ({ client, restarting }) => {
          await Promise.all([client.close(), restarting?.then((again) => (again.ok ? again.value.close() : null))]);
        }),
      );
      await Promise.all(leaving);
      await Promise.all([...logs.values()].map((log) => log.settle()));
    },
  };

  /** The old list stays and is asked for once more at the next turn (MC-7). */
  function stale(one: Running, name: string, why: string): string | null {
    const again = one.trouble?.startsWith(STALE) === true;
    one.trouble = `${STALE}: ${why}`;
    if (!again) one.client.markChanged();
    return again ? null : `${name}: ${one.trouble}.`;
  }
}

const STALE = 'its tools changed, and the new list could not be had';
const STOPPED = { identifier: 'stopped', message: 'it was stopped' };

function declined(signal: AbortSignal): ReturnType<typeof refuse> {
  return signal.aborted ? refuse('stopped', 'it was stopped') : refuse('mcp-declined', 'you did not agree to it');
}

/** The file of a project that asks for servers. */
export function projectFile(folder: string): string {
  return path.join(folder, '.mcp.json');
}

/** What a project asks for, as the question about trusting it lists it. */
export function requestLine(server: Pick<ServerDefinition, 'name'>, transport: ServerTransport): string {
  const digest = definitionDigest({ name: server.name, transport });
  return `.mcp.json: ${server.name} ${transport.kind === 'stdio' ? 'may run' : 'may reach'} ${definitionLine(transport)} (${digest.slice(0, 8)})`;
}

async function openChannel(
  parts: McpServersParts,
  name: string,
  starts: number,
  transport: ServerTransport,
  log: ServerLog,
  events: ChannelEvents,
): Promise<Channel> {
  if (transport.kind === 'http') {
    const { url, headers, oauth } = transport;
    const bearer = oauth === null || parts.signIn === null ? null : bearerOf(parts.signIn, url);
    return openHttpChannel({ network: parts.network, after: parts.clock.after, url, headers, bearer }, events);
  }
  const folder = path.resolve(parts.folder, transport.folder ?? '.');
  const confined = await parts.confine(transport.argv, { line: definitionLine(transport), folder });
  // Each start has a mark of its own: what ends one that is gone must not reach the one that came after it.
  const mark = `${name}-${starts}`;
  const environment = { ...parts.environment(mark), ...confined.added };
  for (const removed of confined.removed) delete environment[removed];
  return openStdioChannel(
    {
      processes: parts.processes,
      argv: confined.argv,
      folder,
      // What was named is given, whatever is kept from everything else.
      environment: { ...environment, ...transport.variables },
      log: log.write,
      end: (child) => parts.end(mark, child, confined.holdsTree),
    },
    events,
  );
}

function startWords(error: unknown): string {
  const { code } = error as { code?: Json };
  if (code === 'ENOENT') return 'there is no such program or folder';
  return `it could not be started: ${wordsOf(error)}`;
}
