import { judged, parseBody, refuse, unknownField } from './fake-checks.ts';
import type { Given, Refusal, StrictLimits } from './fake-service.ts';
import { imageSize } from './image-size.ts';

export const USUAL_LIMITS: StrictLimits = {
  imageSide: 8000,
  imageBytes: 5 * 1024 * 1024,
  promptBytes: 30 * 1024 * 1024,
};

/** What the fake gave out and wants back unchanged. */
export interface Issued {
  /** By signature, or by the data of redacted thinking (`text` null). */
  readonly signatures: Map<string, { readonly text: string | null; readonly model: string }>;
  /** Signatures of the thinking that led to a call. */
  readonly thinkingOfCall: Map<string, readonly string[]>;
}

export interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface BodyMessage {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** As far as it could be read: what a refused request held is a test's business too. */
export interface RequestBody {
  readonly model?: string;
  readonly max_tokens?: number;
  readonly messages?: readonly BodyMessage[];
  readonly system?: string | readonly Block[];
  readonly tools?: readonly { readonly name: string; readonly [key: string]: unknown }[];
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number; readonly [key: string]: unknown };
  readonly stream?: boolean;
  readonly [key: string]: unknown;
}

/** What the service refuses, checked in the order in which it would, in its own words. */
export function refusalOf(
  given: Omit<Given, 'query'>,
  limits: StrictLimits,
  issued: Issued,
): { refused: Refusal | null; body: RequestBody } {
  return judged<RequestBody>({}, (seen) => {
    checkHeaders(given);
    const body = parse(given.bytes, limits);
    seen(body);
    checkBody(body, limits, issued);
  });
}

const VERSIONS = ['2023-06-01', '2026-10-21'];

function checkHeaders({ method, path, headers, key }: Omit<Given, 'query'>): void {
  if (method !== 'POST' || path !== '/v1/messages') refuse(`${method} ${path}`, 404, 'not_found_error');
  const sent = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
  if (sent === undefined || sent === '') refuse('x-api-key header is required', 401, 'authentication_error');
  if (key !== undefined && sent !== key) refuse('invalid x-api-key', 401, 'authentication_error');
  if (headers['anthropic-version'] === undefined) refuse('anthropic-version: header is required');
  if (!VERSIONS.includes(String(headers['anthropic-version']))) refuse('anthropic-version: not a valid version');
  if (!String(headers['content-type']).startsWith('application/json')) refuse('content-type: must be application/json');
}

function parse(bytes: Buffer, limits: StrictLimits): RequestBody {
  if (bytes.length > limits.promptBytes)
    refuse(`prompt is too long: ${bytes.length} tokens > ${limits.promptBytes} maximum`);
  return parseBody(bytes, (why) => refuse(`The request body is not valid JSON${why}`)) as RequestBody;
}

function allow(where: string, value: object, fields: readonly string[]): void {
  const unknown = unknownField(value, fields);
  if (unknown !== null) refuse(`${where}${where === '' ? '' : '.'}${unknown}: Extra inputs are not permitted`);
}

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
/** Models before these think by budget; these decide by themselves. */
const BY_BUDGET = /4-5|4-1|3-7|4-20/;

