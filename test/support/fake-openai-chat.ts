import type { ServerResponse } from 'node:http';
import { imageTrouble, judged, parseBody, refuse, toolTrouble, unknownField } from './fake-checks.ts';
import { checkAccess, OPENAI_ERRORS, openAiError } from './fake-openai-responses.ts';
import {
  cut,
  type FakeEntry,
  type FakeOptions,
  type FakeReplyOrder,
  type FakeService,
  type Given,
  pause,
  type StrictLimits,
  startFakeService,
} from './fake-service.ts';

interface ChatMessage {
  readonly role: string;
  readonly content?: string | null | readonly { readonly type: string; readonly [key: string]: unknown }[];
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly [key: string]: unknown;
}

export interface ChatBody {
  readonly model?: string;
  readonly messages?: readonly ChatMessage[];
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string } }[];
  readonly [key: string]: unknown;
}

export type ChatEntry = FakeEntry<ChatBody>;
export type FakeChat = FakeService<ChatBody>;

/** How a server differs from the vendor's own. */
export interface ChatQuirks {
  /** Where thinking stands; `tags`: in the text. Default: there is none to read. */
  readonly thinking?: 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'tags';
  /** Ids of calls: empty, missing, or all under number 0 and told apart by id. */
  readonly calls?: 'usual' | 'empty-id' | 'no-index' | 'one-index' | 'whole';
  /** Asks for no key, and refuses one that was not meant for it. */
  readonly keyless?: boolean;
  readonly noTools?: boolean;
  /** Fields it refuses as unknown. */
  readonly refuses?: readonly string[];
  /** Fields it takes beyond the vendor's. */
  readonly takes?: readonly string[];
  /** No `[DONE]`. */
  readonly noMark?: boolean;
  /** Where the count of cached tokens stands. */
  readonly cached?: 'details' | 'top' | 'hit' | 'none';
}

const LIMITS: StrictLimits = {
  imageSide: 16_384,
  imageBytes: 50 * 1024 * 1024,
  promptBytes: 60 * 1024 * 1024,
};

/** Chat Completions on loopback; `url` is for `OPENAI_BASE_URL` with `/v1` after it. */
export function startFakeChat(
  entries: readonly ChatEntry[],
  options: FakeOptions = {},
  quirks: ChatQuirks = {},
): Promise<FakeChat> {
  return startFakeService<ChatBody>(
    {
      limits: LIMITS,
      usualErrors: OPENAI_ERRORS,
      check: (given, limits) => chatRefusal(given, limits, quirks),
      errorBody: openAiError,
      idHeader: 'x-request-id',
      stream: (response, order) => streamReply(response, order, quirks),
      cutOutput: 0,
    },
    entries,
    options,
  );
}

export function chatRefusal(given: Given, limits: StrictLimits, quirks: ChatQuirks = {}) {
  return judged<ChatBody>({}, (seen) => {
    if (quirks.keyless && given.headers.authorization !== undefined) refuse('a key of another service');
    const access = quirks.keyless ? { ...given, headers: { ...given.headers, authorization: 'Bearer none' } } : given;
    checkAccess(access, '/v1/chat/completions');
    if (given.bytes.length > limits.promptBytes)
      refuse("This model's maximum context length is exceeded.", 400, 'context_length_exceeded');
    const body = parseBody(given.bytes, (why) =>
      refuse(`We could not parse the JSON body of your request${why}`),
    ) as ChatBody;
    seen(body);
    checkBody(body, quirks);
    checkMessages(body, limits, quirks);
  });
}

const FIELDS = [
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_tokens',
  'max_completion_tokens',
  'reasoning_effort',
  'prompt_cache_key',
  'service_tier',
];
const REASONS = /^(?:gpt-[5-9]|o\d)/;

