import type { ClientId } from '../../protocol/session.ts';
import type { ServerList, ServerRow } from '../mcp/servers.ts';
import { cancelText, type McpChange, type McpDesk } from './mcp-desk.ts';
import type { SessionParts } from './parts.ts';
import type { Sending } from './say.ts';
import { accepted, refused } from './sent.ts';

const FORMS = 'list, enable NAME [--save], enable-all, disable NAME [--save], logout NAME';
const USAGE = `Usage: /mcp ${FORMS.replaceAll(', ', ' | ')}`;
const HINT = `Servers are off unless marked. /mcp ${FORMS}; --save makes it so in each new conversation.`;

type Wish =
  | McpChange
  | { readonly kind: 'list' }
  | { readonly kind: 'disable'; readonly name: string; readonly save: boolean };

/** `/mcp`: refusals in order: how it is written, another change, no model to work for (SC-13.3). */
export async function mcpCommand(parts: SessionParts, argument: string, client: ClientId, sending?: Sending) {
  const { mcp, model, publisher } = parts;
  const wish = parseMcp(argument);
  if (wish === null) return refused('argument-unknown', USAGE);
  if (wish.kind === 'list') {
    publisher.publish({ type: 'flash', client, level: 'info', text: await listText(mcp) });
    return accepted();
  }
  if (mcp.change !== null)
    return refused(
      'mcp-busy',
      `MCP servers are being changed already (${mcp.change}): wait until that is over, or cancel it with Ctrl-C.`,
    );
  if (model.model === null && parts.runtime() !== null)
    return refused('no-model', 'There is no model to use a server: choose one with /model first.');
  if (mcp.servers === null) return refused('mcp-none', 'There is no configuration to take MCP servers from here.');
  if (wish.kind === 'disable') return disable(parts, wish, client);
  if (wish.kind === 'enable') {
    const row = (await mcp.list())?.rows.find(({ name }) => name === wish.name);
    if (row?.state === 'on' && row.trouble === null) return alreadyOn(parts, wish, client);
  }
  // While the configuration was looked at another window may have begun.
  if (mcp.change !== null)
    return refused(
      'mcp-busy',
      `MCP servers are being changed already (${mcp.change}): wait until that is over, or cancel it with Ctrl-C.`,
    );
  if (sending !== undefined && sending.arriving.fate !== 'run') {
    const owner = { client, ref: sending.ref };
    const text = `MCP: ${cancelText(wish)}`;
    await parts.recorder.write([{ kind: 'note', level: 'warning', identifier: 'mcp', text }], { onFailure: 'keep' });
    parts.outcomes.set(owner, 'stopped');
    return 'begun' as const;
  }
  mcp.begin(wish, sending === undefined ? null : { client, ref: sending.ref });
  return 'begun' as const;
}

/** Null for what is no form of it. */
export function parseMcp(argument: string): Wish | null {
  const words = argument.split(/\s+/).filter((word) => word !== '');
  const save = words.at(-1) === '--save';
  const [verb = 'list', name, ...rest] = save ? words.slice(0, -1) : words;
  if (rest.length > 0 || name?.startsWith('--') === true) return null;
  if (verb === 'list' || verb === 'enable-all') return name === undefined && !save ? { kind: verb } : null;
  if (name === undefined) return null;
  if (verb === 'logout') return save ? null : { kind: verb, name };
  return verb === 'enable' || verb === 'disable' ? { kind: verb, name, save } : null;
}

async function disable(
  { mcp, publisher }: SessionParts,
  { name, save }: Extract<Wish, { kind: 'disable' }>,
  client: ClientId,
) {
  const there = await mcp.servers!();
  const was = await there.disable(name);
  if (was) await mcp.turnedOff(`${name} is off for later requests. What it answered stays in the conversation.`);
  else if (!save) publisher.publish({ type: 'flash', client, level: 'info', text: `${name} is not on.` });
  if (save) await saveDefault({ mcp, publisher }, name, false, client);
  await mcp.lookAgain();
  return accepted();
}

async function alreadyOn(
  { mcp, publisher }: SessionParts,
  { name, save }: Extract<Wish, { kind: 'enable' }>,
  client: ClientId,
) {
  publisher.publish({ type: 'flash', client, level: 'info', text: `${name} is on already.` });
  if (save) await saveDefault({ mcp, publisher }, name, true, client);
  return accepted();
}

async function saveDefault(
  { mcp, publisher }: Pick<SessionParts, 'mcp' | 'publisher'>,
  name: string,
  on: boolean,
  client: ClientId,
): Promise<void> {
  const saved = await (await mcp.servers!()).saveDefault(name, on);
  const text = saved.ok
    ? `${name} is ${on ? 'on' : 'off'} in each new conversation: saved in ${saved.value}.`
    : `The default of ${name} is as it was: ${saved.refusal.message}.`;
  publisher.publish({ type: 'flash', client, level: saved.ok ? 'info' : 'warning', text });
}

/** Never connects to anything, and ends with what can be done. */
async function listText(mcp: McpDesk): Promise<string> {
  const list = mcp.servers === null ? null : await (await mcp.servers()).list();
  if (list === null) return `There is no configuration to take MCP servers from here.\n${HINT}`;
  const head = list.file === null ? 'MCP servers' : `MCP servers, from ${list.file}`;
  const none = list.rows.length === 0 && list.broken.length === 0 ? ['none yet: put one under "mcpServers" there'] : [];
  return [head, ...list.broken, ...none, ...list.rows.map(rowText), HINT].join('\n');
}

function rowText({ name, description, state, tools, byDefault, from, trouble }: ServerRow): string {
  const marks = [
    state === 'on' ? `enabled, ${tools === 1 ? 'one tool' : `${tools} tools`}` : 'off',
    ...(byDefault ? ['on by default'] : []),
    ...(from === 'project' ? ['of this project'] : []),
    ...(trouble === null ? [] : [trouble]),
  ];
  return `${name}: ${marks.join('; ')}${description === null ? '' : ` (${description})`}`;
}

/** In this order, each part by name (SC-13.7). A file that can not be read leaves what is on. */
export async function completeMcp(mcp: McpDesk, typed: string): Promise<{ value: string; description: string }[]> {
  const list: ServerList | null = await mcp.list().catch(() => null);
  const rows = list?.rows ?? [];
  const offered: [string, string][] = [['list', 'which there are']];
  if (rows.length > 0) offered.push(['enable-all', 'each that is off']);
  for (const { name, description, byDefault, state } of rows) {
    offered.push([`enable ${name}`, description ?? '']);
    if (!byDefault || state === 'off') offered.push([`enable ${name} --save`, 'and in each new conversation']);
  }
  for (const { name, state } of rows) if (state === 'on') offered.push([`disable ${name}`, 'for later requests']);
  for (const { name, state, byDefault } of rows)
    if (state === 'on' || byDefault) offered.push([`disable ${name} --save`, 'and in each new conversation']);
  for (const { name, signsIn } of rows) if (signsIn) offered.push([`logout ${name}`, 'forget the sign-in']);
  return offered.filter(([value]) => value.startsWith(typed)).map(([value, description]) => ({ value, description }));
}
