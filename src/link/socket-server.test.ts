import { describe, expect, test } from 'bun:test';
import { createFakeSession } from '../../test/support/fake-session.ts';
import { createHandClock } from '../../test/support/hand-clock.ts';
import { createPipe } from '../../test/support/pipe.ts';
import { must } from '../../test/support/session-rigs.ts';
import { answeredTexts, CANCEL, isIdle, saidTexts, watch } from '../../test/support/watcher.ts';
import type { Intent } from '../protocol/intent.ts';
import type { LinkedSession } from '../protocol/link.ts';
import { PROTOCOL_VERSION } from '../protocol/version.ts';
import { NEVER_RECONNECT } from './reconnect.ts';
import { HANDSHAKE_MS } from './serve-client.ts';
import { type ConnectOptions, connectSession } from './socket-client.ts';
import { type ServeOptions, serveSession } from './socket-server.ts';
import { stopHost } from './stop-host.ts';

function setUp(options: Partial<ServeOptions> = {}) {
  const clock = createHandClock();
  const session = createFakeSession();
  const reports: string[] = [];
  const lost: string[] = [];
  const server = serveSession({
    session,
    clock,
    build: 'host-build',
    report: (what) => void reports.push(what),
    onClientLost: (client) => void lost.push(client),
    ...options,
  });
  function pipe() {
    const made = createPipe();
    server.accept(made.right);
    return made;
  }
  function connect(client: string, more: Partial<ConnectOptions> = {}) {
    return connectSession({
      client,
      build: 'client-build',
      clock,
      connect: async () => pipe().left,
      reconnect: NEVER_RECONNECT,
      report: (what) => void reports.push(what),
      ...more,
    });
  }
  return { clock, session, server, reports, lost, pipe, connect };
}

/** Writes raw lines and gathers what comes back until the connection closes. */
function raw(connection: ReturnType<typeof createPipe>['left']) {
  let text = '';
  const closed = Promise.withResolvers<string>();
  connection.onData((bytes) => {
    text += new TextDecoder().decode(bytes);
  });
  connection.onClose(() => closed.resolve(text));
  return {
    write: (line: unknown) =>
      void connection.write(new TextEncoder().encode(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)),
    closed: closed.promise,
  };
}

async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

async function opened(connecting: ReturnType<typeof connectSession>): Promise<LinkedSession> {
  const outcome = await connecting;
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  return outcome.value;
}

function say(text: string, extra = ''): Intent {
  const attachments =
    extra === '' ? [] : [{ kind: 'image' as const, name: 'a.png', mediaType: 'image/png', base64: extra }];
  return { type: 'say', ref: text, text, attachments, delivery: 'queue' };
}

describe('handshake', () => {
  test('another protocol is refused with both numbers, and neither side hangs (SC-44.14)', async () => {
    const { connect, server, clock } = setUp({ protocol: 7 });
    const outcome = await connect('one', { protocol: 8 });
    expect(outcome).toMatchObject({ ok: false, refusal: { identifier: 'protocol-mismatch' } });
    if (!outcome.ok) expect(outcome.refusal.message).toContain('protocol 7 and this program 8');
    await settle();
    expect(server.connections).toBe(0);
    expect(clock.timers).toBe(0);
  });

  test('a refused peer that stays silent is let go', async () => {
    const { pipe, server, clock } = setUp();
    const peer = raw(pipe().left);
    peer.write({ type: 'hello', protocol: PROTOCOL_VERSION + 1, build: 'x', client: 'one' });
    await settle();
    clock.advance(HANDSHAKE_MS);
    expect(await peer.closed).toContain('"refused"');
    expect(server.connections).toBe(0);
  });

  test('who says nothing, or anything but hello, is let go without an answer', async () => {
    const { pipe, clock } = setUp();
    const silent = raw(pipe().left);
    const rude = raw(pipe().left);
    rude.write({ type: 'ping', id: 1 });
    expect(await rude.closed).toBe('');
    clock.advance(HANDSHAKE_MS);
    expect(await silent.closed).toBe('');
  });

  test('a host that never answers is a refusal after five seconds', async () => {
    const clock = createHandClock();
    const outcome = connectSession({
      client: 'one',
      build: 'test',
      clock,
      connect: async () => createPipe().left,
      reconnect: NEVER_RECONNECT,
      report() {},
    });
    await settle();
    clock.advance(5_000);
    expect(await outcome).toMatchObject({ ok: false, refusal: { identifier: 'host-not-answering' } });
  });

  test('who connects while a start fails is told the reason', async () => {
    const { server, pipe, connect } = setUp();
    const early = pipe();
    const refusal = { identifier: 'no-model', message: 'nothing is configured' };
    await server.close('crashed', refusal);
    expect(await connect('early', { connect: async () => early.left })).toEqual({ ok: false, refusal });
    expect(await connect('late')).toEqual({ ok: false, refusal });
    expect(server.connections).toBe(0);
  });

  test('a wrong token is refused, the right one is not', async () => {
    const { connect } = setUp({ token: 'secret' });
    for (const more of [{}, { token: 'wrong!' }]) {
      expect(await connect('one', more)).toMatchObject({ ok: false, refusal: { identifier: 'not-allowed' } });
    }
    expect((await connect('one', { token: 'secret' })).ok).toBe(true);
  });

  test('stop works from any protocol, and its connection closes last', async () => {
    const stops: string[] = [];
    const { clock, pipe, server, connect } = setUp({ protocol: 7, onStop: (why) => void stops.push(why) });
    const other = await opened(connect('other', { protocol: 7 }));
    const watcher = watch(other);
    let gone = false;
    const stopping = stopHost(async () => pipe().left, 'stop', { client: 'new', build: 'new', protocol: 8, clock });
    void stopping.then(() => {
      gone = true;
    });
    await settle();
    expect(stops).toEqual(['stop']);
    await server.close('ended');
    expect(await watcher.attachment.closed).toBe('ended');
    await settle();
    expect(gone).toBe(false);
    server.dismiss();
    expect(await stopping).toEqual({ ok: true, value: null });
  });
});

