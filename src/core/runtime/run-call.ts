import { refuse } from '../../base/refusal.ts';
import type { TodoItem } from '../../protocol/display.ts';
import type { Effect } from '../../protocol/effect.ts';
import type { EntryBody } from '../../protocol/entry.ts';
import { SystemError } from '../../system/files.ts';
import { issueGrant } from '../policy/grant.ts';
import { trustAfterWrite } from '../policy/trust.ts';
import { type GrantedWrite, openWorld } from '../policy/world.ts';
import type { ToolOutcome, ToolWorld } from '../tools/tool.ts';
import { explain } from '../tools/tool-paths.ts';
import type { KeptFile } from '../values/slot.ts';
import type { Allowed } from './allowed.ts';
import { type AsideWorld, asideWorld } from './aside-world.ts';
import { guard } from './guard.ts';
import { holdKeys } from './hold-keys.ts';
import { ownWords, type Presented, presentOutcome } from './present.ts';
import { markRedirections } from './redirections.ts';
import type { CallPart, Runtime, StopCause, TurnTerms } from './runtime.ts';
import type { TurnProgress } from './turn-progress.ts';

export type CallResult = Presented & {
  readonly title: string;
  /** Milliseconds. */
  readonly duration: number;
  /** Entries that belong in front of the result. */
  readonly before: readonly EntryBody[];
};

/**
 * Runs one allowed call: its `call` entry is on the disk before the first effect, so that a crash leaves "outcome
 * unknown" and never "run again". A stop ends commands and questions; a write that began is carried out.
 */
export async function runCall(
  runtime: Runtime,
  terms: TurnTerms,
  progress: TurnProgress,
  call: CallPart,
  allowed: Allowed,
): Promise<CallResult> {
  const { turn, signal } = terms;
  const { recorder, system, calls } = runtime;
  const { tool, title, effects, facts } = allowed;
  const entry: EntryBody = {
    kind: 'call',
    turn,
    call: call.call,
    tool: call.tool,
    title,
    effects: effects.map(forRecord),
    decidedBy: allowed.by,
  };
  const saved = await guard(recorder, () => recorder.write([entry]));
  if (!saved.ok)
    return {
      ...ownWords('error', `Not run, because it could not be recorded: ${saved.message}`),
      title,
      duration: 0,
      before: [],
    };
  const started = system.clock.ticks();
  const before: EntryBody[] = [];
  const duration = (): number => Math.round(system.clock.ticks() - started);
  if (signal.aborted) return { ...ownWords('stopped', stoppedText(signal)), title, duration: 0, before };

  const kept = keptAside(allowed);
  if (kept !== null) return { ...(await keepAside(runtime, call.call, kept)), title, duration: duration(), before };
  const ran = await guard(recorder, () =>
    tool.run(allowed.planned, {
      ...openToolWorld(runtime, signal, call, allowed, before),
      ...asideWorld({ runtime, terms, progress }, call, allowed, before),
    }),
  );
  const outcome: ToolOutcome = ran.ok ? ran.value : { ok: false, kind: 'error', message: ran.message };
  const held = await holdKeys({ runtime, terms, progress }, call, allowed, outcome);
  if (held !== null) return { ...held, title, duration: duration(), before };
  return {
    ...presentOutcome(outcome, allowed.output, facts, calls.gate, calls.redact, call.call),
    title,
    duration: duration(),
    before,
  };
}

/** The file to keep aside unopened, null for a call that runs (SEC-8). */
function keptAside({ file, picture, output, facts, effects }: Allowed): KeptFile | null {
  if (file === null) return null;
  const fact = facts.paths.find((known) => known.path === file);
  if (fact === undefined) return null;
  const { path, real } = fact;
  const [ref] = effects.flatMap((effect) => (effect.kind === 'read' && effect.path === file ? (effect.ref ?? []) : []));
  const kept = { path, real, ...(ref === undefined ? {} : { named: ref }) };
  // No trust in a path vouches for what a picture says (TOOL-3).
  if (picture !== null) return { ...kept, picture };
  return output === 'text' || fact.trusted || fact.output ? null : kept;
}

