/** Longest title, in characters. */
export const TITLE_LIMIT = 72;

/** A title out of what was first asked: its first line with words on it, cut at a word; null when it has none. */
export function titleOf(prompt: string): string | null {
  const line = prompt
    .split('\n')
    .map((each) => each.replace(/\s+/g, ' ').trim())
    .find((each) => each !== '');
  if (line === undefined) return null;
  const characters = [...line];
  if (characters.length <= TITLE_LIMIT) return line;
  const cut = characters.slice(0, TITLE_LIMIT - 1).join('');
  const word = cut.lastIndexOf(' ');
  return `${word > TITLE_LIMIT / 2 ? cut.slice(0, word) : cut}…`;
}
