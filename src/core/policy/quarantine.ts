import type { Display } from '../../protocol/display.ts';
import { combineLabels, type Label, UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import { type Files, SystemError } from '../../system/files.ts';
import { derive, lower, type Sealed, seal } from '../values/sealed.ts';
import { fileOf, type KeptFile, type NewSlot, plainSlot, type Slot } from '../values/slot.ts';
import { opener } from './opener.ts';
import { resolvePath } from './resolve-path.ts';
import { type TrustMap, trusts } from './trust.ts';

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
  /** What else is known of the slot this becomes; content in it takes the place of the text. */
  readonly slot?: Partial<NewSlot>;
}

/**
 * A session's slots (write-once, `ref:N`, counted up for ever) and what its planner has been shown. Slots live in memory
 * only: nothing untrusted is written to the record (SEC-42).
 */
export interface Quarantine {
  present(result: Presentable): Presented;
  /** Puts something into a slot of its own without showing it. */
  keep(slot: NewSlot): Slot;
  /** Everything about a slot, null for a name that stands for nothing. */
  find(ref: string): Slot | null;
  /** A reference to a file, from its name and size alone; throws `SystemError` where it is no ordinary file of text. */
  keepFile(file: KeptFile): Promise<Presented>;
  /** The sealed content of a slot, null for a name that stands for nothing, or for a file not opened yet. */
  slot(ref: string): Sealed<string> | null;
  /** The file a reference stands for; null for any other: such a one is no destination (SEC-12). */
  fileOf(ref: string): KeptFile | null;
  /**
   * The sealed bytes a reference stands for; a file is opened only now. Null for a name that stands for nothing. Throws
   * `SystemError` `EPERM` when the file's path leads elsewhere than when it was asked for.
   */
  content(ref: string): Promise<Sealed<Uint8Array> | null>;
  /** The sealed bytes of a file that no reference stands for yet, for a question about it. */
  read(file: KeptFile): Promise<Sealed<Uint8Array> | null>;
  /** Whether a saved output belongs to anything but a result that was shown: `FactScope.isWithheld` asks this. */
  isWithheld(output: string): boolean;
  /** The whole of something shown may be read on: its saved output is no longer withheld. */
  showOutput(output: string): void;
  noteReleased(): void;
  readonly context: ContextIntegrity;
}

/** Falls, never rises (SEC-6). */
export interface ContextIntegrity {
  /** Whether something kept aside was shown after all: what the model writes may repeat it. */
  readonly released: boolean;
  readonly trusted: boolean;
  readonly privateShown: boolean;
}

/** Known from the journal when a session is resumed: results that were shown, and the highest slot number ever given. */
export interface QuarantineHistory {
  readonly shown: readonly Label[];
  readonly lastRef: number;
  /** Whether anything kept aside was ever shown to the model. */
  readonly released?: boolean;
  /** Saved outputs of results that were kept aside: never shown, whatever else is known. */
  readonly withheld?: readonly string[];
  /** Saved outputs of results that were shown. */
  readonly outputs?: readonly string[];
}

/** What opening a kept file takes. */
export interface QuarantineSources {
  readonly files: Pick<Files, 'open' | 'readRange' | 'realPath' | 'linkStat' | 'readLink'>;
  readonly trust: () => TrustMap;
}

/** Bytes looked at to tell text from what is no text. */
const SNIFFED = 4096;
const MOST_BYTES = 64 * 1024 * 1024;

