import { done, type Outcome, refuse } from '../base/refusal.ts';
import type { Effort, PermissionMode } from '../protocol/message.ts';

/** What the person typed, parsed. */
export interface CommandLine {
  readonly run: 'mission-control' | 'print' | 'subcommand' | 'version' | 'help';
  readonly subcommand: { readonly name: SubcommandName; readonly words: readonly string[] } | null;
  readonly prompt: string | null;
  readonly format: 'text' | 'json' | 'stream-json';
  readonly model: string | null;
  readonly effort: Effort | null;
  readonly folder: string | null;
  readonly addFolders: readonly string[];
  readonly files: readonly string[];
  /** `true`: the newest; a text: that session. */
  readonly continueSession: true | string | null;
  readonly resume: true | string | null;
  readonly fork: string | null;
  /** A name, `true` for one with a fresh name, `false` for none whatever the settings say; null: as the settings say. */
  readonly worktree: string | boolean | null;
  readonly save: boolean;
  readonly mode: PermissionMode | null;
  readonly settings: string | null;
  readonly theme: string | null;
  readonly sandbox: 'standard' | 'strict' | 'off' | null;
  readonly host: boolean;
  /** `true`: the host used last; a text: that one, or a place elsewhere. */
  /** What was taken one way and may have been meant another, said once before anything begins; null for nothing. */
  readonly hint: string | null;
  readonly attach: true | string | null;
  /** To look, and send nothing. */
  readonly readOnly: boolean;
  readonly allow: readonly string[];
  readonly demo: boolean;
  readonly quarantineInput: boolean;
  readonly trace: boolean;
}

/** A word counts as a subcommand only where the whole line parses under its grammar; otherwise the words are the prompt. */
export const SUBCOMMANDS = {
  attach: {
    argument: '[HOST | ssh://… | docker://… | kubectl://… | NAME://…]',
    words: [0, 1],
    description: 'Opens Mission Control on a session that runs in a host, here or elsewhere',
  },
  bridge: {
    argument: '[SESSION | new]',
    words: [0, 1],
    description: 'Joins standard input and output to a session, for whoever attaches from elsewhere',
  },
  hosts: {
    argument: '[list | stop WHICH | restart WHICH]',
    words: [0, 2],
    description: 'Lists, stops or restarts hosts: one by its id, or unwatched, idle, stale, all',
  },
  restart: { argument: '[HOST]', words: [0, 1], description: 'Restarts a host, or all that run older code than this' },
  sessions: { argument: '', words: [0, 0], description: 'Lists the sessions of this project' },
  models: { argument: '', words: [0, 0], description: 'Lists models that can be used now' },
  usage: {
    argument: '[DAYS]',
    words: [0, 1],
    description: 'Says what was used and what it cost, by day, model and session',
  },
  login: {
    argument: '[PROVIDER]',
    words: [0, 1],
    description: 'Signs in to a model service; without a name, says how each stands',
  },
  logout: { argument: '[PROVIDER]', words: [0, 1], description: 'Forgets a sign-in, or all of them' },
  config: {
    argument: '[list | path | schema | table]',
    words: [0, 1],
    description: 'Shows settings, where they lie, and their schema',
  },
  check: {
    argument: 'COMMAND',
    words: [1, 1],
    description: 'Says whether a command would run: exit code 0 allowed, 1 would ask, 4 denied',
  },
  audit: { argument: '[SESSION]', words: [0, 1], description: 'Prints what was decided in a session, by whom and why' },
  export: {
    argument: '[SESSION]',
    words: [0, 1],
    description: 'Writes a session, the newest here where none is named, to a private ZIP',
  },
  update: { argument: '', words: [0, 0], description: 'Installs the newest release' },
  mcp: { argument: '', words: [0, 0], description: 'Lists your MCP servers; /mcp turns them on' },
  doctor: { argument: '', words: [0, 0], description: 'Checks this installation and says what is missing' },
} as const;

export type SubcommandName = keyof typeof SUBCOMMANDS;
/** All but the one that opens a screen. */
export type ScreenlessSubcommand = Exclude<SubcommandName, 'attach'>;

const HOST_WORDS = ['list', 'stop', 'restart'];
const HOST_GROUPS = ['unwatched', 'idle', 'stale', 'all'];
const CONFIG_WORDS = ['list', 'path', 'schema', 'table'];

