import { childAbort } from '../../base/abort.ts';
import type { Json } from '../../base/json.ts';
import type { Entry } from '../../protocol/entry.ts';
import { type Label, TRUSTED_PRIVATE, TRUSTED_PUBLIC } from '../../protocol/label.ts';
import type { ModelRef, Usage } from '../../protocol/message.ts';
import { SystemError } from '../../system/files.ts';
import type { Journal } from '../journal/journal.ts';
import { createModelContext } from '../journal/model-context.ts';
import type { Model } from '../models/model.ts';
import { hasUsage } from '../models/usage.ts';
import type { Audit } from '../policy/audit.ts';
import { createQuarantine, type Quarantine } from '../policy/quarantine.ts';
import type { DelegateOrder, DelegateReport } from '../tools/tool.ts';
import { createContextGauge } from './context-gauge.ts';
import { createDelegateActivity, type DelegateActivity } from './delegate-activity.ts';
import { createDelegateEar } from './delegate-ear.ts';
import { heldTools, MOST_A_TURN, roundsOf } from './delegate-kinds.ts';
import { delegatePrompt } from './delegate-prompt.ts';
import { createDelegateRecorder } from './delegate-recorder.ts';
import type { Waiting } from './inbox.ts';
import type { Runtime, Spawn } from './runtime.ts';
import { runTurn, type TurnReport } from './turn.ts';

const SLEEPS = 'sleeps until a usage limit is lifted';

/** Names the entry that says a delegate was started, and where its own journal is. */
export const DELEGATE = 'delegate';

export interface DelegateParts {
  /** A journal for one delegate: beside the session's, or in memory. */
  readonly openJournal: () => Promise<Journal>;
  /** The model a definition asks for; null where it can not be had. Absent: definitions ask for none. */
  readonly openModel?: (named: string) => Promise<Model | null>;
  /** `last`: the highest number a delegate of this session ever had; counted on here. */
  readonly numbers: Numbers;
}

interface Numbers {
  last: number;
}

/** What all delegates of a session have in common. */
interface Tree {
  turn: number;
  /** In this turn. */
  started: number;
  /** How to stop each of those that run, by name. */
  readonly running: Map<string, () => void>;
}

/** Where a run stands in the tree of delegates; the session's own turn has no name and stands at depth 0. */
interface Seat {
  readonly name: string;
  readonly depth: number;
  readonly root: Runtime;
  readonly parts: DelegateParts;
  readonly tree: Tree;
  /** The call of the session's own turn that all of this goes back to; null in the turn itself. */
  readonly call: string | null;
}

/** The session's runtime, with delegates. They begin from `root`, which is not told what the primary agent alone is. */
export function withDelegates(runtime: Runtime, parts: DelegateParts, root = runtime): Runtime {
  const seat = {
    name: '',
    depth: 0,
    root,
    parts,
    tree: { turn: 0, started: 0, running: new Map() },
    call: null,
  };
  return seated(runtime, seat, parts.numbers);
}

/** `runtime` as a run at this place has it: whether it may start delegates of its own is seen from its tools. */
function seated(runtime: Runtime, seat: Seat, numbers: Numbers): Runtime {
  if (!runtime.calls.tools.some((tool) => tool.needs === 'delegates')) return withCalls(runtime, { delegates: null });
  const here: Runtime = withCalls(runtime, {
    delegates: {
      name: () => `${seat.name === '' ? 'd' : `${seat.name}.`}${++numbers.last}`,
      run: (orders, spawn) => {
        const activity = createDelegateActivity(
          orders.map(({ name }) => name),
          (text) => here.publish({ type: 'call-output', call: spawn.call, text: here.calls.redact(text), whole: true }),
        );
        // None of them runs on unseen because another one met a fault.
        return allOf(orders.map((order) => runDelegate(here, seat, order, spawn, activity)));
      },
      stop: (name) => {
        const { running } = seat.tree;
        const found = [...running].filter(([one]) => one === name || one.startsWith(`${name}.`));
        for (const [, stop] of found) stop();
        return found.length > 0;
      },
    },
  });
  return here;
}

