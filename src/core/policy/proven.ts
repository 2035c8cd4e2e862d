import type { CommandFact } from './facts.ts';
import { isWithin } from './paths.ts';

/**
 * Programs that only read, with the options that keep it so (RUN-6). `flags` are single letters that may be bundled,
 * `valued` take the next word or the rest of theirs, `long` stand alone or carry `=value`.
 */
interface Reader {
  readonly flags: string;
  readonly valued: string;
  readonly long: readonly string[];
  /** Words that must not occur at all, for programs with an option syntax of their own. */
  readonly own?: ReadonlySet<string>;
}

const READERS: Readonly<Record<string, Reader>> = {
  wc: { flags: 'clmwL', valued: '', long: ['--lines', '--words', '--bytes', '--chars', '--max-line-length'] },
  head: { flags: 'qv0123456789', valued: 'nc', long: ['--lines', '--bytes', '--quiet', '--verbose'] },
  tail: { flags: 'qv0123456789', valued: 'nc', long: ['--lines', '--bytes', '--quiet', '--verbose'] },
  cut: {
    flags: 'sn',
    valued: 'bcdf',
    long: [
      '--bytes',
      '--characters',
      '--delimiter',
      '--fields',
      '--only-delimited',
      '--complement',
      '--output-delimiter',
    ],
  },
  tr: { flags: 'cCdst', valued: '', long: ['--complement', '--delete', '--squeeze-repeats', '--truncate-set1'] },
  grep: {
    flags: 'EFGPiwxvcnHhloqsLzabrIU',
    valued: 'eABCm',
    long: [
      ...[
        '--extended-regexp',
        '--fixed-strings',
        '--perl-regexp',
        '--ignore-case',
        '--word-regexp',
        '--line-regexp',
        '--invert-match',
        '--count',
      ],
      ...[
        '--line-number',
        '--with-filename',
        '--no-filename',
        '--only-matching',
        '--files-with-matches',
        '--files-without-match',
        '--recursive',
      ],
      ...[
        '--include',
        '--exclude',
        '--exclude-dir',
        '--regexp',
        '--max-count',
        '--after-context',
        '--before-context',
        '--context',
        '--color',
        '--quiet',
      ],
    ],
  },
  basename: { flags: 'az', valued: 's', long: ['--multiple', '--suffix', '--zero'] },
  dirname: { flags: 'z', valued: '', long: ['--zero'] },
  pwd: { flags: 'LP', valued: '', long: [] },
  cat: {
    flags: 'AbeEnstTuv',
    valued: '',
    long: ['--show-all', '--number', '--number-nonblank', '--squeeze-blank', '--show-ends', '--show-tabs'],
  },
  ls: {
    flags: '1aABCdFghiklmnNoOpqQrRsStTuUvXxZ',
    valued: 'Iw',
    long: [
      '--all',
      '--almost-all',
      '--human-readable',
      '--color',
      '--recursive',
      '--reverse',
      '--sort',
      '--time',
      '--directory',
      '--classify',
      '--size',
      '--group-directories-first',
    ],
  },
  rg: {
    flags: 'FiSsvwxcnNloqHIuU.ap',
    valued: 'egtTABCmMdj',
    long: [
      ...[
        '--files',
        '--fixed-strings',
        '--ignore-case',
        '--smart-case',
        '--case-sensitive',
        '--invert-match',
        '--word-regexp',
        '--line-regexp',
        '--count',
      ],
      ...[
        '--line-number',
        '--no-line-number',
        '--files-with-matches',
        '--files-without-match',
        '--only-matching',
        '--hidden',
        '--no-ignore',
        '--glob',
        '--iglob',
      ],
      ...[
        '--type',
        '--type-not',
        '--after-context',
        '--before-context',
        '--context',
        '--max-count',
        '--max-columns',
        '--max-depth',
        '--multiline',
        '--sort',
      ],
      ...[
        '--heading',
        '--no-heading',
        '--color',
        '--stats',
        '--json',
        '--regexp',
        '--quiet',
        '--trim',
        '--with-filename',
        '--no-filename',
      ],
    ],
  },
  find: {
    flags: '',
    valued: '',
    long: [],
    own: new Set(
      (
        '-name -iname -path -ipath -regex -iregex -type -size -mtime -mmin -atime -amin -ctime -cmin -newer -perm -user -group -empty -maxdepth -mindepth ' +
        '-not -a -o -and -or -print -print0 -printf -ls -prune -depth -xdev -mount -true -false -readable -writable -executable -samefile -inum -links -quit -P'
      ).split(' '),
    ),
  },
};

const GIT_SHOWS =
  '--oneline --stat --shortstat --numstat --name-only --name-status --patch --no-patch --graph --decorate --no-decorate --all --color --no-color --word-diff --abbrev-commit --summary --no-renames --find-renames --follow --reverse --merges --no-merges --first-parent --format --pretty --date --author --grep --since --until --after --before --max-count --skip --unified --minimal --ignore-all-space --ignore-space-change --ignore-blank-lines --cached --staged --merge-base --raw --check --relative --no-ext-diff --no-textconv --diff-filter --topo-order --date-order --left-right'.split(
    ' ',
  );

