import { expect } from 'bun:test';
import {
  type ExitReport,
  type MissionControl,
  type MissionControlOptions,
  runMissionControl,
} from '../../src/front/tui/app.ts';
import { type Cell, Frame } from '../../src/front/tui/frame/frame.ts';
import type { Painter } from '../../src/front/tui/frame/painter.ts';
import { HOLD } from '../../src/front/tui/modals/ask-state.ts';
import type { Screen } from '../../src/front/tui/screen.ts';
import type { Intent, IntentType } from '../../src/protocol/intent.ts';
import type { Session } from '../../src/protocol/session.ts';
import type { Change } from '../../src/protocol/update.ts';
import { createMemoryClock, type MemoryClock } from '../../src/system/memory/clock.ts';
import { createMemoryEnvironment } from '../../src/system/memory/environment.ts';
import { createMemoryFiles } from '../../src/system/memory/files.ts';
import { createMemoryProcesses, type MemoryProcesses } from '../../src/system/memory/processes.ts';
import { createMemoryTerminal, type MemoryTerminal } from '../../src/system/memory/terminal.ts';
import { createFakeSession, type FakeSession } from './fake-session.ts';
import { findText, frameText, textWithin } from './frame.ts';

/** What Ctrl-C sends while something runs. */
export const STOP_AND_HOLD: Extract<Intent, { type: 'cancel' }> = { type: 'cancel', queue: 'pause' };
/** What Esc sends while something runs. */
export const STOP_AND_GO_ON: Extract<Intent, { type: 'cancel' }> = { type: 'cancel', queue: 'go-on' };

export interface Driver {
  readonly terminal: MemoryTerminal;
  readonly clock: MemoryClock;
  readonly processes: MemoryProcesses;
  readonly session: FakeSession;
  /** Every intent sent so far, in order. */
  readonly sent: readonly Intent[];
  sentOf<T extends IntentType>(type: T): Extract<Intent, { type: T }>[];
  /** Chords as the screen writes them, `ctrl-c`, `shift-tab`, `enter`; each is a read of its own. */
  press(...chords: readonly string[]): Promise<void>;
  /** Characters, each a read of its own, 30 ms apart. */
  type(text: string): Promise<void>;
  /** A marked paste. */
  paste(text: string): Promise<void>;
  /** Bytes as they are, in one read. */
  raw(bytes: string): Promise<void>;
  mouse(action: 'press' | 'drag' | 'release' | 'wheel-up' | 'wheel-down', x: number, y: number): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** Publishes changes as the session would. */
  publish(...changes: readonly Change[]): Promise<void>;
  wait(ms: number): Promise<void>;
  screenText(): string;
  /** What is drawn in a part of the screen: the dialog, the prompt box, the rows under it, the foot. */
  region(name: 'header' | 'transcript' | 'dialog' | 'prompt' | 'below' | 'hint'): string;
  cell(x: number, y: number): Cell;
  find(text: string): { x: number; y: number } | null;
  readonly frame: Frame;
  readonly screen: Screen;
  readonly draft: string;
  readonly exit: Promise<ExitReport>;
  readonly left: ExitReport | null;
}

export interface DriverOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly client?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly options?: MissionControlOptions;
  /** Attach to this one instead of a new fake. */
  readonly session?: FakeSession;
  /** A terminal that has answered none of the questions about itself. */
  readonly silent?: boolean;
  /** The way to the session, by hand. */
  readonly link?: MissionControl['link'];
  /** Put between the screen and the session. */
  readonly wrap?: (session: Session) => Session;
}

