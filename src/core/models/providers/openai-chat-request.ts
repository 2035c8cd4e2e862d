import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions/completions';
import type { AssistantPart, Effort, ModelRef } from '../../../protocol/message.ts';
import type { CallResult, Message, ModelFacts, ModelRequest, UserPart } from '../model.ts';
import type { ChatDialect, ChatLack } from './openai-chat-dialects.ts';
import type { KeptThinking } from './openai-chat-stream.ts';
import {
  calledTools,
  callIds,
  callInput,
  dataUrl,
  isBlank,
  isFrom,
  nearestEffort,
  resultText,
} from './request-parts.ts';

export interface ChatShape {
  readonly ref: ModelRef;
  readonly facts: ModelFacts;
  readonly dialect: ChatDialect;
  readonly lacks: ReadonlySet<ChatLack>;
}

/** Longest id the strictest of these services takes for a call. */
const CALL_ID_LIMIT = 40;

/** Our request as Chat Completions, in the words of one dialect. Pure, so that its prefix stays cached. */
export function chatRequest(request: ModelRequest, shape: ChatShape): ChatCompletionCreateParamsStreaming {
  const { dialect, facts } = shape;
  const lacks = (what: ChatLack) => shape.lacks.has(what);
  const tools = lacks('tools') ? [] : toolsOf(request);
  const noCalls = tools.length > 0 && (request.tools.length === 0 || request.calls === 'forbidden');
  const otherName = dialect.maxTokens === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  const maxTokens = lacks('max-tokens') ? otherName : dialect.maxTokens;
  const effort = lacks('effort') ? null : effortOf(shape, request.effort);
  const fields: Readonly<Record<string, unknown>> = {
    ...(request.maxOutput === null ? {} : { [maxTokens]: request.maxOutput }),
    ...(effort !== null && dialect.effort === 'reasoning_effort' ? { reasoning_effort: effort } : {}),
    ...(effort !== null && dialect.effort === 'reasoning' ? { reasoning: { effort } } : {}),
    ...(lacks('usage') ? {} : { stream_options: { include_usage: true } }),
    ...(tools.length > 0 ? { tools } : {}),
    ...(noCalls && !lacks('tool-choice') ? { tool_choice: 'none' } : {}),
    ...(tools.length > 0 && dialect.parallel && !lacks('parallel') ? { parallel_tool_calls: true } : {}),
    ...(dialect.cacheKey && !lacks('cache-key') ? { prompt_cache_key: request.session.slice(0, 64) } : {}),
    ...(dialect.tiers && request.tier !== undefined ? { service_tier: request.tier } : {}),
    ...(facts.thinking && dialect.thinkingBack === 'details' && effort === null && !lacks('effort')
      ? { reasoning: { enabled: true } }
      : {}),
  };
  return { model: shape.ref.model, stream: true, messages: messagesOf(request, shape), ...fields };
}

function toolsOf(request: ModelRequest): ChatCompletionFunctionTool[] {
  const declared = request.tools.map(
    ({ name, description, input }): ChatCompletionFunctionTool => ({
      type: 'function',
      function: { name, description, parameters: input as Record<string, unknown> },
    }),
  );
  if (declared.length > 0) return declared;
  // Services behind a router may want every conversation that holds calls to declare tools.
  return calledTools(request).map((name) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties: {} } },
  }));
}

