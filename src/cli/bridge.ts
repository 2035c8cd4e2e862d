import type { Outcome } from '../base/refusal.ts';
import { loadSettings, settingsLayers } from '../core/settings/load.ts';
import { places } from '../core/settings/paths.ts';
import { joinStreams } from '../link/join-streams.ts';
import type { Connection } from '../system/network.ts';
import type { System } from '../system/system.ts';
import type { CommandLine } from './arguments.ts';
import { connectToListed, startSessionHost } from './host-link.ts';
import { writeErr } from './output.ts';
import { reachSession } from './reach-session.ts';
import { standardStream } from './standard-stream.ts';

/**
 * `houston bridge [SESSION]`: standard input and output are a session's host, which is started where the session only lies
 * on the disk. Nothing but its protocol goes to standard output. Resolves to the exit code.
 */
export async function runBridge(
  system: System,
  line: CommandLine,
  folder: string,
  name: string | null,
): Promise<number> {
  const connected = await connectTo(system, line, folder, name);
  if (!connected.ok) {
    writeErr(`houston: ${connected.refusal.identifier}: ${connected.refusal.message}\n`);
    return 2;
  }
  if (line.readOnly) connected.value.write(new TextEncoder().encode('{"type":"look-only"}\n'));
  await joinStreams(standardStream(), connected.value);
  return 0;
}

async function connectTo(
  system: System,
  line: CommandLine,
  folder: string,
  name: string | null,
): Promise<Outcome<Connection>> {
  const own = places(system.environment);
  const reached = await reachSession(system, own.state, name, folder);
  if (!reached.ok) return reached;
  if (reached.value.kind === 'running') return connectToListed(system, reached.value.host);
  const { request } = reached.value;
  const layers = settingsLayers({ config: own.config, project: request.folder, argument: line.settings });
  const { settings } = await loadSettings(system.files, layers);
  const asked = { ...request, model: line.model, effort: line.effort, mode: line.mode, settings: line.settings };
  const started = await startSessionHost(system, own.state, asked, settings.hostIdleSeconds);
  return started.ok ? { ok: true, value: started.value.connection } : started;
}
