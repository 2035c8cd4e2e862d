import { expect, test } from 'bun:test';
import {
  escapedPanel,
  NO_STACK,
  overlayColumns,
  PANELS,
  type PanelStack,
  panelAfter,
  panelHeights,
  pinnedColumns,
  readStack,
  togglePanel,
  togglePin,
} from './stack.ts';

const ACTIONS: readonly ((stack: PanelStack) => PanelStack)[] = [
  ...PANELS.map((name) => (stack: PanelStack) => togglePanel(stack, name)),
  togglePin,
  (stack) => {
    const name = escapedPanel(stack, 'prompt');
    return name === null ? stack : togglePanel(stack, name);
  },
];

/** Every stack that any sequence of actions leads to. */
function reachable(): PanelStack[] {
  const known = new Map([[JSON.stringify(NO_STACK), NO_STACK]]);
  const waiting = [NO_STACK];
  for (let stack = waiting.pop(); stack !== undefined; stack = waiting.pop()) {
    for (const act of ACTIONS) {
      const next = act(stack);
      const key = JSON.stringify(next);
      if (known.has(key)) continue;
      known.set(key, next);
      waiting.push(next);
    }
  }
  return [...known.values()];
}

test('whatever is pressed: each panel once, a pin only over open panels, and unpinning closes only what pinning opened', () => {
  const all = reachable();
  expect(all.length).toBeGreaterThan(30);
  for (const stack of all) {
    expect(new Set(stack.open).size).toBe(stack.open.length);
    if (stack.pinned) expect(stack.open.length).toBeGreaterThan(0);
    if (stack.unpinCloses) expect(stack.pinned).toBe(true);
    // Written down and read again it is the same.
    expect(readStack(JSON.parse(JSON.stringify(stack)))).toEqual(stack);
    for (const name of PANELS) {
      const turned = togglePanel(stack, name);
      expect(turned.open.includes(name)).toBe(!stack.open.includes(name));
      const others = (one: PanelStack) => one.open.filter((other) => other !== name);
      expect(others(turned)).toEqual(others(stack));
      // Opened again it stands at the bottom.
      if (!stack.open.includes(name)) expect(turned.open.at(-1)).toBe(name);
    }
    const pinned = togglePin(stack);
    expect(pinned.pinned).toBe(!stack.pinned);
    if (stack.pinned) expect(pinned.open).toEqual(stack.unpinCloses ? [] : stack.open);
    else expect(pinned.open).toEqual(stack.open.length === 0 ? PANELS : stack.open);
    if (stack.pinned) expect(escapedPanel(stack, stack.open[0]!)).toBeNull();
    else for (const name of stack.open) expect(escapedPanel(stack, name)).toBe(name);
  }
});

test('the way round goes through pinned panels from top to bottom, and past those that lie over the transcript', () => {
  const pinned: PanelStack = { open: ['files', 'tree'], pinned: true, unpinCloses: false };
  expect(['transcript', 'files', 'tree'].map((focus) => panelAfter(pinned, focus))).toEqual([
    'files',
    'tree',
    'prompt',
  ]);
  expect(panelAfter({ ...pinned, pinned: false }, 'transcript')).toBe('prompt');
});

test('rows are shared out whole, the topmost first, and columns never exceed what there is', () => {
  for (let rows = 0; rows < 60; rows++)
    for (let count = 1; count <= 3; count++) {
      const heights = panelHeights(count, rows);
      expect(heights.reduce((sum, one) => sum + one, 0)).toBe(rows);
      expect(heights).toEqual(heights.toSorted((a, b) => b - a));
      expect(heights[0]! - heights.at(-1)!).toBeLessThanOrEqual(1);
    }
  for (let columns = 0; columns < 300; columns++) {
    const overlay = overlayColumns(columns);
    expect(overlay).toBe(Math.min(columns, Math.max(27, Math.floor(columns / 3))));
    expect(columns - pinnedColumns(columns)).toBeGreaterThanOrEqual(Math.ceil(columns / 2));
    expect(pinnedColumns(columns)).toBe(Math.min(overlay, Math.floor(columns / 2)));
  }
});

test('what was written down and does not hold together is left aside', () => {
  for (const value of [null, 3, 'tree', [], {}, { open: 'tree' }]) expect(readStack(value)).toBeNull();
  expect(readStack({ open: ['tree', 'x', 'tree', 7], pinned: 'yes', unpinCloses: true })).toEqual({
    open: ['tree'],
    pinned: false,
    unpinCloses: false,
  });
  expect(readStack({ open: [], pinned: true })).toEqual(NO_STACK);
});
