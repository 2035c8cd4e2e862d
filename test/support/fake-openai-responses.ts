import type { ServerResponse } from 'node:http';
import { imageTrouble, judged, parseBody, refuse, toolTrouble, unknownField } from './fake-checks.ts';
import {
  cut,
  type FakeEntry,
  type FakeOptions,
  type FakeReplyOrder,
  type FakeService,
  type Given,
  pause,
  type Refusal,
  type StrictLimits,
  startFakeService,
} from './fake-service.ts';

interface Item {
  readonly type?: string;
  readonly [key: string]: unknown;
}

export interface ResponsesBody {
  readonly model?: string;
  readonly input?: readonly Item[];
  readonly tools?: readonly { readonly type: string; readonly name: string; readonly [key: string]: unknown }[];
  readonly [key: string]: unknown;
}

export type ResponsesEntry = FakeEntry<ResponsesBody>;
export type FakeResponses = FakeService<ResponsesBody>;

interface Issued {
  /** Sealed reasoning by the id of its item. */
  readonly reasoning: Map<string, { readonly sealed: string; readonly model: string; readonly summary: string }>;
}

const LIMITS: StrictLimits = {
  imageSide: 16_384,
  imageBytes: 50 * 1024 * 1024,
  promptBytes: 60 * 1024 * 1024,
};

export const OPENAI_ERRORS: Readonly<Record<number, readonly [string, string]>> = {
  400: ['invalid_request_error', 'scripted'],
  401: ['invalid_api_key', 'Incorrect API key provided.'],
  403: ['permission_error', 'You are not allowed to use this model.'],
  404: ['model_not_found', 'The model does not exist or you do not have access to it.'],
  429: ['rate_limit_exceeded', 'Rate limit reached for requests'],
  500: ['server_error', 'The server had an error while processing your request.'],
  503: ['server_error', 'That model is currently overloaded with other requests.'],
  529: ['server_error', 'Overloaded'],
};

export function openAiError({ type, message }: Refusal): object {
  return { error: { message, type: 'invalid_request_error', param: null, code: type } };
}

/** OpenAI Responses on loopback; `url` is for `OPENAI_BASE_URL` with `/v1` after it. */
export function startFakeResponses(
  entries: readonly ResponsesEntry[],
  options: FakeOptions = {},
): Promise<FakeResponses> {
  const issued: Issued = { reasoning: new Map() };
  return startFakeService<ResponsesBody>(
    {
      limits: LIMITS,
      usualErrors: OPENAI_ERRORS,
      check: (given, limits) => responsesRefusal(given, limits, issued),
      errorBody: openAiError,
      idHeader: 'x-request-id',
      stream: (response, order) => streamReply(response, order, issued),
      // Usage comes with the end only: of a reply that was cut nobody learns what it cost.
      cutOutput: 0,
    },
    entries,
    options,
  );
}

export function responsesRefusal(given: Given, limits: StrictLimits, issued: Issued = { reasoning: new Map() }) {
  return judged<ResponsesBody>({}, (seen) => {
    checkAccess(given, '/v1/responses');
    if (given.bytes.length > limits.promptBytes)
      refuse('Your input exceeds the context window of this model.', 400, 'context_length_exceeded');
    const body = parseBody(given.bytes, (why) =>
      refuse(`We could not parse the JSON body of your request${why}`),
    ) as ResponsesBody;
    seen(body);
    checkBody(body, limits);
    checkItems(body, issued);
  });
}

export function checkAccess({ method, path, headers, key }: Given, wanted: string): void {
  if (method !== 'POST' || path !== wanted) refuse(`Invalid URL (${method} ${path})`, 404, 'not_found_error');
  const sent = headers.authorization?.replace(/^Bearer /, '');
  if (!sent) refuse("You didn't provide an API key.", 401, 'invalid_api_key');
  if (key !== undefined && sent !== key) refuse('Incorrect API key provided.', 401, 'invalid_api_key');
  if (!String(headers['content-type']).startsWith('application/json')) refuse('Unsupported content type', 415);
}

