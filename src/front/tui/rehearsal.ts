import type { EntryBody } from '../../protocol/entry.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { emptyHead, emptyView } from '../../protocol/reduce.ts';
import type { Session } from '../../protocol/session.ts';
import type { Change, Update } from '../../protocol/update.ts';
import type { Head } from '../../protocol/view.ts';
import { type MissionControl, type MissionControlOptions, runMissionControl } from './app.ts';
import type { RestWork } from './rest.ts';

/** What code is run depends on it. */
type Look = Pick<MissionControlOptions, 'theme' | 'reducedMotion' | 'keybindings' | 'maxPromptRows' | 'onFrame'>;

/** What passes between two steps, in milliseconds: a frame of a stream is due. */
const STEP_MS = 30;
const SAID = 'look through the parser and mend what is wrong with it';
const REPLY = [
  '## What was wrong\n\n',
  'The *reader* took **every** line for a `heading`, so a list became:\n\n',
  '- one [link](https://example.com)\n- another, 全角 and é\n\n',
  '```ts\nexport function read(line: string): number {\n  return line.length; // all of it\n}\n```\n\n',
  '| file | lines |\n|---|---|\n| `parser.ts` | 120 |\n\n1. Read it.\n2. Mend it.\n\nThat is all.\n',
].join('');

/**
 * The first keys of a process run code that was never run before, several times slower than later. So while nobody does
 * anything, Mission Control is played once to no audience: somebody types, a reply streams, files are read. The code is then
 * as ready for the first key as for the thousandth. Nothing of it leaves this function's own session, terminal and clock.
 */
export function createRehearsal(
  house: Pick<MissionControl, 'processes' | 'environment'> & { readonly options: Look; readonly head: Partial<Head> },
  size: { readonly columns: number; readonly rows: number },
): RestWork {
  let play: Iterator<void> | null = null;
  return () => {
    play ??= perform(house, size);
    return play.next().done !== true;
  };
}

function* perform(
  { processes, environment, options, head }: Parameters<typeof createRehearsal>[0],
  size: Parameters<typeof createRehearsal>[1],
): Generator<void, void, void> {
  const clock = createStageClock();
  const terminal = createStageTerminal(size);
  const session = createStageSession(head);
  void runMissionControl({
    session: session.door,
    client: 'rehearsal',
    terminal: terminal.door,
    clock: clock.door,
    processes,
    environment,
    options: { ...options, terminalTitle: false },
  });
  const press = (keys: string): void => {
    terminal.type(keys);
    clock.pass(STEP_MS);
  };
  const tell = (...changes: Change[]): void => {
    session.publish(changes);
    clock.pass(STEP_MS);
  };
  // Its snapshot is told as any session's is: a moment later.
  yield;
  for (const letter of SAID) yield press(letter);
  for (const key of ['\x1b[D', '\x1b[D', '\x1b[C', '\x7f', '\x7f', 'x', 'y', '\r']) yield press(key);
  let entries = 0;
  const entry = (body: EntryBody): Change => {
    const id = `r${++entries}`;
    return { type: 'entry', entry: { id, parent: null, time: clock.door.now(), ...body } };
  };
  tell({ type: 'live-start', turn: 1, round: 1 });
  for (let at = 0; at < REPLY.length; at += 8) {
    tell({ type: 'delta', part: 0, kind: 'text', text: REPLY.slice(at, at + 8) });
    if (at % 32 === 0) press('z');
    yield;
  }
  for (let call = 0; call < 12; call++) {
    const name = { call: `c${call}`, tool: 'read', title: `Read src/parser-${call}.ts` };
    const at = { turn: 1, ...name };
    const parts = [
      ...(call === 0 ? [{ type: 'text', text: REPLY } as const] : []),
      { type: 'call', ...name, input: {}, why: null } as const,
    ];
    tell(entry({ ...message, round: call, parts }));
    tell(entry({ kind: 'call', ...at, effects: [], decidedBy: 'mode' }));
    tell(entry({ kind: 'result', ...at, ...result, text: REPLY }));
    yield;
  }
  terminal.end();
}

const message = {
  kind: 'assistant',
  turn: 1,
  model: { provider: 'none', model: 'none' },
  stop: 'calls',
  usage: { input: 1, output: 1, cacheRead: null, cacheWrite: null, reasoning: null },
  cost: null,
  requestId: null,
  duration: 1,
} as const;
const result = {
  outcome: 'ok',
  images: [],
  ref: null,
  label: TRUSTED_PUBLIC,
  display: { kind: 'none' },
  output: null,
  job: null,
  duration: 1,
} as const;

interface Stage<Door> {
  readonly door: Door;
}

/** Goes on when it is told to. */
function createStageClock(): Stage<MissionControl['clock']> & { pass(ms: number): void } {
  let time = 0;
  let timers: { readonly due: number; readonly ring: () => void }[] = [];
  return {
    door: {
      now: () => time,
      ticks: () => time,
      sleep: () => new Promise(() => {}),
      after: (ms, ring) => {
        const timer = { due: time + ms, ring };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
    },
    pass: (ms) => {
      time += ms;
      const due = timers.filter((timer) => timer.due <= time);
      timers = timers.filter((timer) => timer.due > time);
      for (const { ring } of due) ring();
    },
  };
}

/** Shows nothing. */
function createStageTerminal(size: { readonly columns: number; readonly rows: number }): Stage<
  MissionControl['terminal']
> & {
  type(keys: string): void;
  end(): void;
} {
  let read: (bytes: Uint8Array) => void = () => {};
  let signal: (name: 'TERM') => void = () => {};
  return {
    door: {
      isInteractive: { input: true, output: true },
      size: () => size,
      write: () => {},
      raw: () => {},
      onInput: (listener) => {
        read = listener;
        return () => {};
      },
      onResize: () => () => {},
      onSignal: (listener) => {
        signal = listener;
        return () => {};
      },
      suspend: async () => {},
    },
    type: (keys) => read(new TextEncoder().encode(keys)),
    end: () => signal('TERM'),
  };
}

/** Takes everything in and does nothing with it. */
function createStageSession(head: Partial<Head>): Stage<Session> & { publish(changes: readonly Change[]): void } {
  const view = emptyView({ ...emptyHead('', '', ''), ...head, ready: true });
  view.activity.phase = 'idle';
  let listener: (update: Update) => void = () => {};
  let seq = 0;
  const publish = (changes: readonly Change[]): void => listener({ seq: ++seq, changes });
  return {
    door: {
      attach: (_, heard) => {
        listener = heard;
        queueMicrotask(() => listener({ seq, changes: [{ type: 'snapshot', view, draft: null }] }));
        return { close: () => {}, closed: new Promise(() => {}) };
      },
      send: async () => ({ accepted: true, value: null }),
      read: () => new Promise(() => {}),
    },
    publish,
  };
}
