import { expect, test } from 'bun:test';
import { createFakeSession } from '../../test/support/fake-session.ts';
import { answeredTexts, isIdle, saidTexts, watch } from '../../test/support/watcher.ts';
import type { LinkedSession } from '../protocol/link.ts';
import { createMemorySystem } from '../system/memory/system.ts';
import type { Connection } from '../system/network.ts';
import { connectByteStream } from './byte-stream.ts';
import { joinStreams } from './join-streams.ts';
import type { Placement } from './placement.ts';
import { connectPlacement } from './remote-link.ts';
import { serveSession } from './socket-server.ts';

/** A carrier that can be frozen and killed, with a session behind it. */
function elsewhere(
  options: { readonly protocol?: number; readonly says?: string; readonly backlogLimit?: number } = {},
) {
  const system = createMemorySystem();
  const session = createFakeSession();
  const server = serveSession({
    session,
    clock: system.clock,
    build: '2.0.0',
    report() {},
    sessionId: () => 'session-1',
    ...(options.protocol === undefined ? {} : { protocol: options.protocol }),
    ...(options.backlogLimit === undefined ? {} : { backlogLimit: options.backlogLimit }),
  });
  const asked: string[] = [];
  let frozen: PromiseWithResolvers<void> | null = null;
  const wires: Connection[] = [];
  system.processes.script('carrier', async (run) => {
    asked.push(run.argv.slice(1).join(' '));
    if (options.says !== undefined) {
      run.write(options.says, 'err');
      return 255;
    }
    const far = connectByteStream({
      async write(bytes) {
        await frozen?.promise;
        run.write(bytes);
      },
      close() {},
    });
    wires.push(far.connection);
    server.accept(far.connection);
    const over = new Promise<null>((resolve) => far.connection.onClose(() => resolve(null)));
    for (;;) {
      const bytes = await Promise.race([run.read(), over]);
      if (bytes === null) break;
      await frozen?.promise;
      await far.push(bytes);
    }
    far.end();
    return 0;
  });
  const placement: Placement = {
    name: 'box://',
    session: null,
    argv: (wanted) => ['carrier', ...(wanted === null ? [] : [wanted])],
  };
  return {
    ...{ system, session, server, asked, wires },
    connect: () => connectPlacement(system, placement, { client: 'far', build: '1.0.0', report() {} }),
    freeze() {
      frozen = Promise.withResolvers<void>();
    },
    thaw() {
      frozen?.resolve();
      frozen = null;
    },
  };
}

async function there(far: ReturnType<typeof elsewhere>): Promise<LinkedSession> {
  const linked = await far.connect();
  if (!linked.ok) throw new Error(linked.refusal.message);
  return linked.value;
}

const say = (text: string) => ({ type: 'say', ref: text, text, attachments: [], delivery: 'queue' }) as const;

test('a wire that is cut is laid anew to the very session it led to, and nothing is missing or double (SC-28.3.1)', async () => {
  const far = elsewhere();
  const linked = await there(far);
  const watcher = watch(linked);
  await watcher.until(() => watcher.snapshots === 1);
  far.wires[0]!.close();
  await far.system.clock.settle();
  expect(linked.state.phase).toBe('reconnecting');
  far.session.script([{ text: 'meanwhile here' }]);
  await far.session.send(say('from there'), 'near');
  const late = linked.send(say('late'), 'far');
  await far.system.clock.advance(200);
  expect(await late).toMatchObject({ accepted: true });
  await watcher.until((view) => isIdle(view) && saidTexts(view).length === 2);
  expect(saidTexts(watcher.view)).toEqual(['from there', 'late']);
  expect(watcher.view).toEqual(far.session.view);
  expect(far.asked).toEqual(['', 'session-1']);
});

