/** What a command that runs another command makes of its words. */
export interface Wrapped {
  /** The command inside, as words that were given one by one. */
  readonly words?: readonly string[];
  /** Or as text that a shell reads again. */
  readonly line?: string;
  readonly assignments: readonly string[];
  /** Whether running the wrapper is no more than running what is inside. */
  readonly transparent: boolean;
  /** What is added only when it runs, in words for people; null for nothing. */
  readonly added: string | null;
}

interface Wrapper {
  /** Letters that stand alone; digits for options such as `-10`. */
  readonly flags: string;
  /** Letters that take the rest of their word, or the next one. */
  readonly valued: string;
  readonly long?: readonly string[];
  readonly longValued?: readonly string[];
  /** Words of its own before the command begins. */
  readonly operands?: number;
  readonly assigns?: boolean;
  readonly transparent: boolean;
}

const plainWrapper: Wrapper = { flags: '', valued: '', transparent: true };

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: {
    flags: 'i0',
    valued: 'u',
    long: ['--ignore-environment'],
    longValued: ['--unset'],
    assigns: true,
    transparent: true,
  },
  command: plainWrapper,
  builtin: plainWrapper,
  nohup: plainWrapper,
  exec: { flags: 'cl', valued: '', transparent: true },
  timeout: {
    flags: 'vf',
    valued: 'ks',
    long: ['--foreground', '--preserve-status', '--verbose'],
    longValued: ['--kill-after', '--signal'],
    operands: 1,
    transparent: true,
  },
  time: { flags: 'pv', valued: 'f', longValued: ['--format'], long: ['--portability', '--verbose'], transparent: true },
  nice: { flags: '0123456789', valued: 'n', longValued: ['--adjustment'], transparent: true },
  ionice: { flags: 't', valued: 'cn', longValued: ['--class', '--classdata'], transparent: true },
  setsid: { flags: 'cfw', valued: '', long: ['--wait', '--fork', '--ctty'], transparent: true },
  stdbuf: { flags: '', valued: 'ioe', longValued: ['--input', '--output', '--error'], transparent: true },
  sudo: {
    flags: 'AbEeHiKklnPSsVv',
    valued: 'CDghpRrTtUu',
    long: ['--preserve-env', '--non-interactive', '--set-home', '--login', '--shell', '--stdin', '--background'],
    longValued: ['--user', '--group', '--prompt', '--chdir', '--host', '--role', '--type'],
    assigns: true,
    transparent: false,
  },
  doas: { flags: 'nLs', valued: 'Cu', transparent: false },
  busybox: { ...plainWrapper, transparent: false },
  toybox: { ...plainWrapper, transparent: false },
  chroot: { flags: '', valued: '', longValued: ['--userspec', '--groups'], operands: 1, transparent: false },
  unshare: {
    flags: 'cfimnprTuUC',
    valued: '',
    long: ['--fork', '--pid', '--net', '--mount', '--user'],
    transparent: false,
  },
  strace: { flags: 'cCdfFhikqrtTvVxyzZ', valued: 'abeEIoOpPsSuU', transparent: false },
  watch: { flags: 'bcdegptx', valued: 'nq', longValued: ['--interval'], transparent: false },
  parallel: { flags: 'kqu0Xm', valued: 'jnNI', longValued: ['--jobs'], transparent: false },
  flock: { flags: 'sxneuoFv', valued: 'wE', operands: 1, transparent: false },
  xargs: {
    flags: '0rtpxo',
    valued: 'aEIdLlnPs',
    long: ['--null', '--no-run-if-empty', '--verbose', '--interactive', '--exit', '--open-tty'],
    longValued: [
      '--arg-file',
      '--replace',
      '--delimiter',
      '--max-lines',
      '--max-args',
      '--max-procs',
      '--max-chars',
      '--eof',
    ],
    transparent: false,
  },
};

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'mksh', 'rbash']);
/** Programs whose `-c` is a line for a shell. */
const TAKES_LINE = new Set(['su', 'script', 'flock', 'runuser']);
const ADDS: Readonly<Record<string, string>> = {
  xargs: 'what xargs is given',
  parallel: 'what parallel is given',
  watch: 'a line put together again',
};
/** To `env` any name is one, that of an exported function too. */
const ASSIGNMENT = /^[^=]+=/;

/**
 * The commands inside one command; empty for an ordinary one. Where the options of a wrapper are not known, every end of
 * its words is given: whatever it would run is among them.
 */
