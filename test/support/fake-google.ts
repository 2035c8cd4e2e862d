import type { ServerResponse } from 'node:http';
import { imageTrouble, judged, parseBody, refuse as refuseWith, toolTrouble, unknownField } from './fake-checks.ts';
import {
  cut,
  type FakeEntry,
  type FakeOptions,
  type FakeReplyOrder,
  type FakeService,
  type Given,
  partOf,
  pause,
  type StrictLimits,
  startFakeService,
} from './fake-service.ts';

interface Part {
  readonly text?: string;
  readonly thoughtSignature?: string;
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown };
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response: object };
  readonly [key: string]: unknown;
}

interface Content {
  readonly role?: string;
  readonly parts?: readonly Part[];
  readonly [key: string]: unknown;
}

export interface GoogleBody {
  /** From the address, where this service has it. */
  readonly model?: string;
  readonly contents?: readonly Content[];
  readonly [key: string]: unknown;
}

export type GoogleEntry = FakeEntry<GoogleBody>;
export type FakeGoogle = FakeService<GoogleBody>;

interface Issued {
  /** By signature: the part it was given out with, as JSON, and the model. */
  readonly signatures: Map<string, { readonly part: string; readonly model: string }>;
}

const LIMITS: StrictLimits = { imageSide: 20_000, imageBytes: 20 * 1024 * 1024, promptBytes: 30 * 1024 * 1024 };

