const MOST_ITEMS = 16;
const MOST_CHARACTERS = 4 * 1024;
const MOST_IN_ALL = 16 * 1024;
const CUT = '[cut]';

/** What a hook prints for the model: `{"context": ["…"]}`, or any other text as one item. Within bounds, however much it is. */
export function injectedItems(printed: string): string[] {
  const texts = itemsOf(printed.trim()).map((text) => text.trim());
  const items: string[] = [];
  let room = MOST_IN_ALL;
  for (const text of texts.filter((one) => one !== '').slice(0, MOST_ITEMS)) {
    const most = Math.min(MOST_CHARACTERS, room);
    if (most <= 0) break;
    items.push((text.length > most ? `${text.slice(0, most)}\n${CUT}` : text).toWellFormed());
    room -= text.length;
  }
  return items;
}

function itemsOf(printed: string): readonly string[] {
  if (!printed.startsWith('{')) return [printed];
  try {
    const { context } = JSON.parse(printed) as { readonly context?: unknown };
    if (!Array.isArray(context)) return [printed];
    return context.filter((item): item is string => typeof item === 'string');
  } catch {
    return [printed];
  }
}
