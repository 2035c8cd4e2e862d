import type { Message } from '../models/model.ts';
import { streamWithRetry } from '../models/retry.ts';
import { costOf, hasUsage } from '../models/usage.ts';
import type { Runtime, TurnTerms } from './runtime.ts';
import type { TurnProgress } from './turn-progress.ts';

/** Whose turn a request beside the conversation belongs to. */
export interface SideTurn {
  readonly runtime: Runtime;
  readonly terms: Pick<TurnTerms, 'model' | 'effort' | 'signal'>;
  readonly progress: Pick<TurnProgress, 'spend' | 'phase' | 'offered'>;
}

/**
 * One request beside the conversation: fresh messages, no tools, no memory. Its reply as text, null unless it came whole
 * (cut, refused, failed, stopped). Calls in it are not looked at: there is nothing they could do. What it cost adds up.
 */
export async function sideRequest(
  { runtime, terms, progress }: SideTurn,
  purpose: 'processor' | 'check',
  { system, messages }: { readonly system: string; readonly messages: readonly Message[] },
  signal: AbortSignal = terms.signal,
): Promise<string | null> {
  const { model, effort } = terms;
  const { recorder } = runtime;
  const record = async (usage: Parameters<typeof costOf>[1]): Promise<void> => {
    if (!hasUsage(usage)) return;
    const cost = costOf(model.facts, usage);
    progress.spend(usage, cost);
    await recorder.write([{ kind: 'usage', purpose, model: model.ref, usage, cost }], { onFailure: 'keep' });
  };
  let reply: string | null = null;
  const stream = streamWithRetry(
    model,
    {
      system: [system],
      messages,
      tools: [],
      effort,
      maxOutput: model.facts.maxOutput,
      cacheMarks: [],
      session: runtime.session,
    },
    {
      signal,
      clock: runtime.system.clock,
      random: runtime.random,
      limits: runtime.retryLimits,
      onRetry: ({ usage }) => {
        if (usage !== null) void record(usage);
      },
    },
  );
  for await (const event of stream) {
    if (event.type !== 'end') continue;
    await record(event.usage);
    const { result, parts } = event;
    if (result.outcome !== 'complete' || result.stop === 'length' || result.stop === 'refusal') continue;
    reply = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  }
  return reply;
}
