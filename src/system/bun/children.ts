import { closeSync, constants, openSync } from 'node:fs';
import type { Child, Exit, SpawnOptions } from '../processes.ts';
import { systemError } from './errors.ts';
import { openPipe, readPipe, readStream } from './pipes.ts';
import { endAtExit, signalChild } from './signals.ts';

/** How long output must be silent, once the program ended, to be taken for all of it. */
const QUIET_MS = 15;

interface Reading {
  readonly ended: Promise<void>;
  stop(): void;
}

type Spawned = Bun.Subprocess<'ignore' | 'pipe' | Uint8Array, number | 'ignore' | 'pipe', number | 'ignore' | 'pipe'>;

/** `program` is the absolute path of `argv[0]`. Where `makePipe` has none to give, the platform's own are used. */
export async function spawnChild(program: string, options: SpawnOptions, makePipe = openPipe): Promise<Child> {
  const ownGroup = options.ownGroup ?? true;
  const output = openOutput(options, makePipe);
  let child: Spawned;
  try {
    child = Bun.spawn([program, ...options.argv.slice(1)], {
      argv0: options.argv[0] ?? program,
      cwd: options.folder,
      env: { ...options.environment },
      detached: ownGroup,
      stdin: options.input ?? 'ignore',
      stdout: output.out,
      stderr: output.err,
    });
  } catch (error) {
    output.discard();
    throw systemError(error, program);
  }
  const { pid } = child;
  const readings = output.read(child);
  const forget = options.detached ? () => {} : endAtExit(pid, ownGroup);
  const target = { pid, group: ownGroup, over: false };

  const finish = async (): Promise<Exit> => {
    await child.exited;
    target.over = true;
    forget();
    await output.settled(readings);
    const signal = child.signalCode === null ? null : String(child.signalCode);
    return { code: signal === null ? child.exitCode : null, signal };
  };
  const exited = finish();

  const release = () => {
    child.unref();
    for (const reading of readings) reading.stop();
  };
  if (options.detached) release();

  const input = typeof child.stdin === 'object' ? (child.stdin as Bun.FileSink) : null;
  return {
    pid,
    exited,
    async write(bytes) {
      // A program that ends without reading its input is no failure of ours.
      try {
        input?.write(bytes);
        await input?.flush();
      } catch {}
    },
    closeInput: () => void Promise.resolve(input?.end()).catch(() => {}),
    signal: (name) => signalChild(target, name),
    release,
  };
}

interface Output {
  readonly out: number | 'pipe' | 'ignore';
  readonly err: number | 'pipe' | 'ignore';
  /** Closes our ends of what only the child needs, and begins to read. */
  read(child: Spawned): Reading[];
  /** Resolves when everything written so far was handed on. What a grandchild writes later still comes, unawaited. */
  settled(readings: readonly Reading[]): Promise<void>;
  discard(): void;
}

function openOutput(options: SpawnOptions, makePipe: typeof openPipe): Output {
  const nothing = { read: () => [], settled: async () => {}, discard() {} };
  if (options.output === 'ignore') return { out: 'ignore', err: 'ignore', ...nothing };
  if (typeof options.output === 'object') {
    const { file } = options.output;
    const { O_APPEND, O_CREAT, O_NOCTTY, O_WRONLY } = constants;
    const fd = openFile(file, O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY);
    const close = () => closeSync(fd);
    return {
      ...nothing,
      out: fd,
      err: fd,
      read() {
        close();
        return [];
      },
      discard: close,
    };
  }
  return openPieces(options, makePipe);
}

function openFile(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    throw systemError(error, path);
  }
}

function openPieces(options: SpawnOptions, makePipe: typeof openPipe): Output {
  const out = makePipe();
  const err = makePipe();
  let last = 0;
  let handing = 0;
  const hand = async (bytes: Uint8Array, stream: 'out' | 'err') => {
    handing++;
    try {
      await options.onOutput?.(bytes, stream);
    } finally {
      handing--;
      last = performance.now();
    }
  };
  const settled = async (readings: readonly Reading[]) => {
    let ended = false;
    const all = Promise.all(readings.map((reading) => reading.ended)).then(() => {
      ended = true;
    });
    last = performance.now();
    while (!ended) {
      const left = last + QUIET_MS - performance.now();
      if (left <= 0 && handing === 0) return;
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, Math.max(left, 1)))]);
    }
  };
  if (!out || !err) {
    closeAll(out, err);
    return {
      out: 'pipe',
      err: 'pipe',
      read: (child) => [readSocket(child.stdout, hand, 'out'), readSocket(child.stderr, hand, 'err')],
      settled,
      discard() {},
    };
  }
  return {
    out: out.writer,
    err: err.writer,
    read() {
      closeSync(out.writer);
      closeSync(err.writer);
      return [readPipe(out.reader, (bytes) => hand(bytes, 'out')), readPipe(err.reader, (bytes) => hand(bytes, 'err'))];
    },
    settled,
    discard: () => closeAll(out, err),
  };
}

function closeAll(...pipes: readonly ({ reader: number; writer: number } | null)[]): void {
  for (const pipe of pipes) {
    if (!pipe) continue;
    closeSync(pipe.reader);
    closeSync(pipe.writer);
  }
}

function readSocket(
  stream: number | ReadableStream<Uint8Array> | undefined,
  hand: (bytes: Uint8Array, stream: 'out' | 'err') => Promise<void>,
  name: 'out' | 'err',
): Reading {
  if (!(stream instanceof ReadableStream)) return { ended: Promise.resolve(), stop() {} };
  return readStream(stream, (bytes) => hand(bytes, name));
}
