import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Both ends of a connection in one process, which says how often its thread went to sleep while nothing was sent. */
const AT_REST = `
import { readFileSync } from 'node:fs';
import { connectToSocket, listenOnSocket } from ${JSON.stringify(path.join(import.meta.dir, 'sockets.ts'))};
const heard = Promise.withResolvers();
listenOnSocket(process.argv[2], (connection) => connection.onData((bytes) => connection.write(bytes)));
const connection = await connectToSocket(process.argv[2]);
connection.onData(heard.resolve);
connection.write(new Uint8Array([1]));
await heard.promise;
const slept = () => Number(/^voluntary_ctxt_switches:\\s+(\\d+)/m.exec(readFileSync('/proc/self/task/' + process.pid + '/status', 'latin1'))[1]);
// What the platform left behind is looked at once more.
setTimeout(() => {
  const before = slept();
  setTimeout(() => {
    console.log(slept() - before);
    process.exit(0);
  }, 3000);
}, 1300);
`;

test.skipIf(!existsSync('/proc/self/task'))('an open connection on which nothing is sent wakes nobody', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'houston-quiet-'));
  const script = path.join(folder, 'rest.ts');
  await Bun.write(script, AT_REST);
  const child = Bun.spawn([process.execPath, script, path.join(folder, 's')], {
    env: { ...process.env, BUN_GC_TIMER_DISABLE: '1' },
    stdout: 'pipe',
  });
  const woken = Number(await new Response(child.stdout).text());
  // Once for the timer that ends it.
  expect(woken).toBeLessThanOrEqual(1);
  await rm(folder, { recursive: true });
});
