import type { EntryBody, TurnEndReason } from '../../protocol/entry.ts';
import type { Failure } from '../../protocol/failure.ts';
import type { Target } from '../../protocol/message.ts';
import type { UsageLimit } from '../../protocol/usage.ts';
import { SystemError } from '../../system/files.ts';
import { internalFailure } from '../models/failures.ts';
import { modelRefText } from '../models/model-ref.ts';
import { makeRoom, makeRoomAfterRefusal, noRoomMade } from './compact-turn.ts';
import { dispatchCalls } from './dispatch-tools.ts';
import { hookSide } from './hook-side.ts';
import type { Waiting } from './inbox.ts';
import { createRepeats } from './repeats.ts';
import { runRound } from './round.ts';
import type { Runtime, StopCause, TurnTerms } from './runtime.ts';
import { expandTags } from './tags.ts';
import { createTurnProgress, type TurnProgress } from './turn-progress.ts';
import { sleepUntilLifted, usageLimit } from './usage-limit.ts';

export interface TurnReport {
  readonly reason: TurnEndReason;
  readonly failure: Failure | null;
  readonly message: string | null;
  /** Calls the permission gate refused. */
  readonly refusals: number;
  /** Whether the model had anything to show before it ended (STOP-6). */
  readonly visible: boolean;
  /** Ended while it slept until a usage limit is lifted: what waits would meet that limit too. */
  readonly asleep: boolean;
}

interface TurnParts {
  readonly runtime: Runtime;
  readonly terms: TurnTerms;
  readonly progress: TurnProgress;
}

type Ending = Pick<TurnReport, 'reason' | 'failure' | 'message'>;

/**
 * One turn: rounds until the model asks for nothing more. Whatever happens it ends in a `turn-end` entry and a report;
 * a bug on the way becomes a note and a failed turn here, so that the session goes on. Rejects only when the opening
 * input could not be written: then nothing has happened and it still waits.
 */
export async function runTurn(runtime: Runtime, terms: TurnTerms): Promise<TurnReport> {
  const { recorder } = runtime;
  const { clock } = runtime.system;
  const started = clock.ticks();
  const progress = createTurnProgress(terms.turn, clock.now(), runtime.publish);
  // Busy before the input leaves the queue: in between it would look as if nothing were going on.
  progress.phase('waiting');
  await open(runtime, terms);
  const { hooks } = runtime;
  hooks?.turn(hookSide(runtime, terms), { phase: 'turn_started' });
  let ending: Ending;
  let notes: EntryBody[] = [];
  try {
    ending = await runRounds(runtime, terms, progress);
  } catch (error) {
    const failure = internalFailure(error, []);
    const text = `${failure.message}: ${failure.detail ?? 'unknown error'}`;
    notes = [{ kind: 'note', level: 'error', identifier: 'internal', text }];
    ending = { reason: 'failed', failure, message: failure.message };
  }
  if (ending.reason !== 'done' && terms.signal.aborted) ending = stopped(terms.signal);
  const duration = Math.round(clock.ticks() - started);
  // A person who stopped it knows why it ended.
  const place = ending.reason === 'failed' ? (runtime.failuresIn?.() ?? null) : null;
  const more = place === null ? {} : { more: place };
  await recorder.write(
    [...notes, { kind: 'turn-end', turn: terms.turn, ...ending, ...more, duration, usage: progress.spent }],
    { onFailure: 'keep' },
  );
  hooks?.turn(
    // The turn is over, and what stopped it stops no hook.
    { ...hookSide(runtime, terms), signal: new AbortController().signal },
    { phase: 'turn_finished', reason: ending.reason },
  );
  const { refusals, visible, asleep } = progress;
  return { ...ending, refusals, visible, asleep };
}

async function runRounds(runtime: Runtime, terms: TurnTerms, progress: TurnProgress): Promise<Ending> {
  const { signal } = terms;
  const repeats = createRepeats();
  const parts = { runtime, terms, progress };
  const made = noRoomMade();
  let { sleeps } = runtime;
  if (terms.asleep !== undefined && !(await sleep(parts, terms.asleep))) return stopped(signal);
  await expandTags(parts, [terms.opening, ...(terms.beside ?? [])]);
  for (let round = 1; ; round++) {
    if (signal.aborted) return stopped(signal);
    // A delegate's may fall to nothing while it runs.
    const { roundLimit } = terms;
    const last = roundLimit !== null && round >= roundLimit;
    // One turn elsewhere is no reason to summarise the conversation (SC-10.5).
    const room = terms.once !== undefined ? ROOM : await makeRoom(parts, made, round);
    if (room.outcome === 'aborted') return stopped(signal);
    if (room.outcome === 'none') return failedBy(room.failure);
    await takeNotices(runtime, terms);
    const reply = await runRound(runtime, terms, progress, round, last);
    if (reply.outcome === 'aborted') return stopped(signal);
    if (reply.outcome === 'failed') {
      if (await leaveImagesOut(runtime, reply)) continue;
      const limit = usageLimit(reply.failure, runtime.system.clock.now());
      if (limit !== null && sleeps-- > 0) {
        if (await sleep(parts, limit)) continue;
        return stopped(signal);
      }
      if (reply.failure.category !== 'context-too-long' || terms.once !== undefined) return failedBy(reply.failure);
      const again = await makeRoomAfterRefusal(parts, made, round, reply.failure);
      if (again.outcome === 'there') continue;
      return again.outcome === 'aborted' ? stopped(signal) : failedBy(again.failure);
    }
    if (reply.stop === 'refusal') return failedBy(REFUSED);
    if (last)
      return { reason: 'limit', failure: null, message: `Stopped after ${round} rounds, the limit of this run.` };
    if (reply.calls.length === 0) return { reason: 'done', failure: null, message: null };

    const finished = await dispatchCalls(runtime, terms, progress, reply.calls, reply.save);
    const stuck = finished.find((one) => repeats.isStuck(one.tool, one.input, one.text));
    if (signal.aborted) return stopped(signal);
    if (stuck !== undefined) {
      return {
        reason: 'repeating',
        failure: null,
        message: `Stopped: ${stuck.tool} was called again and again with the same arguments and the same result.`,
      };
    }
    await takeSteering(parts);
  }
}

