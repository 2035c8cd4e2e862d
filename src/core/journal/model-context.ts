import type { Entry, EntryId, EntryOf } from '../../protocol/entry.ts';
import type { Said } from '../../protocol/fold.ts';
import type { ModelRef } from '../../protocol/message.ts';
import type { Message } from '../models/model.ts';
import { type ContextBuilder, createContextBuilder } from './context-builder.ts';
import { isKind, type Journal } from './journal.ts';
import { keptText } from './kept-words.ts';
import { loadSaid } from './said.ts';
import type { PartOptions } from './user-parts.ts';

export interface ContextOptions extends Omit<PartOptions, 'dropped'> {
  readonly target: ModelRef;
  readonly dropped?: ReadonlySet<string>;
  /** Said last in this request only, such as what a summary should hold. */
  readonly lastly?: string;
}

const NOTHING: ReadonlySet<string> = new Set();
/** Kinds that become part of a request. */
const SENT = new Set<string>(['taken', 'assistant', 'call', 'result', 'hook']);
/** Entries loaded at a time: what was built is kept, what it was built from is not. */
const BATCH = 256;
/** Fewer of them in advance, while somebody may press a key; and the newest are left to the request. */
const SLICE = 96;
const NEWEST = 64;

/** The messages of a request from the entries of a branch, root first. Never fails: what cannot be sent is mended or left out. */
export async function buildMessages(
  entries: readonly Entry[],
  options: ContextOptions & { readonly said: (input: EntryId) => Said | null },
): Promise<Message[]> {
  const ids = entries.map((entry) => entry.id);
  const cut = entries.findLastIndex((entry) => entry.kind === 'compaction');
  const compaction = cut < 0 ? null : (entries[cut] as EntryOf<'compaction'>);
  const builder = startBuilder(compaction, options);
  for (const entry of carriedBy(compaction, entries))
    if (isKind(entry, 'taken')) await builder.add(entry, options.said(entry.input));
  const from = compaction === null ? 0 : keptFrom(ids, cut, compaction, (at) => entries[at]!.kind);
  for (const entry of entries.slice(from))
    await builder.add(entry, entry.kind === 'taken' ? options.said(entry.input) : null);
  return await builder.messages(options.lastly ?? null);
}

/** Builds the messages of one session's requests, reading from the journal only what came since the last time. */
export interface ModelContext {
  build(options: ContextOptions): Promise<Message[]>;
  /**
   * Reads ahead what a request with these options will begin with, in slices, all but the newest entries: what became of
   * those may still change. Ends where `pause` says so, and where a request comes, which goes on from there.
   */
  prepare(options: ContextOptions, pause: () => Promise<boolean>): Promise<void>;
  /** Gives back what is held; the next request is built anew. */
  drop(): void;
}

interface Held {
  readonly key: string;
  readonly builder: ContextBuilder;
  readonly from: number;
  /** Place of the compaction it begins with, -1 for none. */
  readonly cut: number;
  /** Branch entries taken so far, and the last of them: a branch with that one at that place begins the same way. */
  taken: number;
  last: EntryId | null;
}

interface Ahead {
  wanted: boolean;
  readonly over: Promise<void>;
}

