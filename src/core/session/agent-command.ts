import type { Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { SessionCommand } from '../../protocol/view.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';

/** `/agent`: whom the person talks with, and which definitions count. */
export const AGENT_COMMAND = {
  name: 'agent',
  group: 'Model',
  argument: '[NAME|none|on NAME|off NAME]',
  description: 'Choose whom you talk with; alone, every agent definition there is',
  during: 'now',
  cures: true,
  run: agentCommand,
} as const satisfies SessionCommand & Record<string, unknown>;

async function agentCommand(parts: SessionParts, argument: string, client: ClientId): Promise<Sent> {
  const { agents, publisher } = parts;
  const [, switched, name] = /^(on|off)\s+(\S+)$/.exec(argument) ?? [];
  if (switched !== undefined && name !== undefined) return switchAgent(parts, name, switched === 'on', client);
  if (/\s/.test(argument) || argument === 'on' || argument === 'off')
    return refused('argument-unknown', `Usage: /agent ${AGENT_COMMAND.argument}`);
  if (argument !== '') return agents.choose(argument === 'none' ? null : argument, client);
  publisher.publish({ type: 'flash', client, level: 'info', text: listText(parts) });
  return accepted();
}

/** Kept for sessions to come; here it holds at once. */
async function switchAgent(parts: SessionParts, name: string, on: boolean, client: ClientId): Promise<Sent> {
  const { agents, publisher, loop } = parts;
  const { list, broken } = agents.profiles;
  if (![...list, ...broken].some((one) => one.name === name) && !(on && agents.disabled.has(name)))
    return refused('no-such-agent', `There is no agent definition of that name. /agent lists those there are.`);
  if (!on && agents.selected === name)
    return refused('agent-in-use', `You talk with ${name}: choose another first, such as /agent none.`);
  agents.enable(name, on);
  const saved = await parts.saveDefaults({ agentsDisabled: [...agents.disabled] });
  const kept = saved ? '' : ' It applies only here: it could not be saved.';
  const text = `The agent ${name} is switched ${on ? 'on' : 'off'}.${kept}`;
  publisher.publish({ type: 'flash', client, level: saved ? 'info' : 'warning', text });
  loop.wake();
  return accepted();
}

function listText({ agents }: Pick<SessionParts, 'agents'>): string {
  const { profiles, disabled, selected } = agents;
  const rows = [
    ...profiles.list.map(({ name, kind, description }) => {
      const state = name === selected ? 'selected' : disabled.has(name) ? 'off' : 'on';
      return { name, text: `${name} (${kind}, ${state}): ${description}` };
    }),
    ...profiles.broken.map(({ name, path, why }) => {
      const off = disabled.has(name) ? ', off' : '';
      return { name, text: `${name} (broken${off}): ${path} ${why}` };
    }),
  ].sort((one, other) => (one.name < other.name ? -1 : 1));
  if (rows.length === 0)
    return 'There are no agent definitions: agents/NAME.md in the configuration, or .houston/agents/NAME.md here.';
  return [`Agent: ${selected ?? 'None'}`, ...rows.map(({ text }) => text)].join('\n');
}

/** Names by their beginning, with what they are. */
export function completeAgent(
  { agents }: Pick<SessionParts, 'agents'>,
  typed: string,
): { value: string; description: string }[] {
  const { profiles, disabled, enabled } = agents;
  const primary = enabled.filter(({ kind }) => kind === 'primary');
  const all = [...profiles.list, ...profiles.broken].map(({ name }) => name);
  const rows = [
    ...primary.map(({ name, description }) => ({ value: name, description })),
    { value: 'none', description: 'Houston itself' },
    ...all.filter((name) => disabled.has(name)).map((name) => ({ value: `on ${name}`, description: 'switch on' })),
    ...all.filter((name) => !disabled.has(name)).map((name) => ({ value: `off ${name}`, description: 'switch off' })),
  ];
  return rows.filter(({ value }) => value.startsWith(typed));
}