/** As long as it lasts the turn is known to be asleep. */
async function sleep(
  { runtime, terms, progress }: { runtime: Runtime; terms: TurnTerms; progress: TurnProgress },
  limit: UsageLimit,
): Promise<boolean> {
  progress.asleep = true;
  const woke = await sleepUntilLifted(runtime, terms, progress, limit);
  progress.asleep = !woke;
  return woke;
}

/** After the service refused an image: true when there were images that can be left out of the next try (UP-28). */
async function leaveImagesOut(
  runtime: Runtime,
  { failure, images }: { failure: Failure; images: ReadonlySet<string> },
): Promise<boolean> {
  if (failure.category !== 'image-rejected' || images.size === 0) return false;
  for (const hash of images) runtime.refusedAttachments.add(hash);
  const text =
    'The model service refused a picture in this conversation. Pictures sent so far are left out of the request, and it is tried again.';
  await runtime.recorder.write([{ kind: 'note', level: 'warning', identifier: 'images-left-out', text }], {
    onFailure: 'keep',
  });
  return true;
}

/** The opening input joins the branch and the turn begins: one batch, flushed before the first request. */
async function open(runtime: Runtime, terms: TurnTerms): Promise<void> {
  const { opening, beside = [], turn, model, effort, once } = terms;
  const as = opening.delivery === 'resend' || opening.delivery === 'wake' ? opening.delivery : 'prompt';
  await runtime.recorder.write([
    { kind: 'taken', input: opening.id, turn, as },
    ...beside.map(({ id }) => ({ kind: 'taken', input: id, turn, as: 'prompt' }) as const),
    {
      kind: 'turn-start',
      turn,
      model: model.ref,
      effort,
      mode: runtime.calls.gate.mode(),
      ...(once === undefined ? {} : { once: true as const }),
    },
    ...(once === undefined ? [] : [targetNote(once)]),
  ]);
  for (const input of [opening, ...beside]) terms.onTaken(input);
}

/** What was said meanwhile joins before the next request, all of it, in the order typed (QUE-4). */
async function takeSteering(parts: TurnParts): Promise<void> {
  const { runtime, terms } = parts;
  const inputs: readonly Waiting[] = runtime.inbox.takeSteering();
  if (inputs.length === 0) return;
  try {
    await runtime.recorder.write(
      inputs.map((input) => ({ kind: 'taken', input: input.id, turn: terms.turn, as: 'steering' })),
    );
  } catch (error) {
    runtime.inbox.restore(inputs);
    // A full disk: they wait on, and the turn goes on without them.
    if (error instanceof SystemError) return;
    throw error;
  }
  for (const input of inputs) terms.onTaken(input);
  await expandTags(parts, inputs);
}

/** What happened meanwhile is told with the request that comes, behind the results of what was called (SC-29.14). */
async function takeNotices({ notices, recorder }: Runtime, { turn }: TurnTerms): Promise<void> {
  const told = (await notices?.(turn)) ?? [];
  if (told.length > 0) await recorder.write(told, { onFailure: 'keep' });
}

/** Said where the turn begins: what another model costs here is easily overlooked (SC-10.4). */
function targetNote({ model, effort }: Target): EntryBody {
  const text =
    model === null
      ? `This prompt runs with effort ${effort}; the conversation keeps its own.`
      : `This prompt runs on ${modelRefText(model)}${effort === null ? '' : ` with effort ${effort}`}; the conversation stays on its own model. Another model shares no cache: it reads the whole conversation anew, and that is paid for.`;
  return { kind: 'note', level: 'info', identifier: 'one-turn-target', text };
}

const ROOM = { outcome: 'there' } as const;

function failedBy(failure: Failure): Ending {
  return { reason: 'failed', failure, message: failure.message };
}

function stopped(signal: AbortSignal): Ending {
  const cause = signal.reason as StopCause;
  if (cause === 'stopped') return { reason: 'stopped', failure: null, message: null };
  const message = cause === 'closing' ? 'Houston was closed before this turn was done.' : null;
  return { reason: 'interrupted', failure: null, message };
}

const REFUSED: Failure = {
  category: 'refused-by-model',
  message: 'The model declined to answer this',
  status: null,
  requestId: null,
  detail: null,
  retryAfterMs: null,
  retryable: false,
  attempts: 1,
};
