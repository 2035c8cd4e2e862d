import type { Json, JsonObject } from '../../base/json.ts';
import type { Entry, EntryId, EntryOf } from '../../protocol/entry.ts';
import { entryClass } from '../../protocol/entry.ts';
import type { Label } from '../../protocol/label.ts';
import { addUsage, type ModelRef } from '../../protocol/message.ts';
import { applyEntry, emptyHead, emptyView } from '../../protocol/reduce.ts';
import type { UsageLimit } from '../../protocol/usage.ts';
import type { QueueRow, View } from '../../protocol/view.ts';
import type { FileChange } from '../changes/ledger.ts';
import { type Covered, isKind, type Journal } from '../journal/journal.ts';
import { COVERED_NUMBERS, createTranscriptIndex, type TranscriptIndex } from '../journal/transcript.ts';
import { readTrustDecision, type TrustDecision } from '../policy/live-trust.ts';
import { RELEASED } from '../runtime/aside-world.ts';
import { type CacheWatch, createCacheWatch, type SavedWatch } from '../runtime/cache-watch.ts';
import type { CompactionWish } from '../runtime/compact-budget.ts';
import { type ContextGauge, createContextGauge, type SavedGauge } from '../runtime/context-gauge.ts';
import { DELEGATE } from '../runtime/delegate.ts';
import { createUnansweredPrompts, type SavedPrompts, type UnansweredPrompts } from '../runtime/unanswered-prompts.ts';
import { type ChosenAgent, PRIMARY_AGENT, readChosen } from './agent-record.ts';
import { ASIDE, MOST_ASIDES, readAside } from './aside-record.ts';
import { AUTOCOMPACT, readWish } from './autocompact.ts';
import type { Follower } from './follower.ts';

/** Names the entry that says a reference was given out without a result: for what was piped in and kept aside. */
export const KEPT_ASIDE = 'kept-aside';

/** What a session remembers beside its View, read back from its entries. */
export interface Recollection {
  readonly view: View;
  readonly model: ModelRef | null;
  /** Whether a choice of model or mode was ever written, so that options of a fresh start do not override it. */
  readonly modeChosen: boolean;
  readonly lastTurn: number;
  /** The highest number a delegate of the session's own turns had. */
  readonly lastDelegate: number;
  readonly usedCalls: Set<string>;
  /** What each client said, by client and ref, and the entry it became. */
  readonly said: Map<string, EntryId | null>;
  /** Rows a pause concerns. */
  readonly held: readonly EntryId[];
  /** What opened the last turn on the branch, and how it ended. */
  readonly lastInput: QueueRow | null;
  readonly lastEnd: EntryOf<'turn-end'> | null;
  readonly prompts: UnansweredPrompts;
  readonly gauge: ContextGauge;
  readonly cache: CacheWatch;
  /** Whether a person or a model gave it a name. */
  readonly named: boolean;
  /** What was said first, with words in it; null before that. */
  readonly firstPrompt: string | null;
  readonly autocompact: CompactionWish | null;
  /** Whom the person chose to talk with; null where nobody was chosen, nor None. */
  readonly agent: ChosenAgent | null;
  /** The usage limit a turn sleeps for, itself or in a delegate; null once it was heard of again. */
  readonly sleep: (UsageLimit & { readonly turn: number }) | null;
  readonly fileChanges: readonly FileChange[];
  /** Files that were being put back when the session before ended. */
  readonly openUndo: EntryOf<'undo-start'> | null;
  /** Labels of results the model was shown, and the highest `ref:N` ever given. */
  readonly shown: Label[];
  readonly lastRef: number;
  /** Whether anything that was kept aside was shown to the model after all. */
  readonly released: boolean;
  /** Names of saved outputs whose results the model was shown. */
  readonly outputs: readonly string[];
  /** What was answered and found about trust, by path: the last word of each. */
  readonly trust: ReadonlyMap<string, TrustDecision>;
}

export function saidKey(client: string, ref: string): string {
  return `${client}\n${ref}`;
}

/** The name under which the fold stands in what an earlier run left. */
const COVERED_FOLD = 'fold';

/**
 * Reads the journal once and folds it: branch entries of the current branch, and all side entries, in file order; from
 * where an earlier run left it, if the branch it stood on then is still the beginning of this one. The same reducer moves
 * the View here, live, and in every client.
 */
export async function foldJournal(
  journal: Journal,
  folder: string,
  version: string,
  /** Another leaf than the journal's, and the entry to stop after. */
  at?: { readonly leaf: EntryId; readonly last: EntryId },
  follower?: Follower,
): Promise<Recollection> {
  return (await foldKept(journal, folder, version, at, follower)).recollection;
}

export interface Folded {
  readonly recollection: Recollection;
  readonly transcript: TranscriptIndex;
  /** All of it as text, for the next time. */
  notes(): Promise<Map<string, string>>;
}

