import { expect, test } from 'bun:test';
import { mcpOAuth, SERVER } from '../../../test/support/mcp-oauth.ts';
import { mcpRig } from '../../../test/support/mcp-rig.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Tool, ToolOutcome } from '../tools/tool.ts';
import type { VisitFor } from './servers.ts';

const never = (): AbortSignal => new AbortController().signal;
const TOKENS = '/home/pat/state/mcp-tokens.json';

async function web(fields: JsonObject = {}) {
  const rig = mcpRig();
  const oauth = mcpOAuth(rig.system);
  rig.configure({ web: { url: SERVER, auth: 'oauth', ...fields } });
  const servers = await rig.servers();
  const visited: string[] = [];
  /** The person goes where they are sent, and the browser comes back by itself. */
  const browses: VisitFor = async (name, url, signal) => {
    visited.push(`${name} ${new URL(url).host}`);
    void oauth.browse(url);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return null;
  };
  const enable = (visit: VisitFor = browses, signal = never()) =>
    rig.system.clock.runUntil(servers.enable('web', async () => 'once', signal, visit));
  const call = (): Promise<ToolOutcome> => {
    const [tool] = servers.tools() as readonly Tool<JsonObject>[];
    return tool!.run({}, { signal: never(), progress: () => {} } as never);
  };
  const kept = async (): Promise<string> => new TextDecoder().decode(await rig.system.files.read(TOKENS, 99_999));
  return { rig, oauth, servers, visited, enable, call, kept, clock: rig.system.clock };
}

test('it is on only once the person signed in; what came of that is kept by its address, for its owner alone (MC-6, SC-39.2)', async () => {
  const { enable, oauth, servers, visited, call, rig, kept } = await web();
  expect(await enable()).toMatchObject({ ok: true });
  expect(visited).toEqual(['web login.example.org']);
  expect(await call()).toMatchObject({ ok: true, text: 'found' });
  expect(Object.keys(JSON.parse(await kept()) as object)).toEqual([SERVER]);
  expect(((await rig.system.files.stat(TOKENS))?.mode ?? 0) & 0o777).toBe(0o600);
  // The next session asks nobody.
  await servers.close();
  const next = mcpRig({ system: rig.system });
  const asked = oauth.asked.length;
  const again = await (await next.servers()).enable('web', async () => 'once', never(), null);
  expect(again.ok).toBe(true);
  expect(oauth.asked.slice(asked).every((one) => one.endsWith('https://tools.example.org/mcp'))).toBe(true);
});

test('without anybody to ask it says how to sign in, and starts nothing of the kind (SC-12.7)', async () => {
  const { enable, oauth } = await web();
  expect(await enable(null)).toMatchObject({
    ok: false,
    refusal: { identifier: 'mcp-sign-in-needed', message: 'web: it wants you to sign in: /mcp enable web' },
  });
  expect(oauth.asked).toEqual([]);
});

test('a token that ends is renewed before it is used, once; one that is refused is renewed and tried again', async () => {
  const { enable, call, clock, oauth, kept } = await web();
  await enable();
  await clock.advance(3_600_000);
  expect(await call()).toMatchObject({ ok: true });
  expect(oauth.asked.filter((one) => one.endsWith('/token'))).toHaveLength(2);
  oauth.endTokens();
  expect(await call()).toMatchObject({ ok: true });
  expect(oauth.asked.filter((one) => one.endsWith('/token'))).toHaveLength(3);
  expect(await kept()).toContain(oauth.secrets.at(-1)!);
});

test('a sign-in that no longer counts fails the call and says how to sign in again; enabling does', async () => {
  const { enable, call, oauth, servers, visited } = await web();
  await enable();
  oauth.endTokens();
  oauth.forget();
  expect(await call()).toMatchObject({ ok: false, message: 'web did not do it: it answered HTTP 401.' });
  expect((await servers.list()).rows[0]?.trouble).toBe('it wants you to sign in again: /mcp enable web');
  expect((await enable()).ok).toBe(true);
  expect(visited).toHaveLength(2);
  expect(await call()).toMatchObject({ ok: true });
});

