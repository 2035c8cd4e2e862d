import type { Display } from '../../protocol/display.ts';
import type { Label } from '../../protocol/label.ts';
import type { Sealed } from '../values/sealed.ts';
import { opener } from './opener.ts';

/** What a result becomes for the model and for people: decided once, here (SEC-7). */
export interface Presented {
  /** For the model: the text, or the sentence that stands for it. */
  readonly text: string;
  readonly ref: string | null;
  readonly label: Label;
  readonly display: Display;
}

export interface Presentable {
  readonly sealed: Sealed<string>;
  /** What the content is, from values the driver may name, such as `the output of the command` (never content). */
  readonly origin: string;
  /** How it ended, when that is known without reading it: `exit 0`. Empty for nothing to say. */
  readonly ending: string;
  readonly display: Display;
  /** Where the whole lies in `outputs/`: kept aside together with the text. */
  readonly output?: string | null;
}

/**
 * A session's slots (write-once, `ref:N`, counted up for ever) and what its planner has been shown. Slots live in memory
 * only: nothing untrusted is written to the record (SEC-42).
 */
export interface Quarantine {
  present(result: Presentable): Presented;
  /** The sealed content of a slot, null for a name that stands for nothing. */
  slot(ref: string): Sealed<string> | null;
  /** Whether a saved output belongs to a result that was kept aside: `FactScope.isWithheld` asks this. */
  isWithheld(output: string): boolean;
  readonly context: ContextIntegrity;
}

/** Falls, never rises (SEC-6). */
export interface ContextIntegrity {
  readonly trusted: boolean;
  readonly privateShown: boolean;
}

/** Known from the journal when a session is resumed: results that were shown, and the highest slot number ever given. */
export interface QuarantineHistory {
  readonly shown: readonly Label[];
  readonly lastRef: number;
  /** Saved outputs of results that were kept aside. */
  readonly withheld?: readonly string[];
}

export function createQuarantine(history: QuarantineHistory = { shown: [], lastRef: 0 }): Quarantine {
  const slots = new Map<string, Sealed<string>>();
  const withheld = new Set(history.withheld);
  let lastRef = history.lastRef;
  let trusted = true;
  let privateShown = false;

  function noteShown(label: Label): void {
    if (label.integrity === 'untrusted') trusted = false;
    if (label.confidentiality === 'private') privateShown = true;
  }
  for (const label of history.shown) noteShown(label);

  return {
    present({ sealed, origin, ending, display, output }) {
      const label = sealed.label;
      const text = opener.open(sealed);
      if (label.integrity === 'trusted') {
        noteShown(label);
        return { text, ref: null, label, display: relabel(display, label) };
      }
      const ref = `ref:${++lastRef}`;
      slots.set(ref, sealed);
      if (output) withheld.add(output);
      const lines = countLines(text);
      const bytes = new TextEncoder().encode(text).length;
      return {
        text: sentence(ref, origin, ending, lines, bytes),
        ref,
        label,
        display: { kind: 'quarantined', ref, origin, lines, bytes, preview: { text: '', label } },
      };
    },
    isWithheld: (output) => withheld.has(output),
    slot: (ref) => slots.get(ref) ?? null,
    context: {
      get trusted() {
        return trusted;
      },
      get privateShown() {
        return privateShown;
      },
    },
  };
}

/** A tool cannot know how its content is labelled; what is drawn must. */
function relabel(display: Display, label: Label): Display {
  if (display.kind === 'text' || display.kind === 'terminal') return { ...display, label };
  if (display.kind === 'diff') return { ...display, files: display.files.map((file) => ({ ...file, label })) };
  return display;
}

function sentence(ref: string, origin: string, ending: string, lines: number, bytes: number): string {
  const size = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${bytes} bytes`;
  const how = ending === '' ? '' : ` It ended with: ${ending}.`;
  return (
    `[${ref}: ${origin}, ${size}, untrusted and private. Nobody has vouched for it, so it is kept aside and not shown to you.${how}` +
    ' You can name the reference; you cannot read it. The person can see it and may decide to release it.]'
  );
}

function countLines(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