const ERRORS: Readonly<Record<number, readonly [string, string]>> = {
  400: ['INVALID_ARGUMENT', 'scripted'],
  401: ['UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  403: ['PERMISSION_DENIED', 'The caller does not have permission.'],
  404: ['NOT_FOUND', 'models/x is not found for API version v1beta.'],
  429: ['RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.'],
  500: ['INTERNAL', 'An internal error has occurred.'],
  503: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
  529: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
};

function refuse(message: string, status = 400, type = 'INVALID_ARGUMENT'): never {
  return refuseWith(message, status, type);
}

/** Gemini on loopback; `url` is for `GOOGLE_GEMINI_BASE_URL`. */
export function startFakeGoogle(entries: readonly GoogleEntry[], options: FakeOptions = {}): Promise<FakeGoogle> {
  const issued: Issued = { signatures: new Map() };
  return startFakeService<GoogleBody>(
    {
      limits: LIMITS,
      usualErrors: ERRORS,
      check: (given, limits) => googleRefusal(given, limits, issued),
      errorBody: ({ status, type, message }) => ({ error: { code: status, message, status: type } }),
      idHeader: null,
      stream: (response, order) => streamReply(response, order, issued),
      cutOutput: 1,
    },
    entries,
    options,
  );
}

export function googleRefusal(given: Given, limits: StrictLimits, issued: Issued = { signatures: new Map() }) {
  return judged<GoogleBody>({}, (seen) => {
    const model = /^\/v1beta\/models\/([^/:]+):streamGenerateContent$/.exec(given.path)?.[1];
    if (given.method !== 'POST' || model === undefined || given.query.get('alt') !== 'sse')
      refuse(`${given.method} ${given.path} is not found`, 404, 'NOT_FOUND');
    const sent = given.headers['x-goog-api-key'];
    if (!sent) refuse("Method doesn't allow unregistered callers.", 403, 'PERMISSION_DENIED');
    if (given.key !== undefined && sent !== given.key) refuse('API key not valid. Please pass a valid API key.');
    if (given.bytes.length > limits.promptBytes)
      refuse('The input token count exceeds the maximum number of tokens allowed 1048576.');
    const parsed = parseBody(given.bytes, (why) => refuse(`Invalid JSON payload received${why}`)) as GoogleBody;
    const body = { ...parsed, model: decodeURIComponent(model) };
    seen(body);
    checkBody(parsed, body.model);
    checkContents(body, limits);
    checkSignatures(body, issued);
  });
}

function allow(where: string, value: object, fields: readonly string[]): void {
  const unknown = unknownField(value, fields);
  if (unknown !== null)
    refuse(`Invalid JSON payload received. Unknown name "${unknown}" at '${where}': Cannot find field.`);
}

function checkBody(body: GoogleBody, model: string): void {
  allow('', body, ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig']);
  const tools = (body.tools ?? []) as readonly { functionDeclarations: readonly Record<string, unknown>[] }[];
  for (const tool of tools) {
    allow('tools', tool, ['functionDeclarations']);
    for (const one of tool.functionDeclarations)
      allow('tools.function_declarations', one, ['name', 'description', 'parametersJsonSchema']);
    const trouble = toolTrouble(
      tool.functionDeclarations.map((one) => ({ name: String(one.name), parameters: one.parametersJsonSchema })),
      64,
    );
    if (trouble !== null) refuse(`Invalid function declaration: ${trouble}`);
  }
  if (body.toolConfig !== undefined && tools.length === 0) refuse('Function calling config is set without tools.');
  const config = (body.generationConfig ?? {}) as { thinkingConfig?: Record<string, unknown> };
  allow('generation_config', config, ['maxOutputTokens', 'thinkingConfig']);
  const thinking = config.thinkingConfig;
  if (thinking === undefined) return;
  allow('generation_config.thinking_config', thinking, ['includeThoughts', 'thinkingLevel', 'thinkingBudget']);
  if (/^gemini-[12]\.0/.test(model)) refuse('Thinking is not enabled for this model.');
  if (/^gemini-2/.test(model) && thinking.thinkingLevel !== undefined)
    refuse('Thinking level is not supported for this model.');
  if (thinking.thinkingLevel !== undefined && thinking.thinkingBudget !== undefined)
    refuse('You can only set only one of thinking budget and thinking level.');
  const levels = ['low', 'medium', 'high', ...(/^gemini-4/.test(model) ? ['xhigh'] : [])];
  if (thinking.thinkingLevel !== undefined && !levels.includes(String(thinking.thinkingLevel)))
    refuse(`Invalid value at 'thinking_level': "${String(thinking.thinkingLevel)}"`);
  if (Number(thinking.thinkingBudget ?? 0) > 24_576) refuse('The thinking budget is invalid.');
}

const KINDS = ['text', 'inlineData', 'functionCall', 'functionResponse'];

function checkContents({ contents = [] }: GoogleBody, limits: StrictLimits): void {
  if (contents.length === 0) refuse('* GenerateContentRequest.contents: contents is not specified');
  if (contents.at(-1)?.role !== 'user') refuse('Please ensure that single turn requests end with a user role.');
  contents.forEach((content, at) => {
    allow('contents', content, ['role', 'parts']);
    if (content.role !== 'user' && content.role !== 'model') refuse('Please use a valid role: user, model.');
    const parts = content.parts ?? [];
    if (parts.length === 0) refuse(`* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`);
    for (const part of parts) {
      allow('contents.parts', part, [...KINDS, 'thoughtSignature']);
      const kinds = KINDS.filter((kind) => part[kind] !== undefined);
      if (kinds.length !== 1) refuse(`contents.parts: exactly one data field must be set, got ${kinds.length}`);
      if (part.text === '' && part.thoughtSignature === undefined) refuse('contents.parts: empty text parameter');
      if (part.functionCall !== undefined && content.role !== 'model') refuse('a function call is of the model');
      if (part.functionResponse !== undefined && content.role !== 'user') refuse('a function response is of the user');
      if (part.inlineData === undefined) continue;
      const trouble = imageTrouble(part.inlineData.mimeType, part.inlineData.data, limits);
      if (trouble !== null) refuse(`Unable to process input image: ${trouble}`);
    }
    checkPairs(contents, at);
  });
}

function checkPairs(contents: readonly Content[], at: number): void {
  const callsOf = (content: Content | undefined) => content?.parts?.flatMap((part) => part.functionCall ?? []) ?? [];
  const answersOf = (content: Content | undefined) =>
    content?.parts?.flatMap((part) => part.functionResponse ?? []) ?? [];
  const calls = callsOf(contents[at]);
  if (calls.length > 0) {
    if (contents[at - 1]?.role !== 'user')
      refuse(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    for (const call of calls) {
      if (typeof call.args !== 'object' || call.args === null || Array.isArray(call.args))
        refuse('function_call.args: expected a struct');
    }
    const answers = answersOf(contents[at + 1]);
    if (answers.length !== calls.length || contents[at + 1]?.parts?.length !== calls.length)
      refuse(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    calls.forEach((call, place) => {
      const answer = answers[place];
      if (answer?.name !== call.name || answer.id !== call.id)
        refuse(
          `Function response ${answer?.name} (${answer?.id}) does not match function call ${call.name} (${call.id})`,
        );
    });
  }
  if (answersOf(contents[at]).length > 0 && callsOf(contents[at - 1]).length === 0)
    refuse('Please ensure that function response turn comes immediately after a function call turn.');
}

function checkSignatures({ contents = [], model = '' }: GoogleBody, issued: Issued): void {
  const needed = Number(/^gemini-(\d+)/.exec(model)?.[1] ?? 0) >= 3;
  for (const content of contents) {
    const first = content.parts?.find((part) => part.functionCall !== undefined);
    if (needed && first !== undefined && first.thoughtSignature === undefined)
      refuse(`Function call ${first.functionCall?.name} is missing a thought_signature in functionCall parts.`);
    for (const part of content.parts ?? []) {
      const { thoughtSignature: signature, ...bare } = part;
      if (signature === undefined || signature === 'skip_thought_signature_validator') continue;
      const known = issued.signatures.get(signature);
      if (known?.part !== JSON.stringify(bare) || known.model !== model) refuse('Thought signature is not valid.');
    }
  }
}

async function streamReply(
  response: ServerResponse,
  { id, body, step, usage }: FakeReplyOrder<GoogleBody>,
  issued: Issued,
): Promise<boolean> {
  const model = body.model ?? '';
  const write = (fields: object) =>
    response.write(`data: ${JSON.stringify({ ...fields, modelVersion: model, responseId: id })}\r\n\r\n`);
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const counts = {
    promptTokenCount: prompt,
    ...(usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {}),
  };
  const send = (part: Part, finish: object = {}, usageMetadata: object = { ...counts, candidatesTokenCount: 1 }) =>
    write({ candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...finish }], usageMetadata });
  const signed = (part: Part, signature: string): Part => {
    issued.signatures.set(signature, { part: JSON.stringify(part), model });
    return { ...part, thoughtSignature: signature };
  };

  let index = 0;
  let signature: string | null = null;
  for (const given of step.parts ?? []) {
    const part = partOf(given);
    index++;
    if ('wait' in part) await pause(part.wait);
    else if ('ping' in part) response.write(': \r\n\r\n');
    else if ('raw' in part) response.write(part.raw);
    else if ('error' in part) {
      response.write(
        `data: ${JSON.stringify({ error: { status: part.error.type, message: part.error.message } })}\r\n\r\n`,
      );
      response.end();
      return false;
    } else if ('cut' in part) {
      if (part.cut === 'reset') response.destroy();
      else response.end();
      return false;
    } else if ('thinking' in part) {
      for (const text of cut(part.thinking, part.piece ?? 20)) send({ text, thought: true });
      signature = part.signature ?? `sig-${id}-${index}`;
    } else if ('redacted' in part) {
      send(signed({ text: '' }, part.redacted));
    } else if ('text' in part) {
      const pieces = [...cut(part.text, part.piece ?? 20)];
      for (const [place, text] of pieces.entries()) {
        if (part.every) await pause(part.every);
        const last = place === pieces.length - 1 && signature !== null;
        send(last ? signed({ text }, `${signature}-text`) : { text });
      }
    } else {
      const call: Part = {
        functionCall: { id: part.id ?? `call_${id}_${index}`, name: part.tool, args: part.input ?? {} },
      };
      // The first call of a reply carries what led to all of them.
      send(signature === null ? signed(call, `sig-${id}-${index}`) : signed(call, signature));
      signature = `${signature ?? `sig-${id}`}+`;
    }
  }
  const output = usage.output - (usage.thinking ?? 0);
  send(
    { text: '' },
    { finishReason: step.stop ?? 'STOP' },
    {
      ...counts,
      candidatesTokenCount: output,
      ...(usage.thinking === undefined ? {} : { thoughtsTokenCount: usage.thinking }),
    },
  );
  response.end();
  return true;
}