/** Waits for all of them, also where one throws. */
async function allOf<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

function withCalls(runtime: Runtime, calls: Partial<Runtime['calls']>): Runtime {
  return { ...runtime, calls: { ...runtime.calls, ...calls } };
}

/**
 * One delegate from its task to its report: a turn like any other, on a journal, a conversation and a quarantine of its
 * own. It ends by itself, at its last round, or with the turn that started it. Nothing but the report comes back.
 */
async function runDelegate(
  parent: Runtime,
  seat: Seat,
  order: DelegateOrder,
  spawn: Spawn,
  activity: DelegateActivity,
): Promise<DelegateReport> {
  const { tree, parts } = seat;
  const { name, kind } = order;
  const { signal, turn } = spawn.terms;
  if (seat.depth === 0 && tree.turn !== turn) Object.assign(tree, { turn, started: 0 });
  if (tree.started >= MOST_A_TURN) {
    activity.end(name, 'not started');
    return unreported(
      order,
      'failed',
      `was not started: this turn has had ${MOST_A_TURN} delegates, the most there may be`,
    );
  }
  tree.started++;

  const terms = await termsOf(order, spawn.terms, parts);
  if (terms === null) {
    activity.end(name, 'not started');
    return unreported(order, 'failed', 'was not started: there is no such model here that can be used');
  }
  const journal = await parts.openJournal();
  const { model } = terms;
  const { profile } = order;
  const data: Json = {
    ...{ delegate: name, kind, call: spawn.call, journal: journal.session },
    ...(profile === undefined ? {} : { profile: profile.name }),
  };
  void parent.recorder.write([{ kind: 'record', name: DELEGATE, data }], KEEP);
  const quarantine = ownQuarantine(parent);
  const audit: Audit = (event, delegate) => parent.calls.gate.audit(event, delegate ?? name);
  const gauge = createContextGauge();
  let said = '';
  const spend = (ref: ModelRef, usage: Usage, cost: number | null): void => {
    if (!hasUsage(usage)) return;
    spawn.progress.spend(usage, cost);
    void parent.recorder.write([{ kind: 'usage', purpose: DELEGATE, model: ref, usage, cost }], KEEP);
  };
  const see = (entry: Entry): void => {
    gauge.see(entry);
    switch (entry.kind) {
      case 'turn-start':
        audit({ event: 'turn', turn, mode: entry.mode });
        break;
      case 'call':
        activity.act(name, entry.title);
        sight?.act({ kind: 'call', text: entry.title, label: null });
        break;
      case 'result':
        if (entry.outcome !== 'denied') break;
        activity.act(name, `${entry.title} (refused)`);
        sight?.act({ kind: 'refused', text: entry.title, label: null });
        break;
      case 'assistant':
        said = entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
        if (said.trim() !== '') sight?.act({ kind: 'said', text: said.trim(), label: labelOf(quarantine) });
        spend(entry.model, entry.usage, entry.cost);
        break;
      case 'usage':
        spend(entry.model, entry.usage, entry.cost);
        break;
      case 'sleep':
        activity.act(name, SLEEPS);
        sight?.act({ kind: 'sleep', text: SLEEPS, label: null });
        // The turn it works for sleeps with it: should the host end meanwhile, that turn is taken up again.
        void parent.recorder.write([{ kind: 'sleep', turn, until: entry.until, failure: entry.failure }], KEEP);
        break;
      case 'compaction':
        spend(entry.model ?? model.ref, entry.usage, entry.cost);
        break;
      default:
        break;
    }
  };
  const recorder = createDelegateRecorder(journal, see);
  const hearing = createDelegateEar(recorder);
  const sight = parent.calls.delegateWatch?.begin(
    {
      name,
      call: seat.call ?? spawn.call,
      kind,
      agent: order.profile?.name ?? null,
      task: order.task,
      model: model.ref,
      effort: terms.effort,
    },
    hearing.ear,
  );
  const stop = childAbort(signal);
  tree.running.set(name, () => stop.abort('stopped'));
  const own = delegateRuntime(parent, seat, order, {
    journal,
    recorder,
    gauge,
    quarantine,
    audit,
    call: spawn.call,
    stop: stop.signal,
    inbox: hearing.inbox,
  });
  const onTaken = ({ client, ref, text, delivery }: Waiting): void => {
    if (delivery !== 'steering') return;
    sight?.read({ client, ref });
    sight?.act({ kind: 'told', text, label: null });
  };
  const ended = await begin(own, order, terms, stop.signal, onTaken)
    .catch(notRecorded)
    .finally(() => {
      tree.running.delete(name);
      stop.release();
    });
  if (ended !== null) spawn.progress.refusals += ended.refusals;
  await recorder.written();
  hearing.close();
  await journal.flush().catch(() => undefined);
  await journal.close();
  const report =
    ended === null
      ? unreported(order, 'failed', 'was not started, because its record could not be written')
      : reportOf(order, ended, said.trim(), quarantine, stop.signal.aborted);
  activity.end(name, report.ended);
  sight?.end(report.ended, report.ended === 'reported' ? 'reported' : report.text);
  return report;
}

