import type { Entry, EntryBody, EntryId, EntryOf, KeptWords } from '../../protocol/entry.ts';
import type { Failure } from '../../protocol/failure.ts';
import type { Said } from '../../protocol/fold.ts';
import type { LiveBranch } from '../journal/model-context.ts';
import { buildMessages, loadLive } from '../journal/model-context.ts';
import type { Message } from '../models/model.ts';
import { type Cut, chooseCut } from './compact-cut.ts';
import { type CompactionOrder, type CompactionParts, compactingDetail } from './compact-parts.ts';
import { askSummary, type Summary } from './compact-summary.ts';
import type { Reading } from './context-gauge.ts';
import { assistantTokens, sizeOf, textTokens } from './context-size.ts';
import { buildRequest, contextOptions } from './request.ts';
import type { Runtime, TurnTerms } from './runtime.ts';

export type Compacted =
  | { readonly outcome: 'done'; readonly reading: Reading }
  /** Nothing was said that could be summarised. */
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'failed'; readonly message: string; readonly failure: Failure | null }
  | { readonly outcome: 'aborted' };

/** An exchange with the person is kept as long as all of them together stay below this. */
const ANSWER_CHARACTERS = 32 * 1024;
/** Tokens of a picture or a message's frame, when the place of the cut is chosen. */
const ATTACHMENT_TOKENS = 1_500;

/**
 * Puts a summary in the place of what was said earlier, in requests only: record and transcript keep everything. It is
 * taken only when the next request becomes smaller by it; whatever else happens, the conversation is as it was.
 */
export async function compact(parts: CompactionParts, order: CompactionOrder): Promise<Compacted> {
  const { runtime, terms, progress } = parts;
  const { recorder, calls, gauge } = runtime;
  const live = await loadLive(runtime.journal);
  const tokens = live.entries.map((entry) => entryTokens(entry, live.said.get(entry.id)));
  const cut = chooseCut(live.entries, tokens, order.keep);
  const kept = keptWords(runtime, live, cut);
  // What is said again word for word anyway wins nothing.
  const won = live.entries.slice(0, cut.at).some(({ id }, at) => tokens[at]! > 0 && !kept.said.includes(id));
  if (!won && live.compaction === null) return { outcome: 'nothing' };

  progress.phase('compacting', compactingDetail(order.focus));
  const [opening] = await recorder.write([note('info', 'compacting', OPENING)], KEEP);
  const { request } = await buildRequest(runtime, terms, false);
  const before = gauge.read(request);
  const summary = await askSummary(parts, request, before, order);
  if (summary.outcome === 'aborted') {
    await recorder.write([note('warning', 'compaction-stopped', STOPPED)], KEEP);
    return { outcome: 'aborted' };
  }
  if (summary.outcome === 'failed') return summary;

  const entry: Extract<EntryBody, { kind: 'compaction' }> = {
    kind: 'compaction',
    summary: calls.redact(summary.text),
    // Where nothing stays, what follows the note that opened this does.
    keepFrom: cut.keepFrom ?? opening!.id,
    tokensBefore: before.measured ? before.projected : null,
    tokensAfter: null,
    usage: summary.usage,
    cost: summary.cost,
    model: terms.model.ref,
    budget: order.budget,
    kept,
  };
  const after = sizeOf({ ...request, messages: await messagesWith(runtime, terms, live, opening!, entry) });
  if (after.total >= before.size.total) {
    await recorder.write([usageOf(parts, summary)], KEEP);
    return { outcome: 'failed', message: 'the summary would not have been shorter', failure: null };
  }
  const projected = Math.round((before.projected * after.total) / before.size.total);
  gauge.expect(after.total);
  progress.spend(summary.usage, summary.cost);
  await recorder.write([{ ...entry, tokensAfter: before.measured ? projected : null }], KEEP);
  calls.gate.audit({
    event: 'compaction',
    round: order.round,
    summarised: sentIn(live.entries.slice(0, cut.at)),
    kept: sentIn(live.entries.slice(cut.at)),
    cost: summary.cost,
    focus: order.focus.length,
  });
  return { outcome: 'done', reading: { size: after, projected, measured: before.measured } };
}

const KEEP = { onFailure: 'keep' } as const;
const OPENING = 'Summarising the earlier conversation to make room. Esc or Ctrl-C stops it.';
const STOPPED = 'Stopped: the conversation is as it was.';

function note(level: 'info' | 'warning', identifier: string, text: string): EntryBody {
  return { kind: 'note', level, identifier, text };
}

function usageOf(
  { terms, progress }: CompactionParts,
  { usage, cost }: Extract<Summary, { outcome: 'done' }>,
): EntryBody {
  progress.spend(usage, cost);
  return { kind: 'usage', purpose: 'compaction', model: terms.model.ref, usage, cost };
}

/** The messages of the next request, were this compaction on the branch. */
async function messagesWith(
  runtime: Runtime,
  { model }: Pick<TurnTerms, 'model'>,
  live: LiveBranch,
  opening: Entry,
  body: Extract<EntryBody, { kind: 'compaction' }>,
): Promise<Message[]> {
  const coming: EntryOf<'compaction'> = { ...body, id: '', parent: opening.id, time: opening.time };
  const said = new Map<EntryId, Said | null>();
  for (const entry of [...live.carried, ...live.entries])
    if (entry.kind === 'taken') said.set(entry.input, live.said.get(entry.id) ?? null);
  return buildMessages([...live.carried, ...live.entries, opening, coming], {
    ...contextOptions(runtime, model),
    said: (input) => said.get(input) ?? null,
  });
}

/** What stays in force beside the summary: said again word for word, whatever the summary says. */
function keptWords(runtime: Runtime, live: LiveBranch, cut: Cut): KeptWords {
  const summarised = live.entries.slice(0, cut.at);
  const newest = [...live.carried, ...live.entries].findLast(isMessage);
  const said = [...live.carried, ...summarised].filter(
    (entry) => isMessage(entry) && newest !== undefined && entry.turn === newest.turn,
  );
  const answers = [...(live.compaction?.kept?.answers ?? []), ...summarised.flatMap(answerIn)];
  let room = ANSWER_CHARACTERS;
  return {
    said: said.map((entry) => entry.id),
    answers: answers
      .toReversed()
      .filter((answer) => (room -= answer.length) >= 0)
      .reverse(),
    todo: runtime.calls.todo(),
    mode: runtime.calls.gate.mode(),
  };
}

/** A message of the person, or what stands for one; a line for the shell is none. */
function isMessage(entry: Entry): entry is EntryOf<'taken'> {
  return entry.kind === 'taken' && entry.as !== 'shell';
}

function answerIn(entry: Entry): string[] {
  if (entry.kind !== 'result' || entry.ref !== null) return [];
  if (entry.display.kind === 'answer') return [`${entry.display.question}\n${entry.display.answer}`];
  return entry.outcome === 'denied' ? [`${entry.title}: ${entry.text}`] : [];
}

function sentIn(entries: readonly Entry[]): number {
  return entries.filter((entry) => entry.kind === 'taken' || entry.kind === 'assistant' || entry.kind === 'result')
    .length;
}

function entryTokens(entry: Entry, said: Said | undefined): number {
  switch (entry.kind) {
    case 'taken':
      return said === undefined ? 0 : textTokens(said.text) + said.attachments.length * ATTACHMENT_TOKENS;
    case 'assistant':
      return entry.parts.reduce((sum, part) => sum + assistantTokens(part), 0);
    case 'result':
      return textTokens(entry.text) + entry.images.length * ATTACHMENT_TOKENS;
    default:
      return 0;
  }
}
