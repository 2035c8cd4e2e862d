import { linuxFacts } from './process-table.ts';

const WAIT_MS = 40;

/**
 * Stops this process group as Ctrl-Z does and resolves once it was continued. Where the signal is ignored (an orphaned
 * group, or a parent that had it ignored) the process stops itself, if there is a shell that could continue it; else nothing
 * happens.
 */
export async function stopOwnGroup(): Promise<void> {
  let continued = false;
  const onContinue = () => {
    continued = true;
  };
  process.on('SIGCONT', onContinue);
  try {
    process.kill(0, 'SIGTSTP');
    await wait(() => continued);
    if (!continued && (await hasShell())) {
      process.kill(process.pid, 'SIGSTOP');
      await wait(() => continued);
    }
  } finally {
    process.off('SIGCONT', onContinue);
  }
}

/** Twice, since a timer that ran out while we were stopped may come before the news that we go on. */
async function wait(until: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2 && !until(); turn++) await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
}

/** Whether our parent lies in our session and in another group: only then it can be a shell with job control. */
async function hasShell(): Promise<boolean> {
  const own = await linuxFacts(process.pid);
  const parent = await linuxFacts(process.ppid);
  return own !== null && parent !== null && own.session === parent.session && own.group !== parent.group;
}
