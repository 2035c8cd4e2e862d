import type { System } from '../system/system.ts';

/** Whether the very process that wrote its pid and start time is still there. */
export async function isRunning(system: System, owner: { pid: number; startTime: string | null }): Promise<boolean> {
  if (!system.processes.isAlive(owner.pid)) return false;
  if (owner.startTime === null) return true;
  const facts = await system.processes.facts(owner.pid);
  return facts === null || facts.startTime === owner.startTime;
}
