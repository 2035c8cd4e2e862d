// Runs a program on a real pseudo-terminal and reads its screen through a real emulator. Only for the few tests that must
// see the whole thing: most behaviour is proven through the driver, in memory.
import { Terminal as Emulator } from '@xterm/headless';

export interface PtyOptions {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** What the terminal says its background is; null answers no query at all, like a dumb one. */
  readonly background?: 'dark' | 'light' | null;
}

export class PtyProgram {
  readonly emulator: Emulator;
  /** Every byte the program wrote, as latin1 text: for claims about the wire itself. */
  raw = '';
  /** Of the window, as the program set it last. */
  title = '';
  readonly pid: number;
  readonly exited: Promise<number | null>;
  exitCode: number | null | undefined = undefined;
  private readonly terminal: Bun.Terminal;
  private pending: Promise<void> = Promise.resolve();
  /** It has ended and its last words stand on the screen: nothing more will come. */
  private over = false;
  private waiters: (() => void)[] = [];

  constructor(options: PtyOptions) {
    const columns = options.columns ?? 100;
    const rows = options.rows ?? 30;
    this.emulator = new Emulator({
      cols: columns,
      rows,
      scrollback: 5000,
      allowProposedApi: true,
      windowOptions: { pushTitle: true, popTitle: true },
    });
    this.emulator.onTitleChange((title) => {
      this.title = title;
    });
    const background = options.background === undefined ? 'dark' : options.background;
    const lastWords = Promise.withResolvers<void>();
    const process = Bun.spawn([...options.argv], {
      cwd: options.folder,
      env: { TERM: 'xterm-256color', COLORTERM: 'truecolor', LANG: 'C.UTF-8', ...options.environment },
      terminal: {
        cols: columns,
        rows,
        data: (_terminal, bytes) => this.receive(bytes, background),
        exit: () => lastWords.resolve(),
      },
    });
    this.terminal = process.terminal!;
    this.pid = process.pid;
    this.exited = process.exited.then((code) => {
      this.exitCode = process.signalCode === null ? code : null;
      this.wake();
      return this.exitCode;
    });
    // Whatever it started may hold the terminal open for longer.
    void this.exited
      .then(() => Promise.race([lastWords.promise, Bun.sleep(1_000)]))
      .then(() => this.pending)
      .then(() => {
        this.over = true;
        this.wake();
      });
  }

  private receive(bytes: Uint8Array, background: PtyOptions['background']): void {
    const text = Buffer.from(bytes).toString('latin1');
    this.raw += text;
    if (background !== null && background !== undefined) this.reply(text, background);
    this.pending = this.pending.then(() => new Promise((done) => this.emulator.write(bytes, done)));
    void this.pending.then(() => this.wake());
  }

  private reply(text: string, background: 'dark' | 'light'): void {
    if (text.includes('\x1b]11;?'))
      this.terminal.write(`\x1b]11;rgb:${background === 'dark' ? '1010/1010/1818' : 'ffff/ffff/ffff'}\x1b\\`);
    if (text.includes('\x1b]10;?'))
      this.terminal.write(`\x1b]10;rgb:${background === 'dark' ? 'eeee/eeee/eeee' : '0000/0000/0000'}\x1b\\`);
    if (text.includes('\x1b[c')) this.terminal.write('\x1b[?62;22c');
    if (text.includes('\x1b[>0q')) this.terminal.write('\x1bP>|houston-test\x1b\\');
    if (text.includes('\x1b[?u')) this.terminal.write('\x1b[?0u');
    for (const mode of ['2026', '2027']) if (text.includes(`\x1b[?${mode}$p`)) this.terminal.write(`\x1b[?${mode};2$y`);
  }

  private wake(): void {
    const waiters = this.waiters;
    this.waiters = [];
    for (const waiter of waiters) waiter();
  }

  write(text: string): void {
    this.terminal.write(text);
  }

  /** One write a key, a little apart, as a person types. */
  async type(text: string, gapMs = 15): Promise<void> {
    for (const character of text) {
      this.terminal.write(character);
      await Bun.sleep(gapMs);
    }
  }

  /** A prompt of one row, and Enter by itself once it is in the box: together they would be a paste. */
  async say(text: string): Promise<void> {
    this.terminal.write(text);
    await this.until(`❯ ${text}`);
    await Bun.sleep(30);
    this.terminal.write('\r');
  }

  /** Turns to the question on the screen and presses the key of an answer, each in a read of its own. */
  async answerAsk(key: string): Promise<void> {
    this.terminal.write('\t');
    await Bun.sleep(100);
    await this.until(`[${key}]`);
    this.terminal.write(key);
  }

  resize(columns: number, rows: number): void {
    this.emulator.resize(columns, rows);
    this.terminal.resize(columns, rows);
  }

  lines(): string[] {
    const buffer = this.emulator.buffer.active;
    return Array.from(
      { length: this.emulator.rows },
      (_, row) => buffer.getLine(buffer.viewportY + row)?.translateToString(true) ?? '',
    );
  }

  text(): string {
    return this.lines().join('\n');
  }

  /** Waits until the screen (or a predicate) says so; the error carries the screen as it was. */
  async until(what: string | RegExp | (() => boolean), timeoutMs = 15_000): Promise<void> {
    const holds = (): boolean =>
      typeof what === 'function'
        ? what()
        : typeof what === 'string'
          ? this.text().includes(what)
          : what.test(this.text());
    const deadline = performance.now() + timeoutMs;
    while (!holds()) {
      const left = deadline - performance.now();
      if (left <= 0 || this.over) {
        throw new Error(`waited for ${String(what)} (exit ${String(this.exitCode)}); the screen was:\n${this.text()}`);
      }
      await Promise.race([new Promise<void>((wake) => this.waiters.push(wake)), Bun.sleep(Math.min(left, 200))]);
    }
  }

  /** Private modes that are on now, and the keyboard protocols pushed and not popped. */
  modesOn(): string[] {
    const on = new Set<string>();
    for (const [, numbers, how] of this.raw.matchAll(/\x1b\[\?([\d;]+)([hl])/g)) {
      for (const mode of numbers!.split(';')) {
        if (how === 'h') on.add(mode);
        else on.delete(mode);
      }
    }
    const pushed = this.raw.match(/\x1b\[>\d*u/g)?.length ?? 0;
    const popped = this.raw.match(/\x1b\[<\d*u/g)?.length ?? 0;
    if (pushed !== popped) on.add(`keyboard ${pushed - popped}`);
    return [...on].sort();
  }

  /** Closes the window: everything on it gets a hang-up. */
  closeWindow(): void {
    this.terminal.close();
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    try {
      process.kill(this.pid, signal);
    } catch {
      // Already gone.
    }
  }

  async close(): Promise<void> {
    this.kill();
    await this.exited;
    this.terminal.close();
  }
}
