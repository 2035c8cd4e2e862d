import type { Outcome } from '../base/refusal.ts';
import { loadSettings, settingsLayers } from '../core/settings/load.ts';
import { places } from '../core/settings/paths.ts';
import { parseSlash, slashCommands } from '../front/commands/slash.ts';
import { exitCodeOf } from '../front/print/exit-codes.ts';
import { runPrint } from '../front/print/print.ts';
import { runPrintCommand } from '../front/print/print-command.ts';
import { LOCAL_RECONNECT } from '../link/reconnect.ts';
import type { NewAttachment } from '../protocol/intent.ts';
import type { LinkedSession } from '../protocol/link.ts';
import type { SessionCommand } from '../protocol/view.ts';
import type { System } from '../system/system.ts';
import type { CommandLine } from './arguments.ts';
import { VERSION } from './build.ts';
import { attachToHost, openHosted } from './host-link.ts';
import { writeErr, writeOut } from './output.ts';
import { reachSession } from './reach-session.ts';

/**
 * `houston -p TEXT --attach [HOST]`: the prompt waits for its turn in a session that runs, and its reply alone is printed.
 * Ctrl-C leaves and no more: what was said goes on or goes on waiting. Resolves to the exit code.
 */
export async function printThroughHost(
  system: System,
  line: CommandLine,
  folder: string,
  said: { readonly prompt: string; readonly attachments: readonly NewAttachment[]; readonly interrupted: AbortSignal },
): Promise<number> {
  const client = `print-${system.ids.hex(4)}`;
  const linked = await link(system, line, folder, client);
  if (!linked.ok) {
    writeErr(`houston: ${linked.refusal.identifier}: ${linked.refusal.message}\n`);
    return exitCodeOf(linked.refusal.identifier) === 1 ? 2 : exitCodeOf(linked.refusal.identifier);
  }
  const session = linked.value;
  const common = {
    session,
    client,
    ref: system.ids.uuid(),
    format: line.format,
    out: writeOut,
    err: writeErr,
    interrupted: said.interrupted,
  };
  try {
    const parsed = parseSlash(said.prompt, slashCommands(await commandsOf(session, client)));
    if (parsed.kind === 'prompt')
      return await runPrint({ ...common, prompt: said.prompt, attachments: said.attachments, shared: true });
    const argument = parsed.kind === 'command' ? parsed.argument : '';
    return await runPrintCommand({ ...common, command: parsed.command, argument });
  } finally {
    await session.close();
  }
}

/** What the session itself can be told, as its first snapshot says. */
function commandsOf(session: LinkedSession, client: string): Promise<readonly SessionCommand[]> {
  const { promise, resolve } = Promise.withResolvers<readonly SessionCommand[]>();
  const attachment = session.attach({ client }, ({ changes: [first] }) => {
    if (first?.type === 'snapshot') resolve(first.view.head.commands);
  });
  void attachment.closed.then(() => resolve([]));
  return promise.finally(() => attachment.close());
}

async function link(
  system: System,
  line: CommandLine,
  folder: string,
  client: string,
): Promise<Outcome<LinkedSession>> {
  const own = places(system.environment);
  const name = line.attach === true ? null : line.attach;
  const layers = settingsLayers({ config: own.config, project: folder, argument: line.settings });
  const { settings } = await loadSettings(system.files, layers);
  if (name?.includes('://')) {
    const { readPlacement } = await import('../link/placement.ts');
    const { connectPlacement } = await import('../link/remote-link.ts');
    const placement = readPlacement(name, settings.placements);
    return placement.ok
      ? connectPlacement(system, placement.value, { client, build: VERSION, report: () => {} })
      : placement;
  }
  const reached = await reachSession(system, own.state, name, folder);
  if (!reached.ok) return reached;
  const { value } = reached;
  return value.kind === 'running'
    ? attachToHost(system, own.state ?? '', value.host, client)
    : openHosted(system, own.state ?? '', value.request, client, settings.hostIdleSeconds, LOCAL_RECONNECT);
}
