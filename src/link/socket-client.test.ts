import { describe, expect, test } from 'bun:test';
import { createFakeSession } from '../../test/support/fake-session.ts';
import { createPipe, type Pipe } from '../../test/support/pipe.ts';
import { isIdle, saidTexts, watch } from '../../test/support/watcher.ts';
import type { Intent } from '../protocol/intent.ts';
import type { LinkedSession } from '../protocol/link.ts';
import type { Update } from '../protocol/update.ts';
import { SystemError } from '../system/files.ts';
import { createMemoryClock } from '../system/memory/clock.ts';
import { frame } from './framing.ts';
import { backOff, NEVER_RECONNECT } from './reconnect.ts';
import { type ConnectOptions, connectSession } from './socket-client.ts';
import { serveSession } from './socket-server.ts';
import type { FromHost } from './wire.ts';

/** A server that can be away, and a client that tries four times: after 10, 20, 40, 40 ms. */
async function setUp(more: Partial<ConnectOptions> = {}) {
  const clock = createMemoryClock();
  const session = createFakeSession();
  const reports: string[] = [];
  const report = (what: string) => void reports.push(what);
  const server = serveSession({ session, clock, build: 'test', report });
  const pipes: Pipe[] = [];
  const tries: number[] = [];
  const state = { away: false };
  const outcome = await connectSession({
    client: 'one',
    build: 'test',
    clock,
    async connect() {
      tries.push(clock.ticks());
      if (state.away) throw new SystemError('ECONNREFUSED', 'nobody there');
      const pipe = createPipe();
      pipes.push(pipe);
      server.accept(pipe.right);
      return pipe.left;
    },
    reconnect: backOff({ firstMs: 10, mostMs: 40, attempts: 4 }),
    report,
    ...more,
  });
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  const link: LinkedSession = outcome.value;
  return { clock, session, server, pipes, tries, state, link, reports };
}

function say(text: string): Intent {
  return { type: 'say', ref: text, text, attachments: [], delivery: 'queue' };
}

describe('a lost link', () => {
  test('is tried again after growing delays; what is sent meanwhile waits', async () => {
    const { clock, pipes, tries, state, link } = await setUp();
    const watcher = watch(link);
    await watcher.until(() => watcher.snapshots === 1);
    state.away = true;
    pipes[0]!.sever();
    expect(link.state).toEqual({ phase: 'reconnecting', attempt: 1 });
    const sent = link.send(say('meanwhile'), 'one');
    const read = link.read({ type: 'page', from: 0, count: 10 });
    await clock.advance(30);
    expect(tries).toEqual([0, 10, 30]);
    expect(link.state).toEqual({ phase: 'reconnecting', attempt: 3 });
    expect(link.unanswered).toHaveLength(1);
    state.away = false;
    await clock.advance(40);
    expect(link.state).toEqual({ phase: 'connected' });
    expect((await sent).accepted).toBe(true);
    expect((await read).ok).toBe(true);
    await watcher.until((view) => isIdle(view) && saidTexts(view).length === 1);
    expect(watcher.snapshots).toBe(1);
  });

  test('is given up after the last try: everything is refused and attachments end', async () => {
    const { clock, pipes, state, link, tries } = await setUp();
    const watcher = watch(link);
    state.away = true;
    pipes[0]!.sever();
    const sent = link.send(say('lost'), 'one');
    const read = link.read({ type: 'page', from: 0, count: 1 });
    await clock.advance(10_000);
    expect(tries).toHaveLength(5);
    expect(await sent).toMatchObject({ accepted: false, refusal: { identifier: 'link-lost' } });
    expect(await read).toMatchObject({ ok: false, refusal: { identifier: 'link-lost' } });
    expect(await watcher.attachment.closed).toBe('lost');
    expect(link.state).toMatchObject({ phase: 'closed', because: 'lost' });
    expect(clock.timers).toBe(0);
  });

  test('only the newest draft is sent after it', async () => {
    const { clock, pipes, link, session } = await setUp();
    pipes[0]!.sever();
    const drafts = ['a', 'ab', 'abc'].map((text) => ({ text, caret: text.length, folded: [], shell: false }));
    const sent = drafts.map((draft) => link.send({ type: 'draft', draft }, 'one'));
    expect(link.unanswered).toHaveLength(1);
    await clock.advance(100);
    expect((await Promise.all(sent)).every((each) => each.accepted)).toBe(true);
    const updates: Update[] = [];
    session.attach({ client: 'one' }, (update) => void updates.push(update));
    expect(updates[0]!.changes[0]).toMatchObject({ type: 'snapshot', draft: drafts[2]! });
  });

  test('closing while it is away leaves no timer and refuses what waits', async () => {
    const { clock, pipes, state, link } = await setUp();
    state.away = true;
    pipes[0]!.sever();
    const sent = link.send(say('given back'), 'one');
    await link.close();
    expect(await sent).toMatchObject({ accepted: false });
    await clock.advance(10_000);
    expect(clock.timers).toBe(0);
  });

  test('a host that restarts is come back to, one that ended is not', async () => {
    const { clock, server, link, tries } = await setUp();
    const watcher = watch(link);
    await clock.runUntil(server.close('restarting'));
    expect(link.state.phase).toBe('reconnecting');
    await clock.advance(1_000);
    expect(tries).toHaveLength(5);
    expect(await watcher.attachment.closed).toBe('lost');
    const other = await setUp();
    await other.clock.runUntil(other.server.close('ended'));
    await other.clock.settle();
    expect(other.tries).toHaveLength(1);
    expect(other.link.state).toEqual({ phase: 'closed', because: 'ended', refusal: null });
  });
});