export function createQuarantine(
  history: QuarantineHistory = { shown: [], lastRef: 0 },
  sources: QuarantineSources | null = null,
): Quarantine {
  const slots = new Map<string, Slot>();
  const withheld = new Set(history.withheld);
  const outputs = new Set(history.outputs);
  let lastRef = history.lastRef;
  let trusted = true;
  let privateShown = false;
  let released = history.released ?? false;

  function noteShown(label: Label): void {
    if (label.integrity === 'untrusted') trusted = false;
    if (label.confidentiality === 'private') privateShown = true;
  }
  for (const label of history.shown) noteShown(label);

  function keep(slot: NewSlot): Slot {
    const kept = Object.freeze({ ...slot, ref: `ref:${++lastRef}` });
    slots.set(kept.ref, kept);
    return kept;
  }

  async function readFile({ path, real }: KeptFile, label: Label): Promise<Sealed<Uint8Array> | null> {
    if (sources === null) return null;
    if ((await resolvePath(sources.files, path)) !== real)
      throw new SystemError('EPERM', 'the path now leads elsewhere than when it was asked for', path);
    const opened = await sources.files.open(real, { write: false, follow: false });
    try {
      const where = await opened.realPath();
      if (where !== null && where !== real)
        throw new SystemError('EPERM', 'the path now leads elsewhere than when it was asked for', path);
      const now: Label = {
        integrity: trusts(sources.trust(), real) ? 'trusted' : 'untrusted',
        confidentiality: 'private',
      };
      const sealed = seal(await opened.readAll(MOST_BYTES), now);
      // The lower of the two: whatever was answered since, asking for it made nothing better.
      return lower(sealed, combineLabels([now, label]));
    } finally {
      await opened.close();
    }
  }

  return {
    keep,
    find: (ref) => slots.get(ref) ?? null,
    present({ sealed, origin, ending, display, output, slot }) {
      const label = sealed.label;
      const text = opener.open(sealed);
      if (label.integrity === 'trusted') {
        noteShown(label);
        if (output) outputs.add(output);
        return { text, ref: null, label, display: relabel(display, label) };
      }
      const { ref } = keep(plainSlot({ origin, label, content: { kind: 'text', sealed }, ...slot }));
      if (output) withheld.add(output);
      const lines = countLines(text);
      const bytes = new TextEncoder().encode(text).length;
      const size = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${bytes} bytes`;
      return {
        text: sentence(ref, origin, ending, size, label),
        ref,
        label,
        display: { kind: 'quarantined', ref, origin, lines, bytes, preview: { text: '', label } },
      };
    },
    async keepFile(file) {
      if (sources === null) throw new SystemError('EPERM', 'nothing can be kept aside here', file.path);
      const { files } = sources;
      const opened = await files.open(file.real, { write: false, follow: false });
      const stat = await opened.stat().finally(() => opened.close());
      if (stat.kind === 'folder') throw new SystemError('EISDIR', 'this is a folder', file.path);
      if (stat.kind !== 'file') throw new SystemError('EPERM', 'not an ordinary file', file.path);
      const bytes = stat.size;
      const { picture } = file;
      const text = picture === undefined && !(await files.readRange(file.real, 0, SNIFFED)).includes(0);
      const label = UNTRUSTED_PRIVATE;
      const what = picture === undefined ? (text ? 'the content' : 'the content (binary)') : `the ${picture}`;
      const origin = `${what} of ${file.named ?? file.path}`;
      const form = picture === undefined ? (text ? 'text' : 'binary') : 'picture';
      const mediaType = picture ?? (text ? 'text/plain' : 'application/octet-stream');
      const { ref } = keep(plainSlot({ origin, label, form, mediaType, content: { kind: 'file', file } }));
      return {
        text: sentence(ref, origin, '', `${bytes} bytes, not opened`, label),
        ref,
        label,
        display: { kind: 'quarantined', ref, origin, lines: 0, bytes, preview: { text: '', label } },
      };
    },
    slot: (ref) => {
      const content = slots.get(ref)?.content;
      return content?.kind === 'text' ? content.sealed : null;
    },
    fileOf: (ref) => {
      const slot = slots.get(ref);
      return slot === undefined ? null : fileOf(slot);
    },
    read: (file) => readFile(file, UNTRUSTED_PRIVATE),
    async content(ref) {
      const slot = slots.get(ref);
      if (slot === undefined) return null;
      const { content } = slot;
      if (content.kind === 'bytes') return content.sealed;
      if (content.kind === 'text' && slot.whole === null)
        return derive([content.sealed], ([text = '']) => new TextEncoder().encode(text), opener);
      const whole = slot.whole ?? '';
      return readFile(content.kind === 'file' ? content.file : { path: whole, real: whole }, slot.label);
    },
    isWithheld: (output) => withheld.has(output) || !outputs.has(output),
    showOutput: (output) => void outputs.add(output),
    noteReleased: () => {
      released = true;
    },
    context: {
      get released() {
        return released;
      },
      get trusted() {
        return trusted;
      },
      get privateShown() {
        return privateShown;
      },
    },
  };
}

/** A tool cannot know how its content is labelled; what is drawn must. A file in a diff may be worse than the result. */
function relabel(display: Display, label: Label): Display {
  if (display.kind === 'text' || display.kind === 'terminal') return { ...display, label };
  if (display.kind !== 'diff') return display;
  const files = display.files.map((file) => {
    const own = combineLabels([file.label, label]);
    // Nothing untrusted is written to the record: the person saw it when asked, and sees it in the file.
    const shown = own.integrity === 'trusted' ? {} : { hunks: [], complete: false };
    return { ...file, ...shown, label: own };
  });
  return { ...display, files };
}

function sentence(ref: string, origin: string, ending: string, size: string, label: Label): string {
  const how = ending === '' ? '' : ` It ended with: ${ending}.`;
  return (
    `[${ref}: ${origin}, ${size}, ${label.integrity} and ${label.confidentiality}. Nobody has vouched for it, so it is kept aside and not shown to you.${how}` +
    ' You can name the reference, as the content of a file to write; you cannot read it. The person can see it.]'
  );
}

function countLines(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