const FIELDS = [
  'model',
  'input',
  'instructions',
  'stream',
  'store',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'reasoning',
  'include',
  'prompt_cache_key',
  'service_tier',
];
const REASONS = /^(?:gpt-[5-9]|o\d)/;
const TIERS = ['auto', 'default', 'flex', 'priority'];

function checkBody(body: ResponsesBody, limits: StrictLimits): void {
  const unknown = unknownField(body, FIELDS);
  if (unknown !== null) refuse(`Unknown parameter: '${unknown}'.`);
  const { model, input, tools, reasoning, include } = body;
  if (typeof model !== 'string' || model === '') refuse("Missing required parameter: 'model'.");
  if (body.stream !== true) refuse('this fake only streams');
  if (!Array.isArray(input) || input.length === 0) refuse("Missing required parameter: 'input'.");
  if (Number(body.max_output_tokens ?? 16) < 16)
    refuse("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.");
  if (String(body.prompt_cache_key ?? '').length > 64) refuse("Invalid 'prompt_cache_key': string too long.");
  if (body.service_tier !== undefined && !TIERS.includes(String(body.service_tier)))
    refuse("Invalid value for 'service_tier'.");
  if (reasoning !== undefined && !REASONS.test(model))
    refuse("Unsupported parameter: 'reasoning.effort' is not supported with this model.");
  if (include !== undefined && !REASONS.test(model)) refuse('Encrypted content is not supported with this model.');
  const effort = (reasoning as { effort?: string } | undefined)?.effort;
  const efforts = /^gpt-6|5\.6/.test(model)
    ? ['none', 'low', 'medium', 'high', 'xhigh', 'max']
    : ['none', 'minimal', 'low', 'medium', 'high', ...(/5\.[2-9]/.test(model) ? ['xhigh'] : [])];
  if (effort !== undefined && !efforts.includes(effort))
    refuse(`Unsupported value: '${effort}' is not supported with the '${model}' model.`);
  if (body.tool_choice !== undefined && !tools?.length) refuse("'tool_choice' is only allowed when 'tools' are given.");
  const trouble = toolTrouble((tools ?? []) as readonly { name: string }[], 64);
  if (trouble !== null) refuse(`Invalid 'tools': ${trouble}`);
  for (const tool of tools ?? []) {
    if (tool.type !== 'function') refuse(`Invalid value: '${tool.type}'.`);
    if (tool.strict !== false)
      refuse(`Invalid schema for function '${tool.name}': strict needs every property required.`);
  }
  for (const [index, item] of input.entries()) checkItem(`input[${index}]`, item, limits);
}

const ITEM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ['type', 'id', 'role', 'content', 'status', 'phase'],
  function_call: ['type', 'id', 'call_id', 'name', 'arguments', 'status'],
  function_call_output: ['type', 'id', 'call_id', 'output', 'status'],
  reasoning: ['type', 'id', 'summary', 'content', 'encrypted_content'],
};

function checkItem(where: string, item: Item, limits: StrictLimits): void {
  const type = item.type ?? 'message';
  const fields = ITEM_FIELDS[type];
  if (fields === undefined) refuse(`Invalid value: '${type}'.`);
  const unknown = unknownField(item, fields);
  if (unknown !== null) refuse(`Unknown parameter: '${where}.${unknown}'.`);
  switch (type) {
    case 'message': {
      if (!['user', 'assistant', 'system', 'developer'].includes(String(item.role)))
        refuse(`Invalid value: '${String(item.role)}'.`);
      if (typeof item.content === 'string') return;
      if (!Array.isArray(item.content) || item.content.length === 0) refuse(`Invalid '${where}.content': empty array.`);
      for (const part of item.content as Item[]) checkContent(where, part, item.role === 'assistant', limits);
      return;
    }
    case 'function_call':
      if (typeof item.arguments !== 'string') refuse(`Invalid type for '${where}.arguments': expected a string.`);
      checkCallId(where, item.call_id);
      return;
    case 'function_call_output':
      checkCallId(where, item.call_id);
      if (typeof item.output === 'string') return;
      if (!Array.isArray(item.output)) refuse(`Invalid type for '${where}.output'.`);
      for (const part of item.output as Item[]) checkContent(where, part, false, limits);
  }
}

