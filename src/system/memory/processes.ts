import { posix } from 'node:path';
import { createQueue, type Queue } from '../../base/queue.ts';
import type { Clock } from '../clock.ts';
import type { AppendFile } from '../files.ts';
import type { Child, Exit, Processes, ProcessFacts, SpawnOptions, TerminalChild } from '../processes.ts';
import type { MemoryFiles } from './files.ts';
import { failure } from './tree.ts';

/** How a scripted program behaves. A function plays it step by step; a record is enough for most. */
export type Behaviour = ProgramRecord | ((run: ProgramRun) => number | Exit | Promise<number | Exit>);

export interface ProgramRecord {
  readonly out?: string | Uint8Array;
  readonly err?: string | Uint8Array;
  /** Default 0. */
  readonly exit?: number;
  /** Milliseconds on the clock between the output and the exit; default 0, `Infinity` runs until it is ended. */
  readonly duration?: number;
  /** Signals that do not end it (never `KILL`). */
  readonly ignores?: readonly string[];
}

/** What a program played by a function sees. */
export interface ProgramRun {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly files: MemoryFiles;
  readonly clock: Clock;
  write(text: string | Uint8Array, stream?: 'out' | 'err'): void;
  /** The next piece of input; null at its end. */
  read(): Promise<Uint8Array | null>;
  /** Aborts when a signal ends the program: a function that goes on afterwards is no longer heard. */
  readonly ended: AbortSignal;
  /** For signals a program handles itself: as long as the listener answers true, the signal does not end it. */
  onSignal(listener: (name: string) => boolean): void;
  /** Size of its terminal, when it has one. */
  terminal(): { columns: number; rows: number } | null;
}

export type ProgramMatch = string | RegExp | ((argv: readonly string[]) => boolean);

export interface MemoryProcesses extends Processes {
  /**
   * Says how programs behave that match. A string matches a program's name, its argv joined by spaces, or the line after
   * the last `-c` of a shell; a pattern is tried on the same three. The newest match wins; without one: `ENOENT`.
   */
  script(match: ProgramMatch, behaviour: Behaviour): void;
  /** Every spawn so far, in order. */
  readonly spawned: readonly SpawnOptions[];
  /** Programs that run now. */
  readonly running: readonly ProcessFacts[];
  /** Makes a program findable (`/usr/bin/<name>`) without saying how it behaves. */
  install(...names: readonly string[]): void;
}

interface Running {
  readonly facts: ProcessFacts;
  readonly environment: Readonly<Record<string, string>>;
  signal(name: string): void;
}

