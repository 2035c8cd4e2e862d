import type { Terminal } from '../terminal.ts';

type Signal = 'TERM' | 'HUP' | 'INT' | 'CONT';

/** A terminal that keeps what was written and lets a test be the person. */
export interface MemoryTerminal extends Terminal {
  /** Everything written so far. */
  readonly output: string;
  readonly writes: readonly string[];
  readonly isRaw: boolean;
  /** Answers the output so far and forgets it. */
  takeOutput(): string;
  /** One read of input: all listeners get these bytes as one piece. */
  push(input: string | Uint8Array): void;
  resizeTo(columns: number, rows: number): void;
  raise(signal: Signal): void;
  /** How often it was stopped; `resume` lets it go on. */
  readonly suspended: number;
  resume(): void;
}

export interface MemoryTerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly interactive?: boolean;
}

export function createMemoryTerminal(options: MemoryTerminalOptions = {}): MemoryTerminal {
  let size = { columns: options.columns ?? 80, rows: options.rows ?? 24 };
  let writes: string[] = [];
  let isRaw = false;
  let suspended = 0;
  let resume = () => {};
  const inputs = new Set<(bytes: Uint8Array) => void>();
  const resizes = new Set<() => void>();
  const signals = new Set<(name: Signal) => void>();
  const interactive = options.interactive ?? true;

  const raise = (signal: Signal) => {
    for (const listener of [...signals]) listener(signal);
  };
  return {
    isInteractive: { input: interactive, output: interactive },
    size: () => size,
    write(text) {
      writes.push(text);
    },
    raw(on) {
      isRaw = on;
    },
    onInput: (listener) => subscribe(inputs, listener),
    onResize: (listener) => subscribe(resizes, listener),
    onSignal: (listener) => subscribe(signals, listener),
    async suspend() {
      suspended++;
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
      raise('CONT');
    },

    get output() {
      return writes.join('');
    },
    get writes() {
      return writes;
    },
    get isRaw() {
      return isRaw;
    },
    takeOutput() {
      const output = writes.join('');
      writes = [];
      return output;
    },
    push(input) {
      const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
      for (const listener of [...inputs]) listener(bytes);
    },
    resizeTo(columns, rows) {
      size = { columns, rows };
      for (const listener of [...resizes]) listener();
    },
    raise,
    get suspended() {
      return suspended;
    },
    resume() {
      resume();
    },
  };
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
