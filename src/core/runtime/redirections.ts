import type { FileStat, Files } from '../../system/files.ts';
import type { Facts } from '../policy/facts.ts';
import type { LiveTrust } from '../policy/live-trust.ts';
import { trusts } from '../policy/trust.ts';

/**
 * Runs a line whose output nobody vouches for, and marks each file its redirections opened as untrusted (SEC-22). They are
 * marked before it starts, so that a crash leaves none trusted; those it did not touch are what they were.
 */
export async function markRedirections<T>(
  trust: LiveTrust,
  files: Pick<Files, 'stat'>,
  allowed: { readonly output: 'text' | 'ref'; readonly facts: Facts },
  run: () => Promise<T>,
  goesOn: (result: T) => boolean = () => false,
): Promise<T> {
  const targets = allowed.output === 'text' ? [] : targetsOf(allowed.facts);
  const trusted = targets.filter((path) => trusts(trust.map, path));
  const before = new Map<string, FileStat | null>();
  for (const path of targets) before.set(path, await files.stat(path));
  for (const path of targets) await trust.set({ path, trusted: false, by: 'redirection' });
  let runs = false;
  try {
    const result = await run();
    runs = goesOn(result);
    return result;
  } finally {
    // What goes on by itself may still write to them.
    for (const path of runs ? [] : trusted)
      if (isSame(before.get(path) ?? null, await files.stat(path)))
        await trust.set({ path, trusted: true, by: 'untouched' });
  }
}

function targetsOf({ line }: Facts): readonly string[] {
  const opened = line?.commands.flatMap((command) => command.redirected) ?? [];
  return [...new Set(opened.filter((file) => file.writes).map((file) => file.real))];
}

function isSame(one: FileStat | null, other: FileStat | null): boolean {
  return one?.inode === other?.inode && one?.size === other?.size && one?.modifiedMs === other?.modifiedMs;
}
