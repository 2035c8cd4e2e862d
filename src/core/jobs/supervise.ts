/** The shell's own variables, which a command must not find in its environment. */
const SHELL_VARIABLES = ['PWD', 'OLDPWD', 'SHLVL'];

/**
 * The argv that runs `argv` under a small shell, which writes the exit status to `exitFile` when it has ended: also when
 * whoever started it is gone by then. The file is opened first, so that it is written to wherever its folder was moved, and
 * on a disk that has filled up. Until then it is empty. The shell itself outlasts TERM, so that it can still write.
 *
 * A confined command has it too, though starting it is a fifth of what confining costs (6 of 34 ms on a busy machine):
 * - What keeps the line inside the sandbox cannot write the status. The file would have to lie where the line can write, which
 *   could then say of itself that it ended well, or that it ended while it runs.
 * - bubblewrap can write it from outside (`--json-status-fd`), but it would be our own child then, and it ends with its parent
 *   (`--die-with-parent`): every job would end with its host. Without that, killing bubblewrap alone would leave its
 *   namespace running, and where no host is there to see it, until one comes. Under this shell the kernel ends it at once.
 */
export function supervise(
  argv: readonly string[],
  exitFile: string,
  environment: Readonly<Record<string, string>>,
): readonly string[] {
  const own = SHELL_VARIABLES.filter((name) => environment[name] === undefined).join(' ');
  return ['/bin/sh', '-c', `${own === '' ? '' : `unset ${own}; `}${AROUND}`, exitFile, ...argv];
}

const AROUND =
  'exec 3>&2 2>/dev/null 4>"$0"; trap : TERM INT HUP; "$@" 2>&3 3>&- 4>&-; code=$?; echo $code >&4; exit $code';

/** The status in such a file; null while the command runs, and where its supervisor was ended before it could write. */
export function exitOf(bytes: Uint8Array): number | null {
  const text = new TextDecoder().decode(bytes);
  return /^\d{1,3}\n$/.test(text) ? Number(text) : null;
}
