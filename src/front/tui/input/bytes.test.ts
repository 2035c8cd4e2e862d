import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { InputReader } from './bytes.ts';
import { chordOf, type InputEvent } from './event.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Feeds bytes in one read each and lets every timeout pass at the end. */
function hear(...reads: (string | Uint8Array)[]): InputEvent[] {
  const reader = new InputReader();
  let at = 0;
  const events = reads.flatMap((read) => reader.feed(typeof read === 'string' ? encode(read) : read, at++));
  return [...events, ...settle(reader)];
}

function settle(reader: InputReader): InputEvent[] {
  const events: InputEvent[] = [];
  while (reader.deadline !== null) events.push(...reader.timeout(reader.deadline));
  return events;
}

/** What an event says, in one word: text in quotes, chords as they are written. */
function say(event: InputEvent): string {
  switch (event.type) {
    case 'key': {
      const name = event.key.text === null ? chordOf(event.key) : `"${event.key.text}"`;
      return event.key.kind === 'press' ? name : `${name}:${event.key.kind}`;
    }
    case 'paste':
      return `paste ${JSON.stringify(event.text)}`;
    case 'mouse':
      return `${event.action} ${event.button} ${event.column},${event.row}`;
    case 'focus':
      return event.on ? 'focus' : 'blur';
    case 'reply':
      return `reply ${event.reply.kind}`;
  }
}

const heard = (...reads: (string | Uint8Array)[]): string[] => hear(...reads).map(say);

describe('keys', () => {
  test.each([
    ['a', ['"a"']],
    ['A', ['"A"']],
    ['é한👩', ['"é"', '"한"', '"👩"']],
    ['\r', ['enter']],
    ['\n', ['ctrl-j']],
    ['\t', ['tab']],
    ['\x7f\x08', ['backspace', 'backspace']],
    ['\x00\x01\x1a\x1c\x1f', ['ctrl-space', 'ctrl-a', 'ctrl-z', 'ctrl-\\', 'ctrl-/']],
    ['\x1b', ['escape']],
    ['\x1b\x1b', ['escape', 'escape']],
    ['\x1bf\x1bE\x1b1', ['alt-f', 'alt-shift-e', 'alt-1']],
    ['\x1b\x7f', ['alt-backspace']],
    ['\x1b[A\x1bOB\x1b[H\x1bOF', ['up', 'down', 'home', 'end']],
    ['\x1b[1;5C\x1b[1;2D\x1b[1;4A', ['ctrl-right', 'shift-left', 'alt-shift-up']],
    ['\x1b\x1b[A', ['alt-up']],
    ['\x1b[Z', ['shift-tab']],
    ['\x1b[2~\x1b[3~\x1b[5~\x1b[6;5~', ['insert', 'delete', 'pageup', 'ctrl-pagedown']],
    ['\x1bOP\x1b[15~\x1b[24~\x1b[[B\x1b[1;5P', ['f1', 'f5', 'f12', 'f2', 'ctrl-f1']],
    ['\x1b[1;2R', ['shift-f3']],
    ['\x1bOM\x1bOp', ['enter', '"0"']],
    ['\x1b[', ['alt-[']],
    ['\x1bO', ['alt-shift-o']],
    ['\x1b]', ['alt-]']],
    ['\x1b]x', ['alt-]', '"x"']],
    ['\x1bOz', ['alt-shift-o', '"z"']],
  ])('%j is %j', (bytes, keys) => {
    expect(heard(bytes)).toEqual(keys);
  });

  test.each([
    ['\x1b[97u', ['"a"']],
    ['\x1b[97:65;2u', ['"A"']],
    ['\x1b[97;5u', ['ctrl-a']],
    ['\x1b[27u', ['escape']],
    ['\x1b[13;5u', ['ctrl-enter']],
    ['\x1b[101:69;4u', ['alt-shift-e']],
    ['\x1b[97;1:2u\x1b[97;1:3u', ['"a":repeat', '"a":release']],
    ['\x1b[1;1:3A', ['up:release']],
    ['\x1b[57399u\x1b[57414u\x1b[57419;5u', ['"0"', 'enter', 'ctrl-up']],
    ['\x1b[57441u\x1b[57358u', []],
    ['\x1b[99;9u', []],
    ['\x1b[97;65u', ['"A"']],
    ['\x1b[0;1;228:246u', []],
    ['\x1b[228;1;228u', ['"ä"']],
  ])('kitty writes %j for %j', (bytes, keys) => {
    expect(heard(bytes)).toEqual(keys);
  });

  test('on another keyboard layout a chord is named by the key it stands on', () => {
    expect(heard('\x1b[1089::99;5u', '\x1b[1089::99u')).toEqual(['ctrl-c', '"с"']);
  });

  test.each([
    ['\x1b[27;5;99~', ['ctrl-c']],
    ['\x1b[27;2;65~', ['"A"']],
    ['\x1b[27;6;69~', ['ctrl-shift-e']],
    ['\x1b[27;5;9~', ['ctrl-tab']],
  ])('xterm writes %j for %j', (bytes, keys) => {
    expect(heard(bytes)).toEqual(keys);
  });

  test.each(['\x1b[13;2u', '\x1b[27;2;13~', '\x1b\r', '\n', '\x1b[13;2:1u\x1b[13;2:3u'])(
    'UP-13 %j is a new line, never a plain Enter',
    (bytes) => {
      const pressed = hear(bytes).filter((event) => event.type === 'key' && event.key.kind === 'press');
      expect(pressed.length).toBe(1);
      expect(['shift-enter', 'alt-enter', 'ctrl-j']).toContain(say(pressed[0]!));
    },
  );

  test('AltGr text wins over shortcuts', () => {
    expect(heard('\x1b[27;7;64~', '\x1b[8364;7u', '\x1b[113;7;64u', '\x1bą')).toEqual(['"@"', '"€"', '"@"', '"ą"']);
    expect(heard('\x1b[113;7u')).toEqual(['ctrl-alt-q']);
  });
});