export function createModelContext(journal: Journal): ModelContext {
  let held: Held | null = null;
  /** What is read ahead just now; to be ended by whoever comes. */
  let ahead: Ahead | null = null;

  async function begin(branch: readonly EntryId[], cut: number, key: string, options: ContextOptions): Promise<Held> {
    const [compaction] = cut < 0 ? [] : ((await journal.load([branch[cut]!])) as EntryOf<'compaction'>[]);
    const from = compaction === undefined ? 0 : keptFrom(branch, cut, compaction, (at) => journal.kindOf(branch[at]!));
    const state: Held = { key, builder: startBuilder(compaction ?? null, options), from, cut, taken: from, last: null };
    await take(state, compaction?.kept?.said ?? []);
    return state;
  }

  async function take(state: Held, ids: readonly EntryId[]): Promise<void> {
    const entries = await journal.load(ids);
    const said = await loadSaid(journal, entries);
    for (const entry of entries) await state.builder.add(entry, said.get(entry.id) ?? null);
  }

  /** Place of the last compaction, -1 for none: looked for only behind what is held of this branch. */
  function lastCut(branch: readonly EntryId[]): number {
    const known = held !== null && held.cut < held.taken && held.last !== null ? held : null;
    const goesOn = known !== null && branch[known.taken - 1] === known.last;
    const from = goesOn ? known.taken : 0;
    for (let at = branch.length - 1; at >= from; at--) if (journal.kindOf(branch[at]!) === 'compaction') return at;
    return goesOn ? known.cut : -1;
  }

  /** What is held, where it is a beginning of this branch made in this way; else a new beginning. Nothing is held then. */
  async function takeUp(branch: readonly EntryId[], options: ContextOptions): Promise<Held> {
    const cut = lastCut(branch);
    const { target, images, dropped } = options;
    const key = JSON.stringify([
      branch[cut] ?? null,
      target.provider,
      target.model,
      images,
      [...(dropped ?? NOTHING)].sort(),
    ]);
    const goesOn =
      held !== null &&
      held.key === key &&
      held.taken <= branch.length &&
      (held.last === null || branch[held.taken - 1] === held.last);
    const state = held !== null && goesOn ? held : await begin(branch, cut, key, options);
    // Half-built is not held: a read that fails must not leave entries out of the next request.
    held = null;
    return state;
  }

  async function takeTo(state: Held, branch: readonly EntryId[], end: number): Promise<void> {
    const ids = branch.slice(state.taken, end).filter((id) => SENT.has(journal.kindOf(id) ?? ''));
    await take(state, ids);
    state.taken = end;
    state.last = branch[end - 1] ?? null;
  }

  async function readAhead(own: Ahead, options: ContextOptions, pause: () => Promise<boolean>): Promise<void> {
    const branch = journal.branch();
    const end = branch.length - NEWEST;
    if (end <= 0) return;
    const state = await takeUp(branch, options);
    while (state.taken < end && own.wanted && (await pause()) && own.wanted)
      await takeTo(state, branch, Math.min(end, state.taken + SLICE));
    if (ahead === own) held = state;
  }

  return {
    async build(options) {
      if (ahead !== null) {
        ahead.wanted = false;
        await ahead.over;
      }
      const branch = journal.branch();
      const state = await takeUp(branch, options);
      while (state.taken < branch.length) await takeTo(state, branch, Math.min(branch.length, state.taken + BATCH));
      held = state;
      return await state.builder.messages(options.lastly ?? null);
    },
    async prepare(options, pause) {
      if (ahead !== null) return;
      const { promise: over, resolve } = Promise.withResolvers<void>();
      const own: Ahead = { wanted: true, over };
      ahead = own;
      try {
        await readAhead(own, options, pause);
      } finally {
        if (ahead === own) ahead = null;
        resolve();
      }
    },
    drop() {
      held = null;
      if (ahead !== null) ahead.wanted = false;
      ahead = null;
    },
  };
}

/** What the next request is made of: the entries that are sent, what the inputs among them say, and what stands before. */
export interface LiveBranch {
  readonly compaction: EntryOf<'compaction'> | null;
  /** Branch entries from the first that is sent word for word on, of every kind. */
  readonly entries: readonly Entry[];
  /** By the id of the `taken` entry; those carried along by the compaction too. */
  readonly said: ReadonlyMap<EntryId, Said>;
  /** The `taken` entries the compaction carries along. */
  readonly carried: readonly Entry[];
}

export async function loadLive(journal: Journal): Promise<LiveBranch> {
  const branch = journal.branch();
  const cut = branch.findLastIndex((id) => journal.kindOf(id) === 'compaction');
  const [found] = cut < 0 ? [] : ((await journal.load([branch[cut]!])) as EntryOf<'compaction'>[]);
  const from = found === undefined ? 0 : keptFrom(branch, cut, found, (at) => journal.kindOf(branch[at]!));
  const entries = await journal.load(branch.slice(from));
  const carried = await journal.load(found?.kept?.said ?? []);
  return { compaction: found ?? null, entries, carried, said: await loadSaid(journal, [...carried, ...entries]) };
}

function carriedBy(compaction: EntryOf<'compaction'> | null, entries: readonly Entry[]): readonly Entry[] {
  const wanted = compaction?.kept?.said ?? [];
  return wanted.flatMap((id) => entries.find((entry) => entry.id === id) ?? []);
}

function startBuilder(compaction: EntryOf<'compaction'> | null, options: ContextOptions): ContextBuilder {
  const { target, images, dropped } = options;
  const loaded = new Map<string, Promise<string | null>>();
  const builder = createContextBuilder(target, {
    images,
    dropped: dropped ?? NOTHING,
    loadAttachment(attachment) {
      const known = loaded.get(attachment.hash) ?? options.loadAttachment(attachment).catch(() => null);
      loaded.set(attachment.hash, known);
      return known;
    },
  });
  if (compaction !== null) {
    builder.addText(`[The conversation up to here was summarised to save room. The summary:]\n\n${compaction.summary}`);
    if (compaction.kept !== undefined) builder.addText(keptText(compaction.kept));
  }
  return builder;
}

/**
 * Place of the first branch entry that is sent word for word. Should the one named by the compaction be lost, it is the
 * last prompt before the compaction, so that the task at hand is never summarised away.
 */
function keptFrom(
  branch: readonly EntryId[],
  cut: number,
  compaction: EntryOf<'compaction'>,
  kindAt: (at: number) => string | null,
): number {
  const named = branch.lastIndexOf(compaction.keepFrom, cut);
  if (named >= 0) return named;
  for (let at = cut; at >= 0; at--) if (kindAt(at) === 'taken') return at;
  return cut;
}
