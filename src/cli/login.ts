import type { Connections } from '../core/models/sign-in/connections.ts';
import { loadSettings, settingsLayers } from '../core/settings/load.ts';
import { places } from '../core/settings/paths.ts';
import type { ProviderRow } from '../protocol/provider.ts';
import type { TerminalSystem } from '../system/system.ts';
import type { CommandLine } from './arguments.ts';
import { type OpenModelsOptions, openModels } from './open-models.ts';
import { writeErr, writeOut } from './output.ts';
import { readHidden } from './read-hidden.ts';

/** `houston login [NAME]`: without a name, how each way to connect stands. Resolves to the exit code. */
export async function login(
  system: TerminalSystem,
  line: CommandLine,
  folder: string,
  name: string | null,
  options: OpenModelsOptions = {},
): Promise<number> {
  const connections = await openConnections(system, line, folder, options);
  if (name === null) {
    for (const row of await connections.rows(true)) writeOut(rowText(row));
    return 0;
  }
  const row = await connections.find(name);
  if (row === null)
    return fail(2, 'unknown-provider', `there is no way to connect "${name}"; houston login lists them`);
  if (row.way === 'sign-in') return signIn(system, connections, row);
  const program = await connections.ownProgram(row.id);
  if (program !== null && system.terminal.isInteractive.input) {
    const { argv, environment } = program;
    await Bun.spawn([...argv], { env: environment, stdio: ['inherit', 'inherit', 'inherit'] }).exited;
    const after = await connections.find(row.id);
    writeOut(`${row.label}: ${after?.status ?? row.status}\n`);
    return after?.connected === true ? 0 : 1;
  }
  writeOut(`${[`${row.label}: ${row.status}`, ...row.guidance].join('\n')}\n`);
  if (row.way === 'form')
    writeOut(`To save one: /login ${row.id} in Mission Control, or "providers" in ${settingsFile(system)}\n`);
  return 0;
}

/** `houston logout [NAME]`. */
export async function logout(
  system: TerminalSystem,
  line: CommandLine,
  folder: string,
  name: string | null,
  options: OpenModelsOptions = {},
): Promise<number> {
  const connections = await openConnections(system, line, folder, options);
  const outcome = await connections.signOut(name);
  if (!outcome.ok)
    return fail(
      outcome.refusal.identifier === 'unknown-provider' ? 2 : 1,
      outcome.refusal.identifier,
      outcome.refusal.message,
    );
  writeOut(`${outcome.value}\n`);
  return 0;
}

async function openConnections(
  system: TerminalSystem,
  line: CommandLine,
  folder: string,
  options: OpenModelsOptions,
): Promise<Connections> {
  const { config } = places(system.environment);
  const layers = settingsLayers({ config, project: folder, argument: line.settings });
  const { settings } = await loadSettings(system.files, layers);
  return (await openModels(system, settings, options)).connections;
}

/** The address goes to the screen alone; what is pasted is not shown (PC-6). Ctrl-C gives it up. */
async function signIn(system: TerminalSystem, connections: Connections, row: ProviderRow): Promise<number> {
  const stop = new AbortController();
  const input = readHidden(system.terminal, {
    onLine: (text) => take?.(text),
    onCancel: () => stop.abort(),
  });
  let take: ((text: string) => void) | null = null;
  try {
    const outcome = await connections.signIn(row.id, {
      signal: stop.signal,
      onStage: ({ stage, url, note }) => {
        if (note !== null) writeErr(`${note}\n`);
        if (url !== null) writeErr(`Open this address in a browser:\n\n${url}\n\n${input.hint}`);
        if (stage === 'saving') input.close();
      },
      onPaste: (paste) => {
        take = (text) => {
          const taken = paste(text);
          if (!taken.ok) writeErr(`${taken.refusal.message}\n`);
        };
      },
    });
    if (outcome.ok) {
      writeOut(`${row.label}: ${outcome.value}\n`);
      return 0;
    }
    const { identifier, message } = outcome.refusal;
    return fail(EXITS[identifier] ?? 1, identifier, message);
  } finally {
    input.close();
  }
}

const EXITS: Readonly<Record<string, number>> = { 'sign-in-cancelled': 130, 'sign-in-unreachable': 5 };

function rowText({ id, label, connected, status }: ProviderRow): string {
  return `${connected ? '*' : ' '} ${id.padEnd(22)} ${label.padEnd(22)} ${status}\n`;
}

function settingsFile({ environment }: TerminalSystem): string {
  const { config } = places(environment);
  return config === null ? 'your settings' : `${config}/settings.json`;
}

function fail(code: number, identifier: string, message: string): number {
  writeErr(`houston: ${identifier}: ${message}\n`);
  return code;
}