describe('what is no key', () => {
  test('the mouse, in cells from zero', () => {
    expect(heard('\x1b[<0;10;5M\x1b[<0;10;5m\x1b[<32;11;5M\x1b[<64;10;5M\x1b[<65;1;1M\x1b[<2;3;4M')).toEqual([
      'press left 9,4',
      'release left 9,4',
      'drag left 10,4',
      'wheel-up none 9,4',
      'wheel-down none 0,0',
      'press right 2,3',
    ]);
  });

  test('old mouse reports are swallowed with their bytes', () => {
    expect(heard(Uint8Array.of(0x1b, 0x5b, 0x4d, 0x20, 0xff, 0x0d), 'x')).toEqual(['"x"']);
    expect(heard('\x1b[32;10;5Mx')).toEqual(['"x"']);
  });

  test('focus and answers', () => {
    expect(heard('\x1b[I\x1b[O\x1b]11;rgb:00/00/00\x1b\\\x1b[?62c\x1b[?2026;1$y\x1b[?0u\x1bP>|x\x1b\\')).toEqual([
      'focus',
      'blur',
      'reply background',
      'reply device',
      'reply mode',
      'reply kitty-keyboard',
      'reply version',
    ]);
  });

  test('a cursor position is told from F3 with modifiers', () => {
    const reader = new InputReader();
    expect(reader.feed(encode('\x1b[1;2R\x1b[12;40R'), 0).map(say)).toEqual(['shift-f3', 'reply cursor']);
    reader.expectCursor();
    expect(reader.feed(encode('\x1b[1;2R\x1b[1;2R'), 0).map(say)).toEqual(['reply cursor', 'shift-f3']);
  });

  test('what is unknown is dropped, and the keys around it are heard', () => {
    expect(heard('a\x1b[?1;2;3xb\x1b[999~c\x1b]777;notify\x07d\x1bP1$r0m\x1b\\e\x1b_Gi=1;OK\x1b\\f')).toEqual([
      '"a"',
      '"b"',
      '"c"',
      '"d"',
      '"e"',
      '"f"',
    ]);
    expect(heard('\x1b[12\rx', '\x1b]11;rgb:\ry')).toEqual(['enter', '"x"', 'enter', '"y"']);
    expect(heard(Uint8Array.of(0xff, 0x61, 0xc3, 0x62, 0xe2, 0x82, 0x0d))).toEqual(['"a"', '"b"', 'enter']);
  });
});

describe('paste', () => {
  test('UP-11 is data, whatever it holds', () => {
    expect(heard('\x1b[200~a\tb\r\n\x1b[A\x1b[200~\x03\x1b[201x\x1b[201~c')).toEqual([
      'paste "a\\tb\\r\\n\\u001b[A\\u001b[200~\\u0003\\u001b[201x"',
      '"c"',
    ]);
  });

  test('UP-11 finds its end however it is split, also behind what only looks like it', () => {
    for (const text of ['한 x', 'x\x1b[20', 'x\x1b[201\x1b', '\x1b\x1b[']) {
      const bytes = encode(`\x1b[200~${text}\x1b[201~y`);
      for (let at = 1; at < bytes.length; at++) {
        expect(heard(bytes.slice(0, at), bytes.slice(at))).toEqual([`paste ${JSON.stringify(text)}`, '"y"']);
      }
    }
  });

  test('without an end it ends by time and loses nothing', () => {
    const reader = new InputReader();
    expect(reader.feed(encode('\x1b[200~half a paste\x1b[2'), 0)).toEqual([]);
    expect(reader.timeout(reader.deadline!).map(say)).toEqual(['paste "half a paste\\u001b[2"']);
    expect(reader.feed(encode('\x1b[201~x'), 5000).map(say)).toEqual(['"x"']);
  });

  test('of a megabyte is read in one go', () => {
    const text = 'row\tof text\n'.repeat(100_000);
    const [event] = hear(`\x1b[200~${text}\x1b[201~`);
    expect(event?.type === 'paste' && event.text === text).toBe(true);
  });
});

