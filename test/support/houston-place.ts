// A throw-away home and project for tests that run the whole program, and the ways to run it there.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTrustMemory } from '../../src/core/session/trust-memory.ts';
import { digestOf } from '../../src/core/session/trust-question.ts';
import type { Entry } from '../../src/protocol/entry.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';
import { PtyProgram } from './pty-program.ts';

/** The launcher of this checkout, as a person starts it. */
export const HOUSTON = path.join(import.meta.dir, '..', '..', 'houston');

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly ms: number;
}

export interface PlaceOptions {
  /** The project was trusted and remembered before; false: the question comes up. Default true. */
  readonly trusted?: boolean;
}

export interface Place {
  readonly root: string;
  readonly home: string;
  /** A git repository of one commit, holding `README`. */
  readonly project: string;
  readonly environment: Record<string, string>;
  /** Without a terminal. `input` null leaves standard input as a pipe nobody writes to, until the program ends. */
  run(words: readonly string[], options?: RunOptions): Promise<Ran>;
  /** On a terminal of 100×30. */
  open(words?: readonly string[], options?: OpenOptions): PtyProgram;
  settings(value: unknown): void;
  /** Every session folder that lies on the disk. */
  sessions(): string[];
  /** The entries of the only session there is. */
  entries(): Entry[];
  /** Processes that hold sessions now, by what they wrote down. */
  hosts(): { host: string; pid: number; session: string; state: string }[];
  /** Ends every program and host that was started here, and removes all files. */
  close(): Promise<void>;
}

export interface RunOptions {
  readonly input?: string | Uint8Array | null | 'closed';
  readonly environment?: Record<string, string | undefined>;
  readonly folder?: string;
}

export interface OpenOptions {
  readonly environment?: Record<string, string>;
  readonly columns?: number;
  readonly rows?: number;
  readonly background?: 'dark' | 'light' | null;
  /** Instead of `houston` with its words. */
  readonly argv?: readonly string[];
}

/** `url`: a model service on loopback; without one no model is configured. */
export async function makePlace(url: string | null = null, options: PlaceOptions = {}): Promise<Place> {
  const root = mkdtempSync(path.join(tmpdir(), 'houston-place-'));
  const home = path.join(root, 'home');
  const project = path.join(root, 'project');
  mkdirSync(home);
  mkdirSync(project);
  writeFileSync(path.join(project, 'README'), 'A small project.\n');
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'add', '.');
  git(project, 'commit', '-q', '-m', 'Start');
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TMPDIR: root,
    // A fresh home would have Bun read the whole program anew at every start.
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: path.join(tmpdir(), 'houston-test-transpiled'),
    ...(url === null ? {} : { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-test' }),
  };
  const state = path.join(home, '.local', 'state', 'houston');
  const programs: PtyProgram[] = [];
  if (options.trusted !== false) {
    const { files } = createBunSystem();
    const memory = await openTrustMemory(files, state, await realpath(project), home, true);
    await memory?.remember({ trusted: true, requests: digestOf([]) });
  }

  const place: Place = {
    root,
    home,
    project,
    environment,
    async run(words, options = {}) {
      const started = performance.now();
      const given = options.input;
      const argv = given === 'closed' ? ['sh', '-c', 'exec "$@" <&-', 'sh', HOUSTON, ...words] : [HOUSTON, ...words];
      const child = Bun.spawn(argv, {
        cwd: options.folder ?? project,
        env: { ...environment, ...options.environment },
        stdin: given === null ? 'pipe' : given === undefined || given === 'closed' ? 'ignore' : Buffer.from(given),
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [out, err, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      return { code: child.signalCode === null ? code : null, out, err, ms: performance.now() - started };
    },
    open(words = [], options = {}) {
      const { environment: more, argv, ...size } = options;
      const program = new PtyProgram({
        argv: argv ?? [HOUSTON, ...words],
        folder: project,
        environment: { ...environment, ...more },
        ...size,
      });
      programs.push(program);
      return program;
    },
    settings(value) {
      const folder = path.join(home, '.config', 'houston');
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'settings.json'), typeof value === 'string' ? value : JSON.stringify(value));
    },
    sessions() {
      const folder = path.join(state, 'sessions');
      return names(folder).flatMap((key) => names(path.join(folder, key)).map((id) => path.join(folder, key, id)));
    },
    entries() {
      const folders = place.sessions();
      if (folders.length !== 1) throw new Error(`${folders.length} sessions, not one`);
      const text = readFileSync(path.join(folders[0]!, 'journal.jsonl'), 'utf8');
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Entry);
    },
    hosts() {
      const folder = path.join(state, 'hosts');
      return names(folder)
        .filter((name) => name.endsWith('.json'))
        .map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as ReturnType<Place['hosts']>[number])
        .filter((host) => host.state !== 'stopped');
    },
    async close() {
      for (const program of programs) await program.close();
      for (const { pid } of place.hosts()) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended by itself meanwhile.
        }
      }
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return place;
}

export function git(folder: string, ...words: readonly string[]): string {
  const identity = ['-c', 'user.name=Pilot', '-c', 'user.email=pilot@example.com'];
  const ran = Bun.spawnSync(['git', ...identity, ...words], { cwd: folder });
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${ran.stderr.toString()}`);
  return ran.stdout.toString();
}

/** One that ended and waits to be reaped lives no more. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Waits for something in the world outside, such as a file or a process. */
export async function eventually(what: string, holds: () => boolean, timeoutMs = 15_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await Bun.sleep(10);
  }
}

function names(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