/** As `foldJournal`; what comes of it can be kept. */
export async function foldKept(
  journal: Journal,
  folder: string,
  version: string,
  at?: { readonly leaf: EntryId; readonly last: EntryId },
  follower?: Follower,
): Promise<Folded> {
  const transcript = createTranscriptIndex(journal);
  const { covered } = journal;
  const since = covered === null || at !== undefined ? null : branchSince(journal, covered);
  const kept = covered === null || since === null ? null : takeNote(covered, COVERED_FOLD);
  const told = covered === null || since === null || follower === undefined ? null : takeNote(covered, follower.name);
  const isWhole = covered === null || since === null || kept === null || (follower !== undefined && told === null);
  const fold = createFold(journal.session, folder, version, isWhole ? null : kept);
  if (!isWhole && told !== null) follower?.restore(told);
  const branch = new Set(isWhole ? journal.branch(at?.leaf) : since);
  for await (const entry of journal.all(isWhole ? undefined : covered)) {
    const onBranch = branch.has(entry.id);
    fold.take(entry, onBranch);
    follower?.see(entry);
    if (onBranch && isWhole && at === undefined) transcript.see(entry);
    if (entry.id === at?.last) break;
  }
  return {
    recollection: fold.recollection,
    transcript,
    notes: async () => {
      const notes = new Map([
        [COVERED_FOLD, fold.save()],
        [COVERED_NUMBERS, await transcript.save()],
      ]);
      if (follower !== undefined) notes.set(follower.name, follower.save());
      return notes;
    },
  };
}

/**
 * The ids of the branch behind the leaf where an earlier run left it; null where the branch of that time is not the
 * beginning of this one.
 */
function branchSince(journal: Journal, covered: Covered): EntryId[] | null {
  const since: EntryId[] = [];
  for (let at = journal.leaf; at !== covered.leaf; at = journal.parentOf(at)) {
    if (at === null || journal.covers(at, covered)) return null;
    since.push(at);
  }
  return since;
}

function takeNote({ notes }: Covered, name: string): string | null {
  const note = notes.get(name) ?? null;
  notes.delete(name);
  return note;
}

interface Fold {
  take(entry: Entry, onBranch: boolean): void;
  readonly recollection: Recollection;
  save(): string;
}

type State = Writable<Omit<Recollection, 'prompts' | 'gauge' | 'cache' | 'fileChanges' | 'outputs' | 'trust'>> & {
  fileChanges: FileChange[];
  outputs: string[];
  trust: Map<string, TrustDecision>;
};
type Writable<T> = { -readonly [K in keyof T]: T[K] };

