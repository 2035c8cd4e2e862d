// The byte stream as a peer sees it, message by message, with the true session behind it.
import { expect, test } from 'bun:test';
import type { RawMessage } from '../../src/link/frame-reader.ts';
import { frame } from '../../src/link/framing.ts';
import { NEVER_RECONNECT } from '../../src/link/reconnect.ts';
import { connectSession } from '../../src/link/socket-client.ts';
import { serveSession } from '../../src/link/socket-server.ts';
import type { Intent } from '../../src/protocol/intent.ts';
import type { Session } from '../../src/protocol/session.ts';
import { PROTOCOL_VERSION } from '../../src/protocol/version.ts';
import { type House, type HouseOptions, openHouse } from '../support/controller.ts';
import { createPipe } from '../support/pipe.ts';
import { gate, scriptedModel } from '../support/script.ts';
import { must } from '../support/session-rigs.ts';

interface Peer {
  readonly heard: RawMessage[];
  readonly closed: boolean;
  write(message: object): Promise<void>;
  of(type: string): RawMessage[];
  /** The answer to the request with this number. */
  answer(id: number): RawMessage | undefined;
}

async function served(script: HouseOptions['script'], around: (session: Session) => Session = (session) => session) {
  const house: House = await openHouse({ script });
  await house.idle();
  const reports: string[] = [];
  const stops: string[] = [];
  const server = serveSession({
    session: around(house.session),
    clock: house.system.clock,
    build: 'test',
    report: (what) => void reports.push(what),
    onStop: (why) => void stops.push(why),
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn++) await house.settle();
  };
  const join = async (client: string): Promise<Peer> => {
    const pipe = createPipe();
    server.accept(pipe.right);
    const heard: RawMessage[] = [];
    let closed = false;
    const framed = frame<RawMessage>(pipe.left, {
      onMessage: (message) => void heard.push(message),
      onMalformed() {},
      onClosed() {
        closed = true;
      },
    });
    const write = async (message: object): Promise<void> => {
      framed.send(message as RawMessage);
      await settle();
    };
    await write({ type: 'hello', protocol: PROTOCOL_VERSION, build: 'test', client });
    return {
      heard,
      get closed() {
        return closed;
      },
      write,
      of: (type) => heard.filter((message) => message.type === type),
      answer: (id) => heard.find((message) => message.id === id && message.type !== 'update'),
    };
  };
  return { house, server, reports, stops, settle, join };
}

const say = (ref: string, text: string): Intent => ({ type: 'say', ref, text, attachments: [], delivery: 'queue' });

test('updates come in order while requests run side by side; what is not on the list is refused and logged, and nothing of it closes the stream (SC-28.2.3)', async () => {
  const held = gate();
  const { house, reports, join, settle } = await served(scriptedModel(['one', 'two']), (session) => ({
    ...session,
    attach: session.attach,
    read: async (query, client) => {
      if (query.type === 'status') await held.opened;
      return session.read(query, client);
    },
  }));
  const peer = await join('one');
  await peer.write({ type: 'attach', attachment: 1 });
  // A request that takes its time holds up neither what is told nor other requests.
  await peer.write({ type: 'read', id: 10, query: { type: 'status' } });
  await peer.write({ type: 'send', id: 11, intent: say('a', 'first') });
  await peer.write({ type: 'read', id: 12, query: { type: 'tree' } });
  await house.idle();
  await settle();
  expect(peer.answer(11)).toMatchObject({ type: 'sent', sent: { accepted: true } });
  expect(peer.answer(12)).toMatchObject({ type: 'answered', answered: { ok: true } });
  expect(peer.answer(10)).toBeUndefined();
  held.open();
  await settle();
  expect(peer.answer(10)).toMatchObject({ type: 'answered', answered: { ok: true } });
  const numbers = peer.of('update').map(({ update }) => (update as { seq: number }).seq);
  expect(numbers.length).toBeGreaterThan(3);
  expect(numbers).toEqual(numbers.map((_, at) => numbers[0]! + at));
  // Beyond the list.
  expect(reports).toEqual([]);
  await peer.write({ type: 'send', id: 20, intent: { type: 'launch' } });
  await peer.write({ type: 'send', id: 21, intent: { type: 'constructor' } });
  await peer.write({ type: 'read', id: 22, query: { type: 'secrets' } });
  expect(peer.answer(20)).toMatchObject({ sent: { accepted: false, refusal: { identifier: 'unknown-intent' } } });
  expect(peer.answer(21)).toMatchObject({ sent: { accepted: false, refusal: { identifier: 'unknown-intent' } } });
  expect(peer.answer(22)).toMatchObject({ answered: { ok: false, refusal: { identifier: 'unknown-query' } } });
  expect(reports).toHaveLength(3);
  expect(reports[0]).toContain('launch');
  expect(peer.closed).toBe(false);
  await peer.write({ type: 'send', id: 30, intent: say('b', 'second') });
  await house.idle();
  expect(peer.answer(30)).toMatchObject({ sent: { accepted: true } });
  expect(house.journal.ofKind('assistant')).toHaveLength(2);
});

