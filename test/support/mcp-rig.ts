// A scripted MCP server in memory, and a session that has one: everything passes through the true client and desk.
import type { Json, JsonObject } from '../../src/base/json.ts';
import { type Approvals, openApprovals } from '../../src/core/mcp/approvals.ts';
import { createMcpServers, type McpServers, type McpServersParts } from '../../src/core/mcp/servers.ts';
import { openTokenFile } from '../../src/core/mcp/token-file.ts';
import type { McpSource } from '../../src/core/session/mcp-desk.ts';
import { createMcpDefaultSaver } from '../../src/core/settings/save-defaults.ts';
// Loaded when a default is first written; a clock moved by hand does not wait for that.
import 'jsonc-parser';
import type { ProgramRun } from '../../src/system/memory/processes.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { FOLDER, SESSION_FOLDER } from './controller.ts';

export const CONFIG = '/home/pat/.config/houston';
export const MCP_FILE = `${CONFIG}/mcp.json`;
export const STATE = '/home/pat/state';

export const ADD: JsonObject = {
  name: 'add',
  description: 'Adds.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
};

/** What a scripted server does; what is left out it does as a good one would. */
export interface ServerScript {
  /** Changes as the test goes on. */
  tools?: Json[];
  /** Answers a message itself: what it returns is sent, null for nothing; undefined leaves it to the good server. */
  on?: (
    message: JsonObject,
    line: ServerLine,
  ) => Promise<JsonObject | null | undefined> | JsonObject | null | undefined;
  /** Before the first message. */
  begin?: (line: ServerLine) => void;
}

export interface ServerLine {
  readonly run: ProgramRun;
  /** Puts words on its output as they are. */
  print(text: string): void;
  send(message: JsonObject): void;
  /** All it was sent so far. */
  readonly heard: readonly JsonObject[];
}

export interface McpRig {
  readonly system: MemorySystem;
  readonly source: McpSource;
  /** Live servers by name, newest process last. */
  readonly lines: ReadonlyMap<string, ServerLine[]>;
  /** Lines of the trusted project's requests, as the start saw them. */
  requests: readonly string[];
  configure(servers: JsonObject, more?: string): void;
  script(name: string, script: ServerScript): void;
  servers(): Promise<McpServers>;
  readonly approvals: Approvals;
  /** Everything a server was sent, by method. */
  heard(name: string): string[];
}

export function mcpRig(
  given: Partial<McpServersParts> & { readonly strict?: boolean; readonly system?: MemorySystem } = {},
): McpRig {
  const system = given.system ?? createMemorySystem();
  const lines = new Map<string, ServerLine[]>();
  const lock = <T>(_file: string, work: () => Promise<T>): Promise<T | null> => work();
  const approvals = openApprovals(system.files, `${STATE}/mcp-approvals.json`, (work) => work());
  system.files.seed(`${STATE}/.keep`, '');
  let loaded: McpServers | null = null;
  const rig: McpRig = {
    system,
    lines,
    requests: [],
    approvals,
    configure: (servers, more = '') => system.files.seed(MCP_FILE, `${JSON.stringify({ mcpServers: servers })}${more}`),
    script: (name, script) => {
      system.processes.script(
        (argv) => argv[0] === name,
        async (run) => {
          const line = await playServer(run, script, (made) => lines.set(name, [...(lines.get(name) ?? []), made]));
          return line;
        },
      );
    },
    heard: (name) =>
      (lines.get(name) ?? []).flatMap(({ heard }) => heard.map(({ method }) => String(method ?? 'answer'))),
    servers: async () => {
      loaded ??= await rig.source.load(() => true);
      return loaded;
    },
    source: {
      strict: given.strict ?? false,
      exists: async () =>
        (await system.files.stat(MCP_FILE)) !== null || (await system.files.stat(`${FOLDER}/.mcp.json`)) !== null,
      load: async (projectCounts) => {
        loaded = createMcpServers({
          files: system.files,
          processes: system.processes,
          clock: system.clock,
          network: system.network,
          version: '0.0.0',
          file: MCP_FILE,
          folder: FOLDER,
          requested: () => (projectCounts() ? rig.requests : null),
          variables: { PATH: '/usr/bin', TOKEN: 'secret-token', ANTHROPIC_API_KEY: 'sk-own' },
          withheld: new Set(['ANTHROPIC_API_KEY']),
          environment: (name) => ({ PATH: '/usr/bin', HOUSTON_CALL: `s1/mcp-${name}` }),
          confine: async (argv) => ({ argv, added: {}, removed: [], holdsTree: false }),
          end: async (_name, child) => child.signal('KILL'),
          approvals,
          saveDefault: createMcpDefaultSaver(system.files, CONFIG, lock),
          logs: SESSION_FOLDER,
          signIn: {
            network: system.network,
            clock: system.clock,
            ids: system.ids,
            tokens: openTokenFile(system.files, `${STATE}/mcp-tokens.json`, (work) => work()),
          },
          browse: () => {},
          redact: (text) => text.replaceAll('secret-token', '[removed]'),
          ...given,
        });
        return loaded;
      },
    },
  };
  system.files.seed(`${FOLDER}/.keep`, '');
  system.files.seed(`${SESSION_FOLDER}/.keep`, '');
  return rig;
}

async function playServer(run: ProgramRun, script: ServerScript, made: (line: ServerLine) => void): Promise<number> {
  const heard: JsonObject[] = [];
  const line: ServerLine = {
    run,
    heard,
    print: (text) => run.write(text),
    send: (message) => run.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
  };
  made(line);
  script.begin?.(line);
  let rest = '';
  for (let bytes = await run.read(); bytes !== null; bytes = await run.read()) {
    rest += new TextDecoder().decode(bytes);
    const whole = rest.split('\n');
    rest = whole.pop() ?? '';
    for (const text of whole) {
      const message = JSON.parse(text) as JsonObject;
      heard.push(message);
      const own = await script.on?.(message, line);
      if (own === null) continue;
      const answer = own ?? goodAnswer(message, script);
      if (answer !== null) line.send(answer);
    }
  }
  return 0;
}

function goodAnswer({ id, method, params }: JsonObject, script: ServerScript): JsonObject | null {
  if (id === undefined || typeof method !== 'string') return null;
  switch (method) {
    case 'initialize': {
      const { protocolVersion } = params as JsonObject;
      return {
        id,
        result: {
          protocolVersion: protocolVersion!,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'test', version: '1' },
        },
      };
    }
    case 'tools/list':
      return { id, result: { tools: script.tools ?? [ADD] } };
    case 'tools/call':
      return { id, result: { content: [{ type: 'text', text: `called ${String((params as JsonObject).name)}` }] } };
    default:
      return { id, error: { code: -32_601, message: 'no such method' } };
  }
}
