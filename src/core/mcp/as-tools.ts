import type { Json, JsonObject } from '../../base/json.ts';
import { visible } from '../../base/text-width.ts';
import type { Label } from '../../protocol/label.ts';
import { argumentsLabel } from '../tools/planning.ts';
import type { Tool } from '../tools/tool.ts';
import { isObject } from './config.ts';
import type { Answer } from './peer.ts';
import { outcomeOf } from './result.ts';
import { type ListedTool, toolDigest } from './tool-list.ts';

/** Calls a tool of one server; never rejects. */
export type CallServer = (
  tool: string,
  input: JsonObject,
  signal: AbortSignal,
  onProgress: (text: string) => void,
) => Promise<Answer>;

/** A tool the person agreed to, as any other: what it would do is one effect outside this program, decided on each time. */
export function asTool(server: string, definition: string, listed: ListedTool, call: CallServer): Tool<JsonObject> {
  const pinned = `${definition}.${toolDigest(listed)}`;
  return {
    name: listed.offered,
    description: `A tool of the MCP server ${server}, outside Houston.\n${listed.description}`.trim(),
    input: listed.input,
    // Every argument decides what the server does.
    routing: Object.keys(isObject(listed.input.properties) ? listed.input.properties : {}),
    order: 'alone',
    heldBy: 'worker',
    title: () => `${server}: ${listed.name}`,

    plan: async (input, context) => {
      if (!isObject(input)) return { ok: false, message: 'Wrong arguments: must be a JSON object.' };
      return {
        ok: true,
        title: `${server}: ${listed.name}`,
        effects: [
          {
            kind: 'external',
            server,
            tool: listed.name,
            pinned,
            label: argumentsLabel(context),
            ...(context.instructionPrivate === true ? { repeats: true as const } : {}),
          },
        ],
        diffs: [],
        rows: argumentRows(input, argumentsLabel(context)),
        planned: input,
      };
    },

    run: async (input, world) =>
      outcomeOf(await call(listed.name, input, world.signal, world.progress), { server, tool: listed.name }),
  };
}

/** All that would be sent, to be read before it is. */
function argumentRows(input: Json, label: Label) {
  const lines = JSON.stringify(input, null, 2).split('\n');
  return lines.map((line) => ({ role: 'content', shown: { text: visible(line), label } }) as const);
}
