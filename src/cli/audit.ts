import path from 'node:path';
import { auditText, isRefusal } from '../core/policy/audit-text.ts';
import { makeVisible } from '../core/policy/visible-text.ts';
import { readTrail } from '../core/session/trail.ts';
import type { System } from '../system/system.ts';
import { namedSession } from './named-session.ts';
import { writeErr, writeOut } from './output.ts';

/** The name of a session's trail in its folder. */
export const TRAIL_FILE = 'audit.jsonl';

/** `houston audit [SESSION]`: the trail of a session, the newest here where none is named, one line each. */
export async function printTrail(system: System, folder: string, session: string | null): Promise<number> {
  const named = await namedSession(system, folder, session);
  if (typeof named === 'number') return named;
  const lines = await readTrail(system.files, path.join(named.place, TRAIL_FILE));
  if (lines.length === 0) writeErr('houston: this session left no trail\n');
  for (const line of lines) {
    const time = new Date(line.time).toISOString().replace('T', ' ').slice(0, 19);
    writeOut(`${time} ${isRefusal(line) ? '✗' : ' '} ${makeVisible(auditText(line)).text}\n`);
  }
  return 0;
}
