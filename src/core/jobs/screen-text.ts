import { emptyTerminal, type ScreenLine, type TerminalScreen } from '../../base/terminal-screen.ts';

/** A job's terminal, until somebody looks and says how large theirs is. */
export const USUAL_SIZE = { columns: 100, rows: 30 } as const;

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/**
 * What a program left on its terminal, as text: what was overwritten and erased is gone, and so is every sequence that only
 * moves or colours. A row that was too short for its line is put together with the next.
 */
export function textOnScreen(written: string, size: Size = USUAL_SIZE): string {
  return linesOf(emptyTerminal(size.columns, size.rows, false).feed(written)).join('\n');
}

/** The same of what came after `before`: its lines from the first that is new or was changed. */
export function newOnScreen(before: string, written: string, size: Size = USUAL_SIZE): string {
  const then = emptyTerminal(size.columns, size.rows, false).feed(before);
  const now = then.feed(written);
  // What has scrolled out of what a terminal keeps cannot be compared.
  if (now.above.length > 0 && then.above.length > 0 && now.above[0] !== then.above[0])
    return textOnScreen(written, size);
  const [old, fresh] = [linesOf(then), linesOf(now)];
  const first = fresh.findIndex((line, at) => line !== old[at]);
  return first < 0 ? '' : fresh.slice(first).join('\n');
}

function linesOf({ above, lines }: TerminalScreen): string[] {
  const found: string[] = [];
  let begun = '';
  for (const row of [...above, ...lines]) {
    begun += textOf(row);
    if (row.at(-1)?.goesOn === true) continue;
    found.push(begun.trimEnd());
    begun = '';
  }
  if (begun !== '') found.push(begun.trimEnd());
  while (found.at(-1) === '') found.pop();
  return found;
}

const textOf = (row: ScreenLine): string => row.map((cell) => cell.text).join('');