/** Subcommands of git that only read, and their options. What starts a helper or writes a file (`--output`, `--ext-diff`, `-O`) is not here. */
const GIT: Readonly<Record<string, Reader>> = {
  status: {
    flags: 'sbuvz',
    valued: '',
    long: [
      '--short',
      '--branch',
      '--porcelain',
      '--long',
      '--untracked-files',
      '--ignored',
      '--show-stash',
      '--ahead-behind',
      '--column',
      '--no-column',
      '--renames',
      '--no-renames',
    ],
  },
  log: { flags: 'piwbzstc0123456789', valued: 'nUSGL', long: GIT_SHOWS },
  diff: { flags: 'pwbzsRMC0123456789', valued: 'USG', long: GIT_SHOWS },
  show: { flags: 'pwbzstc0123456789', valued: 'USG', long: GIT_SHOWS },
  blame: {
    flags: 'wlstefncbMC',
    valued: 'L',
    long: [
      '--porcelain',
      '--line-porcelain',
      '--incremental',
      '--date',
      '--abbrev',
      '--show-name',
      '--show-number',
      '--show-email',
    ],
  },
  branch: {
    flags: 'avr',
    valued: '',
    long: [
      '--list',
      '--all',
      '--remotes',
      '--verbose',
      '--show-current',
      '--no-color',
      '--color',
      '--column',
      '--no-column',
      '--contains',
      '--merged',
      '--no-merged',
      '--sort',
      '--format',
    ],
  },
};

/** What bash does itself, so that PATH has no say in it, and that changes nothing beyond a line's own folder. */
const BUILTINS = new Set([
  'echo',
  'true',
  'false',
  ':',
  'pwd',
  'cd',
  'set',
  'command',
  'builtin',
  'exec',
  'eval',
  '[[',
]);

export function isBuiltin(name: string): boolean {
  return BUILTINS.has(name);
}

/**
 * Whether a command is a listed reader with listed options over trusted paths, found by name outside the workspace.
 * `gitIsQuiet`: git would start no helper here.
 */
export function isProven(command: CommandFact, workspace: string, gitIsQuiet: boolean): boolean {
  const [name = '', ...rest] = command.words;
  if (command.assignments.length > 0 || command.expands || command.unclear.length > 0) return false;
  if (command.redirected.length > 0 || command.redirections.some(({ operator }) => operator.includes('<<')))
    return false;
  if (command.words.length === 0) return true;
  if (name.includes('/')) return false;
  if (!isBuiltin(name)) {
    const real = command.identity?.real ?? null;
    if (command.program === null || real === null) return false;
    if (isWithin(command.program, workspace) || isWithin(real, workspace)) return false;
  }
  // What it carries is judged by itself.
  if (command.carrier) return true;
  switch (name) {
    case 'echo':
    case 'true':
    case 'false':
    case ':':
      return true;
    case 'set':
      // Anything but the harmless options made the line unclear.
      return true;
    case 'cd':
      return rest.length === 1 && command.paths[0]?.real === workspace;
    case 'git':
      return gitIsQuiet && command.folder === workspace && readsOpenPaths(command) && isProvenGit(rest);
    default: {
      const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
      return reader !== undefined && readsOpenPaths(command) && hasOnlyListedOptions(reader, rest);
    }
  }
}

/** Whether it is one of the programs that only read, whatever they are given. */
export function isReader(name: string): boolean {
  return Object.hasOwn(READERS, name) || ['echo', 'true', 'false', 'cd'].includes(name);
}

function readsOpenPaths(command: CommandFact): boolean {
  return command.paths.filter((path) => path.exists || !path.inside).every(isOpenToReading);
}

function isOpenToReading(path: CommandFact['paths'][number]): boolean {
  return path.inside && path.trusted && path.protected !== 'own' && path.protected !== 'credentials';
}

function isProvenGit([verb = '', ...rest]: readonly string[]): boolean {
  const reader = Object.hasOwn(GIT, verb) ? GIT[verb] : undefined;
  if (reader === undefined || !hasOnlyListedOptions(reader, rest)) return false;
  // `%G…` starts the program that checks signatures.
  if (rest.some((word) => word.includes('%G'))) return false;
  // A name without `--list` would create a branch.
  return verb !== 'branch' || rest.includes('--list') || rest.every((word) => word.startsWith('-'));
}

function hasOnlyListedOptions(reader: Reader, words: readonly string[]): boolean {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--') return reader.own === undefined;
    if (!word.startsWith('-') || word === '-') continue;
    if (reader.own !== undefined) {
      if (!reader.own.has(word)) return false;
    } else if (word.startsWith('--')) {
      if (!reader.long.includes(word.split('=', 1)[0]!)) return false;
    } else if (!isListedBundle(reader, word.slice(1))) return false;
  }
  return true;
}

/** Letters up to the first that takes a value; what follows that one is the value. */
function isListedBundle(reader: Reader, letters: string): boolean {
  for (const letter of letters) {
    if (reader.valued.includes(letter)) return true;
    if (!reader.flags.includes(letter)) return false;
  }
  return true;
}

/** Whether a command shows the content of files it does not name, so that a rule about one file cannot be checked by name. */
export function readsUnnamedFiles(words: readonly string[]): boolean {
  const [name, verb = ''] = words;
  if (name === 'rg') return !words.includes('--files');
  if (name === 'grep')
    return words.some((word) => /^-[A-Za-z]*[rR]/.test(word) || /^--(?:dereference-)?recursive$/.test(word));
  if (name !== 'git') return false;
  return (
    ['log', 'diff', 'show', 'grep', 'archive', 'cat-file'].includes(verb) ||
    (verb === 'status' && words.some((word) => /^-[a-z]*v/.test(word)))
  );
}
