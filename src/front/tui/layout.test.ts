import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Rect } from './frame/rect.ts';
import { layoutOf, promptInner, transcriptInner, type Wanted } from './layout.ts';

const wanted: Wanted = {
  columns: 100,
  rows: 30,
  promptRows: 1,
  maxPromptRows: 10,
  belowRows: 0,
  dialogRows: 0,
  sideColumns: 0,
  railColumns: 0,
};

const any = fc.record<Wanted>({
  columns: fc.integer({ min: 1, max: 200 }),
  rows: fc.integer({ min: 1, max: 80 }),
  promptRows: fc.integer({ min: 1, max: 30 }),
  maxPromptRows: fc.integer({ min: 1, max: 50 }),
  belowRows: fc.integer({ min: 0, max: 20 }),
  dialogRows: fc.constantFrom(0, 5, 60),
  sideColumns: fc.constant(0),
  railColumns: fc.constant(0),
});

describe('layout', () => {
  test('the parts fill every row once, top to bottom', () => {
    fc.assert(
      fc.property(any, (wish) => {
        const layout = layoutOf(wish);
        const parts: Rect[] = [
          layout.header,
          layout.separator,
          layout.transcript,
          layout.prompt,
          layout.below,
          layout.hint,
        ];
        let y = 0;
        for (const part of parts.filter((each) => each.height > 0)) {
          expect(part.y).toBe(y);
          y += part.height;
        }
        expect(y).toBe(wish.rows);
      }),
    );
  });

  test('the prompt always has a row, and an open question four where there are five', () => {
    fc.assert(
      fc.property(any, (wish) => {
        const layout = layoutOf(wish);
        expect(promptInner(layout).height).toBeGreaterThanOrEqual(1);
        if (wish.dialogRows > 0 && wish.rows >= 5) expect(layout.dialog.height).toBeGreaterThanOrEqual(4);
        expect(layout.dialog.y + layout.dialog.height).toBeLessThanOrEqual(Math.max(layout.prompt.y, 0));
      }),
    );
  });

  test('the box grows with the text up to its limit, then keeps it (BOX-1)', () => {
    for (const [rows, height] of [
      [1, 1],
      [4, 4],
      [10, 10],
      [25, 10],
    ] as const) {
      expect(promptInner(layoutOf({ ...wanted, rows: 60, promptRows: rows })).height).toBe(height);
    }
  });

  test('many rows under the prompt leave the box and the transcript theirs (BOX-9)', () => {
    const layout = layoutOf({ ...wanted, rows: 16, belowRows: 12 });
    expect(layout.prompt.height).toBe(3);
    expect(transcriptInner(layout).height).toBeGreaterThanOrEqual(2);
  });

  test('short terminals shed header row two, the header, then borders, and never the prompt', () => {
    expect(layoutOf({ ...wanted, rows: 12 }).header.height).toBe(2);
    expect(layoutOf({ ...wanted, rows: 10 }).header.height).toBe(1);
    expect(layoutOf({ ...wanted, rows: 8 }).header.height).toBe(0);
    expect(layoutOf({ ...wanted, rows: 5 }).transcriptBorder).toBe(false);
    expect(layoutOf({ ...wanted, rows: 2 }).prompt.height).toBe(1);
  });

  test('the panel column and the rail take their columns from the transcript', () => {
    const layout = layoutOf({ ...wanted, sideColumns: 30, railColumns: 3 });
    expect(layout.transcript.width).toBe(67);
    expect(layout.side.x).toBe(67);
    expect(layout.rail.x).toBe(97);
  });
});
