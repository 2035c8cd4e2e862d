import type { Label } from './label.ts';

/**
 * One thing a tool call would do, as its plan states it. Paths are absolute. The policy decides on effects, never on a
 * tool's name; a grant is bound to exactly these values.
 */
export type Effect =
  | {
      readonly kind: 'read';
      readonly path: string;
      readonly label: Label;
      /** The reference the path was named by: then the name itself is content nobody vouched for. */
      readonly ref?: string;
    }
  /** Reading names or contents of everything below a folder (list, find, search). */
  | { readonly kind: 'walk'; readonly path: string; readonly contents: boolean; readonly label: Label }
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly content: WriteContent;
      /** Of the content. */
      readonly label: Label;
      /** The reference the path was named by: such a write is asked about whatever else is true (SEC-12). */
      readonly ref?: string;
    }
  | {
      readonly kind: 'run';
      /** The line bash would run, verbatim. */
      readonly line: string;
      readonly folder: string;
      readonly background: boolean;
      readonly terminal: boolean;
      readonly timeoutMs: number;
      readonly label: Label;
      /** Kept-aside bytes it is given to read. */
      readonly input?: { readonly ref: string; readonly label: Label };
    }
  | { readonly kind: 'network'; readonly url: string; readonly host: string; readonly label: Label }
  | { readonly kind: 'delegate'; readonly agent: string; readonly task: string; readonly label: Label }
  | {
      readonly kind: 'external';
      readonly server: string;
      readonly tool: string;
      /** What was agreed to under these names: an answer for later holds for that alone. */
      readonly pinned?: string;
      /** What the model writes may repeat what was released to it: asked about every single time (SEC-13). */
      readonly repeats?: true;
      readonly label: Label;
    }
  /** Showing the model what was kept aside: the output of a command, or one slot after a look at it. */
  | {
      readonly kind: 'release';
      readonly ref: string;
      readonly how: 'output' | 'vet';
      /** What the model says it should be. */
      readonly expects?: string;
      readonly label: Label;
    }
  /** Starting a program of ours that stays for the session, such as a language server. */
  | { readonly kind: 'service'; readonly language: string; readonly program: string; readonly label: Label }
  /** Asking the person, or changing the session's own list of things to do: no effect outside the session. */
  | { readonly kind: 'question'; readonly label: Label }
  | { readonly kind: 'session'; readonly what: string; readonly label: Label };

/** What a write would leave behind: enough to show it exactly and to bind the approval to it. */
export interface WriteContent {
  readonly change: 'create' | 'overwrite' | 'edit';
  /** SHA-256 (hex) of the bytes the file held when the plan was made; null for a new file. */
  readonly before: string | null;
  /** SHA-256 (hex) of the bytes it would hold. */
  readonly after: string;
  readonly bytes: number;
  /** What new in it looks like a credential, in words that hold no value; absent for nothing. */
  readonly keys?: { readonly declared: readonly string[]; readonly likely: readonly string[] };
}
