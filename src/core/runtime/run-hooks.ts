import path from 'node:path';
import { childAbort } from '../../base/abort.ts';
import type { Json } from '../../base/json.ts';
import type { HookInjected, HookRan, HookStatus } from '../../protocol/entry.ts';
import { type Label, TRUSTED_PUBLIC } from '../../protocol/label.ts';
import type { AssistantPart } from '../../protocol/message.ts';
import type { Clock } from '../../system/clock.ts';
import type { Files } from '../../system/files.ts';
import type { Processes } from '../../system/processes.ts';
import type { System } from '../../system/system.ts';
import { type Hook, type HookPhase, matchesHook } from '../extensions/hooks.ts';
import { injectedItems } from '../extensions/injected-items.ts';
import { childEnvironment, HOOK_MARK } from '../jobs/child-environment.ts';
import { type HookEnd, runHook } from '../jobs/run-hook.ts';
import { makeVisible } from '../policy/visible-text.ts';
import type { HookSide, Hooks, ToolMoment } from './hooks.ts';

export interface RunHooksParts {
  readonly system: {
    readonly clock: Clock;
    readonly files: Pick<Files, 'makeFolder' | 'writeAtomic' | 'remove'>;
    readonly ids: System['ids'];
    readonly processes: Processes;
  };
  readonly hooks: readonly Hook[];
  /** Why a hook may not run any more, such as a script that is another one by now; null where it may. */
  readonly objection: (hook: Hook) => Promise<string | null>;
  readonly session: string;
  /** Houston's own, and the names in it that are nobody else's business. */
  readonly environment: () => Readonly<Record<string, string>>;
  readonly secretNames: readonly string[];
  /** The session's folder for what is too large for standard input, absolute; null where nothing is saved. */
  readonly place: string | null;
  /** Whether the person lets hooks tell the model anything (HR-4). */
  readonly injects: boolean;
}

/** A value larger than this goes into a file, and the hook is told its name (HR-2). */
const INLINE_BYTES = 16 * 1024;
/** What is kept of what a hook prints. */
const OUTPUT_BYTES = 64 * 1024;
const TEXT_CHARACTERS = 400;
/** How long closing waits for hooks nobody waited for. */
const CLOSE_MS = 5_000;

export function createHooks(parts: RunHooksParts): Hooks {
  const { system, hooks } = parts;
  const { clock, ids } = system;
  const closing = childAbort();
  const under = new Set<Promise<unknown>>();
  const keep = (work: Promise<unknown>): void => {
    const kept = work.catch(() => {}).then(() => void under.delete(kept));
    under.add(kept);
  };
  const matching = (phase: HookPhase, names: readonly string[] = []): readonly Hook[] =>
    hooks.filter((hook) => matchesHook(hook, phase, names));

  const runOne = async (side: HookSide, hook: Hook, about: Moment): Promise<void> => {
    const id = `h-${ids.hex(6)}`;
    const { call, tool } = about;
    const row = { hook: id, phase: hook.phase, label: hook.label, text: '' };
    if (call !== null && side.recorder !== null)
      side.publish({ type: 'hook', call, row: { ...row, status: 'running', duration: null } });
    const began = clock.ticks();
    const end = await start(side, hook, about, id);
    if (end.files.length > 0)
      keep(end.gone.then(() => Promise.all(end.files.map((file) => system.files.remove(file)))));
    keep(end.gone);
    const status = statusOf(end);
    const vouched = about.label.integrity === 'trusted';
    const why = status === 'failed' ? failureText(end, hook) : '';
    // What it says of something nobody vouched for is kept nowhere (SEC-42).
    const said = vouched ? cleaned(side.redact(status === 'ok' ? end.out : end.err || end.out)) : '';
    const text = [why, said].filter((part) => part !== '').join(': ');
    if (side.recorder === null) {
      if (status === 'failed') side.onFailure?.(`The hook “${hook.label}” failed: ${text}`);
      return;
    }
    const injected = status === 'ok' && hook.inject && parts.injects ? inject(side, hook, about, end, id) : null;
    const duration = Math.round(clock.ticks() - began);
    const ran: HookRan = { ...row, text, tool, call, status, duration, injected };
    await write(side, ran);
  };

  const write = async ({ recorder, turn }: HookSide, ran: HookRan): Promise<void> => {
    if (recorder === null) return;
    if (!ran.phase.startsWith('turn_')) await recorder.write([{ kind: 'hook', turn, ...ran }], KEEP);
    else {
      const data = { turn, ...ran } as unknown as Json;
      const text = `The hook “${ran.label}” (${ran.phase}) failed: ${ran.text}`;
      await recorder.write(
        [
          { kind: 'record', name: 'hook', data },
          ...(ran.status === 'failed' ? [{ kind: 'note', level: 'warning', identifier: 'hook', text } as const] : []),
        ],
        KEEP,
      );
    }
  };

  const start = async (
    side: HookSide,
    hook: Hook,
    about: Moment,
    id: string,
  ): Promise<HookEnd & { readonly files: readonly string[] }> => {
    const objection = await parts.objection(hook);
    if (objection !== null) return { ...NOT_STARTED, err: objection, files: [] };
    const files: string[] = [];
    const body: Record<string, Json> = { type: 'houston.tool_hook', version: 1, phase: hook.phase, label: hook.label };
    body.session = parts.session;
    body.turn = side.turn;
    body.folder = side.folder;
    for (const [name, value] of Object.entries(about.payload))
      body[name] = await byReference(parts, redactAll(value, side.redact), `${id}-${name}`, files);
    const marks = { session: parts.session, call: id };
    const environment = childEnvironment(parts.environment(), marks, parts.secretNames);
    const stop = childAbort(side.signal, closing.signal);
    const end = await runHook(
      system,
      {
        argv: typeof hook.command === 'string' ? ['sh', '-c', hook.command] : hook.command,
        folder: side.folder,
        environment: { ...environment, [HOOK_MARK]: '1' },
        input: new TextEncoder().encode(`${JSON.stringify(body)}\n`),
        timeoutMs: hook.timeout * 1000,
        mostBytes: OUTPUT_BYTES,
      },
      stop.signal,
    );
    stop.release();
    return { ...end, files };
  };

  /** One after the other, in the order they stand in: a formatter is done before a linter looks. */
  const runAll = async (side: HookSide, found: readonly Hook[], about: Moment): Promise<void> => {
    for (const hook of found) {
      if (side.signal.aborted || closing.signal.aborted) return;
      await runOne(side, hook, about).catch(() => {});
    }
  };

  return {
    tool: async (side, moment) => {
      const names = [moment.tool, ...(moment.alias === undefined ? [] : [moment.alias])];
      const found = matching(moment.phase, names);
      if (found.length > 0) await runAll(side, found, toolAbout(moment));
    },
    message: async (side, said) => {
      for (const [phase, type] of MESSAGE_PHASES) {
        const found = matching(phase);
        const text = textOf(said, type);
        if (found.length > 0 && text !== '') await runAll(side, found, messageAbout(side, text));
      }
    },
    turn: (side, { phase, reason }) => {
      const found = matching(phase);
      const payload = reason === undefined ? {} : { reason };
      if (found.length > 0) keep(runAll(side, found, { call: null, tool: null, label: TRUSTED_PUBLIC, payload }));
    },
    close: async () => {
      if (under.size === 0) return;
      const done = childAbort();
      const settled = async (): Promise<void> => {
        while (under.size > 0) await Promise.all(under);
      };
      await Promise.race([settled().then(() => done.abort('settled')), clock.sleep(CLOSE_MS, done.signal)]);
      closing.abort('closing');
      await settled();
    },
  };
}

