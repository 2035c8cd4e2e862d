import path from 'node:path';
import { underLock } from '../core/journal/session-lock.ts';
import type { McpSource } from '../core/session/mcp-desk.ts';
import type { Files } from '../system/files.ts';
import type { McpWiring } from './mcp-part.ts';
import { settingsSavers } from './save-settings.ts';

const LOCK_WAIT_MS = 2_000;

/** The MCP servers of a session: nothing of them is loaded before one is configured or asked about. */
export function openMcp(wiring: Omit<McpWiring, 'projectCounts' | 'saveDefault' | 'lock'>, strict: boolean): McpSource {
  const { system, config, folder } = wiring;
  // Made here: between bundles no class is the same, and these tell errors of the system by theirs.
  const saving = config === null ? null : settingsSavers(system, config);
  const saveDefault: McpWiring['saveDefault'] = saving?.saveServerDefault ?? (async () => false);
  const lock: McpWiring['lock'] = (file, work) => underLock(system, `${file}.lock`, LOCK_WAIT_MS, work);
  const there = async (file: string | null): Promise<boolean> =>
    file !== null && (await system.files.stat(file).catch(() => null)) !== null;
  return {
    strict,
    exists: async () =>
      (await there(config === null ? null : path.join(config, 'mcp.json'))) ||
      (await there(path.join(folder, '.mcp.json'))),
    load: async (projectCounts) => {
      const { openServers } = await import('./mcp-part.ts');
      return openServers({ ...wiring, saveDefault, lock, projectCounts });
    },
  };
}

/** What a project asks for in its `.mcp.json`; nothing is loaded where it has none. */
export async function readMcpRequests(files: Files, folder: string): Promise<readonly string[]> {
  const stat = await files.stat(path.join(folder, '.mcp.json')).catch(() => null);
  if (stat === null) return [];
  const { requestedServers } = await import('./mcp-part.ts');
  return requestedServers(files, folder);
}
