/**
 * A tool's text for the model without the lines that speak of tools it is not offered along with it (TOOL-1). `known`:
 * names of all tools there are.
 */
export function offeredText(description: string, offered: readonly string[], known: readonly string[]): string {
  const missing = known.filter((name) => !offered.includes(name));
  if (missing.length === 0) return description;
  const names = new RegExp(`\\b(?:${missing.join('|')})\\b`);
  return description
    .split('\n')
    .filter((line) => !names.test(line))
    .join('\n');
}
