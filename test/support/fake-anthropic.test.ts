import { expect, test } from 'bun:test';
import { type Issued, refusalOf, USUAL_LIMITS } from './fake-anthropic-rules.ts';
import { pngHeader } from './image-size.ts';

const HEADERS = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };
const USER = { role: 'user', content: 'hi' };
const CALL = { type: 'tool_use', id: 'a', name: 'read_file', input: {} };
const RESULT = { type: 'tool_result', tool_use_id: 'a', content: 'x' };
const TOOL = { name: 'read_file', description: 'Reads.', input_schema: { type: 'object' } };
const TEXT = { type: 'text', text: 'x' };
const MARK = { cache_control: { type: 'ephemeral' } };

function refused(
  change: object,
  headers: object = HEADERS,
  issued: Issued = { signatures: new Map(), thinkingOfCall: new Map() },
): string | null {
  const body = { model: 'claude-opus-5-5', max_tokens: 100, stream: true, tools: [TOOL], messages: [USER], ...change };
  const given = {
    method: 'POST',
    path: '/v1/messages',
    headers: { ...headers },
    bytes: Buffer.from(JSON.stringify(body)),
    key: undefined,
  };
  return refusalOf(given, USUAL_LIMITS, issued).refused?.message ?? null;
}

const picture = (bytes: Buffer) => ({
  role: 'user',
  content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') } }],
});
const ended = (...messages: object[]) => ({ messages: [USER, ...messages, USER] });

test('a plain request passes', () => {
  expect(refused({})).toBeNull();
  expect(
    refused({ messages: [USER, { role: 'assistant', content: [CALL] }, { role: 'user', content: [RESULT, TEXT] }] }),
  ).toBeNull();
});

test.each<[string, object, string]>([
  [
    'calls without declared tools',
    { tools: [], messages: [USER, { role: 'assistant', content: [CALL] }, { role: 'user', content: [RESULT] }] },
    'tools: Field required',
  ],
  ['a call without its result', ended({ role: 'assistant', content: [CALL] }), 'without `tool_result`'],
  [
    'a result after other content',
    { messages: [USER, { role: 'assistant', content: [CALL] }, { role: 'user', content: [TEXT, RESULT] }] },
    'without `tool_result`',
  ],
  ['a result without its call', { messages: [{ role: 'user', content: [RESULT] }] }, 'unexpected `tool_use_id`'],
  [
    'two results of one call',
    { messages: [USER, { role: 'assistant', content: [CALL] }, { role: 'user', content: [RESULT, RESULT] }] },
    'single result',
  ],
  [
    'two calls of one id',
    { messages: [USER, { role: 'assistant', content: [CALL, CALL] }, { role: 'user', content: [RESULT] }] },
    'must be unique',
  ],
  [
    'arguments that are no object',
    {
      messages: [USER, { role: 'assistant', content: [{ ...CALL, input: null }] }, { role: 'user', content: [RESULT] }],
    },
    'should be an object',
  ],
  ['an empty text', { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, 'must be non-empty'],
  ['a blank text', { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }, 'non-whitespace'],
  ['no content', { messages: [{ role: 'user', content: [] }] }, 'non-empty content'],
  ['an assistant first', { messages: [{ role: 'assistant', content: 'x' }, USER] }, 'first message'],
  ['an assistant last', { messages: [USER, { role: 'assistant', content: 'x' }] }, 'must end with a user'],
  ['an unknown field', { colour: 'red' }, 'Extra inputs'],
  ['an unknown block', { messages: [{ role: 'user', content: [{ type: 'video' }] }] }, 'not known'],
  ['a field of nobody', { messages: [{ role: 'user', content: [{ ...TEXT, id: 1 }] }] }, 'Extra inputs'],
  [
    'five cache marks',
    { messages: [{ role: 'user', content: Array.from({ length: 5 }, () => ({ ...TEXT, ...MARK })) }] },
    'maximum of 4',
  ],
  ['half a surrogate pair', { messages: [{ role: 'user', content: 'x\ud83d' }] }, 'no low surrogate'],
  ['a tall picture', { messages: [picture(pngHeader(40, 9_000))] }, 'dimensions exceed'],
  ['a heavy picture', { messages: [picture(pngHeader(40, 30, 5 * 1024 * 1024))] }, 'exceeds 5 MB'],
  ['a broken picture', { messages: [picture(Buffer.from('no picture'))] }, 'Could not process image'],
  [
    'a thinking budget for a model that decides itself',
    { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    'not supported',
  ],
  [
    'thinking nobody gave out',
    ended({ role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'y' }] }),
    'Invalid `signature`',
  ],
  ['no output allowed', { max_tokens: 0 }, 'max_tokens'],
])('refuses %s', (_, change, words) => {
  expect(refused(change)).toContain(words);
});

test('refuses missing keys and versions', () => {
  expect(refused({}, { ...HEADERS, 'x-api-key': '' })).toContain('x-api-key');
  expect(refused({}, { 'x-api-key': 'k', 'content-type': 'application/json' })).toContain('anthropic-version');
});

test('wants thinking back unchanged, unmarked, from the same model, and all of it while its calls are answered', () => {
  const issued: Issued = {
    signatures: new Map([['sig', { text: 'so', model: 'claude-opus-5-5' }]]),
    thinkingOfCall: new Map([['a', ['sig']]]),
  };
  const thought = { type: 'thinking', thinking: 'so', signature: 'sig' };
  const loop = (...content: object[]) => ({
    thinking: { type: 'adaptive' },
    messages: [USER, { role: 'assistant', content }, { role: 'user', content: [RESULT] }],
  });
  expect(refused(loop(thought, CALL), HEADERS, issued)).toBeNull();
  expect(refused(loop(CALL), HEADERS, issued)).toContain('must start with a thinking block');
  expect(refused(loop({ ...thought, thinking: 'so!' }, CALL), HEADERS, issued)).toContain('Invalid `signature`');
  expect(refused(loop({ ...thought, ...MARK }, CALL), HEADERS, issued)).toContain('Extra inputs');
  expect(refused({ ...loop(thought, CALL), model: 'claude-sonnet-5-5' }, HEADERS, issued)).toContain(
    'Invalid `signature`',
  );
});
