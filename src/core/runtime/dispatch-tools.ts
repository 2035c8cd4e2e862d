import type { Json } from '../../base/json.ts';
import type { EntryBody, ResultOutcome } from '../../protocol/entry.ts';
import { NOT_PARSED } from '../journal/interrupted.ts';
import { outputAfter } from '../policy/answers.ts';
import type { Tool } from '../tools/tool.ts';
import type { Allowed } from './allowed.ts';
import { guard } from './guard.ts';
import { hookSide } from './hook-side.ts';
import { offerVouching, vouchable } from './offer-vouching.ts';
import { planContext } from './plan-context.ts';
import { labelDiff, ownWords } from './present.ts';
import { type PreparedRelease, prepareRelease } from './release.ts';
import { readyRequest } from './request.ts';
import type { Save } from './round.ts';
import { type CallResult, runCall } from './run-call.ts';
import type { CallPart, Runtime, StopCause, TurnTerms } from './runtime.ts';
import type { TurnProgress } from './turn-progress.ts';

/** One call and what it came to: enough to see whether a turn goes in circles. */
export interface FinishedCall {
  readonly tool: string;
  readonly input: Json;
  readonly text: string;
  readonly outcome: ResultOutcome;
}

type Prepared = { readonly go: true; readonly allowed: Allowed } | { readonly go: false; readonly result: CallResult };

/**
 * Runs the calls of one reply and leaves exactly one result for each, whatever happens (UP-24). They are decided on in
 * their order, one question at a time; where all of them may, they run beside each other, else one after the other. Nothing
 * is asked or done before the reply itself is on the disk; what they would do is looked into meanwhile.
 */
export async function dispatchCalls(
  runtime: Runtime,
  terms: TurnTerms,
  progress: TurnProgress,
  calls: readonly CallPart[],
  save: Save,
  find: (name: string) => Tool | null = (name) => findTool(runtime, name),
): Promise<FinishedCall[]> {
  const beside = calls.every((call) => find(call.tool)?.order === 'beside');
  const running: Promise<FinishedCall>[] = [];
  let open = calls.length;
  const saved = save();
  for (const call of calls) {
    const prepared = await prepare(runtime, terms, progress, call, save, find);
    await saved;
    const run = finish(runtime, terms, progress, call, prepared, () => --open === 0);
    running.push(run);
    if (!beside) await run;
  }
  return Promise.all(running);
}

/** Everything before the first effect: plan, facts, decision, the person's answer. */
async function prepare(
  runtime: Runtime,
  terms: TurnTerms,
  progress: TurnProgress,
  call: CallPart,
  save: Save,
  find: (name: string) => Tool | null,
): Promise<Prepared> {
  const { gate } = runtime.calls;
  const { signal } = terms;
  if (signal.aborted) return notRun(call, signal);
  const tool = find(call.tool);
  if (tool === null) return failed(call, `There is no tool called ${call.tool}.`);
  if (call.raw !== undefined && call.input === null) return failed(call, NOT_PARSED);
  progress.phase('tools', call.title);

  const planned = await guard(runtime.recorder, () => tool.plan(call.input, planContext(runtime)));
  if (signal.aborted) return notRun(call, signal);
  if (!planned.ok) return failed(call, planned.message);
  const planning = planned.value;
  if (!planning.ok) return failed(call, planning.message);
  const { title, effects } = planning;
  const judged = await guard(runtime.recorder, () => gate.judge(effects, call.call));
  if (signal.aborted) return notRun(call, signal);
  if (!judged.ok) return failed(call, judged.message);
  let { facts, decision } = judged.value;
  const side = { runtime, terms, progress };
  const allow = (by: Allowed['by'], output: Allowed['output']): Prepared => ({
    go: true,
    allowed: {
      tool,
      title,
      effects,
      planned: planning.planned,
      file: planning.file ?? null,
      picture: planning.picture ?? null,
      facts,
      by,
      output,
      released: release?.text ?? null,
    },
  });

  if (decision.verdict === 'deny') {
    progress.refusals++;
    return refused({ ...call, title }, decision.message);
  }
  const wanted = effects.find((effect) => effect.kind === 'release');
  let release: Extract<PreparedRelease, { ok: true }> | null = null;
  if (wanted !== undefined) {
    await save();
    if (signal.aborted) return notRun(call, signal);
    const asked = decision.verdict === 'ask';
    const found = await guard(runtime.recorder, () => prepareRelease(side, wanted, call.call, asked));
    if (signal.aborted) return notRun(call, signal);
    if (!found.ok) return failed(call, found.message);
    if (!found.value.ok) return failed(call, found.value.message);
    release = found.value;
    if (release.answer === 'withheld') return refused({ ...call, title }, `${wanted.ref} was withheld.`);
    if (release.answer === 'yes' && decision.verdict === 'ask') return allow('mode', 'text');
  }
  if (decision.verdict === 'allow') {
    const read = { file: planning.file ?? null, picture: planning.picture !== undefined, output: decision.output };
    const fact = vouchable(side, read, facts.paths);
    if (fact !== null) await save();
    if (signal.aborted) return notRun(call, signal);
    if (fact !== null && (await offerVouching(side, call, fact, { title, effects }))) {
      const again = await guard(runtime.recorder, () => gate.judge(effects, call.call));
      if (again.ok) ({ facts, decision } = again.value);
    }
    if (signal.aborted) return notRun(call, signal);
    if (decision.verdict === 'allow') return allow(decision.by, decision.output);
    return refused({ ...call, title }, 'It is no longer permitted. Nothing was done.');
  }
  await save();
  if (signal.aborted) return notRun(call, signal);
  runtime.publish({ type: 'call', call: call.call, state: 'asking', title, effects });
  progress.phase('asking', title);
  const why = call.why ?? decision.reasons[0]?.text ?? null;
  const body = {
    kind: 'permission',
    title,
    why,
    effects,
    rows: [...decision.rows, ...(release?.rows ?? []), ...(planning.rows ?? [])],
    diffs: planning.diffs.map((diff) => labelDiff(diff, facts)),
    choices: decision.choices,
    ...(effects.some((effect) => effect.kind === 'run') ? { output: decision.output } : {}),
  } as const;
  const answer = await runtime.calls.ask({ for: null, origin: '', call: call.call, body }, signal);
  if (signal.aborted) return notRun(call, signal);
  gate.audit({
    event: 'answer',
    call: call.call,
    choice: answer?.kind === 'choice' ? answer.choice : 'none',
    output: answer?.kind === 'choice' ? (answer.output ?? null) : null,
  });
  if (answer?.kind !== 'choice')
    return refused({ ...call, title }, 'Nobody answered the question whether this may be done. Nothing was done.');
  if (answer.choice === 'no') {
    const note = answer.note?.trim() ? ` They said: ${answer.note.trim()}` : '';
    return refused({ ...call, title }, `The person said no to this. Nothing was done.${note}`);
  }
  if (!(await gate.remember(decision, answer))) {
    const text = 'That answer holds for this session only: it could not be saved.';
    await runtime.recorder.write([{ kind: 'note', level: 'warning', identifier: 'answer-unsaved', text }], {
      onFailure: 'keep',
    });
  }
  const lasting = answer.choice === 'session' || answer.choice === 'remember';
  return allow(lasting ? 'session' : 'person', outputAfter(decision, answer));
}

