import { visible } from '../base/text-width.ts';
import { createRedactor } from '../core/policy/redact.ts';
import { places } from '../core/settings/paths.ts';
import type { System } from '../system/system.ts';
import { VERSION } from './build.ts';
import { openMcp } from './open-mcp.ts';
import { writeErr, writeOut } from './output.ts';

/** `houston mcp`: which servers there are, one row each; nothing is started. Exit code 3 for a file that cannot be read. */
export async function printServers(system: System, folder: string): Promise<number> {
  const { config, state } = places(system.environment);
  const source = openMcp(
    {
      system,
      session: 'list',
      version: VERSION,
      folder,
      config,
      state,
      place: null,
      secretNames: [],
      confine: () => Promise.reject(new Error('nothing is started to be listed')),
      redact: createRedactor(system.environment.all(), []),
      requests: [],
    },
    false,
  );
  const list = (await source.exists()) ? await (await source.load(() => false)).list() : null;
  for (const line of list?.broken ?? []) writeErr(`houston: mcp-config: ${visible(line)}\n`);
  for (const { name, byDefault, trouble, description } of list?.rows ?? []) {
    const marks = [byDefault ? 'on by default' : 'off', ...(trouble === null ? [] : [trouble])].join('; ');
    writeOut(`${name.padEnd(24)} ${visible(`${marks}${description === null ? '' : `  ${description}`}`)}\n`);
  }
  if (list === null || (list.rows.length === 0 && list.broken.length === 0))
    writeErr(`houston: no MCP server is configured${config === null ? '' : ` in ${config}/mcp.json`}\n`);
  return (list?.broken.length ?? 0) > 0 ? 3 : 0;
}
