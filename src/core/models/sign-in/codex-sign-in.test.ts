// On true loopback: our listener, and a sign-in service of the tests' own.
import { afterEach, expect, test } from 'bun:test';
import { ACCOUNT, EMAIL, type ServedOAuth, startFakeOAuth } from '../../../../test/support/fake-oauth.ts';
import type { Outcome } from '../../../base/refusal.ts';
import type { SignInStage } from '../../../protocol/provider.ts';
import { createBunNetwork } from '../../../system/bun/network.ts';
import { createMemorySystem } from '../../../system/memory/system.ts';
import { type AuthFile, createAuthFile } from './auth-file.ts';
import { signInToCodex } from './codex-sign-in.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Attempt {
  readonly oauth: ServedOAuth;
  readonly auth: AuthFile;
  readonly stages: readonly SignInStage[];
  readonly outcome: Promise<Outcome<string>>;
  /** The true port in place of the registered one, as a browser on this machine would reach it. */
  visit(address: string, init?: RequestInit): Promise<Response>;
  url(): string;
  paste(address: string): Outcome<null>;
  cancel(): void;
  wait(ms: number): Promise<void>;
}

async function begin(): Promise<Attempt> {
  const oauth = startFakeOAuth();
  closing.push(() => oauth.close());
  const system = createMemorySystem();
  const real = createBunNetwork();
  const auth = createAuthFile({ ...system, state: '/home/pat/state' });
  const stages: SignInStage[] = [];
  const stop = new AbortController();
  const began = Promise.withResolvers<void>();
  let port = 0;
  let paste: ((address: string) => Outcome<null>) | null = null;
  const network = {
    fetch: real.fetch,
    // Tests run beside each other: any free port stands in for the registered one.
    answerLoopback: async (_port: number, answer: Parameters<typeof real.answerLoopback>[1]) => {
      const listening = await real.answerLoopback(0, answer);
      port = listening.port;
      return listening;
    },
  };
  const outcome = signInToCodex({ ...system, network, auth, service: oauth.service(1455) }, 'openai-codex', {
    signal: stop.signal,
    onStage: (stage) => stages.push(stage),
    onPaste: (take) => {
      paste = take;
      began.resolve();
    },
  });
  await began.promise;
  return {
    oauth,
    auth,
    stages,
    outcome,
    visit: (address, init) => fetch(address.replace('localhost:1455', `127.0.0.1:${port}`), init),
    url: () => stages.find((stage) => stage.url !== null)!.url!,
    paste: (address) => paste!(address),
    cancel: () => stop.abort(),
    wait: (ms) => system.clock.advance(ms),
  };
}

const nothingKept = ({ auth }: Attempt) => expect(auth.has('openai-codex')).toBe(false);

test('the code in the browser becomes tokens, with the verifier that belongs to it (PC-16)', async () => {
  const attempt = await begin();
  const { oauth, url, visit, stages, auth } = attempt;
  const page = await visit(oauth.browse(url()));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('You are signed in');
  expect(await attempt.outcome).toEqual({ ok: true, value: `signed in as ${EMAIL}` });
  expect(stages.map(({ stage }) => stage)).toEqual(['browser', 'checking', 'saving']);
  expect(auth.record('openai-codex')).toMatchObject({ type: 'oauth', account: ACCOUNT, email: EMAIL });
  // The address is gone with its stage.
  expect(stages.slice(1).every(({ url: shown }) => shown === null)).toBe(true);
});

test('whatever else knocks is turned away and ends nothing: another state, no code, another path, another method', async () => {
  const attempt = await begin();
  const { oauth, url, visit } = attempt;
  const back = oauth.browse(url());
  const wrong = new URL(back);
  wrong.searchParams.set('state', 'f'.repeat(64));
  const bare = new URL(back);
  bare.searchParams.delete('code');
  expect((await visit(wrong.href)).status).toBe(400);
  expect((await visit(bare.href)).status).toBe(400);
  wrong.searchParams.set('error', 'access_denied');
  expect((await visit(wrong.href)).status).toBe(400);
  expect((await visit(back.replace('/auth/callback', '/else'))).status).toBe(404);
  expect((await visit(back, { method: 'POST' })).status).toBe(404);
  expect(oauth.asked).toEqual([]);
  expect((await visit(back)).status).toBe(200);
  expect(await attempt.outcome).toMatchObject({ ok: true });
});

