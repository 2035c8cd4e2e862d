/**
 * The argv that runs `argv` and looks after it: where that leaves programs running, their commands are written to `left`, one
 * a line, and they have two seconds to end before the namespace takes them away. It is no part of the confinement: a line
 * that gets rid of its keeper only loses that grace.
 */
export function keep(argv: readonly string[], left: string): readonly string[] {
  const [shell, option, line] = argv;
  const byItself = argv.length === 3 && shell?.endsWith('/bash') && option === '-c' && !MINDS_ITS_END.test(line ?? '');
  // Its own shell can do that, and saves starting one more, which is a fifth of what confining costs.
  return byItself ? [shell!, '-c', inBash(left), shell!, line!] : ['/bin/sh', '-c', AROUND, left, ...argv];
}

/** A line that may set what happens at its shell's end, put another program into its place, or end it by a signal. */
const MINDS_ITS_END = /\b(?:trap|exec|kill|source|enable|builtin|command)\b|(?:^|[;&|\s])\.\s/;

/** Needs `$named`: where to write. Its own process and the first are not what was left. */
const END_WHAT_IS_LEFT = [
  'left=',
  `for place in /proc/[0-9]*; do pid=\${place#/proc/}; [ $pid = 1 ] || [ $pid = $$ ] || left="$left $pid"; done`,
  'if [ -n "$left" ]',
  // What is just becoming another program has no name for a moment.
  'then for pid in $left; do for look in 1 2 3; do said=$(tr "\\0\\n" "  " </proc/$pid/cmdline)',
  '[ -n "$said" ] && echo "$said" && break; sleep 0.02; done; done >>"$named"',
  'kill -TERM $left',
  'for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20',
  'do alive=; for pid in $left; do kill -0 $pid && alive=yes; done; [ -z "$alive" ] && break; sleep 0.1',
  'done',
  'fi',
].join('\n');

/** Around any program. Deaf to TERM itself, so that what is stopped has that grace too. */
const AROUND = `named=$0
exec 3>&2 2>/dev/null
trap : TERM INT HUP
(exec "$@" 2>&3 3>&-)
code=$?
${END_WHAT_IS_LEFT}
exit $code`;

/**
 * Before a line, in its own bash, and on one line with it: what bash says about the line counts its lines from one. What the
 * line set (options, IFS, PATH) does not hold for the end.
 */
function inBash(left: string): string {
  const atEnd = `{ set +efux; trap : TERM INT HUP; IFS=" "; PATH=/usr/bin:/bin; named=${quoted(left)}
${END_WHAT_IS_LEFT}
} 2>/dev/null`;
  return `trap ${asOneLine(atEnd)} EXIT; trap 'exit 143' TERM; trap 'exit 130' INT; trap 'exit 129' HUP; REPLY=$1; shift; eval "$REPLY"`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** `$'…'` says a text of several lines on one. */
const asOneLine = (text: string): string =>
  `$'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
