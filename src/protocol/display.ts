import type { Label, Shown } from './label.ts';

/** How a result wants to be shown. A front end draws by this kind and never compares a tool's name. */
export type Display =
  | { readonly kind: 'none' }
  /** Lines of text. `end` says which end matters when only an excerpt fits: first five of a read, last five of a command. */
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly end: 'head' | 'tail';
      readonly totalLines: number;
      readonly language?: string;
      readonly label: Label;
    }
  | {
      readonly kind: 'terminal';
      readonly command: string;
      /** Last lines only; the whole output is read with the `output` query. */
      readonly tail: string;
      readonly totalLines: number;
      readonly totalBytes: number;
      readonly exit: number | null;
      readonly endedBy: 'exit' | 'signal' | 'timeout' | 'stopped' | 'background';
      readonly label: Label;
    }
  | { readonly kind: 'diff'; readonly files: readonly FileDiff[] }
  | { readonly kind: 'todo'; readonly items: readonly TodoItem[] }
  | { readonly kind: 'answer'; readonly question: string; readonly answer: string }
  /** Bytes that were kept from the model: what is known about them without reading them (SEC-7). */
  | {
      readonly kind: 'quarantined';
      readonly ref: string;
      readonly origin: string;
      readonly lines: number;
      readonly bytes: number;
      readonly preview: Shown;
    };

export interface FileDiff {
  readonly path: string;
  readonly change: 'create' | 'overwrite' | 'edit' | 'delete';
  readonly added: number;
  readonly removed: number;
  /** Cut to a bound; `complete` says whether these are all hunks. */
  readonly hunks: readonly DiffHunk[];
  readonly complete: boolean;
  readonly label: Label;
}

export interface DiffHunk {
  readonly oldStart: number;
  readonly newStart: number;
  /** Each line with its mark in the first column: ' ', '+' or '-'; '\\' for "no newline at end of file". */
  readonly lines: readonly string[];
}

export interface TodoItem {
  readonly text: string;
  readonly state: 'pending' | 'active' | 'done' | 'cancelled';
}