describe('time', () => {
  test('a lone ESC is the key when nothing follows, and begins a sequence when something does', () => {
    const reader = new InputReader();
    expect(reader.feed(encode('\x1b'), 100)).toEqual([]);
    expect(reader.deadline).toBe(125);
    expect(reader.feed(encode('[A'), 110).map(say)).toEqual(['up']);
    expect(reader.deadline).toBe(null);
  });

  test('with kitty keys a bare ESC is given more time for the rest of its sequence', () => {
    const reader = new InputReader();
    reader.kittyKeyboard = true;
    reader.feed(encode('\x1b'), 0);
    expect(reader.deadline).toBeGreaterThan(200);
  });

  test('UP-15 a key says whether it came alone in its read', () => {
    const alone = (events: InputEvent[]): boolean[] =>
      events.flatMap((event) => (event.type === 'key' ? [event.alone] : []));
    expect(alone(hear('y'))).toEqual([true]);
    expect(alone(hear('y\r'))).toEqual([false, false]);
    expect(alone(hear('\x1b[I\x1b[13;1:1u\x1b[13;1:3u'))).toEqual([true, true]);
  });
});

describe('any bytes', () => {
  const withoutTime = (events: readonly InputEvent[]): unknown[] =>
    events.map((event) => ({ ...event, at: 0, read: 0, alone: true }));
  const split = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
    const places = [0, ...[...cuts].map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
    return places.slice(1).map((place, index) => bytes.slice(places[index]!, place));
  };
  const soup = fc
    .array(
      fc.oneof(
        fc.uint8Array({ maxLength: 6 }),
        fc
          .constantFrom(
            '\x1b',
            '\x1b[',
            '\x1b[200~',
            '\x1b[201~',
            '\x1b]11;',
            '\x07',
            '\x1b\\',
            '\x1bP',
            '\x1b[M',
            '\x1bO',
            '\x1b[<0;1;1M',
            'é',
            '👩',
            '\r',
            '\x1b[13;2u',
            ':',
            ';',
            '~',
            'u',
          )
          .map(encode),
      ),
      { maxLength: 12 },
    )
    .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));

  test('never throw, and mean the same however they are split into reads', () => {
    fc.assert(
      fc.property(soup, fc.array(fc.nat(), { maxLength: 6 }), (bytes, cuts) => {
        expect(withoutTime(hear(...split(bytes, cuts)))).toEqual(withoutTime(hear(bytes)));
      }),
      { numRuns: 1500 },
    );
  });

  test('a key among whole sequences is never lost', () => {
    const whole = fc.constantFrom(
      '\x1b[?62;4c',
      '\x1b]11;rgb:1/2/3\x07',
      '\x1b[<35;4;4M',
      '\x1b[I',
      '\x1b[?2026;2$y',
      '\x1bP>|term\x1b\\',
      '\x1b[999~',
      '\x1b[200~p\x1b[201~',
      '\x1b[57441;2u',
      'q',
      'é',
    );
    const key = fc.constantFrom('\x1b[13;2u', '\x1b[1;5C', '\r', '\x1bOP', 'k', '\x1b[27;2;13~');
    fc.assert(
      fc.property(
        fc.array(whole, { maxLength: 5 }),
        key,
        fc.array(whole, { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        (before, sequence, after, cuts) => {
          const all = hear(...split(encode([...before, sequence, ...after].join('')), cuts)).map(say);
          expect(all).toEqual([...before, sequence, ...after].flatMap((part) => heard(part)));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('after any bytes and a pause the next key is heard', () => {
    fc.assert(
      fc.property(soup, (bytes) => {
        const reader = new InputReader();
        reader.feed(bytes, 0);
        settle(reader);
        expect(reader.feed(encode('k'), 9999).map(say)).toEqual(['"k"']);
      }),
      { numRuns: 500 },
    );
  });
});
