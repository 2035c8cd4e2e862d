/** How a key moves what is read: by lines, half pages or pages, or to an end (SCR-2). */
export type Paging =
  | { readonly by: 'line' | 'half' | 'page' | 'prompt'; readonly direction: 1 | -1 }
  | { readonly to: 'first' | 'last' };

const KEYS: Readonly<Record<string, readonly string[]>> = {
  'line -': ['up', 'k', 'y', 'ctrl-p', 'ctrl-y'],
  'line +': ['down', 'j', 'e', 'ctrl-n', 'ctrl-e'],
  'half -': ['u', 'ctrl-u'],
  'half +': ['d', 'ctrl-d'],
  'page -': ['b', 'ctrl-b', 'pageup'],
  'page +': ['f', 'ctrl-f', 'pagedown', 'space'],
  'prompt -': ['{'],
  'prompt +': ['}'],
};
const FIRST = new Set(['g', '<', 'home', 'ctrl-home']);
const LAST = new Set(['G', 'shift-g', '>', 'end', 'ctrl-end']);

const BY_CHORD = new Map<string, Paging>(
  Object.entries(KEYS).flatMap(([name, chords]) => {
    const [by, sign] = name.split(' ') as ['line' | 'half' | 'page' | 'prompt', string];
    return chords.map((chord): [string, Paging] => [chord, { by, direction: sign === '+' ? 1 : -1 }]);
  }),
);

/** What a chord (or the character it types) means; null when it moves nothing. */
export function pagingOf(chord: string, text: string | null): Paging | null {
  const key = text !== null && text.trim() !== '' ? text : chord;
  if (FIRST.has(key)) return { to: 'first' };
  if (LAST.has(key)) return { to: 'last' };
  return BY_CHORD.get(key) ?? null;
}

/** Rows of one step. */
export function stepRows(by: 'line' | 'half' | 'page', window: number): number {
  return by === 'line' ? 1 : by === 'half' ? Math.max(1, Math.floor(window / 2)) : Math.max(1, window);
}

/** Counts above this are held there. */
const MOST = 1000;

/** A count with one more digit; null where the digit begins none. */
export function counted(count: number | null, text: string | null): number | null {
  if (text === null || !/^[0-9]$/.test(text) || (count === null && text === '0')) return null;
  return Math.min(MOST, (count ?? 0) * 10 + Number(text));
}
