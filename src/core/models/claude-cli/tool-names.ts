import type { ToolSchema } from '../model.ts';
import { OFFER } from './claude-setup.ts';

const PREFIX = `mcp__${OFFER}__`;
/** What a service takes of a name, the prefix included. */
const LONGEST = 64 - PREFIX.length;

/** Our tools under names that every service takes, and back. */
export interface ToolNames {
  readonly offered: readonly { readonly name: string; readonly tool: ToolSchema }[];
  /** Our own name of what a call names in full; null: it is none of ours. */
  ours(full: string): string | null;
}

export function toolNames(tools: readonly ToolSchema[]): ToolNames {
  const byName = new Map<string, ToolSchema>();
  for (const tool of tools) {
    const plain = tool.name.replace(/[^\w-]/g, '_').slice(0, LONGEST);
    let name = plain;
    for (let more = 2; byName.has(name); more++) name = `${plain.slice(0, LONGEST - 3)}_${more}`;
    byName.set(name, tool);
  }
  return {
    offered: [...byName].map(([name, tool]) => ({ name, tool })),
    ours: (full) => (full.startsWith(PREFIX) ? (byName.get(full.slice(PREFIX.length))?.name ?? null) : null),
  };
}
