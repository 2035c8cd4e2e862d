import { isWithin } from '../core/policy/paths.ts';
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
