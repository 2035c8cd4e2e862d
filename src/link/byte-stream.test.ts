import { expect, test } from 'bun:test';
import { createFakeSession } from '../../test/support/fake-session.ts';
import { isIdle, saidTexts, watch } from '../../test/support/watcher.ts';
import { createMemorySystem } from '../system/memory/system.ts';
import { connectByteStream, connectProgram } from './byte-stream.ts';
import { NEVER_RECONNECT } from './reconnect.ts';
import { connectSession } from './socket-client.ts';
import { serveSession } from './socket-server.ts';

test('a session over the input and output of a program', async () => {
  const system = createMemorySystem();
  const session = createFakeSession();
  const server = serveSession({ session, clock: system.clock, build: 'test', report() {} });
  system.processes.script('bridge', async (run) => {
    const stream = connectByteStream({ write: async (bytes) => run.write(bytes), close() {} });
    server.accept(stream.connection);
    for (let bytes = await run.read(); bytes !== null; bytes = await run.read()) stream.push(bytes);
    stream.end();
    return 0;
  });
  const options = { argv: ['bridge'], folder: '/yard', environment: { PATH: '/usr/bin' } };
  const outcome = await connectSession({
    client: 'one',
    build: 'test',
    clock: system.clock,
    connect: () => connectProgram(system, options, () => {}),
    reconnect: NEVER_RECONNECT,
    report() {},
  });
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  const watcher = watch(outcome.value);
  await outcome.value.send({ type: 'say', ref: 'r', text: 'hello', attachments: [], delivery: 'queue' }, 'one');
  await watcher.until((view) => isIdle(view) && saidTexts(view).length === 1);
  await outcome.value.close();
  await system.clock.settle();
  expect(server.connections).toBe(0);
  expect(system.processes.running).toEqual([]);
});

test('a program that is not there is a refusal', async () => {
  const system = createMemorySystem();
  const outcome = await connectSession({
    client: 'one',
    build: 'test',
    clock: system.clock,
    connect: () => connectProgram(system, { argv: ['gone'], folder: '/yard', environment: {} }, () => {}),
    reconnect: NEVER_RECONNECT,
    report() {},
  });
  expect(outcome).toMatchObject({ ok: false, refusal: { identifier: 'link-lost' } });
});

test('a writer is told to wait and when to go on; what came early is kept; an error ends it', async () => {
  const writes: PromiseWithResolvers<void>[] = [];
  const stream = connectByteStream({
    write() {
      const written = Promise.withResolvers<void>();
      writes.push(written);
      return written.promise;
    },
    close() {},
  });
  const { connection } = stream;
  const events: string[] = [];
  connection.onDrain(() => void events.push('drain'));
  connection.onClose(() => void events.push('close'));
  expect(connection.write(new Uint8Array(1_000))).toBe(true);
  expect(connection.write(new Uint8Array(300_000))).toBe(false);
  expect(connection.buffered).toBe(301_000);
  for (const written of writes) written.resolve();
  await Promise.resolve();
  await Promise.resolve();
  expect(events).toEqual(['drain']);
  stream.push(new Uint8Array([1, 2]));
  connection.onData((bytes) => void events.push(`data ${bytes.length}`));
  connection.write(new Uint8Array(1));
  writes.at(-1)!.reject(new Error('EPIPE'));
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(events).toEqual(['drain', 'data 2', 'close']);
  expect(connection.write(new Uint8Array(1))).toBe(false);
});

test('whoever pauses is handed nothing, the reader is told to wait, and the end comes after the rest', async () => {
  const stream = connectByteStream({ write: async () => {}, close() {} });
  const events: string[] = [];
  stream.connection.onData((bytes) => {
    events.push(`data ${bytes.length}`);
    if (bytes.length === 2) stream.connection.pause();
  });
  stream.connection.onClose(() => void events.push('close'));
  expect(stream.push(new Uint8Array(1))).toBeUndefined();
  const waits = stream.push(new Uint8Array(2));
  let read = false;
  void waits?.then(() => {
    read = true;
  });
  stream.push(new Uint8Array(2));
  stream.push(new Uint8Array(3));
  stream.end();
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(events).toEqual(['data 1', 'data 2']);
  stream.connection.resume();
  await new Promise<void>((resolve) => setImmediate(resolve));
  // The second of them made it wait once more.
  expect(read).toBe(false);
  stream.connection.resume();
  await waits;
  expect(events).toEqual(['data 1', 'data 2', 'data 2', 'data 3', 'close']);
});
