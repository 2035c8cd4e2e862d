// Starts hosts and leaves them alone: each has to go by itself, without a trace.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { eventually, isAlive, makePlace } from './houston-place.ts';

export async function leaveHosts(options: {
  readonly hosts: number;
  /** How many windows open at a time. */
  readonly beside: number;
  readonly idleSeconds: number;
}): Promise<{ readonly started: number; readonly wrong: readonly string[] }> {
  const place = await makePlace();
  place.settings({ session: { hostIdleSeconds: options.idleSeconds } });
  const pids = new Set<number>();
  const wrong: string[] = [];
  for (let from = 0; from < options.hosts; from += options.beside) {
    const count = Math.min(options.beside, options.hosts - from);
    const windows = Array.from({ length: count }, () => place.open(['-m', 'demo:pilot']));
    for (const window of windows) await window.until('─ Ready ─', 60_000);
    for (const { pid } of place.hosts()) pids.add(pid);
    // Half are left politely, half lose their window.
    for (const [at, window] of windows.entries()) {
      if (at % 2 === 0) await window.say('/detach');
      else window.kill();
      await window.exited;
    }
  }
  const alive = (): number[] => [...pids].filter(isAlive);
  const limit = options.idleSeconds * 1000 + 30_000;
  await eventually('all hosts to go', () => alive().length === 0, limit).catch(() =>
    wrong.push(`still there: ${alive().join(' ')}`),
  );
  const folder = path.join(place.home, '.local', 'state', 'houston', 'hosts');
  for (const name of existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : [])
    if (name !== 'locks') wrong.push(`left: ${name}`);
  await place.close();
  return { started: pids.size, wrong };
}
