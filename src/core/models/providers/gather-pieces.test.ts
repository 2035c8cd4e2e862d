import { expect, test } from 'bun:test';
import { createMemoryClock } from '../../../system/memory/clock.ts';
import { GATHER_MS, gatherPieces } from './gather-pieces.ts';

/** A body that is written to by hand, and whoever looks at it: after each look, what had been taken by then. */
function rig(shows: (taken: string) => boolean = () => true) {
  const clock = createMemoryClock();
  const body = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: 100 });
  const writer = body.writable.getWriter();
  const looks: string[] = [];
  let taken = '';
  const pieces = gatherPieces(body.readable.getReader(), clock, (piece) => {
    taken += new TextDecoder().decode(piece);
    return taken.includes('.') ? 'over' : 'goes-on';
  });
  const over = (async () => {
    let more = true;
    for (let shown = false; more && !taken.includes('.'); shown = shows(taken)) {
      more = await pieces.next(shown);
      looks.push(taken);
    }
    return more;
  })();
  over.catch(() => {});
  const say = async (text: string) => {
    await writer.write(new TextEncoder().encode(text));
    await clock.settle();
  };
  return { clock, writer, looks, over, say };
}

test('the first there is to show is looked at at once, what follows together, and each is shown as soon as its time is there', async () => {
  const { clock, looks, say } = rig((taken) => taken !== '-');
  await say('-');
  expect(looks).toEqual(['-']);
  await say('a');
  expect(looks).toEqual(['-', '-a']);
  for (const letter of 'bcd') await say(letter);
  await clock.advance(GATHER_MS - 1);
  expect(looks).toHaveLength(2);
  await clock.advance(1);
  expect(looks).toEqual(['-', '-a', '-abcd']);
  await clock.advance(GATHER_MS * 3);
  expect(looks).toHaveLength(3);
  expect(clock.timers).toBe(0);
  await say('e');
  expect(looks.at(-1)).toBe('-abcde');
});

test('the end is looked at at once: of the message, of the body, and where the body is cut off', async () => {
  const message = rig();
  for (const text of ['a', 'b', 'c.']) await message.say(text);
  expect(message.looks).toEqual(['a', 'abc.']);
  expect(await message.over).toBe(true);
  const body = rig();
  for (const text of ['a', 'b']) await body.say(text);
  await body.writer.close();
  expect(await body.over).toBe(false);
  expect(body.looks).toEqual(['a', 'ab']);
  const broken = rig();
  for (const text of ['a', 'b']) await broken.say(text);
  await broken.writer.abort(new Error('gone'));
  expect(await broken.over.catch(String)).toContain('gone');
  expect([message, body, broken].map(({ clock }) => clock.timers)).toEqual([0, 0, 0]);
});