interface Flag {
  readonly names: readonly string[];
  readonly value: 'none' | 'required' | 'optional' | 'optional-id';
  readonly argument?: string;
  readonly description: string;
  readonly apply: (line: Mutable<CommandLine>, value: string | null) => string | null;
}
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function oneOf<C extends string>(
  choices: readonly C[],
  value: string | null,
  what: string,
  set: (choice: C) => void,
): string | null {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) return `${what} is one of ${choices.join(', ')}, not “${value}”`;
  set(found);
  return null;
}

function given(value: string | null, what: string, set: (value: string) => void): string | null {
  if (value === null || value.trim() === '') return `${what} must not be empty`;
  set(value);
  return null;
}

/** A flag that takes any value. */
function setting(set: (line: Mutable<CommandLine>, value: string | null) => void): Flag['apply'] {
  return (line, value) => {
    set(line, value);
    return null;
  };
}

export const FLAGS: readonly Flag[] = [
  {
    names: ['-p', '--print'],
    value: 'none',
    description: 'One shot: TEXT or stdin in, the reply on stdout',
    apply: setting((line) => {
      line.run = 'print';
    }),
  },
  {
    names: ['--json'],
    value: 'none',
    description: 'With -p: one JSON object',
    apply: setting((line) => {
      line.format = 'json';
    }),
  },
  {
    names: ['--stream-json'],
    value: 'none',
    description: 'With -p: one update a line',
    apply: setting((line) => {
      line.format = 'stream-json';
    }),
  },
  {
    names: ['--prompt'],
    value: 'required',
    argument: 'TEXT',
    description: 'The same as PROMPT',
    apply: setting((line, value) => {
      line.prompt = value;
    }),
  },
  {
    names: ['-m', '--model'],
    value: 'required',
    argument: 'P:M',
    description: 'Model, as provider:model',
    apply: (line, value) =>
      given(value, '--model', (text) => {
        line.model = text;
      }),
  },
  {
    names: ['--effort'],
    value: 'required',
    argument: 'LEVEL',
    description: 'low, medium, high, xhigh, max or default',
    apply: (line, value) =>
      oneOf(['low', 'medium', 'high', 'xhigh', 'max', 'default'] as const, value, '--effort', (effort) => {
        line.effort = effort;
      }),
  },
  {
    names: ['-C', '--cd'],
    value: 'required',
    argument: 'DIR',
    description: 'Works in DIR',
    apply: (line, value) =>
      given(value, '--cd', (text) => {
        line.folder = text;
      }),
  },
  {
    names: ['--add-dir'],
    value: 'required',
    argument: 'DIR',
    description: 'Lets the session reach DIR too',
    apply: (line, value) =>
      given(value, '--add-dir', (text) => {
        line.addFolders = [...line.addFolders, text];
      }),
  },
  {
    names: ['--file'],
    value: 'required',
    argument: 'PATH',
    description: 'Attaches a file to the first prompt',
    apply: (line, value) =>
      given(value, '--file', (text) => {
        line.files = [...line.files, text];
      }),
  },
  {
    names: ['-c', '--continue'],
    value: 'optional-id',
    argument: '[ID]',
    description: 'Goes on with the newest session here, or ID',
    apply: setting((line, value) => {
      line.continueSession = value ?? true;
    }),
  },
  {
    names: ['-r', '--resume'],
    value: 'optional-id',
    argument: '[ID]',
    description: 'Goes on with a session you pick, or ID',
    apply: setting((line, value) => {
      line.resume = value ?? true;
    }),
  },
  {
    names: ['--fork'],
    value: 'required',
    argument: 'ID',
    description: 'Goes on with a copy of session ID',
    apply: (line, value) =>
      given(value, '--fork', (text) => {
        line.fork = text;
      }),
  },
  {
    names: ['--worktree'],
    value: 'optional',
    argument: '[=NAME]',
    description: 'Works in a git worktree of its own, on a branch of its own',
    apply: (line, value) => {
      if (value === '') return '--worktree= needs a name';
      line.worktree = value ?? true;
      return null;
    },
  },
  {
    names: ['--no-worktree'],
    value: 'none',
    description: 'Works in the folder itself, whatever the settings say',
    apply: setting((line) => {
      line.worktree = false;
    }),
  },
  {
    names: ['--no-save', '--incognito'],
    value: 'none',
    description: 'Writes nothing about this session',
    apply: setting((line) => {
      line.save = false;
    }),
  },
  {
    names: ['--mode'],
    value: 'required',
    argument: 'MODE',
    description: 'ask, edits or plan',
    apply: (line, value) =>
      oneOf(['ask', 'edits', 'plan'] as const, value, '--mode', (mode) => {
        line.mode = mode;
      }),
  },
  {
    names: ['--dangerously-skip-permissions'],
    value: 'none',
    description: 'Answers every permission question with yes',
    apply: setting((line) => {
      line.mode = 'bypass';
    }),
  },
  {
    names: ['--allow'],
    value: 'required',
    argument: 'RULE',
    description: "Runs what matches unasked, such as 'Bash(npm test)'",
    apply: (line, value) =>
      given(value, '--allow', (text) => {
        line.allow = [...line.allow, text];
      }),
  },
  {
    names: ['--settings'],
    value: 'required',
    argument: 'FILE',
    description: 'A further settings file, stronger than the others',
    apply: (line, value) =>
      given(value, '--settings', (text) => {
        line.settings = text;
      }),
  },
  {
    names: ['--theme'],
    value: 'required',
    argument: 'ID',
    description: 'Theme of this run',
    apply: (line, value) =>
      given(value, '--theme', (text) => {
        line.theme = text;
      }),
  },
  {
    names: ['--sandbox'],
    value: 'required',
    argument: 'MODE',
    description: 'standard, strict or off',
    apply: (line, value) =>
      oneOf(['standard', 'strict', 'off'] as const, value, '--sandbox', (mode) => {
        line.sandbox = mode;
      }),
  },
  {
    names: ['--no-host'],
    value: 'none',
    description: 'Runs the session in this process',
    apply: setting((line) => {
      line.host = false;
    }),
  },
  {
    names: ['--attach'],
    value: 'optional-id',
    argument: '[HOST]',
    description: 'Uses a session that runs in a host; with -p the prompt waits for its turn there',
    apply: setting((line, value) => {
      line.attach = value ?? true;
    }),
  },
  {
    names: ['--read-only'],
    value: 'none',
    description: 'With attach and bridge: looks on and cannot send',
    apply: setting((line) => {
      line.readOnly = true;
    }),
  },
  {
    names: ['--demo'],
    value: 'none',
    description: 'A two-minute tour in a throw-away project, no model needed',
    apply: setting((line) => {
      line.demo = true;
    }),
  },
  {
    names: ['--quarantine-stdin'],
    value: 'none',
    description: 'With -p: piped input is kept aside as a reference, not read by the model',
    apply: setting((line) => {
      line.quarantineInput = true;
    }),
  },
  {
    names: ['--trace'],
    value: 'none',
    description: 'With -p: prints every permission decision to stderr',
    apply: setting((line) => {
      line.trace = true;
    }),
  },
  {
    names: ['-V', '--version'],
    value: 'none',
    description: 'Prints the version',
    apply: setting((line) => {
      line.run = 'version';
    }),
  },
  {
    names: ['-h', '--help'],
    value: 'none',
    description: 'Prints this',
    apply: setting((line) => {
      line.run = 'help';
    }),
  },
];

