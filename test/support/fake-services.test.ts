// The counterparts of the wires are only worth something while they refuse what the services refuse.
import { expect, test } from 'bun:test';
import { googleRefusal } from './fake-google.ts';
import { chatRefusal } from './fake-openai-chat.ts';
import { responsesRefusal } from './fake-openai-responses.ts';
import { pngHeader } from './image-size.ts';

const LIMITS = { imageSide: 8_000, imageBytes: 500_000, promptBytes: 1_000_000 };
const HEADERS = { authorization: 'Bearer k', 'x-goog-api-key': 'k', 'content-type': 'application/json' };

function given(path: string, body: object, headers: object = HEADERS) {
  const query = new URLSearchParams({ alt: 'sse' });
  return {
    method: 'POST',
    path,
    query,
    headers: { ...headers },
    bytes: Buffer.from(JSON.stringify(body)),
    key: undefined,
  };
}

const picture = (width: number, height: number, padding = 0) => pngHeader(width, height, padding).toString('base64');
const pictureUrl = (width: number, height: number, padding = 0) =>
  `data:image/png;base64,${picture(width, height, padding)}`;

// OpenAI Responses
const ASK = { type: 'message', role: 'user', content: 'hi' };
const CALL = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' };
const OUTPUT = { type: 'function_call_output', call_id: 'a', output: 'x' };
const SAID = { type: 'message', role: 'assistant', content: 'x' };
const THOUGHT = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'seal' };
const TOOL = { type: 'function', name: 'look', strict: false, parameters: { type: 'object' } };
const ISSUED = { reasoning: new Map([['rs_1', { sealed: 'seal', model: 'gpt-6.2-sol', summary: '' }]]) };

function responses(change: object, headers?: object): string | null {
  const body = { model: 'gpt-6.2-sol', stream: true, store: false, input: [ASK], ...change };
  return responsesRefusal(given('/v1/responses', body, headers), LIMITS, ISSUED).refused?.message ?? null;
}
const input = (...items: object[]) => ({ input: items });

test('Responses: what is right passes', () => {
  expect(responses({ tools: [TOOL], tool_choice: 'none' })).toBeNull();
  expect(responses(input(ASK, THOUGHT, CALL, OUTPUT))).toBeNull();
  expect(
    responses(input(ASK, THOUGHT, SAID, CALL, { ...CALL, call_id: 'b' }, OUTPUT, { ...OUTPUT, call_id: 'b' }, ASK)),
  ).toBeNull();
});

test.each<[string, object, string]>([
  ['a call without its output', input(ASK, CALL, ASK), 'No tool output found'],
  ['an output without its call', input(ASK, OUTPUT), 'No tool call found'],
  ['two outputs of one call', input(ASK, CALL, OUTPUT, OUTPUT), 'Duplicate tool output'],
  ['two calls of one id', input(ASK, CALL, CALL, OUTPUT), 'Duplicate function call'],
  ['an id that is too long', input(ASK, { ...CALL, call_id: 'x'.repeat(65) }), 'too long'],
  ['an empty id', input(ASK, { ...CALL, call_id: '' }), 'empty string'],
  ['reasoning that nothing follows', input(ASK, THOUGHT, ASK), 'required following item'],
  [
    'reasoning that was changed',
    input(ASK, { ...THOUGHT, encrypted_content: 'x' }, SAID, ASK),
    'could not be verified',
  ],
  ['reasoning of another model', { model: 'gpt-5', ...input(ASK, THOUGHT, SAID, ASK) }, 'could not be verified'],
  ['reasoning by its name only', input(ASK, { ...THOUGHT, encrypted_content: undefined }, SAID, ASK), 'not found'],
  ['an answer last', input(ASK, SAID), 'must end'],
  ['an unknown field', { colour: 'red' }, "Unknown parameter: 'colour'"],
  ['an unknown field of an item', input({ ...ASK, colour: 1 }), 'Unknown parameter'],
  ['an unknown item', input({ type: 'telepathy' }), 'Invalid value'],
  ['half a surrogate pair', { instructions: 'x\ud83d' }, 'could not parse'],
  ['strict schemas with optional fields', { tools: [{ ...TOOL, strict: true }] }, 'Invalid schema'],
  ['a choice without tools', { tool_choice: 'none' }, 'tool_choice'],
  ['effort where there is none', { model: 'gpt-4.1', reasoning: { effort: 'low' } }, 'not supported'],
  ['effort beyond the model', { model: 'gpt-5', reasoning: { effort: 'xhigh' } }, 'not supported'],
  ['sealed reasoning where there is none', { model: 'gpt-4.1', include: [] }, 'not supported'],
  [
    'a tall picture',
    input({ ...ASK, content: [{ type: 'input_image', image_url: pictureUrl(40, 9_000) }] }),
    'dimension',
  ],
])('Responses refuses %s', (_, change, words) => {
  expect(responses(change)).toContain(words);
});

// OpenAI Chat Completions
const USER = { role: 'user', content: 'hi' };
const ASKED = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
};
const ANSWER = { role: 'tool', tool_call_id: 'a', content: 'x' };

function chat(change: object, headers?: object): string | null {
  const body = { model: 'gpt-4.1', stream: true, messages: [USER], ...change };
  return chatRefusal(given('/v1/chat/completions', body, headers), LIMITS).refused?.message ?? null;
}
const messages = (...all: object[]) => ({ messages: all });

test('Chat Completions: what is right passes', () => {
  expect(chat(messages({ role: 'system', content: 's' }, USER, ASKED, ANSWER, USER))).toBeNull();
});

