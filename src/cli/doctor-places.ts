import path from 'node:path';
import { places } from '../core/settings/paths.ts';
import { SystemError } from '../system/files.ts';
import type { System } from '../system/system.ts';

export interface Finding {
  readonly state: 'ok' | 'note' | 'problem';
  readonly what: string;
  readonly detail: string;
}

/** What a session writes in first; each may be somebody else's, as after a start with other rights. */
const INNER = ['sessions', 'hosts', 'jobs', 'logs'];

/** Whether settings and sessions can be kept, found out by writing: what a mode or an owner says is not the whole of it. */
export async function lookAtPlaces(system: Pick<System, 'environment' | 'files' | 'ids'>): Promise<Finding[]> {
  const { environment, files } = system;
  const own = places(environment);
  if (own.config === null || own.state === null)
    return [{ state: 'note', what: 'home', detail: 'neither HOME nor HOUSTON_HOME is set: nothing will be saved' }];
  const findings: Finding[] = [];
  for (const [what, place, inner, lost] of [
    ['settings', own.config, [], 'what is changed here will not be kept'],
    ['state', own.state, INNER, 'nothing will be saved'],
  ] as const) {
    const stat = await files.stat(place).catch(() => null);
    const troubles: string[] = [];
    for (const folder of [place, ...inner.map((name) => path.join(place, name))]) {
      if (folder !== place && (await files.stat(folder).catch(() => null)) === null) continue;
      const trouble = await tryToWrite(system, folder);
      if (trouble === null) continue;
      troubles.push(trouble);
      if (folder === place) break;
    }
    if (troubles.length > 0) {
      findings.push({ state: 'problem', what, detail: `${troubles.join('; ')}: ${lost}` });
      continue;
    }
    const open = stat !== null && (stat.mode & 0o077) !== 0;
    const more = stat === null ? ' (made when needed)' : open ? ' (others can look into it)' : '';
    findings.push({ state: open ? 'note' : 'ok', what, detail: `${place}${more}` });
  }
  return findings;
}

/** Leaves nothing: a folder that is not there yet is not made, and what is above it is asked instead. */
async function tryToWrite({ files, ids }: Pick<System, 'files' | 'ids'>, folder: string): Promise<string | null> {
  try {
    let place = folder;
    while ((await files.stat(place)) === null && path.dirname(place) !== place) place = path.dirname(place);
    const probe = path.join(place, `.houston-probe-${ids.hex(8)}`);
    try {
      await files.createNew(probe, new TextEncoder().encode('can be written\n'), 0o600);
    } finally {
      await files.remove(probe).catch(() => {});
    }
    return null;
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    const words = error.message.replace(/^[A-Z]+: /, '').replace(/, \w+ .*$/, '');
    return `${folder} cannot be written (${error.code}, ${words})`;
  }
}
