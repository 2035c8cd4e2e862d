import { done, type Outcome, refuse } from '../../src/base/refusal.ts';
import type { LineOrder, LineResult } from '../../src/core/jobs/line.ts';
import { createDrafts } from '../../src/core/journal/drafts.ts';
import { createJournal, openJournal } from '../../src/core/journal/file-journal.ts';
import type { Journal } from '../../src/core/journal/journal.ts';
import type { Model } from '../../src/core/models/model.ts';
import { parseModelRef } from '../../src/core/models/model-ref.ts';
import { NO_RULES } from '../../src/core/policy/rules.ts';
// The grammar is loaded when a line first needs it; a clock moved by hand does not wait for that.
import '../../src/core/policy/shell-command.ts';
import { type ControllerOptions, createController, type SessionController } from '../../src/core/session/controller.ts';
import type { Tool, ToolOutcome, ToolWorld } from '../../src/core/tools/tool.ts';
import type { Effect } from '../../src/protocol/effect.ts';
import type { Intent, Sent } from '../../src/protocol/intent.ts';
import { TRUSTED_PUBLIC } from '../../src/protocol/label.ts';
import { apply, emptyHead, emptyView } from '../../src/protocol/reduce.ts';
import type { Update } from '../../src/protocol/update.ts';
import type { InputOutcome, Item, View } from '../../src/protocol/view.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';

export const FOLDER = '/yard';
export const SESSION_FOLDER = '/home/pat/state/session';

export const ESCAPE: Intent = { type: 'cancel', queue: 'go-on' };
export const CTRL_C: Intent = { type: 'cancel', queue: 'pause' };

/** One client of a session: its own View, moved by the updates it was sent. */
export interface Seat {
  readonly view: View;
  readonly updates: readonly Update[];
  send(intent: Intent): Promise<Sent>;
  say(text: string, delivery?: 'steering' | 'queue' | 'interrupt' | 'shell'): Promise<Sent>;
  outcome(ref: string): InputOutcome | null;
  /** Resolves once `holds`; time passes as far as it takes. */
  until(holds: (view: View) => boolean): Promise<View>;
  detach(): void;
}

export interface House {
  readonly system: MemorySystem;
  readonly session: SessionController;
  readonly journal: Journal;
  seat(client: string, after?: number, view?: View): Seat;
  /** Lets what is ready run, without time passing. */
  settle(): Promise<void>;
  idle(): Promise<void>;
}

export interface HouseOptions extends Partial<Omit<ControllerOptions, 'models'>> {
  readonly model?: never;
  readonly script: Model;
  readonly others?: readonly Model[];
  /** True models in place of the script. */
  readonly models?: ControllerOptions['models'];
  /** The model cannot be opened. */
  readonly problem?: { identifier: string; message: string };
}

/** A session on a whole system in memory, its journal in files there; opens the one that is there already. */
export async function openHouse(options: HouseOptions): Promise<House> {
  const system = (options.system as MemorySystem | undefined) ?? createMemorySystem();
  const journal = options.journal ?? (await openOrCreate(system));
  const session = await createController({
    system,
    journal,
    models: options.models ?? modelsOf(options),
    tools: [lookTool, doTool],
    settings: { effort: 'default', retries: 5, stallMs: 120_000 },
    rules: NO_RULES,
    scope: {
      workspace: FOLDER,
      roots: [],
      trust: new Map([[FOLDER, true]]),
      home: '/home/pat',
      own: ['/home/pat/state'],
      outputs: `${SESSION_FOLDER}/outputs`,
      path: '/usr/bin:/bin',
    },
    instructions: [],
    version: '0.0.0',
    mode: null,
    bypassOffered: false,
    canAsk: true,
    roundLimit: null,
    drafts: createDrafts(system.files, `${SESSION_FOLDER}/drafts`),
    attachments: `${SESSION_FOLDER}/attachments`,
    beforeImages: `${SESSION_FOLDER}/before-images`,
    notSaved: null,
    runLine: scriptedLine(),
    runOwnLine: scriptedLine(),
    runHelper: async () => ({ code: 0, out: new Uint8Array(), err: '', cut: null }),
    sandbox: 'standard',
    redact: (text) => text,
    ...withoutScript(options),
    model: null,
  });

  let refs = 0;
  return {
    system,
    session,
    journal,
    settle: () => system.clock.settle(),
    idle: () => system.clock.runUntil(session.idle()),
    seat(client, after, view = emptyView(emptyHead('', '', ''))) {
      const updates: Update[] = [];
      const checks = new Set<() => void>();
      const attachment = session.attach({ client, ...(after === undefined ? {} : { after }) }, (update) => {
        updates.push(update);
        apply(view, update);
        for (const check of [...checks]) check();
      });
      return {
        view,
        updates,
        send: (intent) => session.send(intent, client),
        say: (text, delivery = 'steering') =>
          session.send({ type: 'say', ref: `${client}-${++refs}`, text, attachments: [], delivery }, client),
        outcome: (ref) => view.outcomes.find((one) => one.client === client && one.ref === ref) ?? null,
        until: async (holds) => {
          const { promise, resolve } = Promise.withResolvers<View>();
          const check = () => {
            if (holds(view)) resolve(view);
          };
          checks.add(check);
          check();
          await system.clock.runUntil(promise);
          checks.delete(check);
          return view;
        },
        detach: () => attachment.close(),
      };
    },
  };
}

