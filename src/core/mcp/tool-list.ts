import type { Json, JsonObject } from '../../base/json.ts';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { sha256 } from '../../base/sha256.ts';
import { visible } from '../../base/text-width.ts';
import { byName, isObject } from './config.ts';

/** A tool of a server as it is shown to the person and, once they agreed, offered to the model: the same words to both. */
export interface ListedTool {
  /** As the server calls it. */
  readonly name: string;
  /** As it is offered: `mcp__server__tool`. */
  readonly offered: string;
  readonly description: string;
  readonly input: JsonObject;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** What was left out and why, one line each, in our own words. */
  readonly leftOut: readonly string[];
}

const MOST_TOOLS = 256;
const LONGEST_NAME = 128;
/** What every model service takes of a name. */
const LONGEST_OFFERED = 64;
const LONGEST_DESCRIPTION = 4_096;
const LONGEST_SCHEMA = 16 * 1024;
const LONGEST_LIST = 256 * 1024;

/** What `tools/list` came to, cleaned. A tool that cannot be offered costs itself only. */
export function readTools(server: string, listed: readonly Json[]): Outcome<ToolList> {
  const found = new Map<string, Omit<ListedTool, 'offered'>>();
  const leftOut: string[] = [];
  if (listed.length > MOST_TOOLS) return refuse('mcp-tools', `it lists more than ${MOST_TOOLS} tools`);
  for (const [at, value] of listed.entries()) {
    const tool = isObject(value) ? value : {};
    const { name, description = '', inputSchema } = tool;
    if (
      typeof name !== 'string' ||
      name === '' ||
      name.length > LONGEST_NAME ||
      visible(name) !== name ||
      /\s/.test(name)
    )
      leftOut.push(`tool ${at + 1} has no usable name`);
    else if (found.has(name)) leftOut.push(`${name} is listed twice`);
    else if (!isObject(inputSchema) || inputSchema.type !== 'object')
      leftOut.push(`${name} takes no object of arguments`);
    else if (JSON.stringify(inputSchema).length > LONGEST_SCHEMA)
      leftOut.push(`${name} says too much of its arguments`);
    else found.set(name, { name, description: describe(description), input: inputSchema });
  }
  const tools = named(server, [...found.values()].sort(byName));
  if (JSON.stringify(tools).length > LONGEST_LIST)
    return refuse('mcp-tools', 'its list of tools is too long to be read');
  return done({ tools, leftOut });
}

/** For agreement: any other word in it makes another list. */
export function toolsDigest(tools: readonly ListedTool[]): string {
  return sha256(JSON.stringify(tools.map(toolDigest).sort())).slice(0, 32);
}

export function toolDigest({ name, offered, description, input }: ListedTool): string {
  return sha256(JSON.stringify([name, offered, description, input])).slice(0, 32);
}

/** Names that every service takes, and no two alike: where cleaning made two the same, all of those carry a mark of their own. */
function named(server: string, tools: readonly Omit<ListedTool, 'offered'>[]): ListedTool[] {
  const plain = (name: string): string => `mcp__${server}__${name.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  const times = new Map<string, number>();
  for (const { name } of tools) times.set(plain(name), (times.get(plain(name)) ?? 0) + 1);
  return tools.map((tool) => {
    const full = plain(tool.name);
    const own = full.length <= LONGEST_OFFERED && times.get(full) === 1;
    const offered = own ? full : `${full.slice(0, LONGEST_OFFERED - 9)}_${sha256(tool.name).slice(0, 8)}`;
    return { ...tool, offered };
  });
}

/** Every character shows itself, line by line: nobody agrees to what they did not see. */
function describe(text: Json): string {
  if (typeof text !== 'string') return '';
  const shown = text.replaceAll('\r\n', '\n').split('\n').map(visible).join('\n').trim();
  return shown.length <= LONGEST_DESCRIPTION ? shown : `${shown.slice(0, LONGEST_DESCRIPTION).toWellFormed()} […]`;
}
