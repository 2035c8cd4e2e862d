import { describe, expect, test } from 'bun:test';
import { type BurstState, guardBursts, NO_BURST } from './burst.ts';
import { InputReader } from './bytes.ts';
import { chordOf, type InputEvent } from './event.ts';

/** Reads with their times, through the reader and the guard. */
function guarded(reads: readonly (readonly [at: number, bytes: string])[]): string[] {
  const reader = new InputReader();
  let state: BurstState = NO_BURST;
  const out: InputEvent[] = [];
  for (const [at, bytes] of reads) {
    const result = guardBursts(state, reader.feed(new TextEncoder().encode(bytes), at));
    state = result.state;
    out.push(...result.events);
  }
  return out.map((event) => {
    if (event.type === 'key') return event.key.text ?? chordOf(event.key);
    return event.type === 'paste' ? `paste ${JSON.stringify(event.text)}${event.joins ? ' joins' : ''}` : event.type;
  });
}

const typedAt = (text: string, gap: number, from = 0): [number, string][] =>
  [...text].map((character, index) => [from + index * gap, character]);

describe('the burst guard', () => {
  test('UP-11 lines that came in one read are a paste, and no Enter sends', () => {
    expect(
      guarded([
        [0, 'alpha\rbeta\rgamma'],
        [300, '\r'],
      ]),
    ).toEqual(['paste "alpha\\nbeta\\ngamma"', 'enter']);
  });

  test('UP-11 neither do those that came one byte a millisecond', () => {
    const reads = typedAt('alpha\rbeta\rgamma', 1);
    expect(guarded([...reads, [300, '\r']]).join('')).toBe('alphapaste "\\n"betapaste "\\n" joinsgammaenter');
  });

  test('UP-11 typing by hand sends', () => {
    expect(guarded([...typedAt('hi', 30), [60, '\r']])).toEqual(['h', 'i', 'enter']);
    expect(guarded(typedAt('hi\r', 5))).toEqual(['h', 'i', 'enter']);
  });

  test('BOX-4 Enter in one read with other input does not send', () => {
    expect(guarded([[0, 'hi\r']])).toEqual(['paste "hi\\n"']);
    expect(guarded([[0, '\rx']])).toEqual(['paste "\\nx"']);
    expect(guarded([[0, '\x1b[A\r']])).toEqual(['up', 'paste "\\n"']);
  });

  test('INV-3 Enter followed only by Ctrl-C in one read sends and stops', () => {
    expect(guarded([[0, '\r\x03']])).toEqual(['enter', 'ctrl-c']);
    expect(guarded([...typedAt('go now', 2), [12, '\r\x03']])).toEqual([
      'g',
      'o',
      ' ',
      'n',
      'o',
      'w',
      'enter',
      'ctrl-c',
    ]);
    expect(guarded([[0, 'x\r\x03']])).toEqual(['paste "x\\n"', 'ctrl-c']);
  });

  test('a release of Enter in the same read is no other input', () => {
    expect(guarded([[0, '\x1b[13;1:1u\x1b[13;1:3u']])).toEqual(['enter', 'enter']);
  });

  test('a long run in one read is a paste, a few letters are typing', () => {
    expect(guarded([[0, 'x'.repeat(100)]])).toEqual([`paste "${'x'.repeat(100)}"`]);
    expect(guarded([[0, 'abc']])).toEqual(['a', 'b', 'c']);
  });

  test('what follows a recognised paste at once goes on with it', () => {
    expect(
      guarded([
        [0, 'a\rb'],
        [2, 'c\td\re'],
        [100, 'f\rg'],
      ]),
    ).toEqual(['paste "a\\nb"', 'paste "c\\td\\ne" joins', 'paste "f\\ng"']);
  });
});
