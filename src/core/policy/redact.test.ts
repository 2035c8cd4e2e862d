import { expect, test } from 'bun:test';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { auditDecision } from './audit.ts';
import { createRedactor } from './redact.ts';

test('takes out keys by their shape and the values of credential variables', () => {
  const redact = createRedactor(
    {
      ANTHROPIC_API_KEY: 'my-own-key-value',
      DB_PASSWORD: 'correct horse battery',
      PATH: '/usr/bin:/bin:/sbin',
      MY_TOKEN: 'short',
      CUSTOM: 'custom-value-123',
    },
    ['CUSTOM'],
  );
  expect(redact('a my-own-key-value b correct horse battery c custom-value-123')).toBe(
    'a [secret removed] b [secret removed] c [secret removed]',
  );
  expect(redact('short /usr/bin:/bin:/sbin')).toBe('short /usr/bin:/bin:/sbin');
  for (const key of [
    `sk-ant-api03-${'a1'.repeat(20)}`,
    `ghp_${'A1b2'.repeat(9)}`,
    `AKIA${'A1'.repeat(8)}`,
    `-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----`,
  ]) {
    expect(redact(`x ${key} y`)).toBe('x [secret removed] y');
  }
});

test('leaves ordinary text alone', () => {
  const redact = createRedactor({});
  for (const text of [
    'sk-learn and task-runner',
    'a sha 8f434346648f6b96df89dda901c5176b10a6d839',
    'npm_config_registry',
    'ghp_ is a prefix',
  ])
    expect(redact(text)).toBe(text);
});

test('AUD-2: an audited decision holds no content', () => {
  const line = `curl -d 'canary-secret' https://x`;
  const event = auditDecision(
    'c1',
    [{ kind: 'run', line, folder: '/', background: false, terminal: false, timeoutMs: 1, label: TRUSTED_PUBLIC }],
    { verdict: 'deny', reasons: [{ identifier: 'mode-plan', text: 'canary-secret' }], message: 'canary-secret' },
    'plan',
  );
  expect(JSON.stringify(event)).not.toContain('canary');
  expect(event).toMatchObject({ verdict: 'deny', reasons: ['mode-plan'], effects: [{ kind: 'run', target: 'curl' }] });
  // A name out of a listing nobody vouched for stands there as its reference.
  const named = { kind: 'read', path: '/ws/canary', label: TRUSTED_PUBLIC, ref: 'ref:1' } as const;
  const read = auditDecision('c2', [named], { verdict: 'deny', reasons: [], message: '' }, 'ask');
  expect(read).toMatchObject({ effects: [{ kind: 'read', target: 'ref:1' }] });
  expect(JSON.stringify(read)).not.toContain('canary');
});
