import { describe, expect, test } from 'bun:test';
import { Frame } from '../frame/frame.ts';
import { rect } from '../frame/rect.ts';
import { type EditorState, insertText, NEW_EDITOR, paste, placeCaret, selectRange } from './editor-state.ts';
import { LayoutCache } from './layout.ts';
import { type EditorStyles, offsetUnder, paintEditor } from './paint-editor.ts';

const STYLES: EditorStyles = {
  text: {},
  selection: { inverse: true },
  atom: { fg: 0x111111 },
  atomAtCaret: { fg: 0x222222 },
  placeholder: { dim: true },
};
const AREA = rect(2, 1, 12, 3);

function drawn(state: EditorState, top = 0): { frame: Frame; top: number } {
  const frame = new Frame(20, 6);
  const layout = new LayoutCache().of(state.buffer.text, AREA.width);
  const next = paintEditor(frame.painter(), AREA, state.buffer, layout, STYLES, {
    top,
    focused: true,
    placeholder: 'Ask',
  });
  frame.flush({ depth: 'truecolor', synchronized: true });
  return { frame, top: next };
}

const typed = (text: string): EditorState => insertText(NEW_EDITOR, text).state;
const cellsWhere = (frame: Frame, y: number, holds: (cell: ReturnType<Frame['cell']>) => boolean): number[] =>
  Array.from({ length: 20 }, (_, x) => x).filter((x) => holds(frame.cell(x, y)));

describe('drawing the editor', () => {
  test('UP-04 the real cursor stands at the caret, wide characters counted in cells', () => {
    expect(drawn(typed('한글ab')).frame.cursor).toMatchObject({ x: 2 + 6, y: 1 });
    expect(drawn(typed('a\tb\u200b')).frame.cursor).toMatchObject({ x: 2 + 6, y: 1 });
    expect(drawn(typed('a\n')).frame.cursor).toMatchObject({ x: 2, y: 2 });
  });

  test('BOX-8 an empty box invites in the column of the first letter', () => {
    expect(drawn(NEW_EDITOR).frame.rows()[1]).toBe('  Ask');
    expect(drawn(typed('x')).frame.rows()[1]).toBe('  x');
  });

  test('BOX-1 longer text scrolls so that the caret is seen', () => {
    const { frame, top } = drawn(typed('1\n2\n3\n4\n5'));
    expect(top).toBe(2);
    expect(frame.rows().slice(1, 4)).toEqual(['  3', '  4', '  5']);
    expect(frame.cursor).toMatchObject({ x: 3, y: 3 });
  });

  test('a selection covers its cells, and the end of a selected line', () => {
    const { frame } = drawn(selectRange(typed('ab\ncd'), 1, 4));
    expect([1, 2].map((y) => cellsWhere(frame, y, (cell) => cell.attributes !== 0))).toEqual([[3, 4], [2]]);
  });

  test('MARK-5 the marker under the caret is drawn as a whole, on both rows', () => {
    const state = placeCaret(paste(NEW_EDITOR, 'a\nb\nc').state, 0, false);
    const { frame } = drawn(state);
    const marked = [1, 2, 3].map((y) => cellsWhere(frame, y, (cell) => cell.fg === 0x222222).length);
    expect(marked.reduce((sum, count) => sum + count, 0)).toBe('[Pasted #1 · 3 lines]'.length);
    const { frame: behind } = drawn(placeCaret(state, state.buffer.text.length, false));
    expect(cellsWhere(behind, 1, (cell) => cell.fg === 0x111111).length).toBeGreaterThan(0);
  });

  test('PE-18 a click finds the offset that was drawn there', () => {
    const state = typed('hello big world\n状态');
    const layout = new LayoutCache().of(state.buffer.text, AREA.width);
    expect(offsetUnder(AREA, layout, 0, 2, 1)).toBe(0);
    expect(offsetUnder(AREA, layout, 0, 3, 2)).toBe(layout.from(1) + 1);
    expect(offsetUnder(AREA, layout, 0, 5, 3)).toBe(state.buffer.text.toString().indexOf('态'));
    expect(offsetUnder(AREA, layout, 0, 19, 3)).toBe(state.buffer.text.length);
  });
});
