import { expect, test } from 'bun:test';
import { failureOfNetwork, failureOfService, redact, retryAfter, type ServiceProblem } from './failures.ts';

const NOW = Date.UTC(2026, 0, 2);

function failed(
  status: number | null,
  type: string | null,
  text = '',
  headers: Record<string, string> = {},
): ReturnType<typeof failureOfService> {
  const problem: ServiceProblem = {
    status,
    type,
    text,
    headers: new Headers(headers),
    requestId: 'req_1',
    now: NOW,
    secrets: ['hunter2hunter2'],
  };
  return failureOfService(problem);
}

test.each([
  [400, 'invalid_request_error', 'max_tokens: Field required', 'request-rejected', false],
  [400, 'invalid_request_error', 'prompt is too long: 215000 tokens > 200000 maximum', 'context-too-long', false],
  [
    400,
    'invalid_request_error',
    'messages.2.content.0.image.source.base64: image exceeds 5 MB',
    'image-rejected',
    false,
  ],
  [400, 'invalid_request_error', 'Your credit balance is too low to access the API', 'quota-exhausted', false],
  [401, 'authentication_error', 'invalid x-api-key', 'credential-refused', false],
  [402, 'billing_error', '', 'quota-exhausted', false],
  [403, 'permission_error', '', 'credential-refused', false],
  [404, 'not_found_error', 'model: x', 'request-rejected', false],
  [408, null, '', 'server-error', true],
  [413, 'request_too_large', '', 'context-too-long', false],
  [418, null, '', 'request-rejected', false],
  [429, 'rate_limit_error', '', 'rate-limited', true],
  [429, 'insufficient_quota', 'insufficient_quota', 'quota-exhausted', false],
  [500, 'api_error', '', 'server-error', true],
  [500, 'overloaded_error', '', 'overloaded', true],
  [502, null, '<html>Bad gateway</html>', 'server-error', true],
  [503, null, '', 'overloaded', true],
  [504, 'timeout_error', '', 'server-error', true],
  [529, 'overloaded_error', 'Overloaded', 'overloaded', true],
  [null, 'overloaded_error', '', 'overloaded', true],
  [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', 'credential-refused', false],
  [400, 'context_length_exceeded', "This model's maximum context length is 128000", 'context-too-long', false],
  [400, 'INVALID_ARGUMENT', 'The input token count (1) exceeds the maximum', 'context-too-long', false],
  [401, 'invalid_api_key', '', 'credential-refused', false],
  [403, 'PERMISSION_DENIED', '', 'credential-refused', false],
  [404, 'model_not_found', '', 'request-rejected', false],
  [429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota', 'rate-limited', true],
  [500, 'INTERNAL', '', 'server-error', true],
  [503, 'UNAVAILABLE', '', 'overloaded', true],
  [null, 'rate_limit_exceeded', '', 'rate-limited', true],
  [null, 'server_error', '', 'server-error', true],
  [null, null, 'the request exceeds the available context size', 'context-too-long', false],
  [null, 'invalid_request_error', 'prompt is too long', 'context-too-long', false],
] as const)('%p %p %p is %p', (status, type, text, category, retryable) => {
  expect(failed(status, type, text)).toMatchObject({ category, retryable, status, attempts: 1 });
});

test('what the service said can be opened, and no row quotes it (UP-26)', () => {
  const failure = failed(429, 'rate_limit_error', 'slow down, hunter2hunter2');
  expect(failure.message).toBe('The service asks us to slow down (429)');
  expect(failure.detail).toBe('status 429\nrequest req_1\nslow down, [key]');
  expect(failure.requestId).toBe('req_1');
});

test('the service can say that trying again is useless', () => {
  expect(failed(500, 'api_error', '', { 'x-should-retry': 'false' }).retryable).toBe(false);
});

test.each([
  [{ 'retry-after': '3' }, 3_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
  [{ 'retry-after': new Date(NOW + 90_000).toUTCString() }, 90_000],
  [{ 'retry-after': new Date(NOW - 90_000).toUTCString() }, 0],
  [{ 'retry-after': 'soon' }, null],
  [{}, null],
])('%j asks for %p ms (UP-26)', (headers, wait) => {
  expect(retryAfter(new Headers(headers as Record<string, string>), NOW)).toBe(wait as number | null);
});

test('the wait that stands in the answer itself is read too (UP-26)', () => {
  const text = JSON.stringify({ error: { details: [{ '@type': 'RetryInfo', retryDelay: '34.07s' }] } });
  expect(failed(429, 'RESOURCE_EXHAUSTED', text).retryAfterMs).toBe(34_070);
  expect(failed(429, 'RESOURCE_EXHAUSTED', text, { 'retry-after': '2' }).retryAfterMs).toBe(2_000);
});

test('connection errors are told apart by their causes', () => {
  const wrapped = (code: string) => new Error('Connection error.', { cause: Object.assign(new Error('no'), { code }) });
  expect(failureOfNetwork(wrapped('ECONNREFUSED'), [])).toMatchObject({ category: 'unreachable', retryable: true });
  expect(failureOfNetwork(wrapped('ENOTFOUND'), []).message).toContain('address');
  expect(failureOfNetwork(wrapped('SELF_SIGNED_CERT_IN_CHAIN'), [])).toMatchObject({
    category: 'unreachable',
    retryable: false,
  });
});

test('details are bounded, well-formed and hold nothing shaped like a key', () => {
  const text = redact(`Bearer abcdefghijkl sk-ant-REDACTED ${'x'.repeat(10_000)}\ud83d`, []);
  expect(text).toStartWith('[key] [key] x');
  expect(text.length).toBeLessThan(4_200);
  expect(text.isWellFormed()).toBe(true);
});
