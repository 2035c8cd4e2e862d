import path from 'node:path';
import { callMark, childEnvironment, personEnvironment } from '../core/jobs/child-environment.ts';
import { endTree } from '../core/jobs/end-tree.ts';
import type { Confine } from '../core/jobs/line.ts';
import { openApprovals } from '../core/mcp/approvals.ts';
import { MOST_CONFIG_BYTES, readServers } from '../core/mcp/config.ts';
import { createMcpServers, type McpServers, projectFile, requestLine } from '../core/mcp/servers.ts';
import { openTokenFile } from '../core/mcp/token-file.ts';
import type { LockFile } from '../core/settings/save-defaults.ts';
import { OWN_CREDENTIALS } from '../core/values/credentials.ts';
import type { Files } from '../system/files.ts';
import type { System } from '../system/system.ts';

// Everything about MCP servers that nothing else needs, in one bundle with its compiled code beside it: it is loaded where one is configured, and
// by nothing else.

export interface McpWiring {
  readonly system: System;
  readonly session: string;
  readonly version: string;
  readonly folder: string;
  readonly config: string | null;
  readonly state: string | null;
  /** The session's folder; null when nothing is saved. */
  readonly place: string | null;
  readonly secretNames: readonly string[];
  readonly confine: Confine;
  readonly redact: (text: string) => string;
  readonly saveDefault: (name: string, enabled: boolean) => Promise<boolean>;
  /** Runs `work` while no other process writes what `file` holds; null where its turn did not come. */
  readonly lock: LockFile;
  /** What the project was seen to ask for when the session began. */
  readonly requests: readonly string[];
  /** Whether the person, who saw that, trusts the project. */
  readonly projectCounts: () => boolean;
}

/** What a program needs to find its way; everything else it is given by name (MCP-3). */
const GIVEN = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TERM|HOUSTON_\w+)$/;

export function openServers(wiring: McpWiring): McpServers {
  const { system, session, config, state, folder } = wiring;
  const { environment, files, processes, clock, network } = system;
  const marks = (start: string) => ({ session, call: `mcp-${start}` });
  const file = config === null ? null : path.join(config, 'mcp.json');
  const tokens = state === null ? null : path.join(state, 'mcp-tokens.json');
  const approvals = state === null ? null : path.join(state, 'mcp-approvals.json');
  return createMcpServers({
    files,
    processes,
    clock,
    network,
    version: wiring.version,
    file,
    folder,
    requested: () => (wiring.projectCounts() ? wiring.requests : null),
    variables: environment.all(),
    withheld: new Set([...OWN_CREDENTIALS, ...wiring.secretNames]),
    environment: (start) => {
      const all = childEnvironment(environment.all(), marks(start), wiring.secretNames);
      return Object.fromEntries(Object.entries(all).filter(([variable]) => GIVEN.test(variable)));
    },
    confine: (argv, order) => wiring.confine(argv, order, null),
    end: (start, child, holdsTree) => endTree({ processes, clock }, child, callMark(marks(start)), holdsTree),
    approvals:
      approvals === null || state === null || wiring.place === null
        ? null
        : openApprovals(files, approvals, async (work) => {
            await files.makeFolder(state, 0o700);
            return wiring.lock(approvals, work);
          }),
    saveDefault: wiring.saveDefault,
    logs: wiring.place,
    redact: wiring.redact,
    signIn:
      tokens === null || state === null || wiring.place === null
        ? null
        : {
            network,
            clock,
            ids: system.ids,
            tokens: openTokenFile(files, tokens, async (work) => {
              await files.makeFolder(state, 0o700);
              return wiring.lock(tokens, work);
            }),
          },
    browse: (url) => void openInBrowser(system, session, url),
  });
}

/** By the desktop's own program, where there is one here; where there is none the person has the address before them. */
async function openInBrowser({ environment, processes }: System, session: string, url: string): Promise<void> {
  // It came from a server: anything but a page of the web would be a command.
  if (!/^https?:\/\/[!-~]+$/.test(url)) return;
  const all = environment.all();
  const names = environment.platform === 'darwin' ? ['open'] : ['xdg-open', 'wslview'];
  for (const name of names) {
    const program = await processes.find(name, all.PATH ?? '/usr/bin:/bin');
    if (program === null) continue;
    const own = personEnvironment(all, { session, call: 'browser' });
    await processes
      .spawn({ argv: [program, url], folder: '/', environment: own, input: null, output: 'ignore', detached: true })
      .catch(() => undefined);
    return;
  }
}

/** What a project's `.mcp.json` asks for, one line a server, for the question whether to trust it. */
export async function requestedServers(files: Pick<Files, 'read'>, folder: string): Promise<readonly string[]> {
  const file = projectFile(folder);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await files.read(file, MOST_CONFIG_BYTES));
    const read = readServers(text, file, 'project');
    if (!read.ok) return [];
    return read.value.flatMap((server) => (server.transport === null ? [] : [requestLine(server, server.transport)]));
  } catch {
    return [];
  }
}
