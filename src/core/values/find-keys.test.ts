import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { findKeys } from './find-keys.ts';

const GITHUB = `ghp_${'A1b2'.repeat(9)}`;
const RARE = 'q7Rk2vLx9TzW4mBn';
const BODY = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj';

const DECLARED: readonly (readonly [string, string])[] = [
  [`const t = '${GITHUB}';`, 'a GitHub token'],
  [`github_pat_${'a1B2'.repeat(12)}`, 'a GitHub token'],
  [`x-api-key: sk-ant-api03-${'a1'.repeat(20)}`, 'an Anthropic key'],
  [`sk-proj-${'a1B2_'.repeat(8)}`, 'an OpenAI key'],
  [`glpat-${'a1B2'.repeat(5)}`, 'a GitLab token'],
  [`//packages.example/:_authToken=npm_${'a1B2'.repeat(9)}`, 'an npm token'],
  [`AIza${'a1B2c'.repeat(7)}`, 'a Google key'],
  [`aws_access_key_id = AKIA${'A1B2'.repeat(4)}`, 'an AWS access key'],
  [`xoxb-${'1234567890'}-${'a1B2'.repeat(5)}`, 'a Slack token'],
  [`sk_live_${'a1B2'.repeat(6)}`, 'a Stripe key'],
  ['git clone https://ada:tr0ub4dor@git.host/x.git', 'a password in an address'],
  ['DATABASE=postgres://app:correct-horse@10.0.0.1:5432/db', 'a password in an address'],
  [`-----BEGIN RSA PRIVATE KEY-----\n${BODY}\n-----END RSA PRIVATE KEY-----`, 'a private key'],
  [`key: "-----BEGIN PRIVATE KEY-----\\n${BODY}\\n-----END PRIVATE KEY-----"`, 'a private key'],
  [`-----BEGIN OPENSSH PRIVATE KEY-----\r\n${BODY}`, 'a private key'],
  [`-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${BODY}`, 'a private key'],
  [`PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 1\n${BODY}`, 'a private key'],
];

const LIKELY: readonly string[] = [
  `const password = '${RARE}';`,
  `  "apiKey": "${RARE}",`,
  `db_password: ${RARE}`,
  `export SERVICE_TOKEN=${RARE}\nPORT=1`,
  `headers: { Authorization: 'Bearer ${RARE}${RARE}' }`,
  `echo SECRET_KEY=${RARE} > .env`,
  `deploy --api-key ${RARE}`,
  `mysql --password=${RARE} db`,
  `cat > .env <<E\nCLIENT_SECRET="${RARE}"\nE`,
  `${RARE}${RARE}\n`,
  "let passphrase: string = 'Tr0ub4dor&3x'",
];

const ORDINARY: readonly string[] = [
  'const token = process.env.API_TOKEN;',
  "password: '\x24{DB_PASSWORD}'",
  "password = 'correct horse battery staple'",
  "const apiKey = 'your-api-key-1234567';",
  'API_KEY=xxxxxxxxxxxx1234',
  "token: 'next-token'",
  'tokens = tokenize(source2, 10)',
  'secret: sha256',
  "passwordFieldName = 'account_password_2'",
  'sk-learn and task-runner',
  '-----BEGIN PRIVATE KEY-----',
  '/-----BEGIN [A-Z ]*PRIVATE KEY-----/',
  'postgres://postgres:postgres@localhost:5432/app',
  'https://user:<password>@host/ and http://$USER:$PASS@host/',
  'http://localhost:3000/users/@me',
  '"integrity": "sha512-RRDmoxhQdVjJdFMFDRW2DF7gGzeeeJ2C9mPtVTfPcZA=="',
  'commit 8f434346648f6b96df89dda901c5176b10a6d839',
  '8f434346648f6b96df89dda901c5176b10a6d839\n',
  'src/core/policy/v2/find-keys-test.ts',
  '1.22.333.4444.55555.666666\n',
  `ghp_${'x'.repeat(36)}`,
];

describe('findKeys', () => {
  test.each(DECLARED)('%p declares itself', (text, kind) => {
    expect(findKeys(text)?.declared).toContain(kind);
    expect(JSON.stringify(findKeys(text))).not.toContain('a1B2');
  });

  test.each(LIKELY.map((text) => [text]))('%p may be a key', (text) => {
    expect(findKeys(text)).toMatchObject({ declared: [], likely: [expect.any(String)] });
    expect(JSON.stringify(findKeys(text))).not.toContain(RARE);
  });

  test.each(ORDINARY.map((text) => [text]))('%p is ordinary', (text) => {
    expect(findKeys(text)).toBeUndefined();
  });

  test('CRED-2: what was there before is not blamed, whatever stands around it now', () => {
    const before = `token: '${GITHUB}'\npassword: '${RARE}'`;
    expect(findKeys(`moved ${GITHUB}\nPASSWORD=${RARE}\n`, before)).toBeUndefined();
    expect(findKeys(`password: 'z${RARE}'`, before)?.likely).toHaveLength(1);
  });

  test('the sources this program is made of and with hold none', async () => {
    const root = new URL('../../../', import.meta.url).pathname;
    const asked: string[] = [];
    for (const place of ['src', 'node_modules/diff', 'node_modules/highlight.js/lib', 'docs'])
      for await (const name of new Bun.Glob('**/*.{ts,js,mjs,json,md,css}').scan({ cwd: `${root}${place}` }))
        if (!name.endsWith('.test.ts') && findKeys(await Bun.file(`${root}${place}/${name}`).text()) !== undefined)
          asked.push(`${place}/${name}`);
    expect(asked).toEqual([]);
  });

  test('takes no longer for text made to be hard', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('a', '-', 'password', 'a:', 'http://a:', ' ', '=', '-----BEGIN ', 'A_'),
        fc.constantFrom('', '"', 'password=', '\\n'),
        (piece, other) => {
          const text = (piece + other).repeat(20_000);
          const started = performance.now();
          findKeys(text);
          expect(performance.now() - started).toBeLessThan(2000);
        },
      ),
      { numRuns: 40 },
    );
  });
});
