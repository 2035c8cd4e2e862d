// Connecting a provider, through the door: what waits, what is cancelled, what is kept, what can be chosen afterwards.
import { expect, test } from 'bun:test';
import { NO_PROVIDER } from '../../src/protocol/provider.ts';
import { CTRL_C } from '../support/controller.ts';
import { openSignInHouse, type SignInHouse } from '../support/sign-in-house.ts';

const LOGIN = { type: 'command', ref: 'l1', name: 'login', argument: 'openai-codex' } as const;

async function begun(house: SignInHouse) {
  const seat = house.seat('one');
  await house.idle();
  await seat.send(LOGIN);
  const view = await seat.until(({ signIn }) => signIn?.stage === 'browser');
  return { seat, url: view.signIn!.url! };
}

test('what is said during a sign-in waits for it, and goes on with the model it brought (SC-38.5)', async () => {
  const house = await openSignInHouse();
  const { seat, url } = await begun(house);
  await seat.say('hello', 'queue');
  await house.settle();
  expect(seat.view.queue.rows.map((row) => row.text)).toEqual(['hello']);
  expect(seat.view.activity).toMatchObject({ phase: 'waiting', detail: 'Signing in to OpenAI Codex' });
  await house.system.network.visit(house.oauth.browse(url));
  await house.idle();
  expect(seat.outcome('l1')).toMatchObject({
    state: 'done',
    messages: [{ text: 'OpenAI Codex: signed in as pat@example.org, now on openai-codex:gpt-6.2-sol' }],
  });
  expect(seat.view.queue.rows).toEqual([]);
  expect(seat.view.transcript.items.map((item) => item.kind)).toEqual(['user', 'assistant', 'turn-end']);
  expect(house.oauth.modelRequests).toHaveLength(1);
  expect(seat.view.head.model).toEqual({ provider: 'openai-codex', model: 'gpt-6.2-sol' });
});

test('Ctrl-C reaches a sign-in and ends it without a word; the next command does not begin it again (SC-38.3, SC-38.5)', async () => {
  const house = await openSignInHouse();
  const { seat, url } = await begun(house);
  const back = house.oauth.browse(url);
  await seat.send(CTRL_C);
  await house.idle();
  expect(seat.outcome('l1')).toMatchObject({ state: 'stopped', messages: [] });
  expect(seat.view.signIn).toBeNull();
  expect(seat.view.activity.phase).toBe('idle');
  expect(await house.system.network.visit(back)).toBeNull();
  await seat.send({ type: 'command', ref: 'l2', name: 'logout', argument: '' });
  await house.idle();
  expect(seat.outcome('l2')).toMatchObject({ state: 'done' });
  expect(seat.view.signIn).toBeNull();
  expect(house.oauth.asked).toEqual([]);
});

test('a sign-in that fails fails its command and holds what waits behind it (SC-38.3)', async () => {
  const house = await openSignInHouse();
  const { seat, url } = await begun(house);
  await seat.say('hello', 'queue');
  await house.system.network.visit(house.oauth.browse(url, 'denies'));
  await house.idle();
  expect(seat.outcome('l1')).toMatchObject({ state: 'failed', messages: [{ identifier: 'sign-in-denied' }] });
  expect(seat.view.queue).toMatchObject({ paused: { because: 'failed' }, rows: [{ text: 'hello' }] });
});

test('where prompts wait for a model there is none of, a sign-in goes ahead of them (SC-38.5)', async () => {
  const house = await openSignInHouse({ settings: '{"model": "openai-codex:gpt-6-sol"}' });
  const seat = house.seat('one');
  await house.idle();
  await seat.say('hello', 'queue');
  const { url } = await begun(house);
  await house.system.network.visit(house.oauth.browse(url));
  await house.idle();
  expect(seat.view.head).toMatchObject({
    model: { provider: 'openai-codex', model: 'gpt-6-sol' },
    startupProblem: null,
    ready: true,
  });
  expect(house.oauth.modelRequests).toHaveLength(1);
});

test('nothing of a sign-in is written down but the tokens in auth.json: no address, no state, no verifier, no code (PC-16)', async () => {
  const house = await openSignInHouse();
  const { seat, url } = await begun(house);
  await house.system.network.visit(house.oauth.browse(url));
  await seat.say('hello');
  await house.idle();
  await seat.send({ type: 'end' });
  await house.system.clock.runUntil(house.session.ended);
  const state = new URL(url).searchParams.get('state')!;
  const challenge = new URL(url).searchParams.get('code_challenge')!;
  const marks = [url, state, challenge, ...house.oauth.secrets];
  const paths = house.system.files.paths('/');
  for (const path of paths) {
    const text = (await house.text(path)) ?? '';
    const found = marks.filter((mark) => text.includes(mark));
    if (path.endsWith('/auth.json')) expect(found.map((mark) => mark.split('-')[0])).toEqual(['access', 'refresh']);
    else expect({ path, found }).toEqual({ path, found: [] });
  }
  expect(paths.some((path) => path.endsWith('journal.jsonl'))).toBe(true);
  expect(paths.some((path) => path.endsWith('auth.json'))).toBe(true);
});

test('a provider that is connected can be chosen at once, with what the catalogue knows under its name (PC-9, PC-17)', async () => {
  const house = await openSignInHouse({ variables: { BOX_KEY: 'key-of-the-box' } });
  const catalogue = (id: string) => ({ models: { [id]: { tool_call: true, limit: { context: 4_000, output: 500 } } } });
  const asked: [string, string | null][] = [];
  house.system.network.answer = (request) => {
    asked.push([request.url, request.headers.get('authorization')]);
    if (request.url === 'https://models.dev/api.json')
      return Response.json({ 'my-box': catalogue('by-id'), other: catalogue('by-override') });
    return new Response('no', { status: 404 });
  };
  const seat = house.seat('one');
  await house.idle();
  const form = { ...NO_PROVIDER, label: 'My Box', baseUrl: 'http://box/v1', apiKeyEnv: 'BOX_KEY' };
  const connect = (catalogueName: string, replace: boolean) =>
    house.system.clock.runUntil(
      seat.send({ type: 'connect-provider', provider: { ...form, catalogue: catalogueName }, replace }),
    );
  const models = async () => {
    const read = await house.session.read({ type: 'complete-argument', command: 'model', typed: 'my-box' });
    return read.ok ? read.value.choices.map(({ value }) => value) : [];
  };
  expect(await connect('', false)).toMatchObject({ accepted: true });
  expect(await models()).toEqual(['my-box:by-id']);
  expect(await connect('other', false)).toMatchObject({ accepted: false, refusal: { identifier: 'provider-exists' } });
  expect(await connect('other', true)).toMatchObject({ accepted: true });
  expect(await models()).toEqual(['my-box:by-override']);
  await seat.send({ type: 'set-model', model: { provider: 'my-box', model: 'by-override' }, effort: null });
  await house.idle();
  expect(seat.view.head).toMatchObject({ model: { provider: 'my-box' }, contextWindow: 4_000 });
  // Its key goes to it, and to nobody else.
  expect(asked.filter(([, key]) => key !== null).every(([url]) => url.startsWith('http://box/'))).toBe(true);
});

test('where nobody is there a sign-in is refused, and says what does it', async () => {
  const house = await openSignInHouse({ canAsk: false });
  await house.idle();
  expect(await house.seat('one').send(LOGIN)).toMatchObject({
    accepted: false,
    refusal: { identifier: 'nobody-there', message: expect.stringContaining('houston login') },
  });
});
