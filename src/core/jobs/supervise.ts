/** The shell's own variables, which a command must not find in its environment. */
const SHELL_VARIABLES = ['PWD', 'OLDPWD', 'SHLVL'];

/**
 * The argv that runs `argv` under a small shell, which writes the exit status to `exitFile` when it has ended: also when
 * whoever started it is gone by then. The file is opened first, so that it is written to wherever its folder was moved, and
 * on a disk that has filled up. Until then it is empty. The shell itself outlasts TERM, so that it can still write.
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
