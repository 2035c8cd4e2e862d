import path from 'node:path';
import type { McpSource } from '../core/session/mcp-desk.ts';
import type { Files } from '../system/files.ts';
import type { McpWiring } from './mcp-part.ts';

/** The MCP servers of a session: nothing of them is loaded before one is configured or asked about. */
export function openMcp(wiring: Omit<McpWiring, 'projectCounts'>, strict: boolean): McpSource {
  const { system, config, folder } = wiring;
  const there = async (file: string | null): Promise<boolean> =>
    file !== null && (await system.files.stat(file).catch(() => null)) !== null;
  return {
    strict,
    exists: async () =>
      (await there(config === null ? null : path.join(config, 'mcp.json'))) ||
      (await there(path.join(folder, '.mcp.json'))),
    load: async (projectCounts) => {
      const { openServers } = await import('./mcp-part.ts');
      return openServers({ ...wiring, projectCounts });
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
