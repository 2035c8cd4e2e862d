/** What stands before a text: fields by name, and the text behind them. */
export interface FrontMatter {
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * The lines between two lines of dashes at the beginning of a file: `name: value` each. A value may go on in indented
 * lines, or in lines that begin with a dash. Null where there is no such beginning. Of a name that stands twice the last counts.
 */
export function frontMatterOf(text: string): FrontMatter | null {
  const [whole = '', block] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (block === undefined) return null;
  const fields = new Map<string, string>();
  let key = '';
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      key = name;
      fields.set(key, /^[>|][-+]?$/.test(value!.trim()) ? '' : unquote(value!.trim()));
    } else if (/^(?:\s+\S|-\s+\S)/.test(line) && key !== '') {
      fields.set(key, `${fields.get(key)} ${line.trim()}`.trim());
    }
  }
  return { fields, body: text.slice(whole.length).trim() };
}

/** A field that lists names: `a, b`, `[a, b]`, or a line with a dash for each. */
export function listed(value: string): readonly string[] {
  const inner = /^\[([\s\S]*)\]$/.exec(value.trim())?.[1] ?? value;
  const names = inner.split(/[\s,]+/).map(unquote);
  return [...new Set(names.filter((name) => name !== '' && name !== '-'))];
}

function unquote(value: string): string {
  const [, , inner] = /^(["'])(.*)\1$/.exec(value) ?? [];
  return inner ?? value;
}
