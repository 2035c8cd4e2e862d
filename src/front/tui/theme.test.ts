import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readable } from './color.ts';
import { contrast, mix } from './frame/color.ts';
import { makeTheme, type Role } from './theme.ts';

const color = fc.integer({ min: 0, max: 0xffffff });

describe('theme', () => {
  test('every text colour has 4.5:1 and every border 3:1 against the real background (UP-05)', () => {
    fc.assert(
      fc.property(
        color,
        fc.option(color),
        fc.constantFrom('auto' as const, 'dark' as const, 'light' as const),
        (background, foreground, choice) => {
          const { styles } = makeTheme(choice, { background, foreground }, true);
          for (const [role, style] of Object.entries(styles) as [Role, (typeof styles)[Role]][]) {
            if (style.fg === null || style.fg === undefined) continue;
            const ground = style.bg ?? background;
            expect(contrast(style.fg, ground)).toBeGreaterThanOrEqual(role === 'line' ? 3 : 4.5);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('NO_COLOR leaves no colour at all and a visible selection (UP-05)', () => {
    const { styles } = makeTheme('auto', { background: 0xffffff, foreground: 0 }, false);
    for (const style of Object.values(styles)) {
      expect(style.fg).toBeUndefined();
      expect(style.bg).toBeUndefined();
    }
    expect(styles.selection.inverse).toBe(true);
  });

  test('the background picks light or dark, silence means dark (TERM-6)', () => {
    expect(makeTheme('auto', { background: 0xffffff, foreground: null }, true).kind).toBe('light');
    expect(makeTheme('auto', { background: 0x101010, foreground: null }, true).kind).toBe('dark');
    expect(makeTheme('auto', { background: null, foreground: null }, true).kind).toBe('dark');
    expect(makeTheme('light', { background: null, foreground: null }, true).kind).toBe('light');
  });

  test('a text colour that cannot be read is replaced, a readable one is kept', () => {
    expect(makeTheme('auto', { background: 0xffffff, foreground: 0xeeeeee }, true).styles.text.fg).not.toBeNull();
    expect(makeTheme('auto', { background: 0xffffff, foreground: 0x000000 }, true).styles.text.fg).toBeNull();
  });

  test('mixing keeps both ends and readable colours are left alone', () => {
    expect(mix(0x123456, 0xffffff, 0)).toBe(0x123456);
    expect(mix(0x123456, 0xfedcba, 1)).toBe(0xfedcba);
    expect(readable(0xffffff, [0x000000], 4.5)).toBe(0xffffff);
  });
});
