/** A child as signals see it: its group when it leads one, else the process alone. */
export interface Target {
  readonly pid: number;
  readonly group: boolean;
  /** The process itself has ended; what it started may still be there in its group. */
  over: boolean;
  gone?: boolean;
}

export function signalChild(target: Target, name: string): boolean {
  if (target.gone || (target.over && !target.group)) return false;
  const reached = send(target.group ? -target.pid : target.pid, name);
  // Once a group has died out its number may come to stand for somebody else.
  if (!reached && target.over) target.gone = true;
  return reached;
}

export function signalGroup(group: number, name: string): boolean {
  // 0 and 1 would mean our own group and everybody.
  return Number.isInteger(group) && group > 1 && send(-group, name);
}

function send(pid: number, name: string): boolean {
  try {
    process.kill(pid, `SIG${name}`);
    return true;
  } catch {
    return false;
  }
}

const living = new Map<number, boolean>();

/** Sees to it that the child's group is killed when this process ends in an orderly way; the result takes it back. */
export function endAtExit(pid: number, group: boolean): () => void {
  if (living.size === 0) process.on('exit', killLiving);
  living.set(pid, group);
  return () => {
    living.delete(pid);
    if (living.size === 0) process.off('exit', killLiving);
  };
}

function killLiving(): void {
  for (const [pid, group] of living) send(group ? -pid : pid, 'KILL');
}
