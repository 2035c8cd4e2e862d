import type { Failure } from '../../protocol/failure.ts';
import type { Usage } from '../../protocol/message.ts';
import type { ModelEnd, ModelRequest } from '../models/model.ts';
import { streamWithRetry } from '../models/retry.ts';
import { costOf, hasUsage } from '../models/usage.ts';
import { type Lean, leanMessages } from './compact-lean.ts';
import { type CompactionOrder, type CompactionParts, compactingDetail } from './compact-parts.ts';
import { summaryPrompt } from './compact-prompt.ts';
import type { Reading } from './context-gauge.ts';
import { sizeOf, textTokens } from './context-size.ts';
import { addText } from './request.ts';

export type Summary =
  | { readonly outcome: 'done'; readonly text: string; readonly usage: Usage; readonly cost: number | null }
  | { readonly outcome: 'failed'; readonly message: string; readonly failure: Failure | null }
  | { readonly outcome: 'aborted' };

/** Tokens of a summary, and of the thinking before it. */
const MOST_OUTPUT = 16_000;
/** First as it is: the service remembers most of it. Then with less and less detail, where that was too long. */
const DETAILS: readonly (Lean | null)[] = [null, { text: 4_000, result: 1_000 }, { text: 1_000, result: 200 }];

/**
 * One request that no tool may be called in, over the conversation as it would be sent. A reply that is cut, empty or
 * refused is no summary. One too long for the service is asked for again with less detail, then given up.
 */
export async function askSummary(
  parts: CompactionParts,
  request: ModelRequest,
  before: Reading,
  order: Pick<CompactionOrder, 'focus' | 'refused'>,
): Promise<Summary> {
  const { model } = parts.terms;
  const prompt = summaryPrompt(order.focus);
  const most = model.facts.maxOutput === null ? null : Math.min(model.facts.maxOutput, MOST_OUTPUT);
  const window = model.facts.contextWindow ?? Number.POSITIVE_INFINITY;
  let last: Summary = { outcome: 'failed', message: TOO_LONG, failure: null };
  for (const [at, lean] of DETAILS.entries()) {
    const messages = lean === null ? [...request.messages] : leanMessages(request.messages, lean);
    const tokens = lean === null ? before.projected : sizeOf({ ...request, messages }).total;
    const tooLong = (lean === null && order.refused) || tokens + textTokens(prompt) + (most ?? 0) / 2 > window;
    if (tooLong && at < DETAILS.length - 1) continue;
    addText(messages, prompt);
    last = await ask(parts, { ...request, messages, calls: 'forbidden', maxOutput: most }, order.focus);
    if (last.outcome !== 'failed' || last.failure?.category !== 'context-too-long') return last;
  }
  return last;
}

const TOO_LONG = 'the conversation is too long even to be summarised';

async function ask(
  { runtime, terms, progress }: CompactionParts,
  request: ModelRequest,
  focus: string,
): Promise<Summary> {
  const { model, signal } = terms;
  const record = async (usage: Usage, tier = request.tier as string | undefined): Promise<void> => {
    if (!hasUsage(usage)) return;
    const cost = costOf(model.facts, usage, tier);
    progress.spend(usage, cost);
    await runtime.recorder.write([{ kind: 'usage', purpose: 'compaction', model: model.ref, usage, cost }], {
      onFailure: 'keep',
    });
  };
  let end: ModelEnd | null = null;
  const stream = streamWithRetry(model, request, {
    signal,
    clock: runtime.system.clock,
    random: runtime.random,
    limits: runtime.retryLimits,
    onRetry: ({ at, attempt, attempts, failure, usage, tier }) => {
      progress.phase('compacting', failure.message, { at, attempt, attempts, failure });
      if (usage !== null) void record(usage, tier);
    },
  });
  for await (const event of stream) {
    if (event.type === 'end') end = event;
    else if (event.type === 'begin') progress.phase('compacting', compactingDetail(focus));
  }
  if (end === null) throw new Error('a model stream ended without its end');
  const { result, usage } = end;
  const text = end.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('')
    .trim();
  if (result.outcome === 'complete' && result.stop === 'end' && text !== '')
    return { outcome: 'done', text, usage, cost: costOf(model.facts, usage, end.tier ?? request.tier) };
  await record(usage, end.tier);
  if (result.outcome === 'aborted') return { outcome: 'aborted' };
  if (result.outcome === 'failed')
    return { outcome: 'failed', message: result.failure.message, failure: result.failure };
  return { outcome: 'failed', message: NO_SUMMARY[result.stop], failure: null };
}

const NO_SUMMARY = {
  end: 'the summary was empty',
  calls: 'the model called a tool instead of writing a summary',
  length: 'the summary was cut off',
  refusal: 'the model declined to summarise',
} as const;