function checkBody(body: ChatBody, quirks: ChatQuirks): void {
  const { model = '', tools } = body;
  const fields = [...FIELDS.filter((field) => !quirks.refuses?.includes(field)), ...(quirks.takes ?? [])];
  const unknown = unknownField(body, fields);
  if (unknown !== null) refuse(`Unrecognized request argument supplied: ${unknown}`);
  if (model === '') refuse('you must provide a model parameter');
  if (body.stream !== true) refuse('this fake only streams');
  if (REASONS.test(model) && body.max_tokens !== undefined)
    refuse(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    );
  if (!REASONS.test(model) && /^gpt-/.test(model) && body.reasoning_effort !== undefined)
    refuse('Unrecognized request argument supplied: reasoning_effort');
  const levels = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', ...(/^gpt-6|5\.6/.test(model) ? ['max'] : [])];
  if (body.reasoning_effort !== undefined && !levels.includes(String(body.reasoning_effort)))
    refuse(`Unsupported value: 'reasoning_effort' does not support '${String(body.reasoning_effort)}'.`);
  if (quirks.noTools && tools !== undefined) refuse(`registry.ollama.ai/library/${model} does not support tools`);
  if (tools !== undefined && tools.length === 0) refuse("[] is too short - 'tools'");
  const trouble = toolTrouble(
    (tools ?? []).map((tool) => tool.function),
    64,
  );
  if (trouble !== null) refuse(`Invalid 'tools': ${trouble}`);
  if (body.tool_choice !== undefined && tools === undefined)
    refuse("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.");
}

const MESSAGE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'name', 'tool_calls', 'refusal'],
  tool: ['role', 'content', 'tool_call_id'],
};

/** The fields in which an assistant's message may bring its thinking back. */
const THINKING_FIELDS: Readonly<Record<string, readonly string[]>> = {
  reasoning_content: ['reasoning_content'],
  reasoning: ['reasoning'],
  reasoning_details: ['reasoning_details'],
};

