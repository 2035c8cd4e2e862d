import type { Connection } from '../../src/system/network.ts';

/** Two ends of a byte stream in memory, with the faults a real one can have. */
export interface Pipe {
  readonly left: Connection;
  readonly right: Connection;
  /** Bytes stay under way, both ways, and no side learns of it. */
  freeze(): void;
  thaw(): void;
  /** Both ends learn that it broke; what was under way is lost. */
  sever(): void;
}

interface End {
  readonly connection: Connection;
  deliver(bytes: Uint8Array): void;
  drained(): void;
  broken(): void;
}

/** Bytes under way at which a writer is told to wait. */
const HIGH_WATER = 64 * 1024;

/** `cut` gets every piece written and says in which pieces it arrives. */
export function createPipe(cut: (bytes: Uint8Array) => readonly Uint8Array[] = (bytes) => [bytes]): Pipe {
  let frozen = false;
  let open = true;
  const runs: (() => void)[] = [];

  function createEnd(other: () => End): End {
    let buffered = 0;
    let full = false;
    let scheduled = false;
    let underWay: Uint8Array[] = [];
    const early: Uint8Array[] = [];
    let paused = false;
    let onData: ((bytes: Uint8Array) => void) | null = null;
    const onDrain: (() => void)[] = [];
    const onClose: (() => void)[] = [];

    function schedule(): void {
      if (scheduled || frozen) return;
      scheduled = true;
      queueMicrotask(run);
    }

    function run(): void {
      scheduled = false;
      if (frozen) return;
      const pieces = underWay;
      underWay = [];
      buffered = 0;
      for (const piece of pieces) for (const part of cut(piece)) other().deliver(part);
      if (full) {
        full = false;
        end.drained();
      }
    }
    runs.push(schedule);

    const end: End = {
      connection: {
        write(bytes) {
          if (!open) return false;
          underWay.push(bytes.slice());
          buffered += bytes.length;
          full ||= buffered > HIGH_WATER;
          schedule();
          return !full;
        },
        get buffered() {
          return buffered;
        },
        onData(listener) {
          onData = listener;
          end.connection.resume();
        },
        pause() {
          paused = true;
        },
        resume() {
          paused = false;
          while (!paused && onData !== null && early.length > 0) onData(early.shift()!);
        },
        onDrain: (listener) => void onDrain.push(listener),
        onClose(listener) {
          if (open) onClose.push(listener);
          else queueMicrotask(listener);
        },
        close() {
          if (!open) return;
          run();
          open = false;
          end.broken();
          queueMicrotask(() => other().broken());
        },
      },
      deliver(bytes) {
        if (onData === null || paused || early.length > 0) early.push(bytes);
        else onData(bytes);
      },
      drained() {
        for (const listener of onDrain) listener();
      },
      broken() {
        for (const listener of onClose) listener();
      },
    };
    return end;
  }

  const left: End = createEnd(() => right);
  const right: End = createEnd(() => left);
  return {
    left: left.connection,
    right: right.connection,
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      for (const run of runs) run();
    },
    sever() {
      if (!open) return;
      open = false;
      left.broken();
      right.broken();
    },
  };
}
