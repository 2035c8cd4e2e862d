import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ThinkingConfigParam,
  Tool,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { AssistantPart, Effort, ModelRef } from '../../../protocol/message.ts';
import type { CallResult, Message, ModelFacts, ModelRequest, UserPart } from '../model.ts';
import type { ThinkingStyle } from './anthropic-models.ts';
import { calledTools, callInput, isFrom, nearestEffort } from './request-parts.ts';

export interface RequestShape {
  readonly ref: ModelRef;
  readonly facts: ModelFacts;
  readonly thinking: ThinkingStyle;
  /** Signatures the service said no longer fit: their blocks stay out. */
  readonly deadSignatures: ReadonlySet<string>;
  /** What messages came to in earlier requests of the same shape; those were never changed since. */
  readonly known?: WeakMap<Message, MessageParam>;
}

/** At most this many cache marks count; the service refuses more. */
const CACHE_MARKS = 4;
const MARK = { type: 'ephemeral' } as const;

/** Output allowed where neither the request nor the model's facts say: every model takes it. */
const DEFAULT_OUTPUT = 8_192;
/** More than anybody reads at once, and short enough to leave room in the window. */
const USUAL_OUTPUT = 64_000;

/** Our request as the Messages API takes it. Pure: the same request makes the same bytes, so that its prefix stays cached. */
export function anthropicRequest(request: ModelRequest, shape: RequestShape): MessageCreateParamsStreaming {
  const messages: MessageParam[] = [];
  // Where each of our messages went: a message that turned out empty is left out, and its mark goes to the one before.
  const places: number[] = [];
  for (const message of request.messages) {
    const known = shape.known?.get(message);
    const made = known ?? paramOf(message, shape);
    if (known === undefined) shape.known?.set(message, made);
    if (made.content.length > 0) messages.push(made);
    places.push(messages.length - 1);
  }

  const system = once(SYSTEMS, request.system, systemOf);
  const noCalls = request.tools.length === 0 || request.calls === 'forbidden';
  // The service wants every conversation that holds calls to declare tools, also where none may be called.
  const tools = request.tools.length === 0 ? namesOnly(request) : once(TOOLS, request.tools, toolsOf);
  const marks = CACHE_MARKS - Math.min(1, tools.length) - Math.min(1, system.length);
  markMessages(messages, request.cacheMarks, places, marks);

  const maxTokens =
    request.maxOutput ??
    (shape.facts.maxOutput === null ? DEFAULT_OUTPUT : Math.min(shape.facts.maxOutput, USUAL_OUTPUT));
  const thinking = thinkingOf(shape.thinking, request.effort, maxTokens, messages);
  const effort = effortOf(shape, request.effort);
  return {
    model: shape.ref.model,
    max_tokens: maxTokens,
    stream: true,
    messages,
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(tools.length > 0 && noCalls ? { tool_choice: { type: 'none' as const } } : {}),
    ...(thinking ? { thinking } : {}),
    ...(effort ? { output_config: { effort } } : {}),
  };
}

/** What they came to: every request of a session has the same texts and tools, and is encoded faster for it. */
const SYSTEMS = new WeakMap<ModelRequest['system'], TextBlockParam[]>();
const TOOLS = new WeakMap<ModelRequest['tools'], Tool[]>();

function once<K extends object, V>(known: WeakMap<K, V>, key: K, make: (key: K) => V): V {
  const found = known.get(key) ?? make(key);
  known.set(key, found);
  return found;
}

function systemOf(texts: ModelRequest['system']): TextBlockParam[] {
  return marked(
    texts.filter((text) => text.trim() !== '').map((text) => ({ type: 'text', text: text.toWellFormed() })),
  );
}

function toolsOf(offered: ModelRequest['tools']): Tool[] {
  return marked(
    offered.map(({ name, description, input }) => ({
      name,
      description,
      input_schema: input as unknown as Tool['input_schema'],
    })),
  );
}

function namesOnly(request: ModelRequest): Tool[] {
  return marked(
    calledTools(request).map((name): Tool => ({ name, description: '', input_schema: { type: 'object' } })),
  );
}

/** With a mark on the last. */
function marked<T extends Tool | TextBlockParam>(parts: T[]): T[] {
  const last = parts.at(-1);
  if (last !== undefined) last.cache_control = MARK;
  return parts;
}

/** The signatures a request would send, to know which ones a refusal is about. */
export function signaturesOf(body: MessageCreateParamsStreaming): string[] {
  const signatures: string[] = [];
  for (const message of body.messages) {
    if (typeof message.content === 'string') continue;
    for (const block of message.content) {
      if (block.type === 'thinking') signatures.push(block.signature);
      if (block.type === 'redacted_thinking') signatures.push(block.data);
    }
  }
  return signatures;
}

function paramOf(message: Message, shape: RequestShape): MessageParam {
  return { role: message.role === 'assistant' ? 'assistant' : 'user', content: contentOf(message, shape) };
}