/**
 * What it runs on: what the call names, else what its definition asks for as far as that can be had, else what its turn
 * runs on. Null where the call names what there is not.
 */
async function termsOf(
  { profile, model: named }: DelegateOrder,
  terms: Spawn['terms'],
  { openModel }: DelegateParts,
): Promise<Spawn['terms'] | null> {
  if (named !== undefined) {
    const model = (await openModel?.(named)) ?? null;
    if (model === null) return null;
    terms = { ...terms, model };
  }
  if (profile === undefined) return terms;
  const { effort } = profile;
  const opened = profile.model === null ? null : ((await openModel?.(profile.model)) ?? null);
  const model = opened ?? terms.model;
  const fits = effort !== null && (effort === 'default' || model.facts.efforts.includes(effort));
  return { ...terms, model, effort: fits ? effort : terms.effort };
}

/** A turn whose beginning could not be written has not begun; anything else is a bug. */
function notRecorded(error: unknown): null {
  if (error instanceof SystemError) return null;
  throw error;
}

/** Everything of the session's that a delegate shares, and what it has for itself. */
function delegateRuntime(
  parent: Runtime,
  seat: Seat,
  order: DelegateOrder,
  own: Pick<Runtime, 'journal' | 'recorder' | 'gauge' | 'inbox'> & {
    readonly quarantine: Quarantine;
    readonly audit: Audit;
    readonly call: string;
    readonly stop: AbortSignal;
  },
): Runtime {
  const { root } = seat;
  const { name } = order;
  const { journal, recorder, gauge, quarantine, audit, stop, inbox } = own;
  const depth = seat.depth + 1;
  const call = seat.call ?? own.call;
  const tools = heldTools(order, parent.calls.tools, depth);
  const seen = new Map<string, string>();
  const runtime: Runtime = {
    ...root,
    session: journal.session,
    journal,
    context: createModelContext(journal),
    gauge,
    recorder,
    // What streams and what state calls are in is for whoever watches this conversation: nobody does.
    publish: () => {},
    failuresIn: () => null,
    // What ends beside a turn is told to whoever has the conversation.
    notices: async () => [],
    // Nothing that is said to the session goes to a delegate (DEL-1), only what is said to it by name.
    inbox,
    // Its calls and messages are told of; the turn is the one that started it.
    hooks: null,
    systemPrompt: [...root.systemPrompt, delegatePrompt(order, roundsOf(order), tools, root.calls.tools)],
    refusedAttachments: new Set(),
    sentImages: new Set(),
    calls: {
      ...root.calls,
      tools,
      gate: root.calls.gate.forRun({ quarantine, audit, stopped: () => stop.aborted }),
      // Its questions stand under the call the person sees, and say who asks.
      ask: async (wish, signal) => {
        const either = childAbort(signal, stop);
        const answer = await root.calls.ask({ ...wish, origin: name, call }, either.signal);
        either.release();
        return answer;
      },
      ledger: { saw: (path, hash) => void seen.set(path, hash), lastSeen: (path) => seen.get(path) ?? null },
      todo: () => [],
    },
  };
  return seated(runtime, { ...seat, name, depth, call }, { last: 0 });
}