test.each<[string, object, string]>([
  ['a call without its result', messages(USER, ASKED, USER), 'did not have response messages: a'],
  ['a call at the end', messages(USER, ASKED), 'did not have response messages'],
  ['a result without its call', messages(USER, ANSWER), 'must be a response'],
  ['two results of one call', messages(USER, ASKED, ANSWER, ANSWER), 'must be a response'],
  ['an id used twice', messages(USER, ASKED, ANSWER, ASKED, ANSWER), 'Duplicate value'],
  [
    'an empty id',
    messages(USER, { ...ASKED, tool_calls: [{ ...ASKED.tool_calls[0], id: '' }] }, ANSWER),
    'tool_calls.id',
  ],
  ['a system message in the middle', messages(USER, { role: 'system', content: 's' }), 'must come first'],
  ['nothing said', messages(USER, { role: 'assistant', content: null }, USER), 'expected a string, got null'],
  ['thinking brought back', messages(USER, { ...ASKED, reasoning_content: 'x' }, ANSWER), 'Unrecognized'],
  ['an unknown field', { colour: 'red' }, 'Unrecognized request argument'],
  ['the old name of the limit', { model: 'gpt-5', max_tokens: 9 }, 'max_completion_tokens'],
  ['an empty list of tools', { tools: [] }, 'too short'],
  ['a choice without tools', { tool_choice: 'none' }, 'tool_choice'],
  ['half a surrogate pair', messages({ role: 'user', content: 'x\ud83d' }), 'could not parse'],
  [
    'a picture in a result',
    messages(USER, ASKED, { ...ANSWER, content: [{ type: 'image_url', image_url: { url: pictureUrl(1, 1) } }] }),
    'text only',
  ],
  [
    'a heavy picture',
    messages({ role: 'user', content: [{ type: 'image_url', image_url: { url: pictureUrl(9, 9, 500_000) } }] }),
    'larger than',
  ],
])('Chat Completions refuses %s', (_, change, words) => {
  expect(chat(change)).toContain(words);
});

// Gemini
const TURN = { role: 'user', parts: [{ text: 'hi' }] };
const FUNCTION = { functionCall: { id: 'a', name: 'look', args: {} }, thoughtSignature: 'seal' };
const CALLED = { role: 'model', parts: [FUNCTION] };
const REPLIED = { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'look', response: { output: 'x' } } }] };

function gemini(change: object, headers?: object, model = 'gemini-4-neon'): string | null {
  const bare = { functionCall: FUNCTION.functionCall };
  const issued = { signatures: new Map([['seal', { part: JSON.stringify(bare), model: 'gemini-4-neon' }]]) };
  const path = `/v1beta/models/${model}:streamGenerateContent`;
  return googleRefusal(given(path, { contents: [TURN], ...change }, headers), LIMITS, issued).refused?.message ?? null;
}
const contents = (...all: object[]) => ({ contents: all });

test('Gemini: what is right passes', () => {
  expect(gemini(contents(TURN, CALLED, REPLIED, TURN))).toBeNull();
});

test.each<[string, object, string]>([
  ['a call without its response', contents(TURN, CALLED, TURN), 'number of function response parts'],
  ['a response without its call', contents(REPLIED), 'immediately after a function call'],
  [
    'a response beside other parts',
    contents(TURN, CALLED, { role: 'user', parts: [...REPLIED.parts, { text: 'x' }] }),
    'number of function response parts',
  ],
  [
    'a response of another id',
    contents(TURN, CALLED, {
      role: 'user',
      parts: [{ functionResponse: { id: 'b', name: 'look', response: {} } }],
    }),
    'does not match',
  ],
  ['a call first', contents(CALLED, REPLIED), 'immediately after a user turn'],
  [
    'a call without its signature',
    contents(TURN, { role: 'model', parts: [{ functionCall: FUNCTION.functionCall }] }, REPLIED),
    'missing a thought_signature',
  ],
  [
    'a signature on another part',
    contents(TURN, { role: 'model', parts: [{ text: 'x', thoughtSignature: 'seal' }] }, TURN),
    'not valid',
  ],
  ['the model last', contents(TURN, { role: 'model', parts: [{ text: 'x' }] }), 'end with a user role'],
  ['nothing said', contents({ role: 'user', parts: [] }), 'must not be empty'],
  ['an empty text', contents({ role: 'user', parts: [{ text: '' }] }), 'empty text'],
  ['a part that is two', contents({ role: 'user', parts: [{ text: 'x', inlineData: {} }] }), 'exactly one'],
  ['an unknown field', { colour: 'red' }, 'Unknown name "colour"'],
  ['an unknown role', contents({ role: 'assistant', parts: [{ text: 'x' }] }, TURN), 'valid role'],
  ['half a surrogate pair', contents({ role: 'user', parts: [{ text: 'x\ud83d' }] }), 'Invalid JSON payload'],
  ['a level nobody has', { generationConfig: { thinkingConfig: { thinkingLevel: 'max' } } }, 'thinking_level'],
  [
    'a tall picture',
    contents({ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: picture(40, 9_000) } }] }),
    'dimension',
  ],
])('Gemini refuses %s', (_, change, words) => {
  expect(gemini(change)).toContain(words);
});

test('Gemini of an earlier generation takes a budget, not a level', () => {
  const level = { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } };
  expect(gemini(level, undefined, 'gemini-2.5-pro')).toContain('not supported');
});

test('each refuses a request without its key', () => {
  const none = { 'content-type': 'application/json' };
  expect(responses({}, none)).toContain('API key');
  expect(chat({}, none)).toContain('API key');
  expect(gemini({}, none)).toContain('unregistered');
});