const KEEP = { onFailure: 'keep' } as const;
const MESSAGE_PHASES = [
  ['after_reasoning', 'thinking'],
  ['after_assistant', 'text'],
] as const;

/** What a hook is told about, and how far that may be trusted: nothing it makes of it can be trusted further (SEC-3). */
interface Moment {
  readonly call: string | null;
  readonly tool: string | null;
  readonly label: Label;
  readonly payload: Readonly<Record<string, Json>>;
}

function toolAbout({ tool, call, title, arguments: given, outcome }: ToolMoment): Moment {
  const payload = { tool, call, title, arguments: given };
  if (outcome === undefined) return { call, tool, label: TRUSTED_PUBLIC, payload };
  const { status, text, duration, label } = outcome;
  return { call, tool, label, payload: { ...payload, outcome: { status, duration }, result: text } };
}

function messageAbout({ said }: HookSide, text: string): Moment {
  return { call: null, tool: null, label: said(), payload: { text } };
}

function textOf(said: readonly AssistantPart[], type: 'thinking' | 'text'): string {
  return said.flatMap((part) => (part.type === type && part.text.trim() !== '' ? [part.text] : [])).join('\n\n');
}

const NOT_STARTED = {
  ended: 'not-started',
  exit: null,
  out: '',
  err: '',
  outBytes: 0,
  gone: Promise.resolve(),
} as const;

function statusOf({ ended, exit }: HookEnd): HookStatus {
  if (ended === 'stopped') return 'stopped';
  return ended === 'exit' && exit === 0 ? 'ok' : 'failed';
}

function failureText({ ended, exit }: HookEnd, { timeout }: Hook): string {
  if (ended === 'timeout') return `it was ended after ${timeout} s`;
  if (ended === 'not-started') return 'it was not started';
  return ended === 'signal' ? 'a signal ended it' : `exit ${exit}`;
}

/** On one line, without anything a terminal would obey, and short. */
function cleaned(text: string): string {
  const line = text
    .slice(0, 4 * TEXT_CHARACTERS)
    .trim()
    .replace(/\s+/g, ' ');
  const { text: shown } = makeVisible(line.toWellFormed());
  return shown.length > TEXT_CHARACTERS ? `${shown.slice(0, TEXT_CHARACTERS).toWellFormed()}…` : shown;
}

/** What it has to say to the model: never vouched for better than what it was given, so it may have to be kept aside. */
function inject(side: HookSide, hook: Hook, about: Moment, end: HookEnd, id: string): HookInjected | null {
  // Before anything is cut, so that no half of a secret is left; and once more, since JSON may spell it otherwise.
  const items = injectedItems(side.redact(end.out)).map(side.redact);
  if (items.length === 0) return null;
  const text = items.join('\n\n');
  const origin = `what the hook ${JSON.stringify(hook.label)} said`;
  const shown = side.present(text, { label: about.label, origin, call: about.call ?? id });
  const bytes = new TextEncoder().encode(text).length;
  return { text: shown.text, ref: shown.ref, label: shown.label, items: items.length, bytes };
}

async function byReference(
  { system, place }: RunHooksParts,
  value: Json,
  name: string,
  written: string[],
): Promise<Json> {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  if (bytes.length <= INLINE_BYTES) return value;
  const left = { reference: null, bytes: bytes.length };
  if (place === null) return left;
  const file = path.join(place, `${name}.json`);
  try {
    await system.files.makeFolder(place, 0o700);
    await system.files.writeAtomic(file, bytes, { mode: 0o600, flush: false });
  } catch {
    return left;
  }
  written.push(file);
  return { ...left, reference: file };
}

function redactAll(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((one) => redactAll(one, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [redact(name), redactAll(inner, redact)]));
}
