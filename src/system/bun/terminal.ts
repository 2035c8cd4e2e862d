import { writeSync } from 'node:fs';
import type { Terminal } from '../terminal.ts';
import { stopOwnGroup } from './suspend.ts';
import { type Tty, tty } from './tty.ts';

type Signal = 'TERM' | 'HUP' | 'INT' | 'CONT';
const SIGNALS: readonly Signal[] = ['TERM', 'HUP', 'INT', 'CONT'];
/** How long a terminal that takes nothing is waited for, and how often it is tried. */
const PATIENCE_MS = 2000;
const RETRY_MS = 2;

const INPUT = 0;
const OUTPUT = 1;

/** The terminal this process was started on. It is looked at when first asked for. */
export function createBunTerminal(): Terminal {
  const signals = new Set<(name: Signal) => void>();
  const inputs = new Set<(bytes: Uint8Array) => void>();
  const resizes = new Set<() => void>();
  let lost = false;

  const raise = (name: Signal) => {
    for (const listener of [...signals]) listener(name);
  };
  const handlers = SIGNALS.map((name) => [`SIG${name}` as const, () => raise(name)] as const);
  /** A terminal that went away is a hang-up, whether or not the signal comes too. */
  const lose = () => {
    if (lost) return;
    lost = true;
    queueMicrotask(() => raise('HUP'));
  };
  const onData = (bytes: Uint8Array) => {
    for (const listener of [...inputs]) listener(bytes);
  };
  const onResize = () => {
    for (const listener of [...resizes]) listener();
  };

  let stopReading: () => void = () => {};
  const read = (): (() => void) => {
    const own = tty();
    const reading = own?.isTerminal(INPUT) === true ? own.read(INPUT, onData) : null;
    if (reading === null) return readStream(onData, lose);
    let stopped = false;
    void reading.ended.then(() => {
      if (!stopped) lose();
    });
    return () => {
      stopped = true;
      reading.stop();
    };
  };

  return {
    get isInteractive() {
      return isInteractive();
    },
    size: () => sizeOf(tty()),
    write(text) {
      if (lost || text === '') return;
      if (!writeAll(1, text)) lose();
    },
    raw(on) {
      if (lost || !isInteractive().input) return;
      const own = tty();
      if (own === null ? !rawStream(on) : !own.raw(INPUT, on)) lose();
    },
    onInput(listener) {
      if (inputs.size === 0) stopReading = read();
      inputs.add(listener);
      return () => {
        // Whoever gets the terminal next (an editor) must get every key.
        if (inputs.delete(listener) && inputs.size === 0) stopReading();
      };
    },
    onResize(listener) {
      if (resizes.size === 0) process.on('SIGWINCH', onResize);
      resizes.add(listener);
      return () => {
        if (resizes.delete(listener) && resizes.size === 0) process.off('SIGWINCH', onResize);
      };
    },
    onSignal(listener) {
      if (signals.size === 0) for (const [name, handler] of handlers) process.on(name, handler);
      signals.add(listener);
      return () => {
        if (!signals.delete(listener) || signals.size > 0) return;
        for (const [name, handler] of handlers) process.off(name, handler);
      };
    },
    suspend: stopOwnGroup,
  };
}

function isInteractive(): { input: boolean; output: boolean } {
  const own = tty();
  return own === null
    ? { input: process.stdin.isTTY === true, output: process.stdout.isTTY === true }
    : { input: own.isTerminal(INPUT), output: own.isTerminal(OUTPUT) };
}

function sizeOf(own: Tty | null): { columns: number; rows: number } {
  const known = own?.size(OUTPUT);
  if (known) return known;
  const [columns, rows] = own === null && process.stdout.isTTY ? process.stdout.getWindowSize() : [0, 0];
  return { columns: columns || 80, rows: rows || 24 };
}

function rawStream(on: boolean): boolean {
  try {
    process.stdin.setRawMode(on);
    return true;
  } catch {
    return false;
  }
}

function readStream(onData: (bytes: Uint8Array) => void, lose: () => void): () => void {
  process.stdin.on('data', onData);
  process.stdin.on('end', lose);
  process.stdin.on('error', lose);
  process.stdin.resume();
  return () => {
    process.stdin.off('data', onData);
    process.stdin.off('end', lose);
    process.stdin.off('error', lose);
    process.stdin.pause();
  };
}

/** False when the terminal is gone. One that is merely slow is waited for, so that a frame is never cut in half. */
function writeAll(fd: number, text: string): boolean {
  const bytes = Buffer.from(text);
  let deadline = 0;
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
      deadline = 0;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EINTR') continue;
      if (code !== 'EAGAIN') return false;
      deadline ||= performance.now() + PATIENCE_MS;
      // Stopped with Ctrl-S, say: what is lost is part of a frame, and the next full one repairs it.
      if (performance.now() > deadline) return true;
      Bun.sleepSync(RETRY_MS);
    }
  }
  return true;
}
