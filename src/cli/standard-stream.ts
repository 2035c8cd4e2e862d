import { connectByteStream } from '../link/byte-stream.ts';
import type { Connection } from '../system/network.ts';

/** Our own standard input and output as one stream. */
export function standardStream(): Connection {
  const stream = connectByteStream({
    write: (bytes) =>
      new Promise((written, failed) => {
        process.stdout.write(bytes, (error) => (error ? failed(error) : written()));
      }),
    close() {},
  });
  // Whoever reads our output may be gone: then the write that fails says so.
  process.stdout.on('error', () => stream.end());
  void readAll(stream.push).then(stream.end, stream.end);
  return stream.connection;
}

async function readAll(push: (bytes: Uint8Array) => void | Promise<void>): Promise<void> {
  for await (const bytes of Bun.stdin.stream()) await push(bytes);
}