/** As trusted as its parent's is, and as private: it can only fall from there (SEC-37). No reference crosses (SEC-34). */
function ownQuarantine({ calls, system }: Runtime): Quarantine {
  const { gate } = calls;
  const { privateShown, released } = gate.quarantine.context;
  return createQuarantine(
    { shown: privateShown ? [TRUSTED_PRIVATE] : [], lastRef: 0, released },
    { files: system.files, trust: () => gate.trust.map },
  );
}

/** The task becomes the one thing said in its conversation, and the turn is run. */
async function begin(
  own: Runtime,
  order: DelegateOrder,
  { model, effort, signal }: Spawn['terms'],
  stop: AbortSignal,
  onTaken: (input: Waiting) => void,
): Promise<TurnReport> {
  const { name, task } = order;
  const said = { client: 'houston', ref: name, text: task, attachments: [], delivery: 'queue' } as const;
  const [entry] = await own.recorder.write([{ kind: 'input', ...said, target: null }]);
  if (entry === undefined) throw new Error('an entry was written and is not there');
  return runTurn(own, {
    turn: 1,
    model,
    effort,
    // Stopped by itself, it has one more round, to report and do nothing else (SEC-39).
    get roundLimit() {
      return stop.aborted ? 0 : roundsOf(order);
    },
    opening: { id: entry.id, ...said, stillborn: false },
    signal,
    onTaken,
  });
}

function labelOf({ context }: Quarantine): Label {
  return {
    integrity: context.trusted ? 'trusted' : 'untrusted',
    confidentiality: context.privateShown ? 'private' : 'public',
  };
}

function reportOf(
  order: DelegateOrder,
  ended: TurnReport,
  said: string,
  quarantine: Quarantine,
  stopped: boolean,
): DelegateReport {
  const { name } = order;
  const reported = {
    name,
    ended: 'reported',
    label: labelOf(quarantine),
    released: quarantine.context.released,
  } as const;
  switch (ended.reason) {
    case 'done':
      if (said === '') return unreported(order, 'failed', 'ended without a report');
      return { ...reported, text: said };
    case 'limit': {
      const why = stopped ? 'The person stopped it' : `It had no rounds left after ${roundsOf(order)}`;
      if (said === '') return unreported(order, 'failed', 'had to end and wrote no report');
      const text = `[${why}: what it was asked to do may not be done.]\n${said}`;
      return { ...reported, text };
    }
    case 'repeating':
      return unreported(
        order,
        'failed',
        'was stopped, because it made the same call again and again and got the same result each time',
      );
    case 'failed':
      // The service's own account is not ours to pass on (SEC-17).
      return unreported(order, 'failed', `failed (${ended.failure?.category ?? 'unknown'}) before it could report`);
    case 'stopped':
    case 'interrupted':
      return unreported(order, 'stopped', 'was stopped before it could report');
  }
}

/** One sentence of ours in place of a report (DEL). */
function unreported(order: DelegateOrder, ended: 'failed' | 'stopped', what: string): DelegateReport {
  const text = `The ${order.kind} ${order.name} ${what}.`;
  return { name: order.name, ended, text, label: TRUSTED_PUBLIC, released: false };
}

const KEEP = { onFailure: 'keep' } as const;
