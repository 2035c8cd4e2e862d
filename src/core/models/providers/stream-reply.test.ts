import { expect, test } from 'bun:test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemoryClock } from '../../../system/memory/clock.ts';
import { type GrowingReply, streamReply } from './stream-reply.ts';

/** Complete with the first event. */
function oneEvent(): GrowingReply & { ended: boolean } {
  const usage = { input: null, output: null, cacheRead: null, cacheWrite: null, reasoning: null };
  return { began: true, ended: false, usage: usage as never, drain: () => [], parts: () => [], stop: () => 'end' };
}

test('the connection of one reply serves the next request, also where the body ends after the message', async () => {
  let connections = 0;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: the end\n\n');
    setTimeout(() => response.end(), 20);
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const clock = createMemoryClock();
  for (let request = 0; request < 3; request++) {
    const reply = oneEvent();
    const { port } = server.address() as AddressInfo;
    for await (const event of streamReply({
      reply,
      signal: new AbortController().signal,
      secrets: [],
      clock,
      send: () => fetch(`http://127.0.0.1:${port}/`),
      requestIdOf: () => null,
      take: () => {
        reply.ended = true;
        return null;
      },
    }))
      expect(event).toMatchObject({ type: expect.stringMatching(/begin|end/) });
    while (clock.timers > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  server.closeAllConnections();
  server.close();
  expect(connections).toBe(1);
});