async function keepAside(runtime: Runtime, call: string, file: KeptFile): Promise<Presented> {
  const { gate } = runtime.calls;
  try {
    const shown = await gate.quarantine.keepFile(file);
    gate.audit({ event: 'present', call, label: shown.label, ref: shown.ref });
    return { outcome: 'ok', ...shown, images: [], output: null, job: null };
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    return ownWords('error', explain(error, file.named ?? file.path));
  }
}

/** Writes what was granted, and keeps the trust map true: a file is never trusted for longer than its content is (SEC-20). */
async function writeKeepingTrust({ calls }: Runtime, write: GrantedWrite): Promise<void> {
  const { trust, mode } = calls.gate;
  const change = trustAfterWrite(trust.map, write.real, write.label.integrity);
  const decision = (trusted: boolean) => ({ path: write.real, trusted, by: 'write' }) as const;
  if (change === false) await trust.set(decision(false));
  await calls.write(write);
  // Bypass vouches for nothing that lasts (PR-4).
  if (change === true && mode() !== 'bypass') await trust.set(decision(true));
}

/** The world of one run: what its grant covers, and the session's own things. */
function openToolWorld(
  runtime: Runtime,
  signal: AbortSignal,
  call: CallPart,
  allowed: Allowed,
  before: EntryBody[],
): Omit<ToolWorld, keyof AsideWorld> {
  const { calls, system, publish } = runtime;
  const guarded = openWorld({
    grant: issueGrant(allowed.effects, allowed.facts),
    call: call.call,
    files: system.files,
    processes: calls.gate.processes,
    rules: calls.gate.rules,
    signal,
    runLine: (order, stop, onOutput) =>
      markRedirections(
        calls.gate.trust,
        system.files,
        allowed,
        () => calls.runLine({ ...order, reads: allowed.output, purpose: call.why ?? '' }, stop, onOutput),
        ({ endedBy }) => endedBy === 'background',
      ),
    runHelper: calls.runHelper,
    write: (write) => writeKeepingTrust(runtime, write),
    content: async (ref) => {
      const sealed = await calls.gate.quarantine.content(ref);
      const to = allowed.effects.find((effect) => effect.kind === 'write');
      if (sealed !== null)
        calls.gate.audit({
          event: 'release',
          call: call.call,
          ref,
          to: to === undefined ? 'program' : 'file',
          path: to === undefined ? null : (to.ref ?? to.path),
        });
      return sealed;
    },
  });
  let todo: readonly TodoItem[] | null = null;
  return {
    call: call.call,
    folder: calls.folder,
    files: guarded.files,
    clock: system.clock,
    signal,
    runLine: guarded.runLine,
    ...(calls.jobs === undefined ? {} : { jobs: calls.jobs }),
    runHelper: guarded.runHelper,
    ask: async (questions) => {
      if (!calls.canAsk) return null;
      const answer = await calls.ask(
        { for: null, origin: '', call: call.call, body: { kind: 'questions', questions } },
        signal,
      );
      return answer?.kind === 'answers' ? answer.answers : null;
    },
    setTodo: (items) => {
      todo = items;
      before.push({ kind: 'todo', items });
    },
    todo: () => todo ?? calls.todo(),
    sawFile: calls.ledger.saw,
    watchFile: async (path) => (await calls.standing?.watch(path, '')) ?? NOBODY,
    pace: (wish) => calls.standing?.pace(wish) ?? NOBODY.refusal.message,
    // What is kept from the model is shown once it is marked as such.
    progress: (text) => {
      if (allowed.output === 'text') publish({ type: 'call-output', call: call.call, text: calls.redact(text) });
    },
  };
}

const NOBODY = refuse('needs-a-person', 'Nothing can start turns by itself here: nobody is there to stop it.');

/** A name that was only known by its reference stays out of the record (SEC-42). */
function forRecord(effect: Effect): Effect {
  return (effect.kind === 'read' || effect.kind === 'write') && effect.ref !== undefined
    ? { ...effect, path: effect.ref }
    : effect;
}

function stoppedText(signal: AbortSignal): string {
  return (signal.reason as StopCause) === 'closing'
    ? 'Not run: Houston was closed.'
    : 'Not run: the person stopped the turn.';
}