function checkCallId(where: string, id: unknown): void {
  if (typeof id !== 'string' || id === '') refuse(`Invalid '${where}.call_id': empty string.`);
  if (id.length > 64) refuse(`Invalid '${where}.call_id': string too long. Expected a maximum length of 64.`);
}

function checkContent(where: string, part: Item, ofAssistant: boolean, limits: StrictLimits): void {
  const kinds = ofAssistant ? ['output_text', 'refusal'] : ['input_text', 'input_image'];
  if (!kinds.includes(String(part.type))) refuse(`Invalid value: '${part.type}'. Supported values are: ${kinds}.`);
  if (part.type !== 'input_image') return;
  const found = /^data:([^;]+);base64,(.*)$/.exec(String(part.image_url));
  const trouble = found ? imageTrouble(found[1] ?? '', found[2] ?? '', limits) : 'expected a data URL';
  if (trouble !== null) refuse(`Invalid '${where}.content.image_url': ${trouble}.`);
}

/** Each call has one output after it, each output its call; reasoning is as it was issued and leads to something. */
function checkItems(body: ResponsesBody, issued: Issued): void {
  const input = body.input ?? [];
  const calls = new Set<string>();
  const answered = new Set<string>();
  input.forEach((item, at) => {
    if (item.type === 'function_call') {
      const id = String(item.call_id);
      if (calls.has(id)) refuse(`Duplicate function call '${id}'.`);
      calls.add(id);
    } else if (item.type === 'function_call_output') {
      const id = String(item.call_id);
      if (!calls.has(id)) refuse(`No tool call found for function call output with call_id ${id}.`);
      if (answered.has(id)) refuse(`Duplicate tool output for function call ${id}.`);
      answered.add(id);
    } else {
      const open = [...calls].find((id) => !answered.has(id));
      const within = item.role === 'assistant' || item.type === 'reasoning';
      if (open !== undefined && !within) refuse(`No tool output found for function call ${open}.`);
    }
    if (item.type === 'reasoning') checkReasoning(item, input[at + 1], String(body.model), issued);
  });
  const open = [...calls].find((id) => !answered.has(id));
  if (open !== undefined) refuse(`No tool output found for function call ${open}.`);
  const last = input.at(-1);
  if (last?.role === 'assistant' || last?.type === 'reasoning')
    refuse('The conversation must end with something to answer.');
}

function checkReasoning(item: Item, next: Item | undefined, model: string, issued: Issued): void {
  const id = String(item.id);
  if (typeof item.encrypted_content !== 'string')
    refuse(`Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`, 404);
  const known = issued.reasoning.get(id);
  const summary = ((item.summary ?? []) as { text: string }[]).map((one) => one.text).join('|');
  if (known?.sealed !== item.encrypted_content || known.model !== model || known.summary !== summary) {
    const words = `The encrypted content for item ${id} could not be verified.`;
    refuse(words, 400, 'invalid_encrypted_content');
  }
  const follows = next?.role === 'assistant' || next?.type === 'function_call' || next?.type === 'reasoning';
  if (!follows) refuse(`Item '${id}' of type 'reasoning' was provided without its required following item.`);
}