function contentOf(message: Message, shape: RequestShape): ContentBlockParam[] {
  switch (message.role) {
    case 'user':
      return message.parts.flatMap(userBlock);
    case 'assistant': {
      const own = isFrom(message, shape.ref);
      return message.parts.flatMap((part) => assistantBlock(part, own, shape.deadSignatures));
    }
    case 'results':
      return message.results.map(resultBlock);
  }
}

function userBlock(part: UserPart): (TextBlockParam | ImageBlockParam)[] {
  if (part.type === 'image') return [imageBlock(part)];
  // The service refuses a text without anything in it.
  return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text.toWellFormed() }];
}

function imageBlock(part: Extract<UserPart, { type: 'image' }>): ImageBlockParam {
  const mediaType = part.mediaType as 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: part.base64 } };
}

/** Thinking goes back exactly as it came and only to the model that made it; without its signature it stays out. */
function assistantBlock(part: AssistantPart, own: boolean, dead: ReadonlySet<string>): ContentBlockParam[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text.toWellFormed() }];
    case 'thinking': {
      const opaque = part.opaque as { signature?: string; redacted?: string } | undefined;
      if (!own) return [];
      if (typeof opaque?.redacted === 'string') {
        return dead.has(opaque.redacted) ? [] : [{ type: 'redacted_thinking', data: opaque.redacted }];
      }
      const signature = opaque?.signature;
      if (!signature || dead.has(signature)) return [];
      return [{ type: 'thinking', thinking: part.text, signature }];
    }
    case 'call':
      return [{ type: 'tool_use', id: callId(part.call), name: part.tool, input: callInput(part) }];
  }
}

function resultBlock(result: CallResult): ToolResultBlockParam {
  const content: (TextBlockParam | ImageBlockParam)[] = [];
  if (result.text.trim() !== '') content.push({ type: 'text', text: result.text.toWellFormed() });
  content.push(...result.images.map(imageBlock));
  return {
    type: 'tool_result',
    tool_use_id: callId(result.call),
    ...(content.length > 0 ? { content } : {}),
    ...(result.error ? { is_error: true } : {}),
  };
}

/** Ids of calls made by another wire may hold signs this one refuses. */
function callId(call: string): string {
  return call.replace(/[^a-zA-Z0-9_-]/g, '_');
}

/** Marks the newest places first; a mark sits on the last block that may carry one. */
function markMessages(
  messages: MessageParam[],
  wanted: readonly number[],
  places: readonly number[],
  marks: number,
): void {
  let left = marks;
  const done = new Set<number>();
  for (const position of [...wanted].sort((a, b) => b - a)) {
    const place = places[position] ?? -1;
    if (left === 0) return;
    if (place < 0 || done.has(place)) continue;
    const message = messages[place];
    if (message === undefined) continue;
    const marked = once(MARKED, message, markedMessage);
    if (marked === null) continue;
    messages[place] = marked;
    done.add(place);
    left--;
  }
}

/** The last message of a request is the last but one of the next: marked both times, then never again. */
const MARKED = new WeakMap<MessageParam, MessageParam | null>();

/** A copy: the request after next wants the message without its mark. Null where there is no place for one. */
function markedMessage(message: MessageParam): MessageParam | null {
  const { content } = message;
  if (typeof content === 'string') return null;
  const at = content.findLastIndex((block) => block.type !== 'thinking' && block.type !== 'redacted_thinking');
  if (at < 0) return null;
  const block = { ...(content[at] as TextBlockParam), cache_control: MARK };
  return { ...message, content: content.with(at, block) } as MessageParam;
}

const BUDGETS: Readonly<Record<Effort, number>> = {
  low: 2_048,
  medium: 8_192,
  default: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};
const SMALLEST_BUDGET = 1_024;

function thinkingOf(
  style: ThinkingStyle,
  effort: Effort,
  maxTokens: number,
  messages: readonly MessageParam[],
): ThinkingConfigParam | null {
  if (style === 'unknown') return null;
  // Summaries, since the person sees everything there is to see; newer models leave them out unless asked.
  if (style === 'adaptive') return { type: 'adaptive', display: 'summarized' };
  const budget = Math.min(BUDGETS[effort], maxTokens - SMALLEST_BUDGET);
  if (budget < SMALLEST_BUDGET || continuesWithoutThinking(messages)) return null;
  return { type: 'enabled', budget_tokens: budget };
}

/**
 * With a thinking budget, the assistant message whose calls are being answered must begin with its thinking. When that
 * is missing (another model made it), this request goes without.
 */
function continuesWithoutThinking(messages: readonly MessageParam[]): boolean {
  const last = messages.findLast((message) => message.role === 'assistant')?.content;
  if (last === undefined || typeof last === 'string' || !last.some((block) => block.type === 'tool_use')) return false;
  const first = last[0]?.type;
  return first !== 'thinking' && first !== 'redacted_thinking';
}

/** Models that think by budget take no effort; a known model gets the nearest level below that it has. */
function effortOf(shape: RequestShape, effort: Effort): Exclude<Effort, 'default'> | null {
  if (effort === 'default' || shape.thinking === 'budget') return null;
  if (shape.thinking === 'unknown') return effort;
  return nearestEffort(shape.facts.efforts, effort);
}
