import type { Message, Model, ModelEnd, ModelEvent, ModelRequest } from '../../src/core/models/model.ts';
import { streamWithRetry } from '../../src/core/models/retry.ts';
import type { AssistantPart } from '../../src/protocol/message.ts';
import { createMemoryClock } from '../../src/system/memory/clock.ts';

/** Short ways to ask a model something in tests of wires. */
export const SAY: Message = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };

export function plainRequest(messages: readonly Message[] = [SAY], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: ['You are Houston.', 'Be brief.'],
    messages,
    tools: [{ name: 'look', description: 'Looks.', input: { type: 'object', properties: { at: { type: 'string' } } } }],
    effort: 'default',
    maxOutput: 4_096,
    cacheMarks: [messages.length - 1],
    session: 's',
    ...more,
  };
}

export interface Collected {
  readonly events: ModelEvent[];
  readonly end: ModelEnd;
}

export function collectReply(
  model: Model,
  request = plainRequest(),
  signal = new AbortController().signal,
): Promise<Collected> {
  return collect(model.stream(request, signal));
}

/** With retries that take no time. */
export function tryUntilDone(model: Model, request = plainRequest()): Promise<Collected> {
  const clock = { ...createMemoryClock(), sleep: async () => true };
  const signal = new AbortController().signal;
  return collect(streamWithRetry(model, request, { signal, clock, random: () => 0 }));
}

export async function collect(events: AsyncIterable<ModelEvent>): Promise<Collected> {
  const all: ModelEvent[] = [];
  for await (const event of events) if (event.type !== 'alive') all.push(event);
  return { events: all, end: all.at(-1) as ModelEnd };
}

/** The message after an assistant's: results of all its calls. */
export function resultsOf(parts: readonly AssistantPart[]): Message {
  const results = parts.flatMap((part) =>
    part.type === 'call' ? [{ call: part.call, tool: part.tool, text: 'ok', error: false, images: [] }] : [],
  );
  return { role: 'results', results };
}
