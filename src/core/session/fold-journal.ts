import type { Json, JsonObject } from '../../base/json.ts';
import type { Entry, EntryId, EntryOf } from '../../protocol/entry.ts';
import { entryClass } from '../../protocol/entry.ts';
import type { Label } from '../../protocol/label.ts';
import { addUsage, type ModelRef } from '../../protocol/message.ts';
import { applyEntry, emptyHead, emptyView } from '../../protocol/reduce.ts';
import type { QueueRow, View } from '../../protocol/view.ts';
import type { FileChange } from '../changes/ledger.ts';
import { isKind, type Journal } from '../journal/journal.ts';
import { readTrustDecision, type TrustDecision } from '../policy/live-trust.ts';
import { RELEASED } from '../runtime/aside-world.ts';
import { type CacheWatch, createCacheWatch } from '../runtime/cache-watch.ts';
import type { CompactionWish } from '../runtime/compact-budget.ts';
import { type ContextGauge, createContextGauge } from '../runtime/context-gauge.ts';
import { DELEGATE } from '../runtime/delegate.ts';
import { createUnansweredPrompts, type UnansweredPrompts } from '../runtime/unanswered-prompts.ts';
import { AUTOCOMPACT, readWish } from './autocompact.ts';

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

/**
 * Reads the whole journal once and folds it: branch entries of the current branch, and all side entries, in file order.
 * The same reducer moves the View here, live, and in every client.
 */
export async function foldJournal(
  journal: Journal,
  folder: string,
  version: string,
  /** Another leaf than the journal's, and the entry to stop after. */
  at?: { readonly leaf: EntryId; readonly last: EntryId },
): Promise<Recollection> {
  const view = emptyView(emptyHead(journal.session, folder, version));
  const branch = new Set(journal.branch(at?.leaf));
  const usedCalls = new Set<string>();
  const said = new Map<string, EntryId | null>();
  const shown: Label[] = [];
  const outputs: string[] = [];
  const trust = new Map<string, TrustDecision>();
  const prompts = createUnansweredPrompts();
  const gauge = createContextGauge();
  const cache = createCacheWatch();
  let named = false;
  let firstPrompt: string | null = null;
  const fileChanges: FileChange[] = [];
  let openUndo: EntryOf<'undo-start'> | null = null;
  let model: ModelRef | null = null;
  let modeChosen = false;
  let lastTurn = 0;
  let lastDelegate = 0;
  let held: readonly EntryId[] = [];
  let lastInput: QueueRow | null = null;
  let lastEnd: EntryOf<'turn-end'> | null = null;
  let lastRef = 0;
  let released = false;
  let autocompact: CompactionWish | null = null;

  /** Names and numbers stay used whatever branch they lie on: none may be given out twice. */
  const reserve = (entry: Entry): void => {
    if (isKind(entry, 'taken')) lastTurn = Math.max(lastTurn, entry.turn);
    else if (isKind(entry, 'record') && entry.name === DELEGATE)
      lastDelegate = Math.max(lastDelegate, delegateNumber(entry.data));
    else if (isKind(entry, 'record') && entry.name === KEPT_ASIDE)
      lastRef = Math.max(lastRef, Number(/^ref:(\d{1,12})$/.exec(String(entry.data))?.[1] ?? 0));
    else if (isKind(entry, 'assistant')) {
      for (const part of entry.parts) if (part.type === 'call') usedCalls.add(part.call);
    } else if (isKind(entry, 'result')) {
      usedCalls.add(entry.call);
      // What was shown stays shown, on whatever branch: trust falls and never rises (SEC-6).
      if (entry.ref === null) {
        shown.push(entry.label);
        if (entry.output !== null) outputs.push(entry.output);
      }
      // A result may name several; all of them are Houston's own words then.
      if (entry.ref !== null)
        for (const [, number] of `${entry.ref} ${entry.text}`.matchAll(/\bref:(\d{1,12})\b/g))
          lastRef = Math.max(lastRef, Number(number));
    }
  };

  const remember = (entry: Entry): void => {
    if (isKind(entry, 'input')) said.set(saidKey(entry.client, entry.ref), entry.id);
    else if (isKind(entry, 'taken')) {
      // As it was last edited: the row in the View is about to leave it.
      const row = view.queue.rows.find((one) => one.id === entry.input);
      if (row !== undefined && entry.as !== 'steering' && entry.as !== 'shell') lastInput = row;
      if (entry.as === 'prompt' && row !== undefined && row.text.trim() !== '') firstPrompt ??= row.text;
    } else if (isKind(entry, 'turn-start')) model = entry.model;
    else if (isKind(entry, 'model')) model = entry.model;
    else if (isKind(entry, 'mode')) modeChosen = true;
    else if (isKind(entry, 'name')) named ||= entry.by !== 'prompt';
    else if (isKind(entry, 'record') && entry.name === RELEASED) released = true;
    else if (isKind(entry, 'record') && entry.name === AUTOCOMPACT) autocompact = readWish(entry.data);
    else if (isKind(entry, 'queue')) held = entry.paused === null ? [] : (entry.held ?? entry.order);
    else if (isKind(entry, 'turn-end')) lastEnd = entry;
    else if (isKind(entry, 'file-change')) fileChanges.push(entry);
    else if (isKind(entry, 'undo-start')) openUndo = entry;
    else if (isKind(entry, 'undo-end')) openUndo = openUndo?.id === entry.start ? null : openUndo;
    else if (isKind(entry, 'decision')) {
      const decision = readTrustDecision(entry.decision);
      if (decision !== null) trust.set(decision.path, decision);
    }
  };

  for await (const entry of journal.all()) {
    reserve(entry);
    if (entryClass(entry.kind).place === 'side' || branch.has(entry.id)) {
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
    } else if (isKind(entry, 'turn-end')) view.head.activeTime += entry.duration;
    if (entry.id === at?.last) break;
  }
  return {
    view,
    model,
    modeChosen,
    lastTurn,
    lastDelegate,
    usedCalls,
    said,
    held,
    lastInput,
    lastEnd,
    prompts,
    gauge,
    cache,
    named,
    firstPrompt,
    autocompact,
    fileChanges,
    openUndo,
    shown,
    lastRef,
    released,
    outputs,
    trust,
  };
}

/** `7` of the record that says d7 was started; 0 for one that cannot be read. */
function delegateNumber(data: Json): number {
  const name = typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as JsonObject).delegate : null;
  return typeof name === 'string' ? Number(/^d(\d{1,9})$/.exec(name)?.[1] ?? 0) : 0;
}
