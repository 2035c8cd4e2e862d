import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { failureOfService } from './failures.ts';
import { limitLifted, quotaWindows, windowName } from './usage-headers.ts';

const NOW = Date.UTC(2026, 10, 30, 12);
const MINUTE = 60_000;

test.each([
  [
    'a key of Anthropic',
    {
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '10',
      'anthropic-ratelimit-requests-reset': '2026-11-30T12:01:00Z',
      'anthropic-ratelimit-tokens-limit': '1000',
      'anthropic-ratelimit-tokens-remaining': '1000',
    },
    [
      { name: 'requests', used: 80, resetsAt: NOW + MINUTE },
      { name: 'tokens', used: 0, resetsAt: null },
    ],
  ],
  [
    'a subscription of Anthropic',
    {
      'anthropic-ratelimit-unified-5h-utilization': '0.423',
      'anthropic-ratelimit-unified-5h-reset': String(NOW / 1000 + 60),
      'anthropic-ratelimit-unified-7d-utilization': '1.0',
    },
    [
      { name: '5h', used: 42, resetsAt: NOW + MINUTE },
      { name: 'w', used: 100, resetsAt: null },
    ],
  ],
  [
    'a key of OpenAI',
    {
      'x-ratelimit-limit-requests': '200',
      'x-ratelimit-remaining-requests': '199',
      'x-ratelimit-reset-requests': '6m0s',
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': '50',
      'x-ratelimit-reset-tokens': '120ms',
    },
    [
      { name: 'requests', used: 1, resetsAt: NOW + 6 * MINUTE },
      { name: 'tokens', used: 50, resetsAt: NOW + 120 },
    ],
  ],
  [
    'an account of Codex, whose windows are told apart by their length (FO-17)',
    {
      'x-codex-primary-used-percent': '72',
      'x-codex-primary-window-minutes': '10080',
      'x-codex-primary-reset-after-seconds': '60',
      'x-codex-secondary-used-percent': '12.6',
      'x-codex-secondary-window-minutes': '299',
    },
    [
      { name: 'w', used: 72, resetsAt: NOW + MINUTE },
      { name: '5h', used: 13, resetsAt: null },
    ],
  ],
  ['headers that say something else', { 'x-ratelimit-limit-requests': 'many', 'x-codex-primary-used-percent': '' }, []],
] as const)('%s', (_what, headers, windows) => {
  expect(quotaWindows(new Headers(headers), NOW)).toEqual([...windows]);
});

test('whatever a service sends is read or passed over', () => {
  const names = ['x-codex-primary-used-percent', 'x-ratelimit-limit-tokens', 'x-ratelimit-reset-tokens'];
  const value = fc.stringMatching(/^[\x21-\x7e]{0,20}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...names), value)), (given) => {
      for (const { used } of quotaWindows(new Headers(given), NOW)) expect(used >= 0 && used <= 100).toBe(true);
    }),
  );
});

test('a window has the name of its length', () => {
  expect([604_800, 18_000, 259_200, 86_400, 900, 0].map((seconds) => windowName(seconds, 'primary'))).toEqual([
    'w',
    '5h',
    '3d',
    '24h',
    '15m',
    'primary',
  ]);
});

test('a refused request says when the limit is lifted: by header, by body, by the window that is used up (UP-26)', () => {
  const problem = { status: 429, type: null, text: '', headers: null, requestId: null, now: NOW, secrets: [] };
  const wait = (more: object) => failureOfService({ ...problem, ...more }).retryAfterMs;
  expect(wait({ headers: new Headers({ 'retry-after': '7200' }) })).toBe(7_200_000);
  const text = '{"error":{"type":"usage_limit_reached","plan_type":"plus","resets_in_seconds":3600}}';
  expect(failureOfService({ ...problem, type: 'usage_limit_reached', text })).toMatchObject({
    category: 'rate-limited',
    message: 'The usage limit of the account is reached (429)',
    retryAfterMs: 3_600_000,
  });
  expect(wait({ text: `{"resets_at": ${NOW / 1000 + 90}}` })).toBe(90_000);
  const used = { 'x-codex-primary-used-percent': '100', 'x-codex-primary-reset-after-seconds': '5000' };
  expect(wait({ headers: new Headers(used) })).toBe(5_000_000);
  expect(limitLifted(new Headers({ ...used, 'x-codex-primary-used-percent': '99' }), NOW)).toBeNull();
});
