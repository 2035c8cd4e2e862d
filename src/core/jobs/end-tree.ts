import type { Clock } from '../../system/clock.ts';
import type { Child, Processes, ProcessFacts } from '../../system/processes.ts';
import { CALL_MARK } from './child-environment.ts';

export interface EndParts {
  readonly processes: Pick<Processes, 'findMarked' | 'signalGroup'>;
  readonly clock: Clock;
}

/** How long a process may take to end by itself after TERM, in milliseconds. */
const GRACE = 2_000;
const LOOK_EVERY = 50;
/** A tree that goes on forking is chased so many times. */
const MOST_SWEEPS = 10;

/**
 * Ends every process that carries the call's mark, wherever it moved in the process tree: TERM, then KILL for what is
 * left after the grace. Returns the command lines of what had to be ended beside the shell itself. `holdsTree`: the child
 * keeps all others in a namespace, which ends with it; so it is the last to be ended, and none can escape.
 */
export async function endTree(
  parts: EndParts,
  child: Child,
  mark: string,
  holdsTree = false,
): Promise<readonly string[]> {
  const { processes, clock } = parts;
  let shellEnded = false;
  void child.exited.then(() => {
    shellEnded = true;
  });
  const found = await processes.findMarked(CALL_MARK, mark);
  if (found.length === 0 && shellEnded) return [];
  if (!shellEnded && !holdsTree) child.signal('TERM');
  signalAll(parts, holdsTree ? found.filter(({ group }) => group !== child.pid) : found, 'TERM');
  let left = found;
  for (const until = clock.ticks() + GRACE; clock.ticks() < until; ) {
    await clock.sleep(LOOK_EVERY);
    left = await processes.findMarked(CALL_MARK, mark);
    if (left.length === 0 && shellEnded) break;
  }
  if (!shellEnded) child.signal('KILL');
  for (let sweep = 0; sweep < MOST_SWEEPS && left.length > 0; sweep++) {
    signalAll(parts, left, 'KILL');
    await clock.sleep(LOOK_EVERY);
    left = await processes.findMarked(CALL_MARK, mark);
  }
  return found.filter(({ pid }) => pid !== child.pid).map(({ command }) => command);
}

/** By group, since that is what can be signalled: a marked process never shares one with us. */
function signalAll({ processes }: EndParts, found: readonly ProcessFacts[], name: 'TERM' | 'KILL'): void {
  for (const group of new Set(found.map((one) => one.group))) processes.signalGroup(group, name);
}