function withoutScript(options: HouseOptions): Partial<ControllerOptions> {
  const { script: _script, others: _others, problem: _problem, models: _models, ...rest } = options;
  return rest;
}

async function openOrCreate(system: MemorySystem): Promise<Journal> {
  const place = { files: system.files, clock: system.clock, ids: system.ids, folder: SESSION_FOLDER };
  const found = await openJournal(place);
  if (found.ok) return found.value;
  const first = {
    kind: 'session',
    version: 1,
    session: 's1',
    folder: FOLDER,
    build: 'test',
    forkedFrom: null,
  } as const;
  const made = await createJournal({ ...place, session: 's1', first });
  if (!made.ok) throw new Error(made.refusal.message);
  return made.value;
}

function modelsOf({ script, others = [], problem }: HouseOptions): ControllerOptions['models'] {
  const all = [script, ...others];
  const open = (ref: Model['ref']): Outcome<Model> => {
    const found = all.find((model) => model.ref.provider === ref.provider && model.ref.model === ref.model);
    return found ? done(found) : refuse('unknown-model', `there is no ${ref.provider}:${ref.model}`);
  };
  return {
    parse: (text) => {
      const ref = parseModelRef(text, () => true);
      return ref === null ? refuse('unknown-model', 'not a model') : done(ref);
    },
    open: async (ref) => open(ref),
    list: () => all.map(({ ref, facts }) => ({ ref, facts, provider: 'Script', ready: true })),
    configured: ({ session }) =>
      problem ? refuse(problem.identifier, problem.message) : done({ ref: session ?? script.ref, from: 'settings' }),
  };
}

/** Reads nothing and needs no permission: answers what its argument says, after as long as it says. May run beside others. */
export const lookTool: Tool<{ text: string; ms: number }> = {
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  routing: [],
  order: 'beside',
  title: (input) => `Look ${(input as { at?: string } | null)?.at ?? ''}`.trim(),
  plan: async (input) => {
    const { at = '', ms = 0 } = input as { at?: string; ms?: number };
    return { ok: true, title: `Look ${at}`, effects: [], diffs: [], planned: { text: `saw ${at}`, ms } };
  },
  run: async ({ text, ms }, world) => {
    if (ms > 0 && !(await world.clock.sleep(ms, world.signal))) return stoppedOutcome('look was stopped');
    return okOutcome(text);
  },
};

/** Runs a line through the gate. */
export const doTool: Tool<null> = {
  name: 'do',
  description: 'Runs a line.',
  input: { type: 'object' },
  routing: ['line'],
  order: 'alone',
  title: (input) => `Run ${(input as { line?: string } | null)?.line ?? ''}`.trim(),
  plan: async (input) => {
    const { line } = input as { line: string };
    const effect: Effect = {
      kind: 'run',
      line,
      folder: FOLDER,
      background: false,
      terminal: false,
      timeoutMs: 60_000,
      label: TRUSTED_PUBLIC,
    };
    return { ok: true, title: `Run ${line}`, effects: [effect], diffs: [], planned: null };
  },
  run: async (_planned, world: ToolWorld) => {
    const result = await world.runLine((text) => world.progress(text));
    if (result.endedBy === 'stopped') return stoppedOutcome('the command was stopped');
    return okOutcome(result.head);
  },
};

function okOutcome(text: string): ToolOutcome {
  return { ok: true, text, provenance: { from: 'houston' }, display: { kind: 'none' } };
}

function stoppedOutcome(message: string): ToolOutcome {
  return { ok: false, kind: 'stopped', message };
}

/** Runs `sleep N` for as long as it is not stopped, `false` with exit 1, and prints anything else. */
export function scriptedLine(clock?: MemorySystem['clock']) {
  return async (order: LineOrder, signal: AbortSignal, onOutput: (text: string) => void): Promise<LineResult> => {
    const seconds = Number(/^sleep (\d+)$/.exec(order.line)?.[1] ?? 0);
    const whole = clock === undefined || seconds === 0 ? !signal.aborted : await clock.sleep(seconds * 1000, signal);
    const text = whole ? `${order.line} ran\n` : '';
    onOutput(text);
    return {
      exit: whole ? (order.line === 'false' ? 1 : 0) : null,
      endedBy: whole ? 'exit' : 'stopped',
      output: null,
      outputTrouble: null,
      head: text,
      tail: '',
      omittedBytes: 0,
      totalBytes: text.length,
      totalLines: 1,
      job: null,
      duration: seconds * 1000,
      ended: [],
    };
  };
}

/** The transcript in short, one line an item. */
export function transcriptOf(view: View): string[] {
  return view.transcript.items.map(lineOf);
}

function lineOf(item: Item): string {
  switch (item.kind) {
    case 'user':
      return `${item.as}: ${item.text}${item.stopped ? ' (stopped)' : ''}`;
    case 'assistant':
      return `model: ${item.text}`;
    case 'thinking':
      return `thinking: ${item.text}`;
    case 'call':
      return `call ${item.title}: ${item.state}`;
    case 'hook':
      return `hook ${item.label}`;
    case 'note':
      return `note ${item.identifier}`;
    case 'turn-end':
      return `end: ${item.reason}`;
    case 'compaction':
      return 'compaction';
  }
}
