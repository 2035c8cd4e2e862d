import type { Connection } from '../system/network.ts';

/** Carries bytes both ways until one side ends, no faster than the other takes them; resolves when both are over. */
export async function joinStreams(one: Connection, other: Connection): Promise<void> {
  const over = [one, other].map((side) => new Promise<void>((resolve) => side.onClose(resolve)));
  carry(one, other);
  carry(other, one);
  await Promise.all(over);
}

function carry(from: Connection, to: Connection): void {
  to.onDrain(() => from.resume());
  from.onClose(() => to.close());
  from.onData((bytes) => {
    if (!to.write(bytes)) from.pause();
  });
}
