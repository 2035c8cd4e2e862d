import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { trickyText } from '../../test/support/tricky-text.ts';
import { borderAtOrBefore, clusters, nextBorder, previousBorder } from './graphemes.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const segmented = (text: string): string[] => [...segmenter.segment(text)].map((each) => each.segment);

describe('grapheme clusters', () => {
  test('of symbols and punctuation are those of the segmenter, whatever stands beside them', () => {
    const beside = [
      'a',
      ' ',
      '\n',
      '\u0301',
      '\u200d',
      '\ufe0f',
      '\u0600',
      '\u0903',
      '\u20d0',
      '\u{1f469}',
      '각',
      '\u11a8',
    ];
    for (let unit = 0x2000; unit < 0x2c10; unit++) {
      const symbol = String.fromCharCode(unit);
      const text = beside.map((other) => symbol + other + symbol).join('x');
      expect(clusters(text)).toEqual(segmented(text));
    }
  });

  test('are those of the segmenter, whatever the text', () => {
    fc.assert(
      fc.property(trickyText, (text) => expect(clusters(text)).toEqual(segmented(text))),
      { numRuns: 500 },
    );
  });

  test('step forward and back over the same borders', () => {
    fc.assert(
      fc.property(trickyText, (text) => {
        const borders = [0];
        for (const cluster of segmented(text)) borders.push(borders.at(-1)! + cluster.length);
        for (let i = 0; i + 1 < borders.length; i++) {
          expect(nextBorder(text, borders[i]!)).toBe(borders[i + 1]!);
          expect(previousBorder(text, borders[i + 1]!)).toBe(borders[i]!);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('an offset inside a cluster belongs to its start', () => {
    const text = 'a👩‍🚀b';
    expect([0, 1, 2, 5, 6, 7].map((offset) => borderAtOrBefore(text, offset))).toEqual([0, 1, 1, 1, 6, 7]);
  });

  test('a step in a megabyte costs no more than a step in a word', () => {
    const text = `${'语'.repeat(500_000)}e\u0301`;
    expect(previousBorder(text, text.length)).toBe(500_000);
    expect(nextBorder(text, 500_000)).toBe(500_002);
  });
});