function checkMessages({ messages = [] }: ChatBody, limits: StrictLimits, quirks: ChatQuirks): void {
  if (messages.length === 0) refuse("[] is too short - 'messages'");
  let open: string[] = [];
  const used = new Set<string>();
  messages.forEach((message, at) => {
    const where = `messages.[${at}]`;
    const fields = MESSAGE_FIELDS[message.role];
    if (fields === undefined) refuse(`Invalid value: '${message.role}'. Supported values are: 'system', 'user'.`);
    const thinking = message.role === 'assistant' ? (THINKING_FIELDS[quirks.thinking ?? ''] ?? []) : [];
    const unknown = unknownField(message, [...fields, ...thinking]);
    if (unknown !== null) refuse(`Unrecognized request argument supplied: ${where}.${unknown}`);
    if (message.role === 'system' && at > 0) refuse(`${where}: the system message must come first`);
    if (message.role === 'tool') {
      const id = message.tool_call_id ?? '';
      if (!open.includes(id))
        refuse(
          "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
        );
      open = open.filter((one) => one !== id);
      if (typeof message.content !== 'string') refuse(`${where}.content: a tool's message holds text only.`);
      return;
    }
    if (open.length > 0)
      refuse(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`,
      );
    checkContent(where, message, limits);
    for (const call of message.tool_calls ?? []) {
      if (call.type !== 'function') refuse(`${where}.tool_calls: Invalid value: '${call.type}'.`);
      if (typeof call.function.arguments !== 'string') refuse(`${where}.tool_calls: arguments must be a string.`);
      if (!/^[a-zA-Z0-9_-]{1,40}$/.test(call.id)) refuse(`Invalid '${where}.tool_calls.id': '${call.id}'.`);
      if (used.has(call.id)) refuse(`Duplicate value for 'tool_call_id' of '${call.id}'.`);
      used.add(call.id);
      open.push(call.id);
    }
  });
  if (open.length > 0)
    refuse(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`,
    );
}

function checkContent(where: string, { role, content, tool_calls }: ChatMessage, limits: StrictLimits): void {
  if (content === null || content === undefined) {
    if (role !== 'assistant' || !tool_calls?.length)
      refuse(`Invalid value for '${where}.content': expected a string, got null.`);
    return;
  }
  if (typeof content === 'string') return;
  if (content.length === 0) refuse(`Invalid '${where}.content': empty array.`);
  for (const part of content) {
    if (part.type === 'text') continue;
    if (part.type !== 'image_url' || role !== 'user') refuse(`Invalid '${where}.content.type': '${part.type}'.`);
    const found = /^data:([^;]+);base64,(.*)$/.exec(String((part.image_url as { url?: string } | undefined)?.url));
    const trouble = found ? imageTrouble(found[1] ?? '', found[2] ?? '', limits) : 'expected a data URL';
    if (trouble !== null) refuse(`Invalid '${where}.content.image_url': ${trouble}.`);
  }
}

async function streamReply(
  response: ServerResponse,
  { id, body, step, usage }: FakeReplyOrder<ChatBody>,
  quirks: ChatQuirks,
): Promise<boolean> {
  const base = { id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 1, model: body.model };
  const write = (fields: object) => response.write(`data: ${JSON.stringify({ ...base, ...fields })}\n\n`);
  const send = (delta: object, reason: string | null = null) =>
    write({ choices: [{ index: 0, delta, finish_reason: reason }] });
  send({ role: 'assistant', content: '' });

  let calls = 0;
  let thoughts = 0;
  for (const given of step.parts ?? []) {
    const part = typeof given === 'string' ? { text: given } : given;
    if ('wait' in part) await pause(part.wait);
    else if ('ping' in part) response.write(': PROCESSING\n\n');
    else if ('raw' in part) response.write(part.raw);
    else if ('error' in part) {
      write({ choices: [], error: { code: part.error.type, message: part.error.message } });
      response.end();
      return false;
    } else if ('cut' in part) {
      if (part.cut === 'reset') response.destroy();
      else response.end();
      return false;
    } else if ('refusal' in part) {
      for (const refusal of cut(part.refusal, 20)) send({ refusal });
    } else if ('text' in part) {
      for (const content of cut(part.text, part.piece ?? 20)) {
        if (part.every) await pause(part.every);
        send({ content });
      }
    } else if ('thinking' in part) {
      const { thinking } = quirks;
      const piece = part.piece ?? 20;
      if (thinking === 'tags')
        for (const content of cut(`<think>${part.thinking}</think>\n\n`, piece)) send({ content });
      else if (thinking === 'reasoning_details') {
        const detail = { type: 'reasoning.text', index: thoughts++, format: 'fake-v1' };
        for (const text of cut(part.thinking, piece))
          send({ reasoning: text, reasoning_details: [{ ...detail, text }] });
        send({ reasoning_details: [{ ...detail, signature: part.signature ?? `sig-${id}` }] });
      } else if (thinking !== undefined) for (const text of cut(part.thinking, piece)) send({ [thinking]: text });
    } else if ('redacted' in part) {
      if (quirks.thinking === 'reasoning_details')
        send({ reasoning_details: [{ type: 'reasoning.encrypted', index: thoughts++, data: part.redacted }] });
    } else {
      sendCall(send, part, `call_${id}_${calls}`, calls, quirks);
      calls++;
    }
  }
  send({}, step.stop ?? (calls > 0 ? 'tool_calls' : 'stop'));
  const wanted = (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true;
  if (wanted) write({ choices: [], usage: countsOf(usage, quirks) });
  if (!quirks.noMark) response.write('data: [DONE]\n\n');
  response.end();
  return true;
}

function sendCall(
  send: (delta: object) => void,
  part: {
    readonly tool: string;
    readonly input?: unknown;
    readonly json?: string;
    readonly id?: string;
    readonly piece?: number;
  },
  usualId: string,
  number: number,
  { calls = 'usual' }: ChatQuirks,
): void {
  const json = part.json ?? JSON.stringify(part.input ?? {});
  const id = calls === 'empty-id' ? '' : (part.id ?? usualId);
  const index = calls === 'no-index' ? {} : { index: calls === 'one-index' ? 0 : number };
  const name = part.tool;
  if (calls === 'whole') {
    send({ tool_calls: [{ ...index, id, type: 'function', function: { name, arguments: part.input ?? {} } }] });
    return;
  }
  send({ tool_calls: [{ ...index, id, type: 'function', function: { name, arguments: '' } }] });
  for (const piece of cut(json, part.piece ?? 24)) {
    send({ tool_calls: [{ ...index, ...(calls === 'one-index' ? { id } : {}), function: { arguments: piece } }] });
  }
}

function countsOf(usage: FakeReplyOrder<ChatBody>['usage'], { cached = 'details' }: ChatQuirks): object {
  return {
    prompt_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.cacheRead + usage.cacheWrite + usage.output,
    ...(cached === 'details'
      ? { prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite } }
      : {}),
    ...(cached === 'top' ? { cached_tokens: usage.cacheRead } : {}),
    ...(cached === 'hit' ? { prompt_cache_hit_tokens: usage.cacheRead } : {}),
    ...(usage.thinking === undefined ? {} : { completion_tokens_details: { reasoning_tokens: usage.thinking } }),
  };
}
