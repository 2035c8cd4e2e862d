import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { trickyText } from '../../test/support/tricky-text.ts';
import { clusters } from './graphemes.ts';
import { clusterWidth, cutToWidth, expandTabs, textWidth, visible, widthInText } from './text-width.ts';

describe('width of text', () => {
  test.each([
    ['abc', 3],
    ['', 0],
    ['状态', 4],
    ['✅', 2],
    ['☂', 1],
    ['☂\ufe0f', 2],
    ['👩‍🚀', 2],
    ['🇨🇭', 2],
    ['e\u0301', 1],
    ['한글', 4],
    ['\u1112\u1161\u11ab', 2],
    ['👍🏽', 2],
    ['1\ufe0f\u20e3', 2],
    ['ｱ', 1],
    ['กำ', 2],
    ['│─', 2],
  ])('of %j is %d cells', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  test('nothing takes no cell: a lone mark sits on a circle, an invisible character is drawn', () => {
    expect([visible('\u0301'), visible('a\u200bb'), visible('\u00ad')]).toEqual(['◌\u0301', 'a◌b', '◌']);
    expect(textWidth('a\u200bb')).toBe(3);
  });

  test('is the sum of its clusters', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), trickyText), (text) => {
        const shown = visible(text);
        expect(textWidth(text)).toBe(clusters(shown).reduce((sum, cluster) => sum + clusterWidth(cluster), 0));
      }),
    );
  });
});

describe('visible text', () => {
  test('TR-6 SEC-40 holds no character that commands a terminal, whatever it was made of', () => {
    const commands = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
    // Drawn by lot from all of Unicode a control would hardly ever come up: each of the first plane by itself, then mixtures.
    for (let unit = 0; unit <= 0xffff; unit++) {
      const shown = visible(`a${String.fromCharCode(unit)}b`);
      if (commands.test(shown) || !shown.isWellFormed()) expect([unit, shown]).toBeNull();
    }
    const control = fc.integer({ min: 0, max: 0x2070 }).map((unit) => String.fromCharCode(unit));
    const piece = fc.oneof(control, trickyText, fc.string({ unit: 'binary', maxLength: 4 }));
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        (text) => {
          expect(visible(text)).not.toMatch(commands);
          expect(visible(text).isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('shows controls as pictures and turns of direction as arrows', () => {
    expect(visible('a\x1b[31m\x07\x7f\u009b\u202eb')).toBe('a␛[31m␇␡�⇄b');
  });

  test('keeps joiners where they shape what is seen, and shows them elsewhere', () => {
    expect(visible('👩‍🚀 می‌خواهم')).toBe('👩‍🚀 می‌خواهم');
    expect(visible('a\u200db')).toBe('a◌b');
    expect(visible('👩\u200d')).toBe('👩◌');
  });

  test('shows text hidden in tag characters, and keeps flags made of them', () => {
    expect(visible('hi\u{e0041}\u{e0042}')).toBe('hi◌◌');
    const england = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
    expect(visible(england)).toBe(england);
  });
});

describe('fitting', () => {
  test('tabs go to the next fourth column, counted in cells', () => {
    expect(expandTabs('a\tb')).toBe('a   b');
    expect(expandTabs('状\tb')).toBe('状  b');
    expect([widthInText('\t', 0), widthInText('\t', 3), widthInText('\x1b', 0)]).toEqual([4, 1, 1]);
  });

  test('what is cut ends with an ellipsis and never takes more cells than allowed', () => {
    expect(cutToWidth('mission', 5)).toBe('miss…');
    expect(cutToWidth('状态状态', 5)).toBe('状态…');
    fc.assert(
      fc.property(trickyText, fc.integer({ min: 0, max: 12 }), (text, width) => {
        expect(textWidth(cutToWidth(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});