export function createMemoryProcesses(clock: Clock, files: MemoryFiles): MemoryProcesses {
  const ownPid = 1000;
  let nextPid = 1001;
  const scripts: { readonly match: ProgramMatch; readonly behaviour: Behaviour }[] = [];
  const spawned: SpawnOptions[] = [];
  const running = new Map<number, Running>();

  const signalGroup = (group: number, name: string): boolean => {
    const members = [...running.values()].filter((one) => one.facts.group === group);
    for (const member of members) member.signal(name);
    return members.length > 0;
  };

  const start = async (
    options: SpawnOptions,
    size: { columns: number; rows: number } | null,
  ): Promise<TerminalChild> => {
    spawned.push(options);
    const behaviour = scripts.findLast(({ match }) => matches(match, options.argv))?.behaviour;
    const program = options.argv[0] ?? '';
    if (!behaviour) throw failure('ENOENT', program);
    if ((await files.stat(options.folder))?.kind !== 'folder') throw failure('ENOENT', options.folder);

    const pid = nextPid++;
    const ownGroup = options.ownGroup ?? true;
    const log =
      typeof options.output === 'object'
        ? await files.openAppend(options.output.file, 0o600)
        : (null as AppendFile | null);
    const input: Queue<Uint8Array> = createQueue();
    if (options.input instanceof Uint8Array) input.push(options.input);
    if (options.input !== 'pipe') input.close();
    const ending = new AbortController();
    const signalListeners: ((name: string) => boolean)[] = [];
    let terminalSize = size;
    let writes: Promise<void> = Promise.resolve();
    let over = false;

    let finish: (exit: Exit) => void = () => {};
    const exited = new Promise<Exit>((resolve) => {
      finish = (exit) => {
        if (over) return;
        over = true;
        running.delete(pid);
        input.close();
        if (exit.signal) ending.abort(exit.signal);
        writes.then(() => log?.close()).then(() => resolve(exit));
      };
    });
    const write = (text: string | Uint8Array, stream: 'out' | 'err' = 'out') => {
      if (over) return;
      const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
      if (log) writes = writes.then(() => log.append(bytes)).catch(() => {});
      else if (options.output === 'pieces') {
        writes = writes.then(() => options.onOutput?.(bytes, stream));
      }
    };
    const facts: ProcessFacts = {
      pid,
      parent: ownPid,
      group: ownGroup ? pid : ownPid,
      session: ownGroup ? pid : ownPid,
      startTime: `${clock.ticks()}.${pid}`,
      command: options.argv.join(' '),
    };
    running.set(pid, {
      facts,
      environment: options.environment,
      signal(name) {
        if (name === 'CONT' || name === 'STOP') return;
        const handled = name !== 'KILL' && signalListeners.some((listener) => listener(name));
        if (!handled) finish({ code: null, signal: `SIG${name}` });
      },
    });
    const run: ProgramRun = {
      pid,
      argv: options.argv,
      folder: options.folder,
      environment: options.environment,
      files,
      clock,
      write,
      read: () => input.next(),
      ended: ending.signal,
      onSignal: (listener) => signalListeners.push(listener),
      terminal: () => terminalSize,
    };
    // Only after the caller has its child in hand, as with a real process.
    Promise.resolve()
      .then(() => (typeof behaviour === 'function' ? behaviour(run) : play(behaviour, run)))
      .then((result) => finish(typeof result === 'number' ? { code: result, signal: null } : result));

    return {
      pid,
      exited,
      async write(bytes) {
        input.push(bytes.slice());
      },
      closeInput: () => input.close(),
      signal(name) {
        if (ownGroup) return signalGroup(pid, name);
        const isThere = !over;
        running.get(pid)?.signal(name);
        return isThere;
      },
      release() {},
      resize(columns, rows) {
        terminalSize = { columns, rows };
        for (const listener of signalListeners) listener('WINCH');
      },
    };
  };

  return {
    ownPid,
    spawn: (options): Promise<Child> => start(options, null),
    spawnTerminal: ({ columns, rows, ...options }) =>
      start({ ...options, input: 'pipe', output: 'pieces' }, { columns, rows }),
    async find(program, path) {
      if (program.includes('/')) return (await isProgram(files, program)) ? program : null;
      for (const folder of path.split(':')) {
        const candidate = posix.join(folder, program);
        if (posix.isAbsolute(folder) && (await isProgram(files, candidate))) return candidate;
      }
      return null;
    },
    async facts(pid) {
      if (pid === ownPid) {
        return { pid, parent: 1, group: pid, session: pid, startTime: '0', command: 'houston' };
      }
      return running.get(pid)?.facts ?? null;
    },
    async findMarked(name, value) {
      return [...running.values()].filter((one) => one.environment[name] === value).map((one) => one.facts);
    },
    signalGroup,
    isAlive: (pid) => pid === ownPid || running.has(pid),
    script(match, behaviour) {
      scripts.push({ match, behaviour });
      if (typeof match === 'string' && /^[\w.+-]+$/.test(match)) install(files, match);
    },
    spawned,
    get running() {
      return [...running.values()].map((one) => one.facts);
    },
    install: (...names) => install(files, ...names),
  };
}

async function isProgram(files: MemoryFiles, path: string): Promise<boolean> {
  const stat = await files.stat(path);
  return stat?.kind === 'file' && (stat.mode & 0o111) !== 0;
}

function install(files: MemoryFiles, ...names: readonly string[]): void {
  for (const name of names) files.seed(`/usr/bin/${name}`, '', 0o755);
}

function matches(match: ProgramMatch, argv: readonly string[]): boolean {
  if (typeof match === 'function') return match(argv);
  const texts = [posix.basename(argv[0] ?? ''), argv.join(' ')];
  const flag = argv.findLastIndex((word) => /^-[a-z]*c$/.test(word));
  const line = argv[flag + 1];
  if (flag > 0 && line !== undefined) texts.push(line);
  return texts.some((text) => (typeof match === 'string' ? text === match : match.test(text)));
}

async function play(record: ProgramRecord, run: ProgramRun): Promise<number> {
  if (record.ignores) run.onSignal((name) => record.ignores?.includes(name) ?? false);
  if (record.out !== undefined) run.write(record.out, 'out');
  if (record.err !== undefined) run.write(record.err, 'err');
  if (record.duration === Number.POSITIVE_INFINITY) await new Promise(() => {});
  if (record.duration) await run.clock.sleep(record.duration, run.ended);
  return record.exit ?? 0;
}
