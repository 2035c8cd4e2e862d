import type { Usage } from '../../protocol/message.ts';
import type { Message, ModelEnd } from '../models/model.ts';
import { streamWithRetry } from '../models/retry.ts';
import { costOf, hasUsage } from '../models/usage.ts';
import { requestFor } from './request.ts';
import type { Runtime, TurnTerms } from './runtime.ts';

export type BesideReply =
  | { readonly outcome: 'done'; readonly text: string }
  | { readonly outcome: 'failed'; readonly message: string; readonly partial: string }
  | { readonly outcome: 'stopped'; readonly partial: string };

/**
 * One request with the conversation's own beginning (instructions, tools, messages), so that the service remembers most of
 * it, in which no tool may be called. Nothing of it joins the conversation; what it cost counts under `purpose`.
 */
export async function askBeside(
  runtime: Runtime,
  { model, effort, signal }: Pick<TurnTerms, 'model' | 'effort' | 'signal'>,
  messages: readonly Message[],
  purpose: string,
  /** How often a failure that may pass is tried again. */
  tries: number,
  onText: (text: string) => void = () => {},
): Promise<BesideReply> {
  const record = async (usage: Usage | null): Promise<void> => {
    if (usage === null || !hasUsage(usage)) return;
    const cost = costOf(model.facts, usage);
    await runtime.recorder.write([{ kind: 'usage', purpose, model: model.ref, usage, cost }], { onFailure: 'keep' });
  };
  let end: ModelEnd | null = null;
  const stream = streamWithRetry(
    model,
    { ...requestFor(runtime, { model, effort }, messages), calls: 'forbidden' },
    {
      signal,
      clock: runtime.system.clock,
      random: runtime.random,
      limits: { ...runtime.retryLimits, tries },
      onRetry: ({ usage }) => void record(usage),
    },
  );
  for await (const event of stream) {
    if (event.type === 'end') end = event;
    else if (event.type === 'text') onText(event.text);
  }
  if (end === null) throw new Error('a model stream ended without its end');
  await record(end.usage);
  const { result } = end;
  const text = end.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('')
    .trim();
  if (result.outcome === 'aborted') return { outcome: 'stopped', partial: text };
  if (result.outcome === 'failed') return { outcome: 'failed', message: result.failure.message, partial: text };
  if (result.stop === 'refusal') return { outcome: 'failed', message: 'the model declined to answer', partial: text };
  return text === ''
    ? { outcome: 'failed', message: 'the answer was empty', partial: '' }
    : { outcome: 'done', text: result.stop === 'length' ? `${text} …` : text };
}
