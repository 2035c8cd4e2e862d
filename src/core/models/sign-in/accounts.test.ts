import { expect, test } from 'bun:test';
import { ACCOUNT, createFakeOAuth } from '../../../../test/support/fake-oauth.ts';
import { collectReply } from '../../../../test/support/wire-asking.ts';
import { createMemorySystem, type MemorySystem } from '../../../system/memory/system.ts';
import { createModels } from '../catalog.ts';
import { NO_MODEL_SETTINGS } from '../model-settings.ts';
import { createAccounts } from './accounts.ts';
import { createAuthFile } from './auth-file.ts';
import { signInToCodex } from './codex-sign-in.ts';

const STATE = '/home/pat/state';
const CODEX = { provider: 'openai-codex', model: 'gpt-6.2-sol' };

/** One process that is signed in; a second one on the same files with `system`. */
async function process(system = createMemorySystem(), oauth = createFakeOAuth()) {
  system.network.answer = (request) => oauth.answer(request);
  const auth = createAuthFile({ ...system, state: STATE });
  await auth.load();
  const service = oauth.service(1455);
  const accounts = createAccounts({ ...system, auth, service });
  const models = createModels({
    ...system,
    images: { fit: async () => null },
    settings: NO_MODEL_SETTINGS,
    accounts,
  });
  await models.warm(CODEX);
  const signIn = () =>
    signInToCodex({ ...system, auth, service }, 'openai-codex', {
      signal: new AbortController().signal,
      onStage: ({ url }) => {
        if (url !== null) queueMicrotask(() => void system.network.visit(oauth.browse(url)));
      },
      onPaste: () => {},
    });
  const ask = async () => {
    const opened = await models.open(CODEX);
    if (!opened.ok) return opened.refusal;
    const reply = collectReply(opened.value);
    return (await system.clock.runUntil(reply)).end;
  };
  return { system, oauth, auth, accounts, models, signIn, ask };
}

async function age(system: MemorySystem, seconds: number): Promise<void> {
  await system.clock.advance(seconds * 1000);
}

test('a signed-in account is a provider: its token and its id go with each request, and no key does (PRV-2)', async () => {
  const system = createMemorySystem({ environment: { variables: { OPENAI_API_KEY: 'sk-of-another-service' } } });
  const one = await process(system);
  expect(await one.ask()).toMatchObject({
    identifier: 'no-credential',
    message: "missing auth for provider 'openai-codex': sign in with /login openai-codex",
  });
  expect(one.models.list().some((row) => row.ref.provider === 'openai-codex')).toBe(false);
  expect(await one.signIn()).toMatchObject({ ok: true });
  expect(await one.ask()).toMatchObject({ result: { outcome: 'complete' }, parts: [{ text: 'from the account' }] });
  const headers = one.oauth.modelRequests[0]!;
  expect(headers.get('authorization')).toBe(`Bearer ${one.oauth.secrets.at(-2)}`);
  expect(headers.get('chatgpt-account-id')).toBe(ACCOUNT);
  expect(JSON.stringify([...headers])).not.toContain('sk-of-another');
  const row = one.models.list().find(({ ref }) => ref.provider === 'openai-codex' && ref.model === CODEX.model);
  // A plan is paid for, not tokens.
  expect(row).toMatchObject({ ready: true, facts: { price: null, included: true } });
});

test('a token near its end is renewed before a request, and one the service ended at once, then asked again', async () => {
  const one = await process();
  await one.signIn();
  await one.ask();
  await age(one.system, 3600 - 200);
  expect(await one.ask()).toMatchObject({ result: { outcome: 'complete' } });
  expect(one.oauth.asked).toEqual(['authorization_code 200', 'refresh_token 200']);
  one.oauth.endTokens();
  expect(await one.ask()).toMatchObject({ result: { outcome: 'complete' } });
  expect(one.oauth.asked).toHaveLength(3);
  expect(one.oauth.modelRequests).toHaveLength(4);
});

test('two processes that need a new token get one: the old one can be used only once', async () => {
  const one = await process();
  await one.signIn();
  const two = await process(one.system, one.oauth);
  await age(one.system, 3600);
  const both = Promise.all([one.ask(), two.ask()]);
  for (const end of await one.system.clock.runUntil(both))
    expect(end).toMatchObject({ result: { outcome: 'complete' } });
  expect(one.oauth.asked).toEqual(['authorization_code 200', 'refresh_token 200']);
});

test('a sign-in the service forgot says how to begin anew, and repeats no token (PRV-6)', async () => {
  const one = await process();
  await one.signIn();
  one.oauth.forget();
  const end = await one.ask();
  expect(end).toMatchObject({
    result: {
      outcome: 'failed',
      failure: {
        category: 'credential-refused',
        retryable: false,
        message: 'The sign-in is not accepted: sign in again with /login openai-codex',
      },
    },
  });
  for (const secret of one.oauth.secrets) expect(JSON.stringify(end)).not.toContain(secret);
});

test('a service that cannot be reached for a new token is a network that is away, not a refusal', async () => {
  const one = await process();
  await one.signIn();
  await age(one.system, 3600);
  one.oauth.next = { status: 503 };
  expect(await one.ask()).toMatchObject({
    result: { failure: { category: 'unreachable', retryable: true } },
  });
});

test('a key in auth.json serves its provider where the variable is not set; openai-codex takes none (PRV-1, PRV-2, PRV-3)', async () => {
  const system = createMemorySystem();
  const keys = { anthropic: { type: 'api-key', key: 'key-in-file' }, 'openai-codex': { type: 'api-key', key: 'k' } };
  system.files.seed(`${STATE}/auth.json`, JSON.stringify(keys), 0o600);
  const { models, ask } = await process(system);
  const seen: Headers[] = [];
  system.network.answer = (request) => {
    seen.push(request.headers);
    return new Response('{}', { status: 500 });
  };
  const claude = { provider: 'anthropic', model: 'claude-opus-5-5' };
  await models.warm(claude);
  const opened = await models.open(claude);
  if (!opened.ok) throw new Error(opened.refusal.message);
  await system.clock.runUntil(collectReply(opened.value));
  expect(seen[0]!.get('authorization')).toBe('Bearer key-in-file');
  expect(await ask()).toMatchObject({
    message: expect.stringContaining("provider 'openai-codex' requires provider-keyed OAuth auth"),
  });
  expect(await models.open({ provider: 'openai', model: 'gpt-6.2-sol' })).toMatchObject({
    refusal: { identifier: 'no-credential' },
  });
});
