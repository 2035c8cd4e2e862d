import { isWithin } from '../policy/paths.ts';

/** How commands are confined. */
export type SandboxMode = 'standard' | 'strict' | 'off';

/**
 * What a program may do with a path and all below it, where no deeper place says otherwise. `private`: an empty folder of
 * its own, gone with the command.
 */
export type Access = 'write' | 'read' | 'none' | 'private';

export interface Place {
  /** Absolute, links resolved, there. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly access: Access;
}

/** What one command may touch: the whole machine may be read but for what `places` says. */
export interface Confinement {
  readonly folder: string;
  /** In any order: the deepest place a path lies in decides, and of two rules on one place the stricter. */
  readonly places: readonly Place[];
  readonly network: 'open' | 'closed';
  /** It runs on a terminal of its own. */
  readonly terminal?: boolean;
}

/** Puts an argv into a confined one. */
export interface Sandbox {
  /** What does the confining, such as `bubblewrap`. */
  readonly name: string;
  /** Whether its first process holds all others in a namespace of their own, so that they end with it. */
  readonly holdsTree: boolean;
  /** `left`: where the commands a line left running are written to, one a line; null to write them nowhere. */
  wrap(argv: readonly string[], confinement: Confinement, left: string | null): readonly string[];
}

/** What holds for a path: the rule of the deepest place it lies in; null where none says anything, so it is only read. */
export function accessTo(path: string, places: readonly Place[]): Access | null {
  return inOrder(places).findLast((place) => isWithin(path, place.path))?.access ?? null;
}

const STRICTNESS: readonly Access[] = ['write', 'read', 'private', 'none'];

/** Shallow before deep, each path once with its strictest rule: applied in this order the deepest decides. */
export function inOrder(places: readonly Place[]): Place[] {
  const strictest = new Map<string, Place>();
  for (const place of places) {
    const known = strictest.get(place.path);
    if (known === undefined || STRICTNESS.indexOf(place.access) > STRICTNESS.indexOf(known.access))
      strictest.set(place.path, place);
  }
  const depth = ({ path }: Place): number => (path === '/' ? 0 : path.split('/').length);
  return [...strictest.values()].sort((a, b) => depth(a) - depth(b) || (a.path < b.path ? -1 : 1));
}
