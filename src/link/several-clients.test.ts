import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createFakeSession } from '../../test/support/fake-session.ts';
import { createHandClock } from '../../test/support/hand-clock.ts';
import { createPipe, type Pipe } from '../../test/support/pipe.ts';
import { must } from '../../test/support/session-rigs.ts';
import { saidTexts, watch } from '../../test/support/watcher.ts';
import type { Intent } from '../protocol/intent.ts';
import type { LinkedSession } from '../protocol/link.ts';
import { LOCAL_RECONNECT } from './reconnect.ts';
import { connectSession } from './socket-client.ts';
import { serveSession } from './socket-server.ts';

type Move =
  | { readonly do: 'say' | 'cut' | 'freeze' | 'thaw' | 'attach-again' | 'draft' | 'stop-turn'; readonly who: number }
  | { readonly do: 'ask'; readonly who: number; readonly by: number }
  | { readonly do: 'pass'; readonly ms: number };

const CLIENTS = 3;
const who = fc.nat(CLIENTS - 1);
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), who }) },
  fc.record({ do: fc.constantFrom('cut', 'freeze', 'thaw', 'attach-again', 'draft', 'stop-turn'), who }),
  fc.record({ do: fc.constant('ask' as const), who, by: who }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.nat(400) }),
);

/** Lets everything that is under way arrive, timers of the link included. */
async function settle(clock: ReturnType<typeof createHandClock>): Promise<void> {
  for (let round = 0; round < 12; round++) {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    await new Promise<void>((resolve) => setImmediate(resolve));
    clock.advance(100);
  }
}

test('several clients over wires that break and freeze: each says once, asks reach whom they are for, drafts stay apart, all see the same (SC-28.3.1)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 25 }), async (moves) => {
      const clock = createHandClock();
      const session = createFakeSession();
      const server = serveSession({ session, clock, build: 'b', report() {}, onClientLost: session.clientLost });
      const pipes = new Map<string, Pipe>();
      const linked: LinkedSession[] = [];
      for (let at = 0; at < CLIENTS; at++) {
        const client = `c${at}`;
        const connect = async () => {
          const pipe = createPipe();
          pipes.set(client, pipe);
          server.accept(pipe.right);
          return pipe.left;
        };
        linked.push(
          must(
            await connectSession({
              ...{ client, build: 'b', clock, connect, reconnect: LOCAL_RECONNECT, report() {} },
              silenceMs: 1_000,
            }),
          ),
        );
      }
      const watchers = linked.map((one) => watch(one));
      const said: { readonly text: string; readonly accepted: Promise<boolean> }[] = [];
      const drafts = new Map<number, string>();
      const stolen: Promise<unknown>[] = [];
      let number = 0;
      for (const one of moves) {
        if (one.do === 'pass') {
          clock.advance(one.ms);
          continue;
        }
        const client = `c${one.who}`;
        const link = linked[one.who]!;
        const send = (intent: Intent) => link.send(intent, client);
        number++;
        switch (one.do) {
          case 'say': {
            const text = `${client} ${number}`;
            const sent = send({ type: 'say', ref: text, text, attachments: [], delivery: 'queue' });
            said.push({ text, accepted: sent.then((answer) => answer.accepted) });
            break;
          }
          case 'cut':
            pipes.get(client)!.sever();
            break;
          case 'freeze':
            pipes.get(client)!.freeze();
            break;
          case 'thaw':
            pipes.get(client)!.thaw();
            break;
          case 'attach-again': {
            const watcher = watchers[one.who]!;
            watcher.attachment.close();
            const after = watcher.view.head.session === '' ? {} : { after: watcher.view.seq };
            watchers[one.who] = watch(link, after, watcher.view);
            break;
          }
          case 'draft':
            drafts.set(one.who, `half ${number}`);
            void send({ type: 'draft', draft: { text: `half ${number}`, caret: 0, folded: [], shell: false } });
            break;
          case 'stop-turn':
            void send({ type: 'cancel', queue: 'go-on' });
            break;
          case 'ask': {
            session.askOne(client, `q${number}`);
            const ask = session.view.asks.find((each) => each.for === client)?.id;
            if (one.by === one.who || ask === undefined) break;
            const answer = { kind: 'answers', answers: [['mine now']] } as const;
            stolen.push(linked[one.by]!.send({ type: 'answer', ask, answer }, `c${one.by}`));
            break;
          }
        }
        await Promise.resolve();
      }
      for (const pipe of pipes.values()) pipe.thaw();
      await settle(clock);
      // What was asked of one client is nobody else's to answer.
      for (const sent of await Promise.all(stolen)) expect(sent).toMatchObject({ accepted: false });
      const texts = saidTexts(session.view);
      for (const { text, accepted } of said) {
        expect(await accepted).toBe(true);
        expect(texts.filter((each) => each === text)).toHaveLength(1);
      }
      for (let at = 0; at < CLIENTS; at++) {
        const own = texts.filter((text) => text.startsWith(`c${at} `)).map((text) => Number(text.split(' ')[1]));
        expect(own).toEqual([...own].sort((a, b) => a - b));
        expect(watchers[at]!.view).toEqual(session.view);
        const fresh = watch(linked[at]!);
        await settle(clock);
        expect(fresh.updates[0]?.changes[0]).toMatchObject({
          type: 'snapshot',
          draft: drafts.has(at) ? { text: drafts.get(at)! } : null,
        });
      }
      for (const one of linked) await one.close();
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('who comes in the middle gets one snapshot, streamed text as one piece (SC-28.3.3)', async () => {
  const clock = createHandClock();
  const session = createFakeSession();
  const server = serveSession({ session, clock, build: 'b', report() {} });
  const connect = async () => {
    const pipe = createPipe();
    server.accept(pipe.right);
    return pipe.left;
  };
  const options = { build: 'b', clock, connect, reconnect: LOCAL_RECONNECT, report() {} };
  const early = watch(must(await connectSession({ ...options, client: 'early' })));
  session.publish([{ type: 'live-start', turn: 1, round: 1 }]);
  for (let word = 0; word < 500; word++)
    session.publish([{ type: 'delta', part: 0, kind: 'text', text: `word ${word} ` }]);
  const late = watch(must(await connectSession({ ...options, client: 'late' })));
  await late.until((view) => view.live !== null);
  await early.until((view) => view.seq === session.view.seq);
  expect(late.updates).toHaveLength(1);
  expect(late.view.live?.parts).toHaveLength(1);
  expect(late.view).toEqual(early.view);
  // A new turn starts with none of the last one's.
  session.publish([{ type: 'live-end' }]);
  const later = watch(must(await connectSession({ ...options, client: 'later' })));
  await later.until((view) => view.seq === session.view.seq);
  expect(later.updates).toHaveLength(1);
  expect(later.view.live).toBeNull();
});