describe('bad input', () => {
  test.each([
    ['no frame', 'hello\n', 'malformed-frame'],
    ['an unknown message', '{"type":"launch"}\n', 'bad-message'],
    ['a name every object has', '{"type":"constructor"}\n', 'bad-message'],
    ['a send without an intent', '{"type":"send","id":1}\n', 'bad-message'],
    ['a second hello', '{"type":"hello","protocol":1,"build":"x","client":"x"}\n', 'bad-message'],
  ])('%s closes that connection with a reason and leaves the rest', async (_, line, identifier) => {
    const { pipe, connect } = setUp();
    const peer = raw(pipe().left);
    peer.write({ type: 'hello', protocol: PROTOCOL_VERSION, build: 'x', client: 'bad' });
    peer.write(line);
    expect(await peer.closed).toContain(`"identifier":"${identifier}"`);
    const one = await opened(connect('one'));
    expect((await one.send(say('hello'), 'one')).accepted).toBe(true);
  });

  test('a refusal keeps its identifier and its words over the wire; a bug is one of its own kind (SC-28.2.5)', async () => {
    const { session, connect } = setUp();
    const one = await opened(connect('one'));
    const answer = { type: 'answer', ask: 'none', answer: { kind: 'choice', choice: 'once' } } as const;
    expect(await one.send(answer, 'one')).toEqual(await session.send(answer, 'one'));
    session.failNext();
    expect(await one.send(say('hello'), 'one')).toEqual({
      accepted: false,
      refusal: { identifier: 'internal', message: 'say failed: a bug' },
    });
  });

  test('a bug behind the door is a refusal and a line in the log', async () => {
    const { session, connect, reports } = setUp();
    const one = await opened(connect('one'));
    session.failNext();
    expect(await one.send(say('hello'), 'one')).toMatchObject({ refusal: { identifier: 'internal' } });
    session.failNext();
    expect(await one.read({ type: 'page', from: 0, count: 1 })).toMatchObject({ refusal: { identifier: 'internal' } });
    expect(reports).toEqual(['say failed: a bug', 'reading page failed: a bug']);
    expect((await one.send(say('again'), 'one')).accepted).toBe(true);
  });
});

describe('order', () => {
  test('a cancel waits for no flush', async () => {
    const { session, connect } = setUp();
    const one = await opened(connect('one'));
    const watcher = watch(one);
    session.script([{ hold: true }, { text: 'never' }]);
    await one.send(say('first'), 'one');
    session.holdFlush();
    const second = one.send(say('second'), 'one');
    const cancelled = await one.send(CANCEL, 'one');
    expect(cancelled.accepted).toBe(true);
    await watcher.until(isIdle);
    expect(one.unanswered).toHaveLength(1);
    session.letFlush();
    expect((await second).accepted).toBe(true);
  });

  test('a cancel that overtakes a long say on the wire stops what runs, then that say (INV-3)', async () => {
    const { session, connect, pipe } = setUp();
    const link = pipe();
    const one = await opened(connect('one', { connect: async () => link.left }));
    const watcher = watch(one);
    session.script([{ hold: true }, { text: 'never' }]);
    session.script([{ hold: true }, { text: 'neither' }]);
    await one.send(say('first'), 'one');
    link.freeze();
    const long = one.send(say('with a picture', 'A'.repeat(400_000)), 'one');
    const cancelled = one.send(CANCEL, 'one');
    link.thaw();
    expect((await cancelled).accepted).toBe(true);
    expect((await long).accepted).toBe(true);
    await watcher.until((view) => isIdle(view) && saidTexts(view).length === 2);
    expect(answeredTexts(watcher.view)).toEqual([]);
    session.script([{ text: 'the next one runs' }]);
    await one.send(say('third'), 'one');
    await watcher.until((view) => isIdle(view) && saidTexts(view).length === 3);
    expect(answeredTexts(watcher.view)).toEqual(['the next one runs']);
  });
});

