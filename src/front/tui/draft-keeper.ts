import type { DraftEdit, Intent, Sent } from '../../protocol/intent.ts';
import { draftOf } from './editor/draft.ts';
import type { Buffer } from './editor/editor.ts';

/** A draft is told to the session this long after the last key, in ms, and at the latest so long after the first. */
const QUIET = 300;
const LATEST = 2000;
/** From this size on only what changed is told. UTF-16 units, with what markers stand for. */
const LARGE = 16 * 1024;

export interface Written {
  readonly buffer: Buffer;
  readonly shell: boolean;
}

export interface DraftKeeperParts {
  readonly now: () => number;
  readonly after: (ms: number, work: () => void) => () => void;
  readonly send: (intent: Intent) => Promise<Sent>;
  /** What was told did not arrive: it counts as unsaved again. */
  readonly onFailed: () => void;
}

/** Keeps the session's copy of the draft: what was typed outlives this process (UP-14). One timer while something is unsaved. */
export class DraftKeeper {
  readonly #parts: DraftKeeperParts;
  /** What the session holds for sure; null while that is not known. */
  #told: Written | null = null;
  #waiting: Written | null = null;
  #since = 0;
  #cancel: (() => void) | null = null;

  constructor(parts: DraftKeeperParts) {
    this.#parts = parts;
  }

  /** The box holds something else now. */
  changed(written: Written, then: () => void): void {
    const { now, after } = this.#parts;
    if (this.#waiting?.buffer === written.buffer && this.#waiting.shell === written.shell) return;
    if (this.#waiting === null) this.#since = now();
    this.#waiting = written;
    this.#cancel?.();
    this.#cancel = after(Math.max(0, Math.min(QUIET, this.#since + LATEST - now())), () => {
      this.stop();
      then();
    });
  }

  /** Tells it now. */
  tell(written: Written): void {
    this.stop();
    const edit = this.#told === null ? null : editBetween(this.#told, written);
    this.#told = null;
    if (edit === null) this.#send({ type: 'draft', draft: draftOf(written.buffer, written.shell) }, written);
    else this.#send({ type: 'draft-edit', edit }, written);
  }

  /** The session may hold another one than was told: it starts anew, or was lost and found. */
  forget(): void {
    this.#told = null;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#waiting = null;
  }

  #send(intent: Intent, written: Written): void {
    this.#parts.send(intent).then(
      (sent) => {
        if (sent.accepted) this.#told = written;
        else if (intent.type === 'draft-edit') this.tell(written);
      },
      () => this.#parts.onFailed(),
    );
  }
}

/** Null where the whole is as short, or where nothing is known to be held. */
function editBetween(told: Written, { buffer, shell }: Written): DraftEdit | null {
  if (told.buffer.text.length === 0 || sizeOf(buffer) < LARGE) return null;
  const old = told.buffer;
  const at = old.text.commonStart(buffer.text);
  const end = old.text.commonEnd(buffer.text, at);
  const folded = buffer.atoms.map(({ from, to, kind, payload, attachment }) => {
    const kept = old.atoms.findIndex(
      (atom) => atom.kind === kind && atom.payload === payload && atom.attachment === attachment,
    );
    const place = { at: from, length: to - from };
    return kept >= 0 ? { ...place, kept } : { ...place, kind, text: payload, attachment };
  });
  return {
    of: old.text.length,
    at,
    removed: old.text.length - end - at,
    inserted: buffer.text.slice(at, buffer.text.length - end),
    caret: buffer.caret,
    folded,
    shell,
  };
}

function sizeOf({ text, atoms }: Buffer): number {
  return atoms.reduce((sum, { payload, attachment }) => {
    const bytes = attachment === null || attachment.kind === 'stored' ? 0 : attachment.base64.length;
    return sum + payload.length + bytes;
  }, text.length);
}