function createFold(session: string, folder: string, version: string, kept: string | null): Fold {
  const saved = kept === null ? null : (JSON.parse(kept) as SavedFold);
  const prompts = createUnansweredPrompts(saved?.prompts);
  const gauge = createContextGauge(saved?.gauge);
  const cache = createCacheWatch(saved?.cache);
  const state: State = {
    view: emptyView(emptyHead(session, folder, version)),
    model: null,
    modeChosen: false,
    lastTurn: 0,
    lastDelegate: 0,
    usedCalls: new Set(),
    said: new Map(),
    held: [],
    lastInput: null,
    lastEnd: null,
    named: false,
    firstPrompt: null,
    autocompact: null,
    agent: null,
    sleep: null,
    fileChanges: [],
    openUndo: null,
    shown: [],
    lastRef: 0,
    released: false,
    outputs: [],
    trust: new Map(),
  };
  if (saved !== null) {
    Object.assign(state, saved.state, {
      usedCalls: new Set(saved.usedCalls),
      said: new Map(saved.said),
      trust: new Map(saved.trust),
    });
    Object.assign(state.view.head, { folder, version });
  }
  const { view } = state;

  /** Names and numbers stay used whatever branch they lie on: none may be given out twice. */
  const reserve = (entry: Entry): void => {
    if (isKind(entry, 'taken')) state.lastTurn = Math.max(state.lastTurn, entry.turn);
    else if (isKind(entry, 'record') && entry.name === DELEGATE)
      state.lastDelegate = Math.max(state.lastDelegate, delegateNumber(entry.data));
    else if (isKind(entry, 'record') && entry.name === KEPT_ASIDE)
      state.lastRef = Math.max(state.lastRef, Number(/^ref:(\d{1,12})$/.exec(String(entry.data))?.[1] ?? 0));
    else if (isKind(entry, 'assistant')) {
      for (const part of entry.parts) if (part.type === 'call') state.usedCalls.add(part.call);
    } else if (isKind(entry, 'hook')) {
      const { ref, label } = entry.injected ?? {};
      if (ref === null && label !== undefined) state.shown.push(label);
      state.lastRef = Math.max(state.lastRef, Number(/^ref:(\d{1,12})$/.exec(ref ?? '')?.[1] ?? 0));
    } else if (isKind(entry, 'result')) {
      state.usedCalls.add(entry.call);
      // What was shown stays shown, on whatever branch: trust falls and never rises (SEC-6).
      if (entry.ref === null) {
        state.shown.push(entry.label);
        if (entry.output !== null) state.outputs.push(entry.output);
      }
      // A result may name several; all of them are Houston's own words then.
      if (entry.ref !== null)
        for (const [, number] of `${entry.ref} ${entry.text}`.matchAll(/\bref:(\d{1,12})\b/g))
          state.lastRef = Math.max(state.lastRef, Number(number));
    }
  };

  const remember = (entry: Entry): void => {
    if (state.sleep !== null && hasWoken(entry, state.sleep)) state.sleep = null;
    if (isKind(entry, 'input')) state.said.set(saidKey(entry.client, entry.ref), entry.id);
    else if (isKind(entry, 'taken')) {
      // As it was last edited: the row in the View is about to leave it.
      const row = view.queue.rows.find((one) => one.id === entry.input);
      if (row !== undefined && entry.as !== 'steering' && entry.as !== 'shell') state.lastInput = row;
      if (entry.as === 'prompt' && row !== undefined && row.text.trim() !== '') state.firstPrompt ??= row.text;
    } else if (isKind(entry, 'turn-start')) {
      if (entry.once !== true) state.model = entry.model;
    } else if (isKind(entry, 'sleep')) state.sleep = { turn: entry.turn, until: entry.until, failure: entry.failure };
    else if (isKind(entry, 'model')) {
      state.model = entry.model;
      if (state.agent !== null) state.agent = { ...state.agent, overruled: true };
    } else if (isKind(entry, 'mode')) state.modeChosen = true;
    else if (isKind(entry, 'name')) state.named ||= entry.by !== 'prompt';
    else if (isKind(entry, 'record') && entry.name === RELEASED) state.released = true;
    else if (isKind(entry, 'record') && entry.name === ASIDE) {
      const aside = readAside(entry.data);
      if (aside !== null) view.asides = [...view.asides.filter(({ id }) => id !== aside.id), aside].slice(-MOST_ASIDES);
    } else if (isKind(entry, 'record') && entry.name === PRIMARY_AGENT) state.agent = readChosen(entry.data);
    else if (isKind(entry, 'record') && entry.name === AUTOCOMPACT) state.autocompact = readWish(entry.data);
    else if (isKind(entry, 'queue')) state.held = entry.paused === null ? [] : (entry.held ?? entry.order);
    else if (isKind(entry, 'turn-end')) state.lastEnd = entry;
    else if (isKind(entry, 'file-change'))
      state.fileChanges.push({ call: entry.call, path: entry.path, before: entry.before, after: entry.after });
    else if (isKind(entry, 'undo-start')) state.openUndo = entry;
    else if (isKind(entry, 'undo-end')) state.openUndo = state.openUndo?.id === entry.start ? null : state.openUndo;
    else if (isKind(entry, 'decision')) {
      const decision = readTrustDecision(entry.decision);
      if (decision !== null) state.trust.set(decision.path, decision);
    }
  };

  const recollection = Object.assign(state, { prompts, gauge, cache });
  return {
    take: (entry, onBranch) => {
      reserve(entry);
      if (onBranch || entryClass(entry.kind).place === 'side') {
        remember(entry);
        prompts.see(entry);
        gauge.see(entry);
        cache.see(entry);
        applyEntry(view, entry);
      } else if (isKind(entry, 'taken')) {
        // It was answered on another branch: it waits no more.
        view.queue.rows = view.queue.rows.filter((row) => row.id !== entry.input);
      } else if (isKind(entry, 'assistant') || isKind(entry, 'compaction')) {
        // What it cost was paid all the same: totals are the session's, not the branch's (SC-25.3).
        view.head.totals = addUsage(view.head.totals, entry.usage, entry.cost);
      } else if (isKind(entry, 'turn-end')) {
        view.head.activeTime += entry.duration;
        view.head.trail = true;
      }
    },
    recollection,
    save: () => {
      const { usedCalls, said, trust, prompts: _prompts, gauge: _gauge, cache: _cache, ...rest } = recollection;
      const saved: SavedFold = {
        state: rest,
        usedCalls: [...usedCalls],
        said: [...said],
        trust: [...trust],
        prompts: prompts.save(),
        gauge: gauge.save(),
        cache: cache.save(),
      };
      return JSON.stringify(saved);
    },
  };
}

/** Whether work went on after a usage limit was lifted: what is cut off then was not cut off asleep. */
function hasWoken(entry: Entry, { until }: UsageLimit): boolean {
  if (isKind(entry, 'assistant')) return true;
  // Of several delegates one may still be heard while another sleeps.
  return isKind(entry, 'usage') && entry.purpose === DELEGATE && entry.time >= until;
}

/** The fold as JSON holds it. */
interface SavedFold {
  readonly state: Partial<State>;
  readonly usedCalls: readonly string[];
  readonly said: readonly (readonly [string, EntryId | null])[];
  readonly trust: readonly (readonly [string, TrustDecision])[];
  readonly prompts: SavedPrompts;
  readonly gauge: SavedGauge;
  readonly cache: SavedWatch;
}

/** `7` of the record that says d7 was started; 0 for one that cannot be read. */
function delegateNumber(data: Json): number {
  const name = typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as JsonObject).delegate : null;
  return typeof name === 'string' ? Number(/^d(\d{1,9})$/.exec(name)?.[1] ?? 0) : 0;
}