function checkBody(body: RequestBody, limits: StrictLimits, issued: Issued): void {
  allow('', body, [
    'model',
    'max_tokens',
    'messages',
    'system',
    'tools',
    'tool_choice',
    'stream',
    'thinking',
    'output_config',
    'metadata',
    'stop_sequences',
    'service_tier',
  ]);
  const { model, max_tokens: maxTokens, thinking } = body;
  if (typeof model !== 'string' || model === '') refuse('model: Field required');
  if (!Number.isInteger(maxTokens) || (maxTokens ?? 0) < 1) refuse('max_tokens: Field required');
  if (body.stream !== true) refuse('stream: this fake only streams');
  if (thinking !== undefined) {
    allow(
      'thinking',
      thinking,
      thinking.type === 'enabled' ? ['type', 'budget_tokens', 'display'] : ['type', 'display'],
    );
    if (!['enabled', 'adaptive', 'disabled'].includes(thinking.type))
      refuse('thinking.type: Input should be adaptive, enabled or disabled');
    if ((thinking.type === 'enabled') !== BY_BUDGET.test(model))
      refuse(`thinking.type.${thinking.type} is not supported for this model`);
    const budget = thinking.type === 'enabled' ? (thinking.budget_tokens ?? 0) : null;
    if (budget !== null && budget < 1024)
      refuse('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    if (budget !== null && budget >= (maxTokens ?? 0))
      refuse('`max_tokens` must be greater than `thinking.budget_tokens`');
  }
  const effort = (body.output_config as { effort?: unknown } | undefined)?.effort;
  if (effort !== undefined && !EFFORTS.includes(String(effort)))
    refuse('output_config.effort: Input should be low, medium, high, xhigh or max');
  checkTools(body);
  if (Array.isArray(body.system))
    for (const [index, block] of body.system.entries()) checkText(`system.${index}`, block);
  const messages = checkMessages(body, limits);
  checkPairs(messages);
  checkThinking(body, messages, issued);
  checkMarks(body);
  if ((body.tools ?? []).length === 0 && messages.some(holdsCalls))
    refuse('tools: Field required when the conversation holds tool_use or tool_result blocks');
}

function holdsCalls(message: Merged): boolean {
  return message.blocks.some((block) => block.type === 'tool_use' || block.type === 'tool_result');
}

function checkTools({ tools = [] }: RequestBody): void {
  const names = new Set<string>();
  tools.forEach((tool, index) => {
    allow(`tools.${index}`, tool, ['name', 'description', 'input_schema', 'cache_control', 'type', 'strict']);
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name))
      refuse(`tools.${index}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (names.has(tool.name)) refuse('tools: Tool names must be unique.');
    names.add(tool.name);
    if ((tool.input_schema as { type?: unknown } | undefined)?.type !== 'object')
      refuse(`tools.${index}.input_schema.type: Field required`);
  });
}

interface Merged {
  readonly role: string;
  readonly blocks: Block[];
  /** Number of the first message in it, for wording. */
  readonly index: number;
}

const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'cache_control', 'citations'],
  image: ['type', 'source', 'cache_control'],
  tool_use: ['type', 'id', 'name', 'input', 'cache_control'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
  thinking: ['type', 'thinking', 'signature', 'cache_control'],
  redacted_thinking: ['type', 'data', 'cache_control'],
};

/** Messages with neighbours of one role put together, as the service does, each block checked on its own. */
function checkMessages(body: RequestBody, limits: StrictLimits): Merged[] {
  const messages = body.messages ?? [];
  if (messages.length === 0) refuse('messages: at least one message is required');
  if (messages[0]?.role !== 'user') refuse('messages: first message must use the "user" role');
  if (messages.at(-1)?.role !== 'user') refuse('messages: the conversation must end with a user message');
  const merged: Merged[] = [];
  messages.forEach((message, index) => {
    allow(`messages.${index}`, message, ['role', 'content']);
    if (message.role !== 'user' && message.role !== 'assistant')
      refuse(`messages.${index}.role: Input should be 'user' or 'assistant'`);
    const blocks: readonly Block[] =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    if (blocks.length === 0) refuse(`messages.${index}: all messages must have non-empty content`);
    for (const [place, block] of blocks.entries()) {
      checkBlock(`messages.${index}.content.${place}`, block, message.role, limits);
    }
    const last = merged.at(-1);
    if (last?.role === message.role) last.blocks.push(...blocks);
    else merged.push({ role: message.role, blocks: [...blocks], index });
  });
  return merged;
}

function checkBlock(where: string, block: Block, role: string, limits: StrictLimits): void {
  const fields = BLOCK_FIELDS[block.type];
  if (fields === undefined) refuse(`${where}.type: Input tag '${block.type}' is not known`);
  allow(where, block, fields);
  const ofAssistant = ['tool_use', 'thinking', 'redacted_thinking'].includes(block.type);
  if (ofAssistant !== (role === 'assistant') && block.type !== 'text')
    refuse(`${where}: \`${block.type}\` blocks are not allowed in a ${role} message`);
  switch (block.type) {
    case 'text':
      checkText(where, block);
      return;
    case 'image':
      checkImage(where, block, limits);
      return;
    case 'tool_use':
      if (!/^[a-zA-Z0-9_-]+$/.test(String(block.id)))
        refuse(`${where}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
      if (typeof block.input !== 'object' || block.input === null || Array.isArray(block.input))
        refuse(`${where}.input: Input should be an object`);
      return;
    case 'tool_result':
      if (Array.isArray(block.content)) {
        for (const [place, inner] of block.content.entries()) {
          checkBlock(`${where}.content.${place}`, inner, 'user', limits);
        }
      }
  }
}

function checkText(where: string, block: Block): void {
  if (typeof block.text !== 'string') refuse(`${where}.text: Field required`);
  if (block.text === '') refuse(`${where}: text content blocks must be non-empty`);
  if (block.text.trim() === '') refuse(`${where}: text content blocks must contain non-whitespace text`);
}

function checkImage(where: string, block: Block, limits: StrictLimits): void {
  const source = block.source as { type?: string; media_type?: string; data?: string } | undefined;
  if (source?.type !== 'base64' || typeof source.data !== 'string') refuse(`${where}.source: Field required`);
  if (source.data.length > limits.imageBytes) {
    refuse(
      `${where}.image.source.base64: image exceeds 5 MB maximum: ${source.data.length} bytes > ${limits.imageBytes} bytes`,
    );
  }
  const size = imageSize(Buffer.from(source.data, 'base64'));
  if (size === null) refuse('Could not process image');
  if (size.mediaType !== source.media_type) {
    refuse(`${where}.image.source.base64.data: Image does not match the provided media type ${source.media_type}`);
  }
  if (Math.max(size.width, size.height) > limits.imageSide) {
    refuse(
      `${where}.image.source.base64.data: At least one of the image dimensions exceed max allowed size: ${limits.imageSide} pixels`,
    );
  }
}

/** Each call has exactly one result, at the head of the very next message, and each result its call. */
function checkPairs(messages: readonly Merged[]): void {
  const seen = new Set<string>();
  messages.forEach((message, place) => {
    const calls = message.blocks.filter((block) => block.type === 'tool_use').map((block) => String(block.id));
    for (const id of calls) {
      if (seen.has(id)) refuse(`messages.${message.index}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
    if (message.role === 'assistant') {
      const next = messages[place + 1]?.blocks ?? [];
      const answered = leading(next);
      const missing = calls.filter((id) => !answered.includes(id));
      if (missing.length > 0) {
        refuse(
          `messages.${message.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
        );
      }
      return;
    }
    const results = message.blocks
      .filter((block) => block.type === 'tool_result')
      .map((block) => String(block.tool_use_id));
    const before =
      messages[place - 1]?.blocks.filter((block) => block.type === 'tool_use').map((block) => String(block.id)) ?? [];
    const foreign = results.find((id) => !before.includes(id));
    if (foreign !== undefined) {
      refuse(
        `messages.${message.index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${foreign}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (new Set(results).size < results.length)
      refuse(
        `messages.${message.index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with one id`,
      );
  });
}

function leading(blocks: readonly Block[]): string[] {
  const ids: string[] = [];
  for (const block of blocks) {
    if (block.type !== 'tool_result') break;
    ids.push(String(block.tool_use_id));
  }
  return ids;
}

/** Thinking comes back as it was given, to the model that made it; the loop under way needs all of it. */
function checkThinking(body: RequestBody, messages: readonly Merged[], issued: Issued): void {
  for (const message of messages) {
    message.blocks.forEach((block, place) => {
      const where = `messages.${message.index}.content.${place}`;
      if (block.type === 'redacted_thinking') {
        if (issued.signatures.get(String(block.data))?.text !== null)
          refuse(`${where}: Invalid \`data\` in \`redacted_thinking\` block`);
        return;
      }
      if (block.type !== 'thinking') return;
      const known = issued.signatures.get(String(block.signature));
      if (known === undefined || known.text !== block.thinking || known.model !== body.model) {
        refuse(`${where}: Invalid \`signature\` in \`thinking\` block`);
      }
    });
  }
  const last = messages.findLast((message) => message.role === 'assistant');
  if (body.thinking === undefined || body.thinking.type === 'disabled' || last === undefined) return;
  for (const block of last.blocks) {
    if (block.type !== 'tool_use') continue;
    const wanted = issued.thinkingOfCall.get(String(block.id)) ?? [];
    const sent = last.blocks.map((one) => String(one.signature ?? one.data));
    const model = wanted.map((signature) => issued.signatures.get(signature)?.model).at(0);
    if (model === body.model && wanted.some((signature) => !sent.includes(signature))) {
      refuse(
        `messages.${last.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${last.blocks[0]?.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block`,
      );
    }
  }
}

function checkMarks(body: RequestBody): void {
  const blocks: (readonly [string, object])[] = [
    ...(body.tools ?? []).map((tool, index) => [`tools.${index}`, tool] as const),
    ...(Array.isArray(body.system) ? body.system.map((block, index) => [`system.${index}`, block] as const) : []),
    ...(body.messages ?? []).flatMap((message, index) =>
      typeof message.content === 'string'
        ? []
        : message.content.map((block, place) => [`messages.${index}.content.${place}`, block] as const),
    ),
  ];
  const marked = blocks.filter(([, block]) => 'cache_control' in block);
  for (const [where, block] of marked) {
    const { cache_control: mark, type } = block as { cache_control?: { type?: string }; type?: string };
    if (type === 'thinking' || type === 'redacted_thinking')
      refuse(`${where}.cache_control: Extra inputs are not permitted`);
    if (mark?.type !== 'ephemeral') refuse(`${where}.cache_control.type: Input should be 'ephemeral'`);
  }
  if (marked.length > 4) refuse(`A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`);
}