export function unwrap(words: readonly string[]): readonly Wrapped[] {
  const name = programName(words[0] ?? '');
  const rest = words.slice(1);
  if (name === 'eval') {
    return rest.length === 0 ? [] : [{ line: rest.join(' '), assignments: [], transparent: true, added: null }];
  }
  if (name === 'trap') {
    return rest.length < 2
      ? []
      : [{ line: rest[rest[0] === '--' ? 1 : 0]!, assignments: [], transparent: false, added: null }];
  }
  if (name === 'find') return unwrapFind(rest);
  if (SHELLS.has(name)) return unwrapShell(name, rest);
  const found = TAKES_LINE.has(name) ? lineOption(rest) : null;
  if (found !== null) return [{ line: found, assignments: [], transparent: false, added: null }];
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name]! : null;
  if (wrapper === null || rest.length === 0) return [];
  if (name === 'command' && /^-[pvV]*[vV]/.test(rest[0]!)) return [];
  const start = commandStart(wrapper, rest);
  const added = ADDS[name] ?? null;
  if (start === null) {
    return rest.map((_, at) => ({ words: rest.slice(at), assignments: [], transparent: false, added: 'its options' }));
  }
  const assignments: string[] = [];
  let at = start;
  while (wrapper.assigns === true && ASSIGNMENT.test(rest[at] ?? '')) assignments.push(rest[at++]!);
  if (at >= rest.length) return [];
  return [{ words: rest.slice(at), assignments, transparent: wrapper.transparent, added }];
}

/** Whether it is a program whose words are, or hold, another command. */
export function runsOthers(name: string): boolean {
  const program = programName(name);
  return (
    Object.hasOwn(WRAPPERS, program) ||
    SHELLS.has(program) ||
    TAKES_LINE.has(program) ||
    ['find', 'eval', 'trap'].includes(program)
  );
}

/** Whether a shell would take its commands from what it is fed: neither a file nor a line is named. */
export function readsItsInput(words: readonly string[]): boolean {
  const name = programName(words[0] ?? '');
  if (!SHELLS.has(name)) return false;
  return words
    .slice(1)
    .every((word) => /^[-+]/.test(word) && !/^-[a-zA-Z]*c/.test(word) && !word.startsWith('--version'));
}

export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** Index of the word where the command begins; null when an option is not a listed one. */
function commandStart(wrapper: Wrapper, words: readonly string[]): number | null {
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--') {
      at++;
      break;
    }
    if (!word.startsWith('-') || word === '-') break;
    if (word.startsWith('--')) {
      const [option, value] = [word.split('=', 1)[0]!, word.includes('=')];
      if (wrapper.long?.includes(option) === true) continue;
      if (wrapper.longValued?.includes(option) !== true) return null;
      if (!value) at++;
      continue;
    }
    const letters = word.slice(1);
    const taking = [...letters].findIndex((letter) => !wrapper.flags.includes(letter));
    if (taking < 0) continue;
    if (!wrapper.valued.includes(letters[taking]!)) return null;
    if (taking === letters.length - 1) at++;
  }
  return at + (wrapper.operands ?? 0);
}

function unwrapShell(name: string, words: readonly string[]): readonly Wrapped[] {
  const at = words.findIndex((word) => !/^[-+]/.test(word) || /^-[a-zA-Z]*c/.test(word));
  if (at < 0 || !words[at]!.startsWith('-')) return [];
  // What follows is the line, its name and its parameters; options may still stand in front of it.
  const line = words.slice(at + 1).findIndex((word) => !/^[-+]/.test(word));
  if (line < 0) return [];
  const known = words.slice(0, at + 1).every((word) => /^-[celux]+$/.test(word)) && line === 0;
  const alone = words.length === at + 2;
  // Another shell may read the same line in another way.
  return [
    { line: words[at + 1 + line]!, assignments: [], transparent: name === 'bash' && known && alone, added: null },
  ];
}

function unwrapFind(words: readonly string[]): readonly Wrapped[] {
  const found: Wrapped[] = [];
  words.forEach((word, at) => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word)) return;
    const rest = words.slice(at + 1);
    const end = rest.findIndex((one, index) => one === ';' || (one === '+' && rest[index - 1] === '{}'));
    const inner = end < 0 ? rest : rest.slice(0, end);
    if (inner.length > 0) {
      const added = inner.includes('{}') || inner.some((one) => one.includes('{}')) ? 'what find finds' : null;
      found.push({ words: inner, assignments: [], transparent: false, added });
    }
  });
  return found;
}

function lineOption(words: readonly string[]): string | null {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word.startsWith('--command=')) return word.slice('--command='.length);
    if (word === '--command' || /^-[a-zA-Z]*c$/.test(word)) return words[at + 1] ?? null;
  }
  return null;
}