test('UP-35 a frozen wire: what is typed goes once, and soon after the thaw the view is whole', async () => {
  for (const severed of [false, true]) {
    const far = elsewhere();
    const linked = await there(far);
    const watcher = watch(linked);
    await watcher.until(() => watcher.snapshots === 1);
    far.freeze();
    for (let number = 0; number < 200; number++)
      far.session.publish([{ type: 'flash', client: null, level: 'info', text: `${number}` }]);
    far.session.script([{ ask: 'Which?' }, { text: 'thanks' }]);
    await far.session.send(say('ask'), 'near');
    const late = linked.send(say('late'), 'far');
    await far.system.clock.advance(severed ? 40_000 : 4_000);
    far.thaw();
    await far.system.clock.advance(5_000);
    expect(await late).toMatchObject({ accepted: true });
    await watcher.until((view) => view.seq === far.session.view.seq);
    expect(watcher.view).toEqual(far.session.view);
    const [ask] = watcher.view.asks;
    await linked.send({ type: 'answer', ask: ask!.id, answer: { kind: 'answers', answers: [['a']] } }, 'far');
    await watcher.until((view) => isIdle(view) && saidTexts(view).length === 2);
    expect(saidTexts(watcher.view).filter((text) => text === 'late')).toHaveLength(1);
    expect(watcher.view.asks).toEqual([]);
    expect(answeredTexts(watcher.view)).toContain('thanks');
    await linked.close();
  }
});

test('why nobody answers is said in the words of whoever knows', async () => {
  const words: [string, string, string][] = [
    ['ssh: Could not resolve hostname box\r\n', 'link-lost', 'box://: ssh: Could not resolve hostname box'],
    ['motd\nhouston: no-such-host: there is no session 1\n', 'no-such-host', 'box://: there is no session 1'],
    ['bash: line 1: houston: command not found\n', 'link-lost', 'box://: bash: line 1: houston: command not found'],
  ];
  for (const [says, identifier, message] of words)
    expect(await elsewhere({ says }).connect()).toEqual({ ok: false, refusal: { identifier, message } });
});

test('another version there is told in one line that says which end is which (SC-28.2.2)', async () => {
  const linked = await elsewhere({ protocol: 1_000 }).connect();
  expect(linked).toMatchObject({ ok: false, refusal: { identifier: 'protocol-mismatch' } });
  if (linked.ok) return;
  expect(linked.refusal.message).toContain('Houston 1.0.0 here is the older one');
  expect(linked.refusal.message).not.toContain('\n');
});

test('a picture goes along with what is said, whole', async () => {
  const far = elsewhere();
  const linked = await there(far);
  const base64 = Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, at) => (at * 7919) % 251)).toString('base64');
  const taken: unknown[] = [];
  const { send } = far.session;
  far.session.send = (intent, client) => {
    taken.push(intent);
    return send(intent, client);
  };
  const picture = { kind: 'image', name: 'pasted.png', mediaType: 'image/png', base64 } as const;
  await linked.send({ ...say('look'), attachments: [picture] }, 'far');
  expect(taken).toEqual([{ ...say('look'), attachments: [picture] }]);
});

test('two streams joined: a slow end slows the other down, and the end of one is the end of both', async () => {
  const system = createMemorySystem();
  system.files.seedFolder('/run');
  const accepted = Promise.withResolvers<Connection>();
  await system.network.listen('/run/s', accepted.resolve);
  const near = await system.network.connect('/run/s');
  const far = await accepted.promise;
  const wrote: PromiseWithResolvers<void>[] = [];
  let bytes = 0;
  const slow = connectByteStream({
    write(piece) {
      bytes += piece.length;
      const written = Promise.withResolvers<void>();
      wrote.push(written);
      return written.promise;
    },
    close() {},
  });
  const joined = joinStreams(slow.connection, far);
  let sent = 0;
  while (near.write(new Uint8Array(32 * 1024))) {
    sent += 32 * 1024;
    await system.clock.settle();
    if (sent > 4 * 1024 * 1024) throw new Error('nothing slowed the sender down');
  }
  sent += 32 * 1024;
  while (bytes < sent) {
    for (const written of wrote.splice(0)) written.resolve();
    await system.clock.settle();
  }
  near.close();
  await system.clock.settle();
  for (const written of wrote.splice(0)) written.resolve();
  await joined;
  expect(bytes).toBe(sent);
});