/** Mission Control on a terminal in memory, with a session by hand and a clock that stands still: a test is the person. */
export async function drive(options: DriverOptions = {}): Promise<Driver> {
  const clock = createMemoryClock();
  const files = createMemoryFiles(clock);
  await files.makeFolder('/project', 0o755);
  const processes = createMemoryProcesses(clock, files);
  const terminal = createMemoryTerminal({ columns: options.columns ?? 100, rows: options.rows ?? 30 });
  const environment = createMemoryEnvironment({
    folder: '/project',
    variables: { TERM: 'xterm-256color', COLORTERM: 'truecolor', ...options.environment },
  });
  const fake = options.session ?? createFakeSession();
  const sent: Intent[] = [];
  const inner = options.wrap?.(fake) ?? fake;
  const session: Session = {
    attach: (attach, listener) => inner.attach(attach, listener),
    send: (intent, client) => {
      sent.push(intent);
      return inner.send(intent, client);
    },
    read: (query, client) => inner.read(query, client),
  };
  let frame: Frame | null = null;
  let screen: Screen | null = null;
  let left: ExitReport | null = null;
  const exit = runMissionControl({
    session,
    ...(options.link === undefined ? {} : { link: options.link }),
    client: options.client ?? 'me',
    terminal,
    clock,
    processes,
    environment,
    options: {
      ...options.options,
      onFrame: (drawn, state, drawWhole) => {
        expectKeptAsDrawn(drawn, drawWhole);
        frame = drawn;
        screen = state;
      },
    },
  });
  void exit.then((report) => {
    left = report;
  });
  const settle = () => clock.advance(40);
  if (options.silent !== true) terminal.push('\x1b[?62;22c');
  await settle();
  const shown = () => {
    if (frame === null || screen === null) throw new Error('nothing was drawn yet');
    return { frame, screen };
  };
  return {
    terminal,
    clock,
    processes,
    session: fake,
    sent,
    sentOf: <T extends IntentType>(type: T) =>
      sent.filter((intent): intent is Extract<Intent, { type: T }> => intent.type === type),
    press: async (...chords) => {
      for (const chord of chords) {
        terminal.push(bytesOf(chord));
        await settle();
        // Pressed by itself: nothing else comes while the question holds it.
        if (screen?.ask?.held != null) await clock.advance(HOLD);
      }
    },
    type: async (text) => {
      for (const character of text) {
        terminal.push(character === '\n' ? '\r' : character);
        await clock.advance(30);
      }
      await settle();
    },
    paste: async (text) => {
      terminal.push(`\x1b[200~${text}\x1b[201~`);
      await settle();
    },
    raw: async (bytes) => {
      terminal.push(bytes);
      await settle();
    },
    mouse: async (action, x, y) => {
      const code = { press: 0, drag: 32, release: 0, 'wheel-up': 64, 'wheel-down': 65 }[action];
      terminal.push(`\x1b[<${code};${x + 1};${y + 1}${action === 'release' ? 'm' : 'M'}`);
      await settle();
    },
    resize: async (columns, rows) => {
      terminal.resizeTo(columns, rows);
      await settle();
    },
    publish: async (...changes) => {
      fake.publish(changes);
      await settle();
    },
    wait: (ms) => clock.advance(ms),
    screenText: () => frameText(shown().frame),
    region: (name) => regionText(shown().frame, name),
    cell: (x, y) => shown().frame.cell(x, y),
    find: (text) => findText(shown().frame, text),
    get frame() {
      return shown().frame;
    },
    get screen() {
      return shown().screen;
    },
    get draft() {
      return shown().screen.prompt.editor.buffer.text.toString();
    },
    exit,
    get left() {
      return left;
    },
  };
}

/** Rows whose hit target names the region, found where they were drawn. */
function regionText(frame: Frame, name: 'header' | 'transcript' | 'dialog' | 'prompt' | 'below' | 'hint'): string {
  const region = name === 'dialog' ? 'question' : name;
  const rows = Array.from({ length: frame.height }, (_, y) => y).filter((y) => frame.hitAt(1, y)?.region === region);
  const first = rows[0];
  if (first === undefined) return '';
  return textWithin(frame, { x: 0, y: first, width: frame.width, height: rows.length });
}

const NAMED: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  'shift-tab': '\x1b[Z',
  escape: '\x1b',
  backspace: '\x7f',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  'ctrl-home': '\x1b[1;5H',
  'ctrl-end': '\x1b[1;5F',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  delete: '\x1b[3~',
  f1: '\x1bOP',
  'shift-enter': '\x1b[13;2u',
  'ctrl-enter': '\x1b[13;5u',
  'ctrl-j': '\n',
};

/** What a terminal sends for a chord. */
export function bytesOf(chord: string): string {
  const named = NAMED[chord];
  if (named !== undefined) return named;
  const control = /^ctrl-([a-z])$/.exec(chord);
  if (control !== null) return String.fromCharCode(control[1]!.charCodeAt(0) - 96);
  const alt = /^alt-(shift-)?(.)$/.exec(chord);
  if (alt !== null) return `\x1b${alt[1] === undefined ? alt[2]! : alt[2]!.toUpperCase()}`;
  if ([...chord].length === 1) return chord;
  throw new Error(`no bytes known for ${chord}`);
}

/** Whatever a frame kept from the one before must stand as if it had been drawn anew. */
function expectKeptAsDrawn(frame: Frame, drawWhole: (painter: Painter) => void): void {
  const whole = new Frame(frame.width, frame.height);
  drawWhole(whole.painter());
  whole.flush({ depth: 'truecolor', synchronized: true });
  const at = frame.differsFrom(whole);
  if (at !== null)
    throw new Error(
      `column ${at.x} of row ${at.y} was kept but is drawn otherwise:\n${frame.rows()[at.y]}\n${whole.rows()[at.y]}`,
    );
  const columns = [0, frame.width >> 2, frame.width >> 1, frame.width - 2];
  for (let y = 0; y < frame.height; y++) for (const x of columns) expect(frame.hitAt(x, y)).toEqual(whole.hitAt(x, y));
  expect(frame.cursor).toEqual(whole.cursor);
}