test('whoever is told and fails at it keeps the stream: it is a line in the log (SC-28.2.3)', async () => {
  const { house, server, settle } = await served(scriptedModel(['one']));
  const reports: string[] = [];
  const linked = must(
    await connectSession({
      client: 'clumsy',
      build: 'test',
      clock: house.system.clock,
      connect: async () => {
        const pipe = createPipe();
        server.accept(pipe.right);
        return pipe.left;
      },
      reconnect: NEVER_RECONNECT,
      report: (what) => void reports.push(what),
    }),
  );
  linked.attach({ client: 'clumsy' }, () => {
    throw new Error('cannot draw that');
  });
  await settle();
  expect((await linked.send(say('a', 'first'), 'clumsy')).accepted).toBe(true);
  await house.idle();
  await settle();
  expect(reports.length).toBeGreaterThan(1);
  expect(new Set(reports)).toEqual(new Set(['an update listener failed: Error: cannot draw that']));
  expect(linked.state).toEqual({ phase: 'connected' });
});

/** One of each, with nothing in it that would fit: what counts is that the session knows what is wanted. */
const EVERY: readonly Intent[] = [
  say('x', 'hello'),
  { type: 'cancel', queue: 'go-on' },
  { type: 'stop-delegate', delegate: 'd1' },
  { type: 'answer', ask: 'none', answer: { kind: 'answers', answers: [] } },
  { type: 'command', ref: 'r1', name: 'status', argument: '' },
  { type: 'command-done', ref: 'none' },
  { type: 'draft', draft: { text: 'half', caret: 4, folded: [], shell: false } },
  { type: 'set-mode', mode: 'plan' },
  { type: 'set-model', model: null, effort: null },
  { type: 'adjust-effort', by: 1 },
  { type: 'set-thinking', mode: 'off' },
  { type: 'withdraw', ref: 'none' },
  { type: 'recall', inputs: 'all' },
  { type: 'queue-resume' },
  { type: 'queue-discard', inputs: 'all' },
  { type: 'retry' },
  { type: 'navigate', entry: 'none', edit: false },
  { type: 'aside', id: 1, action: 'read', ref: 'r2' },
  { type: 'job', job: 'j1', action: 'stop' },
  { type: 'job-input', job: 'j1', text: 'x' },
  { type: 'job-size', job: 'j1', columns: 80, rows: 24 },
  { type: 'seen', refs: ['x'] },
  { type: 'custom', name: 'none', data: null },
];

test('a window may attach, ask, say, run a command, mark answers as read and stop the host; all it may want is answered, and a stop leaves the session’s folder alone (SC-28.2.7)', async () => {
  const { house, stops, reports, join, settle } = await served(scriptedModel(['hello', 'the answer']));
  const peer = await join('one');
  await peer.write({ type: 'attach', attachment: 1 });
  expect(peer.of('update')[0]).toMatchObject({ attachment: 1, update: { changes: [{ type: 'snapshot' }] } });
  await peer.write({ type: 'send', id: 1, intent: say('a', 'go') });
  await house.idle();
  await peer.write({ type: 'send', id: 2, intent: { type: 'command', ref: 'b', name: 'btw', argument: 'why?' } });
  await settle();
  expect([peer.answer(1), peer.answer(2)]).toMatchObject([{ sent: { accepted: true } }, { sent: { accepted: true } }]);
  await peer.write({ type: 'read', id: 3, query: { type: 'status' } });
  expect(peer.answer(3)).toMatchObject({ answered: { ok: true } });
  const asides = (): unknown[] =>
    peer
      .of('update')
      .flatMap(({ update }) => (update as { changes: { type: string; aside?: { unread?: boolean } }[] }).changes)
      .flatMap((change) => (change.type === 'aside' ? [change.aside?.unread ?? false] : []));
  expect(asides().at(-1)).toBe(true);
  await peer.write({ type: 'send', id: 4, intent: { type: 'aside', id: 1, action: 'read', ref: 'c' } });
  expect(peer.answer(4)).toMatchObject({ sent: { accepted: true } });
  expect(asides().at(-1)).toBe(false);
  for (const [at, intent] of EVERY.entries()) await peer.write({ type: 'send', id: 100 + at, intent });
  await house.idle();
  await settle();
  for (const [at, { type }] of EVERY.entries()) {
    const answer = peer.answer(100 + at) as { sent?: { accepted: boolean; refusal?: { identifier: string } } };
    expect([type, typeof answer?.sent?.accepted]).toEqual([type, 'boolean']);
    expect([type, answer.sent?.refusal?.identifier ?? '']).not.toEqual([type, 'unknown-intent']);
    expect([type, answer.sent?.refusal?.identifier ?? '']).not.toEqual([type, 'internal']);
  }
  expect(reports).toEqual([]);
  const before = house.system.files.paths('/');
  await peer.write({ type: 'stop' });
  expect(peer.of('stopping')).toHaveLength(1);
  expect(stops).toEqual(['stop']);
  expect(house.system.files.paths('/')).toEqual(before);
});
