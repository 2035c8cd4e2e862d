import type { Display } from '../../protocol/display.ts';
import { UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import { keepStart } from './limit-output.ts';

const MOST_LINES = 40;
const MOST_BYTES = 4 * 1024;

/** The first lines for a card; the rest is read in the detail view. The label is set by whoever presents the result. */
export function textDisplay(lines: readonly string[], totalLines: number, language?: string): Display {
  const text = keepStart(lines.slice(0, MOST_LINES).join('\n'), MOST_BYTES);
  return {
    kind: 'text',
    text,
    end: 'head',
    totalLines,
    ...(language === undefined ? {} : { language }),
    label: UNTRUSTED_PRIVATE,
  };
}