async function streamReply(
  response: ServerResponse,
  { id, body, step, usage }: FakeReplyOrder<ResponsesBody>,
  issued: Issued,
): Promise<boolean> {
  let sequence = 0;
  const send = (type: string, fields: object) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`);
  };
  const base = {
    id: `resp_${id}`,
    object: 'response',
    status: 'in_progress',
    model: body.model,
    output: [],
    error: null,
  };
  send('response.created', { response: base });
  send('response.in_progress', { response: base });

  let index = 0;
  for (const given of step.parts ?? []) {
    const part = typeof given === 'string' ? { text: given } : given;
    const at = { output_index: index, item_id: `item_${id}_${index}` };
    const item = async (open: object, whole: object, pieces: () => AsyncGenerator<void> | Generator<void>) => {
      send('response.output_item.added', { output_index: index, item: { ...open, id: at.item_id } });
      for await (const _ of pieces());
      send('response.output_item.done', { output_index: index, item: { ...whole, id: at.item_id } });
      index++;
    };
    if ('wait' in part) await pause(part.wait);
    else if ('ping' in part) response.write(': keep-alive\n\n');
    else if ('raw' in part) response.write(part.raw);
    else if ('error' in part) {
      send('error', { code: part.error.type, message: part.error.message, param: null });
      response.end();
      return false;
    } else if ('cut' in part) {
      if (part.cut === 'reset') response.destroy();
      else response.end();
      return false;
    } else if ('text' in part || 'refusal' in part) {
      const refused = 'refusal' in part;
      const text = 'refusal' in part ? part.refusal : part.text;
      const { piece = 20, every } = 'text' in part ? part : {};
      const content = refused ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] };
      const message = { type: 'message', role: 'assistant', status: 'completed', phase: 'final_answer' };
      await item({ ...message, content: [] }, { ...message, content: [content] }, async function* () {
        send('response.content_part.added', { ...at, content_index: 0, part: content });
        for (const delta of cut(text, piece)) {
          if (every) await pause(every);
          send(refused ? 'response.refusal.delta' : 'response.output_text.delta', { ...at, content_index: 0, delta });
          yield;
        }
      });
    } else if ('thinking' in part || 'redacted' in part) {
      const sealed = 'redacted' in part ? part.redacted : (part.signature ?? `sealed-${id}-${index}`);
      const paragraphs = 'redacted' in part || part.thinking === '' ? [] : part.thinking.split('\n\n');
      const summary = paragraphs.map((text) => ({ type: 'summary_text', text }));
      const { piece = 20 } = 'thinking' in part ? part : {};
      issued.reasoning.set(at.item_id, { sealed, model: body.model ?? '', summary: paragraphs.join('|') });
      const open = { type: 'reasoning', summary: [] };
      await item(open, { type: 'reasoning', summary, encrypted_content: sealed }, function* () {
        for (const [number, text] of paragraphs.entries()) {
          send('response.reasoning_summary_part.added', { ...at, summary_index: number });
          for (const delta of cut(text, piece)) {
            send('response.reasoning_summary_text.delta', { ...at, summary_index: number, delta });
            yield;
          }
        }
      });
    } else {
      const json = part.json ?? JSON.stringify(part.input ?? {});
      const call = { type: 'function_call', call_id: part.id ?? `call_${id}_${index}`, name: part.tool };
      const open = { ...call, arguments: '', status: 'in_progress' };
      await item(open, { ...call, arguments: json, status: 'completed' }, function* () {
        for (const delta of cut(json, part.piece ?? 24)) {
          send('response.function_call_arguments.delta', { ...at, delta });
          yield;
        }
      });
    }
  }
  const counts = {
    input_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.thinking ?? 0 },
  };
  const reason = step.stop === 'max_output_tokens' || step.stop === 'content_filter' ? step.stop : null;
  if (reason === null) send('response.completed', { response: { ...base, status: 'completed', usage: counts } });
  else {
    const details = { status: 'incomplete', incomplete_details: { reason }, usage: counts };
    send('response.incomplete', { response: { ...base, ...details } });
  }
  response.end();
  return true;
}