/**
 * Runs what was allowed and writes its result; a result is never lost, not even to a full disk. Nobody waits for the last
 * one's way to the disk alone: meanwhile the next request is made, which may leave once it is there.
 */
async function finish(
  runtime: Runtime,
  terms: TurnTerms,
  progress: TurnProgress,
  call: CallPart,
  prepared: Prepared,
  isLast: () => boolean,
): Promise<FinishedCall> {
  const { turn } = terms;
  const hooks = prepared.go ? runtime.calls.hooks : null;
  // What a tag stands for is a command as any other to whoever looks at commands.
  const tool = prepared.go ? prepared.allowed.tool.name : call.tool;
  const about = { tool, call: call.call, title: call.title, arguments: call.input };
  if (hooks) await hooks.tool(hookSide(runtime, terms), { phase: 'before_tool', ...about });
  const result = prepared.go ? await runCall(runtime, terms, progress, call, prepared.allowed) : prepared.result;
  const { before, ...kept } = result;
  const entry: EntryBody = { kind: 'result', turn, call: call.call, tool: call.tool, ...kept };
  const written = runtime.recorder.write([...before, entry], { onFailure: 'keep' });
  const last = isLast();
  if (hooks) {
    await written;
    const { outcome: status, text, label, duration } = result;
    await hooks.tool(hookSide(runtime, terms), {
      phase: 'after_tool',
      ...about,
      outcome: { status, text, label, duration },
    });
  } else {
    const ready = last && !terms.signal.aborted ? readyRequest(runtime, terms) : null;
    await Promise.all([written, ready]);
  }
  return { tool: call.tool, input: call.input, text: result.text, outcome: result.outcome };
}

export function findTool(runtime: Runtime, name: string): Tool | null {
  return runtime.calls.tools.find((tool) => tool.name === name) ?? null;
}

function failed(call: CallPart, text: string): Prepared {
  return { go: false, result: without(call, 'error', text) };
}

function refused(call: Pick<CallPart, 'title'>, text: string): Prepared {
  return { go: false, result: without(call, 'denied', text) };
}

function notRun(call: CallPart, signal: AbortSignal): Prepared {
  const cause = signal.reason as StopCause;
  const who = cause === 'closing' ? 'Houston was closed' : 'The person stopped the turn';
  return { go: false, result: without(call, 'stopped', `Not run: ${who} before its turn came.`) };
}

/** The result of a call that had no effect. */
function without(call: Pick<CallPart, 'title'>, outcome: ResultOutcome, text: string): CallResult {
  return { ...ownWords(outcome, text), title: call.title, duration: 0, before: [] };
}
