/** The panels of the column at the right edge, in the order of their keys. */
export const PANELS = ['tree', 'files', 'summary'] as const;

export type PanelName = (typeof PANELS)[number];

/** Which panels are open and how they stand: a value, kept over restarts (LA-23). */
export interface PanelStack {
  /** From top to bottom, in the order they were opened. */
  readonly open: readonly PanelName[];
  /** In a column of their own beside the transcript; else they lie over it. */
  readonly pinned: boolean;
  /** Pinning opened them, so that unpinning closes them again (LA-16). */
  readonly unpinCloses: boolean;
}

export const NO_STACK: PanelStack = { open: [], pinned: false, unpinCloses: false };

export function isPanel(name: string): name is PanelName {
  return PANELS.some((panel) => panel === name);
}

/** Opens a panel below the others, or closes it; the last one that closes takes the pin with it (LA-9, LA-18). */
export function togglePanel(stack: PanelStack, name: PanelName): PanelStack {
  if (!stack.open.includes(name)) return { ...stack, open: [...stack.open, name] };
  const open = stack.open.filter((one) => one !== name);
  return open.length === 0 ? NO_STACK : { ...stack, open };
}

/** All of them beside the transcript, or over it again; pinning none opens all until they are let go (LA-15..LA-17). */
export function togglePin(stack: PanelStack): PanelStack {
  if (stack.pinned) return stack.unpinCloses ? NO_STACK : { ...stack, pinned: false };
  if (stack.open.length === 0) return { open: PANELS, pinned: true, unpinCloses: true };
  return { ...stack, pinned: true, unpinCloses: false };
}

/** The panel that Esc closes: the focused one, else the one opened last; none of those that are pinned (LA-12, LA-21). */
export function escapedPanel(stack: PanelStack, focus: string): PanelName | null {
  if (stack.pinned) return null;
  return isPanel(focus) && stack.open.includes(focus) ? focus : (stack.open.at(-1) ?? null);
}

/** What comes after `focus` on the way round: pinned panels from top to bottom, then the prompt (LA-26). */
export function panelAfter(stack: PanelStack, focus: string): PanelName | 'prompt' {
  if (!stack.pinned) return 'prompt';
  const place = stack.open.indexOf(focus as PanelName);
  return stack.open[place + 1] ?? 'prompt';
}

/** Rows of each panel, top to bottom: equal, what is left over to the topmost ones (LA-9). */
export function panelHeights(count: number, rows: number): number[] {
  const each = Math.floor(rows / Math.max(1, count));
  return Array.from({ length: count }, (_, place) => each + (place < rows - each * count ? 1 : 0));
}

const LEAST_COLUMNS = 27;

/** A third of the transcript, at least 27 columns, never more than there are (LA-7). */
export function overlayColumns(transcript: number): number {
  return Math.min(Math.max(LEAST_COLUMNS, Math.floor(transcript / 3)), Math.max(0, transcript));
}

/** Pinned, the transcript keeps half of the body at least (LA-19). */
export function pinnedColumns(body: number): number {
  return Math.min(overlayColumns(body), Math.floor(Math.max(0, body) / 2));
}

/** A stack as it was written down, without what does not hold together. */
export function readStack(value: unknown): PanelStack | null {
  if (typeof value !== 'object' || value === null) return null;
  const { open, pinned, unpinCloses } = value as Readonly<Record<string, unknown>>;
  if (!Array.isArray(open)) return null;
  const known = [...new Set<unknown>(open)].filter((one): one is PanelName => typeof one === 'string' && isPanel(one));
  if (known.length === 0) return NO_STACK;
  return { open: known, pinned: pinned === true, unpinCloses: pinned === true && unpinCloses === true };
}
