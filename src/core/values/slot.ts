import type { Label } from '../../protocol/label.ts';
import type { Sealed } from './sealed.ts';

/** A file that is kept aside without being opened (SEC-8). */
export interface KeptFile {
  readonly path: string;
  /** Where it really was when it was asked for, links resolved. */
  readonly real: string;
  /** How to speak of it, where its name is content too: the reference it was named by. */
  readonly named?: string;
  /** Its media type, when its name says that it is a picture or document. */
  readonly picture?: string;
}

/** What lies in a slot. A file is opened when something needs its bytes, never before (SEC-8). */
export type SlotContent =
  | { readonly kind: 'text'; readonly sealed: Sealed<string> }
  | { readonly kind: 'bytes'; readonly sealed: Sealed<Uint8Array> }
  | { readonly kind: 'file'; readonly file: KeptFile };

/** One thing kept aside: written once, and all that may be said of it without reading it. */
export interface Slot {
  readonly ref: string;
  /** In words the driver may say: `the answer of example.org`. */
  readonly origin: string;
  readonly label: Label;
  /** `name`: only a name out of a listing, of a file or folder nobody looked into. */
  readonly form: 'text' | 'picture' | 'binary' | 'name';
  readonly mediaType: string;
  readonly content: SlotContent;
  /** Where more lies than `content` holds: the saved whole of a long output, absolute. */
  readonly whole: string | null;
  /** The command it is the output of; null for anything else. */
  readonly command: string | null;
  /** Where a processor's document may be written: to that file, or (path null) nowhere. Null for anything else. */
  readonly only: { readonly path: string | null } | null;
  /** What a processor said to the person about it. */
  readonly remark: Sealed<string> | null;
}

export type NewSlot = Omit<Slot, 'ref'>;

/** A slot that holds bytes or text and stands for nothing else. */
export function plainSlot(traits: Pick<NewSlot, 'origin' | 'label' | 'content'> & Partial<NewSlot>): NewSlot {
  return { form: 'text', mediaType: 'text/plain', whole: null, command: null, only: null, remark: null, ...traits };
}

/** The file a slot stands for: where a write may go (SEC-12). A document made by a processor stands for none. */
export function fileOf(slot: Slot): KeptFile | null {
  return slot.content.kind === 'file' ? slot.content.file : null;
}
