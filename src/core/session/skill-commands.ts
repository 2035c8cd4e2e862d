import type { Intent, Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { SessionCommand } from '../../protocol/view.ts';
import type { Skill } from '../tools/tool.ts';
import type { SessionParts } from './parts.ts';
import { type Arriving, say } from './say.ts';
import { refused } from './sent.ts';

/** What can be typed after a slash. */
const TYPED = /^[a-z][a-z0-9-]*$/;

/**
 * Each skill as a command, in the order they were found. A name that is taken, by a command or an earlier skill, stays what
 * it is: the skill has its `$name` all the same; of its other names only those that are free count (SC-17.1).
 */
export function skillCommands(skills: readonly Skill[], taken: readonly SessionCommand[]): SessionCommand[] {
  const names = new Set(taken.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const commands: SessionCommand[] = [];
  for (const { name, description, aliases = [] } of skills) {
    if (!TYPED.test(name) || names.has(name)) continue;
    names.add(name);
    const free = [...new Set(aliases)].filter((alias) => TYPED.test(alias) && !names.has(alias));
    for (const alias of free) names.add(alias);
    commands.push({
      ...{ name, group: 'Session', argument: '[what for]', description, during: 'now', says: true },
      ...(free.length === 0 ? {} : { aliases: free }),
    });
  }
  return commands;
}

/** The skill a command stands for in this session; null where it is none. */
export function skillOf(
  { runtime, publisher }: Pick<SessionParts, 'runtime' | 'publisher'>,
  typed: string,
): Skill | null {
  const command = publisher.view.head.commands.find(
    ({ name, aliases, says }) => says === true && (name === typed || aliases?.includes(typed) === true),
  );
  return (runtime()?.calls.skills ?? []).find(({ name }) => name === command?.name) ?? null;
}

/**
 * Says a prompt that asks for the skill, as it would be said if it had been typed: it joins the turn, waits or interrupts.
 * Servers it declares are started first, and the prompt waits for them (SC-17.2).
 */
export async function runSkill(
  parts: SessionParts,
  skill: Skill,
  intent: Extract<Intent, { type: 'command' }>,
  client: ClientId,
  arriving: Arriving,
): Promise<Sent> {
  if (parts.model.model === null)
    return refused('no-model', 'There is no model to use a skill: choose one with /model.');
  if (arriving.fate === 'run') await startServers(parts, skill);
  const words = intent.argument.trim();
  const text = words === '' ? `Use the skill ${skill.name}.` : `Use the skill ${skill.name}: ${words}`;
  const delivery = intent.delivery ?? 'steering';
  return say(parts, { type: 'say', ref: intent.ref, text, attachments: [], delivery }, client, arriving);
}

/** Whatever goes wrong with a server is said, and the prompt goes out all the same. */
async function startServers({ mcp, recorder }: SessionParts, { name, servers = [] }: Skill): Promise<void> {
  if (servers.length === 0) return;
  const warn = async (text: string): Promise<void> => {
    await recorder.write([{ kind: 'note', level: 'warning', identifier: 'mcp', text }], { onFailure: 'keep' });
  };
  const list = await mcp.list().catch((error: unknown) => warn(`MCP: ${String(error)}.`).then(() => null));
  for (const line of list?.broken ?? []) await warn(`MCP: ${line}.`);
  const rows = list?.rows ?? [];
  for (const server of servers)
    if (!rows.some((row) => row.name === server))
      await warn(`The skill ${name} wants the MCP server ${server}, which nothing here describes.`);
  const off = servers.filter((server) => rows.some((row) => row.name === server && row.state === 'off'));
  if (off.length === 0) return;
  if (mcp.change === null) mcp.begin({ kind: 'enable-some', names: off }, null);
  else
    await warn(`The skill ${name} wants ${off.join(', ')}; ${mcp.change} is under way: /mcp enable starts it later.`);
}
