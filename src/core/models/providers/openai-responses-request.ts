import type {
  EasyInputMessage,
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseFunctionCallOutputItem,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import type { JsonObject } from '../../../base/json.ts';
import type { AssistantPart, Effort, ModelRef } from '../../../protocol/message.ts';
import type { CallResult, Message, ModelFacts, ModelRequest, UserPart } from '../model.ts';
import { callIds, callInput, dataUrl, isBlank, isFrom, nearestEffort, resultText } from './request-parts.ts';

/** What a service or model turned out not to take: it is left out from then on. */
export type ResponsesLack = 'encrypted-reasoning' | 'effort' | 'summary' | 'cache-key' | 'max-output';

export interface ResponsesShape {
  readonly ref: ModelRef;
  readonly facts: ModelFacts;
  /** Whether the model's vendor published its facts; an unknown model is assumed to reason. */
  readonly known: boolean;
  readonly lacks: ReadonlySet<ResponsesLack>;
  /** Ids of reasoning the service said it no longer accepts. */
  readonly deadReasoning: ReadonlySet<string>;
}

/** Longest id the service takes for a call. */
const CALL_ID_LIMIT = 64;

/**
 * Our request as the Responses API takes it, with nothing kept by the service: reasoning travels encrypted, there and
 * back. Pure: the same request makes the same bytes, so that its prefix stays cached.
 */
export function responsesRequest(request: ModelRequest, shape: ResponsesShape): ResponseCreateParamsStreaming {
  const callId = callIds(CALL_ID_LIMIT);
  const input = request.messages.flatMap((message) => itemsOf(message, shape, callId));
  const instructions = request.system.filter((text) => !isBlank(text)).map((text) => text.toWellFormed());
  const tools = request.tools.map(
    (tool): FunctionTool => ({
      type: 'function',
      name: tool.name,
      description: tool.description,
      parameters: tool.input as Record<string, unknown>,
      // Strict schemas must list every property as required; ours have optional ones.
      strict: false,
    }),
  );
  const reasons = shape.facts.thinking || !shape.known;
  const lacks = (what: ResponsesLack) => shape.lacks.has(what);
  const effort = reasons && !lacks('effort') ? effortOf(shape, request.effort) : null;
  const reasoning = {
    ...(effort === null ? {} : { effort }),
    ...(reasons && shape.known && !lacks('summary') && request.readableThinking !== false
      ? { summary: 'auto' as const }
      : {}),
  };
  return {
    model: shape.ref.model,
    stream: true,
    store: false,
    input,
    ...(instructions.length > 0 ? { instructions: instructions.join('\n\n') } : {}),
    ...(tools.length > 0 ? { tools, parallel_tool_calls: true } : {}),
    ...(tools.length > 0 && request.calls === 'forbidden' ? { tool_choice: 'none' as const } : {}),
    ...(request.maxOutput === null || lacks('max-output') ? {} : { max_output_tokens: request.maxOutput }),
    ...(Object.keys(reasoning).length > 0 ? { reasoning } : {}),
    ...(reasons && !lacks('encrypted-reasoning') ? { include: ['reasoning.encrypted_content' as const] } : {}),
    ...(lacks('cache-key') ? {} : { prompt_cache_key: request.session.slice(0, 64) }),
    ...(request.tier === undefined ? {} : { service_tier: request.tier }),
  };
}

/** Ids of the reasoning a request sends, to know which ones a refusal is about. */
export function reasoningIds({ input }: ResponseCreateParamsStreaming): string[] {
  return typeof input === 'string' || input === undefined
    ? []
    : input.flatMap((item) => (item.type === 'reasoning' && typeof item.id === 'string' ? [item.id] : []));
}

function itemsOf(message: Message, shape: ResponsesShape, callId: (call: string) => string): ResponseInputItem[] {
  switch (message.role) {
    case 'user': {
      const content = message.parts.flatMap(userContent);
      return content.length === 0 ? [] : [{ type: 'message', role: 'user', content }];
    }
    case 'assistant':
      return assistantItems(message.parts, isFrom(message, shape.ref), shape, callId);
    case 'results':
      return message.results.map((result) => ({
        type: 'function_call_output',
        call_id: callId(result.call),
        output: resultOutput(result),
      }));
  }
}

function userContent(part: UserPart): ResponseInputContent[] {
  if (part.type === 'image') return [{ type: 'input_image', detail: 'auto', image_url: dataUrl(part) }];
  return isBlank(part.text) ? [] : [{ type: 'input_text', text: part.text.toWellFormed() }];
}

function resultOutput(result: CallResult): string | ResponseFunctionCallOutputItem[] {
  const text = resultText(result);
  if (result.images.length === 0) return text;
  return [
    { type: 'input_text', text },
    ...result.images.map((image) => ({
      type: 'input_image' as const,
      detail: 'auto' as const,
      image_url: dataUrl(image),
    })),
  ];
}

/**
 * Reasoning goes back exactly as it came, only to the model that made it, and only with what it led to: the service
 * refuses a reasoning item that nothing follows. Other items travel without their ids, which would tie them to it.
 */
function assistantItems(
  parts: readonly AssistantPart[],
  own: boolean,
  shape: ResponsesShape,
  callId: (call: string) => string,
): ResponseInputItem[] {
  const items: ResponseInputItem[] = [];
  let waiting: ResponseReasoningItem[] = [];
  const add = (item: ResponseInputItem) => {
    items.push(...waiting, item);
    waiting = [];
  };
  for (const part of parts) {
    if (part.type === 'thinking') {
      const reasoning = own ? reasoningOf(part) : null;
      if (reasoning !== null && !shape.deadReasoning.has(reasoning.id)) waiting.push(reasoning);
    } else if (part.type === 'call') {
      const { tool, call } = part;
      add({ type: 'function_call', call_id: callId(call), name: tool, arguments: JSON.stringify(callInput(part)) });
    } else if (!isBlank(part.text)) {
      add(messageItem(part, own));
    }
  }
  return items;
}

function messageItem(part: Extract<AssistantPart, { type: 'text' }>, own: boolean): EasyInputMessage {
  const phase = own ? (part.opaque as { readonly phase?: string } | undefined)?.phase : undefined;
  return {
    type: 'message',
    role: 'assistant',
    content: part.text.toWellFormed(),
    ...(phase === 'commentary' || phase === 'final_answer' ? { phase } : {}),
  };
}

/** The item as it was received; null for thinking of another wire, or without its sealed content. */
function reasoningOf(part: Extract<AssistantPart, { type: 'thinking' }>): ResponseReasoningItem | null {
  const item = (part.opaque as JsonObject | undefined)?.reasoning as unknown as ResponseReasoningItem | undefined;
  return item !== undefined && typeof item.id === 'string' && typeof item.encrypted_content === 'string' ? item : null;
}

function effortOf({ facts, known }: ResponsesShape, effort: Effort): Exclude<Effort, 'default'> | null {
  if (known) return nearestEffort(facts.efforts, effort);
  return effort === 'default' ? null : effort;
}