test('where the browser cannot come back, where it ended is pasted; what belongs to another attempt changes nothing', async () => {
  const { enable, oauth } = await web();
  const pasted: string[] = [];
  const pastes: VisitFor = async (_name, url) => {
    const right = oauth.redirectOf(url);
    const tries = [
      'nonsense',
      `${right}&x`.replace(/state=[^&]*/, 'state=other'),
      right.replace(/iss=[^&]*/, 'iss=https://evil'),
      right.replace('http://', ''),
    ];
    const next = tries[pasted.length]!;
    pasted.push(next);
    return next;
  };
  expect((await enable(pastes)).ok).toBe(true);
  expect(pasted).toHaveLength(4);
});

test('giving it up, denying it, stopping it and never coming back leave it off, with nothing kept', async () => {
  const given = await web();
  expect(await given.enable(async () => null)).toMatchObject({
    ok: false,
    refusal: { message: 'web: you did not sign in' },
  });
  const denied = await web();
  denied.oauth.wrong = { denies: true };
  expect(await denied.enable()).toMatchObject({
    ok: false,
    refusal: { message: 'web: the sign-in was refused (access denied)' },
  });
  const stopped = await web();
  const stop = new AbortController();
  const running = stopped.enable(async (_name, _url, signal) => {
    stop.abort('stopped');
    await new Promise((resolve) => (signal.aborted ? resolve(null) : signal.addEventListener('abort', resolve)));
    return null;
  }, stop.signal);
  expect(await running).toMatchObject({ ok: false, refusal: { identifier: 'stopped' } });
  const late = await web();
  expect(await late.enable(() => new Promise(() => {}))).toMatchObject({
    ok: false,
    refusal: { message: 'web: nobody came back from the browser' },
  });
  for (const { rig, servers } of [given, denied, stopped, late]) {
    expect(servers.on).toEqual([]);
    expect(await rig.system.files.stat(TOKENS)).toBeNull();
    expect(rig.system.clock.timers).toBe(0);
  }
});

test.each([
  ['what it says of signing in is about another server', { resource: 'https://evil.example.net/mcp' }],
  ['it names a sign-in service that is not reached by https', { issuer: 'http://login.example.org' }],
  ['where to sign in to it could not be found out', { issuer: 'https://other.example.org' }],
  ['its sign-in service has no PKCE, and nothing else is safe', { methods: ['plain'] }],
  ['its sign-in service takes only clients it knows: set client_id', { register: false }],
  [
    'the sign-in service gave no token',
    { token: () => new Response('{}', { headers: { 'content-type': 'application/json' } }) },
  ],
  ['the sign-in service refused (HTTP 500)', { token: () => new Response('words', { status: 500 }) }],
  [
    'the sign-in service could not be reached',
    { token: () => new Response(null, { status: 307, headers: { location: 'https://evil' } }) },
  ],
] as const)('%s', async (message, wrong) => {
  const { enable, oauth } = await web();
  oauth.wrong = wrong as never;
  expect(await enable()).toMatchObject({ ok: false, refusal: { message: `web: ${message}` } });
});

test('a client of the person’s own needs no registration', async () => {
  const { enable, oauth } = await web({ client_id: 'mine' });
  oauth.wrong = { register: false };
  expect((await enable()).ok).toBe(true);
  expect(oauth.asked.some((one) => one.endsWith('/register'))).toBe(false);
});

test('signing out forgets it and turns the server off; a file that others can read is as good as none (SC-13.6)', async () => {
  const { enable, servers, kept, visited, rig } = await web();
  await enable();
  expect(await servers.logout('web')).toEqual({ ok: true, value: null });
  expect(servers.on).toEqual([]);
  expect(JSON.parse(await kept())).toEqual({});
  await enable();
  expect(visited).toHaveLength(2);
  rig.system.files.seed(TOKENS, await kept(), 0o644);
  await servers.disable('web');
  await enable();
  expect(visited).toHaveLength(3);
});
