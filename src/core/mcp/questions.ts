import { visible } from '../../base/text-width.ts';
import type { AskRow } from '../../protocol/ask.ts';
import { TRUSTED_PUBLIC, UNTRUSTED_PUBLIC } from '../../protocol/label.ts';
import type { ServerDefinition, ServerTransport } from './config.ts';
import { definitionLine, variablesOf } from './definition.ts';
import type { ListedTool, ToolList } from './tool-list.ts';

/** Something to agree to before anything is started or offered. */
export interface McpQuestion {
  readonly title: string;
  readonly rows: readonly AskRow[];
}

export type McpAnswer = 'once' | 'remember' | 'no';

/** What would be started or reached, word for word. A project's own words are marked as such. */
export function startQuestion(server: ServerDefinition, transport: ServerTransport, changed: boolean): McpQuestion {
  const foreign = server.from === 'project' ? UNTRUSTED_PUBLIC : TRUSTED_PUBLIC;
  const row = (role: AskRow['role'], text: string, label = TRUSTED_PUBLIC): AskRow => ({
    role,
    shown: { text: visible(text), label },
  });
  const rows = [row('line', definitionLine(transport), foreign), row('path', server.source)];
  if (transport.kind === 'stdio') {
    for (const [name, value] of Object.entries(transport.variables))
      rows.push(row('content', `variable ${name}${value.includes('${') ? `, from ${value}` : ''}`, foreign));
    if (transport.folder !== null) rows.push(row('content', `starts in ${transport.folder}`, foreign));
  } else
    for (const name of Object.keys(transport.headers)) rows.push(row('content', `sends the header ${name}`, foreign));
  const named = variablesOf(transport);
  if (named.length > 0) rows.push(row('warning', `It is given ${named.join(', ')} of your environment.`, foreign));
  if (server.from === 'project')
    rows.push(row('warning', 'This project asks for it; nobody vouched for what it does.'));
  if (changed) rows.push(row('warning', 'You agreed to it before; what it starts has changed since.'));
  rows.push(row('reason', 'An MCP server acts with its own permissions: what its tools do is outside Houston.'));
  return {
    title:
      transport.kind === 'stdio' ? `Start the MCP server ${server.name}` : `Connect to the MCP server ${server.name}`,
    rows,
  };
}

/** Its whole list, exactly as the model would be told. */
export function toolsQuestion(server: string, { tools, leftOut }: ToolList, changed: boolean): McpQuestion {
  const own = (role: AskRow['role'], text: string): AskRow => ({ role, shown: { text, label: TRUSTED_PUBLIC } });
  const theirs = (text: string): AskRow => ({ role: 'content', shown: { text, label: UNTRUSTED_PUBLIC } });
  return {
    title: `Offer ${tools.length === 1 ? 'one tool' : `${tools.length} tools`} of ${server} to the model`,
    rows: [
      own('reason', 'The words below are the server’s. Agree only to what you would tell the model yourself.'),
      ...(changed ? [own('warning', 'You agreed to its tools before; the list has changed since.')] : []),
      ...tools.flatMap((tool, at) => toolRows(tool, at, theirs)),
      ...leftOut.map((text) => own('warning', `left out: ${visible(text)}`)),
    ],
  };
}

function toolRows(tool: ListedTool, at: number, theirs: (text: string) => AskRow): AskRow[] {
  return [
    theirs(`${at + 1}. ${tool.offered}${tool.offered.endsWith(`__${tool.name}`) ? '' : `, there called ${tool.name}`}`),
    ...tool.description.split('\n').map(theirs),
    theirs(visible(JSON.stringify(tool.input))),
  ];
}