describe('clients', () => {
  test('counts connections and attached clients, and knows who was used last', async () => {
    let changes = 0;
    const { connect, server, clock } = setUp({ onChange: () => void changes++ });
    const one = await opened(connect('one'));
    const two = await opened(connect('two'));
    expect([server.connections, server.attached]).toEqual([2, 0]);
    const watcher = watch(two);
    await watcher.until(() => watcher.snapshots === 1);
    expect(server.attached).toBe(1);
    await one.send(say('hello'), 'one');
    await two.send({ type: 'draft', draft: { text: '', caret: 0, folded: [], shell: false } }, 'two');
    expect(server.lastUsed).toEqual({ client: 'one', time: clock.now() });
    await two.close();
    await settle();
    expect([server.connections, server.attached]).toEqual([1, 0]);
    expect(changes).toBeGreaterThan(3);
  });

  test('one that says goodbye is lost at once, one that vanishes after a time of grace', async () => {
    const { connect, pipe, lost, clock } = setUp();
    const link = pipe();
    await opened(connect('vanishes', { connect: async () => link.left }));
    const leaves = await opened(connect('leaves'));
    link.sever();
    await leaves.close();
    await settle();
    expect(lost).toEqual(['leaves']);
    clock.advance(5_000);
    expect(lost).toEqual(['leaves', 'vanishes']);
  });

  test('one that comes back in time was never lost, and its old connection is let go', async () => {
    const { connect, pipe, lost, clock, server } = setUp();
    const frozen = pipe();
    await opened(connect('one', { connect: async () => frozen.left }));
    frozen.freeze();
    await opened(connect('one'));
    await settle();
    expect(server.connections).toBe(1);
    clock.advance(60_000);
    expect(lost).toEqual([]);
  });

  test('closing tells each why and does not wait for one that takes nothing', async () => {
    const { connect, pipe, server, clock } = setUp();
    const frozen = pipe();
    await opened(connect('frozen', { connect: async () => frozen.left }));
    const one = await opened(connect('one'));
    frozen.freeze();
    server.accept(createPipe().right);
    const closing = server.close('idle');
    await settle();
    clock.advance(1_000);
    await closing;
    expect(one.state).toMatchObject({ phase: 'closed', because: 'ended' });
    expect(server.connections).toBe(0);
    expect(await one.send(say('late'), 'one')).toMatchObject({ refusal: { identifier: 'ended' } });
  });
});

describe('whoever may look only', () => {
  const say = (text: string): Intent => ({ type: 'say', ref: text, text, attachments: [], delivery: 'queue' });

  test('sends nothing, however it attaches and whatever name it takes, and has no draft', async () => {
    const { session, server, connect } = setUp();
    const owner = must(await connect('one'));
    await owner.send({ type: 'draft', draft: { text: 'mine', caret: 4, folded: [], shell: false } }, 'one');
    const looking = must(await connect('one', { readOnly: true }));
    const watcher = watch(looking);
    await watcher.until(() => watcher.snapshots === 1);
    expect(watcher.updates[0]!.changes[0]).toMatchObject({ type: 'snapshot', draft: null });
    for (const intent of [say('in'), CANCEL, { type: 'end' } as Intent])
      expect(await looking.send(intent, 'one')).toMatchObject({
        accepted: false,
        refusal: { identifier: 'read-only' },
      });
    // Nor does it push out whoever goes by that name.
    expect(server.greeted).toBe(2);
    expect((await owner.send(say('hello'), 'one')).accepted).toBe(true);
    await watcher.until((view) => isIdle(view) && saidTexts(view).includes('hello'));
    expect(saidTexts(watcher.view)).toEqual(['hello']);
    void session;
  });

  test('is told so by whoever takes its connection in, and by whoever carries it', async () => {
    for (const carrier of [false, true]) {
      const { server, connect } = setUp();
      const linked = must(
        await connect('one', {
          connect: async () => {
            const pipe = createPipe();
            server.accept(pipe.right, carrier ? {} : { readOnly: true });
            if (carrier) pipe.left.write(new TextEncoder().encode('{"type":"look-only"}\n'));
            return pipe.left;
          },
        }),
      );
      expect(await linked.send(say('in'), 'one')).toMatchObject({ refusal: { identifier: 'read-only' } });
    }
  });

  test('ends no host, of whatever build', async () => {
    for (const protocol of [PROTOCOL_VERSION, PROTOCOL_VERSION + 1]) {
      const stops: string[] = [];
      const { clock, pipe } = setUp({ onStop: (why) => void stops.push(why) });
      const outcome = await stopHost(async () => pipe().left, 'stop', {
        client: 'one',
        build: 'b',
        clock,
        protocol,
        readOnly: true,
      });
      expect(outcome).toMatchObject({ ok: false, refusal: { identifier: 'read-only' } });
      expect(stops).toEqual([]);
    }
  });

  test('is not made so by a line in the middle of a conversation', async () => {
    const { pipe, reports } = setUp();
    const wire = raw(pipe().left);
    wire.write({ type: 'hello', protocol: PROTOCOL_VERSION, build: 'b', client: 'one' });
    wire.write({ type: 'look-only' });
    expect(await wire.closed).toContain('bad-message');
    expect(reports).toHaveLength(1);
  });
});