const FLAG_BY_NAME = new Map(FLAGS.flatMap((flag) => flag.names.map((name) => [name, flag] as const)));

/** Optional values are taken only with `=`, or when the next word looks like an id (decisions §3). */
export function looksLikeId(word: string | undefined): word is string {
  return word !== undefined && /^[0-9a-f]{8}[0-9a-f-]*$/i.test(word);
}

/** A place elsewhere, such as `ssh://box`. */
function namesPlace(word: string | undefined): word is string {
  return word !== undefined && /^[A-Za-z][\w.+-]*:\/\//.test(word);
}

/** Refusals: `unknown-flag`, `missing-value`, `bad-value`, `empty-prompt` (all exit 2). */
export function parseArguments(words: readonly string[]): Outcome<CommandLine> {
  const line: Mutable<CommandLine> = {
    run: 'mission-control',
    subcommand: null,
    prompt: null,
    format: 'text',
    model: null,
    effort: null,
    folder: null,
    addFolders: [],
    files: [],
    continueSession: null,
    resume: null,
    fork: null,
    worktree: null,
    save: true,
    mode: null,
    settings: null,
    theme: null,
    sandbox: null,
    host: true,
    hint: null,
    attach: null,
    readOnly: false,
    allow: [],
    demo: false,
    quarantineInput: false,
    trace: false,
  };
  const positional: string[] = [];
  let untaken: { readonly name: string; readonly word: string } | null = null;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (word === '--') {
      positional.push(...words.slice(index + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      positional.push(word);
      continue;
    }
    const equals = /^-(-|[a-z]=)/i.test(word) ? word.indexOf('=') : -1;
    const name = equals < 0 ? word : word.slice(0, equals);
    const flag = FLAG_BY_NAME.get(name);
    if (flag === undefined)
      return refuse('unknown-flag', `${name} is not a flag of houston; houston --help lists them`);
    let value: string | null = equals < 0 ? null : word.slice(equals + 1);
    if (flag.value === 'none' && value !== null) return refuse('bad-value', `${name} takes no value`);
    if (flag.value === 'required' && value === null) {
      const next = words[++index];
      if (next === undefined)
        return refuse('missing-value', `${name} needs a value: ${name} ${flag.argument ?? ''}`.trimEnd());
      value = next;
    }
    if (flag.value === 'optional-id' && value === null) {
      const next = words[index + 1];
      if (name !== '--attach' && next !== undefined && !next.startsWith('-')) untaken = { name, word: next };
      if (looksLikeId(next) || (name === '--attach' && namesPlace(next))) {
        value = words[++index]!;
        untaken = null;
      }
    }
    const wrong = flag.apply(line, value);
    if (wrong !== null) return refuse('bad-value', wrong);
  }
  if (line.run === 'version' || line.run === 'help') return done(line);
  const subcommand = line.run === 'mission-control' && line.prompt === null ? asSubcommand(positional) : null;
  if (subcommand !== null) return done({ ...line, run: 'subcommand', subcommand });
  if (positional.length > 0)
    line.prompt = line.prompt === null ? positional.join(' ') : `${line.prompt} ${positional.join(' ')}`;
  if (line.prompt !== null && line.prompt.trim() === '') return refuse('empty-prompt', 'the prompt is empty');
  if (line.run !== 'print' && line.format !== 'text') return refuse('bad-value', `--${line.format} goes with -p`);
  if (line.run === 'print' && line.worktree !== null && line.worktree !== false)
    return refuse('bad-value', '--worktree is for sessions in the terminal: with -p, give -C a worktree');
  // One word alone may have been meant for the session.
  if (untaken !== null && untaken.word === line.prompt && !/\s/.test(untaken.word))
    line.hint = `"${untaken.word}" is the prompt: a session is named by eight or more digits of its id, or as ${untaken.name}=${untaken.word}`;
  const opened = [line.continueSession, line.resume, line.fork].filter((one) => one !== null).length;
  if (opened > 1) return refuse('bad-value', 'give one of --continue, --resume and --fork');
  return done(line);
}

function asSubcommand(words: readonly string[]): CommandLine['subcommand'] {
  const [name, ...rest] = words;
  if (name === undefined || !Object.hasOwn(SUBCOMMANDS, name)) return null;
  const known = name as SubcommandName;
  const [least, most] = SUBCOMMANDS[known].words;
  if (rest.length < least || rest.length > most) return null;
  if (known === 'config' && rest[0] !== undefined && !CONFIG_WORDS.includes(rest[0])) return null;
  const [first, second] = rest;
  if (known === 'attach' && first !== undefined && !looksLikeId(first) && !namesPlace(first)) return null;
  if ((known === 'audit' || known === 'export') && first !== undefined && !looksLikeId(first)) return null;
  if (known === 'restart' && first !== undefined && !looksLikeId(first)) return null;
  if (known === 'bridge' && first !== undefined && first !== 'new' && !looksLikeId(first)) return null;
  if (known === 'hosts' && first !== undefined) {
    if (!HOST_WORDS.includes(first) || (first === 'list' && second !== undefined)) return null;
    if (second !== undefined && !HOST_GROUPS.includes(second) && !looksLikeId(second)) return null;
  }
  return { name: known, words: rest };
}

export function helpText(version: string): string {
  const rows = (pairs: readonly (readonly [string, string])[]): string => {
    const width = Math.max(...pairs.map(([left]) => left.length)) + 2;
    return pairs.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join('\n');
  };
  return [
    `Houston ${version}: mission control for coding agents`,
    '',
    'houston [PROMPT]        opens Mission Control',
    'houston -p [TEXT]       one shot: the reply on stdout, all else on stderr',
    '',
    'Flags',
    rows(
      FLAGS.map((flag) => [
        `${flag.names.join(', ')}${flag.argument === undefined ? '' : ` ${flag.argument}`}`,
        flag.description,
      ]),
    ),
    '',
    'Subcommands',
    rows(
      Object.entries(SUBCOMMANDS).map(([name, entry]) => [`${name} ${entry.argument}`.trimEnd(), entry.description]),
    ),
    '',
    'Exit codes: 0 ok, 1 turn failed, 2 bad argument, 3 bad configuration, 4 an effect was refused, 5 model service',
    'unreachable, 130 interrupted. Each error line is “houston: <identifier>: message”.',
    '',
  ].join('\n');
}