describe('a silent link', () => {
  test('is probed only while an answer is owed, and given up when the probe stays unanswered', async () => {
    const { clock, pipes, link } = await setUp({ silenceMs: 5_000 });
    expect(clock.timers).toBe(0);
    pipes[0]!.freeze();
    const sent = link.send(say('late'), 'one');
    await clock.advance(9_999);
    expect(pipes).toHaveLength(1);
    await clock.advance(100);
    expect(pipes).toHaveLength(2);
    expect((await sent).accepted).toBe(true);
    await clock.advance(60_000);
    expect(clock.timers).toBe(0);
    expect(link.state.phase).toBe('connected');
  });

  test('a slow answer over a living link is waited for', async () => {
    const { clock, pipes, link, session } = await setUp({ silenceMs: 5_000 });
    session.holdFlush();
    const sent = link.send(say('slow'), 'one');
    await clock.advance(60_000);
    expect(pipes).toHaveLength(1);
    session.letFlush();
    expect((await sent).accepted).toBe(true);
  });
});

test('closing: what was sent before is there, what waits is refused, each attachment ends once, later calls are refused (SC-28.2.6)', async () => {
  const clock = createMemoryClock();
  const session = createFakeSession();
  const server = serveSession({ session, clock, build: 'b', report() {} });
  const pipe = createPipe();
  server.accept(pipe.right);
  const outcome = await connectSession({
    ...{ client: 'one', build: 'b', clock, connect: async () => pipe.left, reconnect: NEVER_RECONNECT, report() {} },
  });
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  const one = outcome.value;
  const watcher = watch(one);
  await watcher.until(() => watcher.snapshots === 1);
  let ends = 0;
  void watcher.attachment.closed.then(() => ends++);
  session.holdFlush();
  const waits = one.send({ type: 'say', ref: 'r', text: 'sent before', attachments: [], delivery: 'queue' }, 'one');
  const reads = one.read({ type: 'page', from: 0, count: 1 });
  await one.close();
  await one.close();
  expect(await waits).toMatchObject({ accepted: false, refusal: { identifier: 'link-lost' } });
  expect(await reads).toMatchObject({ ok: false, refusal: { identifier: 'link-lost' } });
  expect(await one.send({ type: 'retry' }, 'one')).toMatchObject({ accepted: false });
  session.letFlush();
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  expect(saidTexts(session.view)).toEqual(['sent before']);
  expect(ends).toBe(1);
  expect(server.connections).toBe(0);
});

test('a new host that cannot take up a session that was there is no end: others are tried, more and more seldom', async () => {
  const clock = createMemoryClock();
  const { view } = createFakeSession();
  const opened: number[] = [];
  let full = false;
  const hosts: { send(message: FromHost): void; close(): void }[] = [];
  const outcome = await connectSession({
    client: 'one',
    build: 'test',
    clock,
    async connect() {
      opened.push(clock.ticks());
      const pipe = createPipe();
      const host = frame<FromHost>(pipe.right, {
        onMessage(message) {
          if (message.type === 'hello') {
            host.send({ type: 'ready', protocol: 1, build: 'x' });
            if (full) {
              const refusal = { identifier: 'not-saved', message: 'the disk is full' };
              host.send({ type: 'closed', why: 'crashed', refusal });
              host.close();
            }
          } else if (message.type === 'attach') {
            const update: Update = { seq: 9, changes: [{ type: 'snapshot', view, draft: null }] };
            host.send({
              type: 'update',
              attachment: (message as unknown as { attachment: number }).attachment,
              update,
            });
          }
        },
        onMalformed() {},
        onClosed() {},
      });
      hosts.push(host);
      return pipe.left;
    },
    reconnect: backOff({ firstMs: 10, mostMs: 40, attempts: 6 }),
    report() {},
  });
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  outcome.value.attach({ client: 'one' }, () => {});
  await clock.settle();
  full = true;
  hosts[0]!.close();
  await clock.advance(75);
  expect(opened).toEqual([0, 10, 30, 70]);
  expect(outcome.value.state.phase).not.toBe('closed');
  full = false;
  await clock.advance(40);
  expect(outcome.value.state).toEqual({ phase: 'connected' });
});

test('a gap in the numbers is closed by a snapshot', async () => {
  const clock = createMemoryClock();
  const pipe = createPipe();
  const asked: unknown[] = [];
  const host = frame<FromHost>(pipe.right, {
    onMessage(message) {
      if (message.type === 'hello') host.send({ type: 'ready', protocol: 1, build: 'x' });
      else asked.push(message);
    },
    onMalformed() {},
    onClosed() {},
  });
  const outcome = await connectSession({
    client: 'one',
    build: 'test',
    clock,
    connect: async () => pipe.left,
    reconnect: backOff({ firstMs: 1, mostMs: 1, attempts: 0 }),
    report() {},
  });
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  const seen: number[] = [];
  outcome.value.attach({ client: 'one', after: 3 }, (update) => void seen.push(update.seq));
  await clock.settle();
  const attach = asked[0] as { attachment: number };
  expect(asked).toMatchObject([{ type: 'attach', after: 3 }]);
  const view = createFakeSession().view;
  const snapshot: Update = { seq: 9, changes: [{ type: 'snapshot', view, draft: null }] };
  for (const update of [{ seq: 4, changes: [] }, { seq: 6, changes: [] }, { seq: 7, changes: [] }, snapshot]) {
    host.send({ type: 'update', attachment: attach.attachment, update });
  }
  await clock.settle();
  expect(seen).toEqual([4, 9]);
  expect(asked).toHaveLength(2);
  expect(asked[1]).toEqual({ type: 'attach', attachment: attach.attachment });
});
