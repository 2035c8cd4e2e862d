import type { Refusal } from '../base/refusal.ts';
import { isWithin } from '../core/policy/paths.ts';
import { places } from '../core/settings/paths.ts';
import { openHostFiles } from '../link/host-files.ts';
import type { System } from '../system/system.ts';

/** Whether the host of another session works in this folder or below it. */
export async function openElsewhere(
  system: System,
  state: string | null,
  session: string,
  folder: string,
): Promise<boolean> {
  if (state === null) return false;
  const hosts = await (await openHostFiles(system, state)).list().catch(() => []);
  return hosts.some((host) => host.state !== 'stopped' && host.session !== session && isWithin(host.folder, folder));
}

/** A session that is open elsewhere can be spoken to there, where a host has it: the refusal says how. */
export async function withWayIn(system: System, session: string, refusal: Refusal): Promise<Refusal> {
  const { state } = places(system.environment);
  if (refusal.identifier !== 'session-open' || state === null) return refusal;
  const hosts = await (await openHostFiles(system, state)).list().catch(() => []);
  if (!hosts.some((host) => host.state !== 'stopped' && host.session === session)) return refusal;
  const line = `houston -p TEXT --attach ${session.slice(0, 13)}`;
  return { ...refusal, message: `${refusal.message}: ${line} says it there` };
}