test('a second callback is told so, and the code is exchanged once', async () => {
  const attempt = await begin();
  const { oauth, url, visit, paste } = attempt;
  const gate = Promise.withResolvers<void>();
  oauth.next = { wait: gate.promise };
  const back = oauth.browse(url());
  const first = visit(back);
  while (attempt.stages.length < 2) await Bun.sleep(2);
  const second = await visit(back);
  expect(second.status).toBe(400);
  expect(await second.text()).toContain('answered already');
  expect(paste(back)).toMatchObject({ ok: false, refusal: { identifier: 'redirect-unfitting' } });
  gate.resolve();
  expect((await first).status).toBe(200);
  expect(await attempt.outcome).toMatchObject({ ok: true });
  expect(oauth.asked).toEqual(['authorization_code 200']);
});

test('a pasted address does as well, also without its scheme; a wrong one says what is wrong (PC-6)', async () => {
  const attempt = await begin();
  const { oauth, url, paste } = attempt;
  for (const text of ['', 'hello', 'http://localhost:1455/else', 'http://localhost:1455/auth/callback?code=a&state=b'])
    expect(paste(text)).toMatchObject({ ok: false });
  expect(paste(` ${oauth.browse(url()).replace('http://', '')} `)).toMatchObject({ ok: true });
  expect(await attempt.outcome).toMatchObject({ ok: true });
});

test.each([
  ['refuses', { status: 400 }, 'sign-in-refused'],
  ['fails', { status: 503 }, 'sign-in-unreachable'],
  ['talks nonsense', { body: '<html>' }, 'sign-in-refused'],
  ['gives no account', { account: false }, 'no-account'],
] as const)(
  'a service that %s ends it with a reason, in the browser too, and nothing is kept',
  async (_, next, identifier) => {
    const attempt = await begin();
    const { oauth, url, visit } = attempt;
    oauth.next = next;
    const page = await visit(oauth.browse(url()));
    expect(page.status).toBe(400);
    const outcome = await attempt.outcome;
    expect(outcome).toMatchObject({ ok: false, refusal: { identifier } });
    for (const secret of oauth.secrets)
      expect(JSON.stringify(outcome) + (await page.clone().text())).not.toContain(secret);
    nothingKept(attempt);
  },
);

test('a no in the browser is a no', async () => {
  const attempt = await begin();
  const { oauth, url, visit } = attempt;
  await visit(oauth.browse(url(), 'denies'));
  expect(await attempt.outcome).toMatchObject({ ok: false, refusal: { identifier: 'sign-in-denied' } });
  expect(oauth.asked).toEqual([]);
});

test('a service that is slow is waited for half a minute; a person, a quarter of an hour', async () => {
  const slow = await begin();
  slow.oauth.next = { wait: new Promise(() => {}) };
  const page = slow.visit(slow.oauth.browse(slow.url()));
  while (slow.stages.length < 2) await Bun.sleep(2);
  await slow.wait(30_000);
  expect(await slow.outcome).toMatchObject({ ok: false, refusal: { message: expect.stringContaining('in time') } });
  await page;
  const nobody = await begin();
  await nobody.wait(15 * 60_000);
  expect(await nobody.outcome).toMatchObject({ ok: false, refusal: { identifier: 'sign-in-timeout' } });
});

test('cancelled, it listens no more and keeps nothing, also in the middle of the exchange (PC-13)', async () => {
  const early = await begin();
  const back = early.oauth.browse(early.url());
  early.cancel();
  expect(await early.outcome).toMatchObject({ ok: false, refusal: { identifier: 'sign-in-cancelled' } });
  expect(await early.visit(back).catch(() => 'nobody there')).toBe('nobody there');
  const late = await begin();
  const gate = Promise.withResolvers<void>();
  late.oauth.next = { wait: gate.promise };
  const page = late.visit(late.oauth.browse(late.url()));
  while (late.stages.length < 2) await Bun.sleep(2);
  late.cancel();
  expect(await late.outcome).toMatchObject({ ok: false, refusal: { identifier: 'sign-in-cancelled' } });
  gate.resolve();
  await page.catch(() => {});
  nothingKept(late);
});