function messagesOf(request: ModelRequest, shape: ChatShape): ChatCompletionMessageParam[] {
  const callId = callIds(CALL_ID_LIMIT);
  const messages: ChatCompletionMessageParam[] = [];
  const system = request.system.filter((text) => !isBlank(text)).map((text) => text.toWellFormed());
  if (system.length > 0) messages.push({ role: 'system', content: system.join('\n\n') });
  // Templates of local models want roles to alternate: what people say in a row is one message.
  const say = (content: readonly ChatCompletionContentPart[]) => {
    if (content.length === 0) return;
    const last = messages.at(-1);
    const before = last?.role === 'user' ? (messages.pop()?.content ?? []) : [];
    const earlier =
      typeof before === 'string' ? [textContent(before)] : (before as readonly ChatCompletionContentPart[]);
    messages.push({ role: 'user', content: userContent([...earlier, ...content]) });
  };
  const inLoop = request.messages.findLastIndex((message) => message.role === 'user');
  for (const [at, message] of request.messages.entries()) {
    if (message.role === 'user') say(message.parts.flatMap(contentPart));
    else if (message.role === 'assistant') {
      const made = assistantMessage(message, at > inLoop, shape, callId);
      if (made !== null) messages.push(made);
    } else if (shape.lacks.has('tools')) say(message.results.map(resultInWords));
    else {
      for (const result of message.results) {
        messages.push({ role: 'tool', tool_call_id: callId(result.call), content: resultText(result) });
      }
      // A tool's message holds text only: its images follow as if they had been shown.
      say(message.results.flatMap(resultImages));
    }
  }
  return messages;
}

function contentPart(part: UserPart): ChatCompletionContentPart[] {
  if (part.type === 'image') return [{ type: 'image_url', image_url: { url: dataUrl(part) } }];
  return isBlank(part.text) ? [] : [textContent(part.text.toWellFormed())];
}

function textContent(text: string): ChatCompletionContentPart {
  return { type: 'text', text };
}

/** Plain text wherever there is nothing else: not every server takes parts. */
function userContent(parts: readonly ChatCompletionContentPart[]): string | ChatCompletionContentPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n\n') : [...parts];
}

function resultImages(result: CallResult): ChatCompletionContentPart[] {
  if (result.images.length === 0) return [];
  return [textContent(`Images of the result of ${result.tool}:`), ...result.images.flatMap(contentPart)];
}

function resultInWords(result: CallResult): ChatCompletionContentPart {
  return textContent(`[Result of ${result.tool}]\n${resultText(result)}`);
}

function assistantMessage(
  message: Extract<Message, { role: 'assistant' }>,
  inLoop: boolean,
  shape: ChatShape,
  callId: (call: string) => string,
): ChatCompletionAssistantMessageParam | null {
  const inWords = shape.lacks.has('tools');
  const texts: string[] = [];
  const calls: NonNullable<ChatCompletionAssistantMessageParam['tool_calls']> = [];
  for (const part of message.parts) {
    if (part.type === 'text' && !isBlank(part.text)) texts.push(part.text.toWellFormed());
    if (part.type !== 'call') continue;
    const json = JSON.stringify(callInput(part));
    if (inWords) texts.push(`[Called ${part.tool} with ${json}]`);
    else calls.push({ id: callId(part.call), type: 'function', function: { name: part.tool, arguments: json } });
  }
  if (texts.length === 0 && calls.length === 0) return null;
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join('\n\n'),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(isFrom(message, shape.ref) && !shape.lacks.has('thinking')
      ? thinkingBack(message.parts, shape.dialect, inLoop && calls.length > 0)
      : {}),
  };
}

function thinkingBack(
  parts: readonly AssistantPart[],
  { thinkingBack: how }: ChatDialect,
  inLoop: boolean,
): Readonly<Record<string, unknown>> {
  if (how === null) return {};
  const thinking = parts.flatMap((part) =>
    part.type === 'thinking' ? [{ text: part.text, kept: part.opaque as unknown as KeptThinking | undefined }] : [],
  );
  if (how === 'details') {
    const details = thinking.flatMap(({ kept }) => kept?.details ?? []);
    return details.length === 0 ? {} : { reasoning_details: details };
  }
  const field = thinking.find(({ kept }) => kept?.field !== undefined)?.kept?.field;
  const text = thinking.map((one) => one.text).join('\n\n');
  return inLoop && field !== undefined && !isBlank(text) ? { [field]: text.toWellFormed() } : {};
}

/** What the model's own facts say, else what its service usually knows. */
function effortOf({ facts, dialect }: ChatShape, effort: Effort): Exclude<Effort, 'default'> | null {
  if (facts.efforts.length > 0) return nearestEffort(facts.efforts, effort);
  const known = !facts.thinking && facts.maxOutput !== null && facts.price !== null;
  return known ? null : nearestEffort(dialect.efforts, effort);
}
