import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createPipe } from '../../test/support/pipe.ts';
import { createFrameReader, MESSAGE_BYTES, PART_BYTES, type RawMessage } from './frame-reader.ts';
import { encodeMessage, type Framed, frame, type Lane } from './framing.ts';

interface Note {
  readonly type: string;
  readonly text: string;
}

/** Two ends with what arrived at the right one. */
function pair(pieces?: (bytes: Uint8Array) => Uint8Array[]) {
  const pipe = createPipe(pieces);
  const received: RawMessage[] = [];
  const events: string[] = [];
  const options = {
    onMessage: (message: RawMessage) => void received.push(message),
    onMalformed: (reason: string) => void events.push(reason),
    onClosed: () => void events.push('closed'),
  };
  const left: Framed<Note> = frame<Note>(pipe.left, { onMessage() {}, onMalformed() {}, onClosed() {} });
  const right = frame<Note>(pipe.right, options);
  return { pipe, left, right, received, events };
}

function read(bytes: Uint8Array, cutAt: readonly number[], maxMessageBytes?: number) {
  const messages: RawMessage[] = [];
  const reasons: string[] = [];
  const reader = createFrameReader({
    onMessage: (message) => void messages.push(message),
    onMalformed: (reason) => void reasons.push(reason),
    ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
  });
  let from = 0;
  for (const at of [...cutAt, bytes.length]) {
    reader.feed(bytes.subarray(from, at));
    from = at;
  }
  return { messages, reasons };
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

describe('reading', () => {
  const lines = text(
    '{"type":"a","text":"café ☂ 👩‍🚀"}\n+7 {"type":"b","te\n{"type":"c"}\n=7 xt":"long"}\n{"type":"d"}\n',
  );
  const whole = read(lines, []).messages;

  test('parts of one message may have whole messages between them', () => {
    expect(whole).toEqual([
      { type: 'a', text: 'café ☂ 👩‍🚀' },
      { type: 'c' },
      { type: 'b', text: 'long' },
      { type: 'd' },
    ]);
  });

  test('the same messages wherever the bytes are cut', () => {
    for (let at = 0; at <= lines.length; at++) expect(read(lines, [at]).messages).toEqual(whole);
    const everyByte = Array.from(lines, (_, index) => index);
    expect(read(lines, everyByte).messages).toEqual(whole);
  });

  test('the reader keeps nothing of a buffer that is used again', () => {
    const messages: RawMessage[] = [];
    const reader = createFrameReader({ onMessage: (message) => void messages.push(message), onMalformed() {} });
    const buffer = new Uint8Array(1);
    for (const byte of lines) {
      buffer[0] = byte;
      reader.feed(buffer);
    }
    expect(messages).toEqual(whole);
  });

  test.each([
    ['no frame', 'hello\n', 'a line is no frame'],
    ['an empty line', '\n', 'a line is no frame'],
    ['no JSON', '{"type":\n', 'a message is not JSON'],
    ['no type', '{"kind":"a"}\n', 'a message names no type'],
    ['a type that is no text', '{"type":1}\n', 'a message names no type'],
    ['a part without a number', '+ abc\n', 'a part has no message number'],
    ['a part with half a number', '+1x abc\n', 'a part has no message number'],
    ['a list', '=1 [1]\n', 'a message names no type'],
  ])('%s ends it with a reason', (_, bad, reason) => {
    const { messages, reasons } = read(text(`{"type":"before"}\n${bad}{"type":"after"}\n`), []);
    expect(messages).toEqual([{ type: 'before' }]);
    expect(reasons).toEqual([reason]);
  });

  test('bytes that are not UTF-8 end it with a reason', () => {
    expect(read(new Uint8Array([...text('{"type":"'), 0xff, ...text('"}\n')]), []).reasons).toEqual([
      'a message is not JSON',
    ]);
  });

  test('a line without end, and a message without end, stop at their bounds', () => {
    expect(read(new Uint8Array(PART_BYTES + 100).fill(0x7b), []).reasons).toEqual(['a line is too long']);
    const part = `+1 ${'x'.repeat(100)}\n`;
    expect(read(text(part.repeat(11)), [], 1_000).reasons).toEqual(['a message is longer than 1000 bytes']);
    const many = Array.from({ length: 20 }, (_, index) => `+${index} x\n`).join('');
    expect(read(text(many), []).reasons).toEqual(['too many messages are in parts at once']);
  });

  test('whatever bytes come, it ends in messages or one reason, never in an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 300 }), (bytes, at) => {
        const { reasons } = read(bytes, [Math.min(at, bytes.length)]);
        expect(reasons.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('writing', () => {
  test('every message arrives as it was sent, in order within its lane, however bytes are cut', async () => {
    const message = fc.record({
      lane: fc.constantFrom<Lane>('urgent', 'ordered', 'bulk'),
      text: fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(0.5, 1).map((parts) => 'ä'.repeat(parts * PART_BYTES)),
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 12 }),
        fc.integer({ min: 1, max: 70_000 }),
        async (sent, step) => {
          const { left, received, events } = pair((bytes) => {
            const pieces: Uint8Array[] = [];
            for (let at = 0; at < bytes.length; at += step) pieces.push(bytes.subarray(at, at + step));
            return pieces;
          });
          for (const { lane, text } of sent) left.send({ type: lane, text }, lane);
          await settle();
          expect(events).toEqual([]);
          for (const lane of ['urgent', 'ordered', 'bulk']) {
            const arrived = received.filter((one) => one.type === lane).map((one) => one.text);
            expect(arrived).toEqual(sent.filter((one) => one.lane === lane).map((one) => one.text));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  test('a cancel behind a picture arrives within one part (64 KiB)', async () => {
    let arrived = 0;
    const { pipe, left, received } = pair((bytes) => {
      if (received.length === 0) arrived += bytes.length;
      return [bytes];
    });
    pipe.freeze();
    left.send({ type: 'picture', text: 'x'.repeat(20 * PART_BYTES) });
    left.send({ type: 'cancel', text: '' }, 'urgent');
    expect(left.backlog).toBeGreaterThan(18 * PART_BYTES);
    pipe.thaw();
    await settle();
    expect(received.map((one) => one.type)).toEqual(['cancel', 'picture']);
    // Only what was already handed to the connection goes before it.
    expect(arrived).toBeLessThan(3 * PART_BYTES);
  });

  test('a long answer and a long snapshot take turns, so neither waits for the other', async () => {
    const { pipe, left, received } = pair();
    pipe.freeze();
    left.send({ type: 'snapshot', text: 'x'.repeat(10 * PART_BYTES) }, 'ordered');
    left.send({ type: 'answer', text: 'x'.repeat(4 * PART_BYTES) }, 'bulk');
    left.send({ type: 'update', text: '' }, 'ordered');
    pipe.thaw();
    await settle();
    expect(received.map((one) => one.type)).toEqual(['answer', 'snapshot', 'update']);
  });

  test('drop takes back what was encoded for many and has not begun, and nothing else', async () => {
    const { pipe, left, received } = pair();
    pipe.freeze();
    left.sendEncoded(encodeMessage({ type: 'begun', text: 'x'.repeat(2 * PART_BYTES) } as Note));
    left.sendEncoded(encodeMessage({ type: 'waiting' }));
    left.send({ type: 'reply', text: '' });
    left.drop();
    pipe.thaw();
    await settle();
    expect(received.map((one) => one.type)).toEqual(['begun', 'reply']);
    expect(left.backlog).toBe(0);
  });

  test('any JSON arrives as it was, names with a dollar too; what is none fails before anything is sent (SC-28.2.4)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string(), async (value, name) => {
        const { left, received } = pair();
        const message = { type: 'a', text: '', [`$${name}`]: value, $type: value };
        left.send(message);
        await settle();
        expect(received).toEqual([JSON.parse(JSON.stringify(message))]);
      }),
    );
    const { left, received } = pair();
    const round: Record<string, unknown> = {};
    round.self = round;
    for (const odd of [round, 1n]) expect(() => left.send({ type: 'a', text: odd as unknown as string })).toThrow();
    left.send({ type: 'b', text: '' });
    await settle();
    expect(received.map((one) => one.type)).toEqual(['b']);
  });

  test('messages are lines of JSON, up to 256 MiB each: a whole large result passes (SC-28.2.1)', async () => {
    expect(MESSAGE_BYTES).toBe(256 * 1024 * 1024);
    expect(new TextDecoder().decode(encodeMessage({ type: 'a' }))).toBe('{"type":"a"}\n');
    const { left, received, events } = pair();
    const long = 'é'.repeat(2 * 1024 * 1024);
    left.send({ type: 'a', text: long });
    for (let turn = 0; turn < 2_000 && received.length === 0; turn++) await settle();
    expect(received[0]?.text === long).toBe(true);
    expect(events).toEqual([]);
  });

  test('closing writes what waits first; nothing is sent afterwards', async () => {
    const { left, right, received, events } = pair();
    left.send({ type: 'long', text: 'x'.repeat(5 * PART_BYTES) });
    left.close();
    left.send({ type: 'after', text: '' });
    await settle();
    expect(received.map((one) => one.type)).toEqual(['long']);
    expect(events).toEqual(['closed']);
    expect(right.closed).toBe(true);
  });
});
