import type { FileDiff } from './display.ts';
import type { Effect } from './effect.ts';
import type { Shown } from './label.ts';

/**
 * A question to the person is state: it stands in the View until an `answer` intent takes it away, survives detaching,
 * and the first of several clients to answer wins. With `for` it concerns one client and ends when that client is lost.
 */
export interface Ask {
  readonly id: string;
  readonly for: string | null;
  /** Who asks: empty for the session's own turn, `d1.2` for a delegate (SEC-38). */
  readonly origin: string;
  readonly call: string | null;
  readonly time: number;
  readonly body: AskBody;
  /** Neither its words nor its answer are written down, or told to others. */
  readonly unkept?: true;
}

export type AskBody =
  | {
      readonly kind: 'permission';
      /** One line, such as `Run a command` or `Edit src/a.ts`. */
      readonly title: string;
      readonly why: string | null;
      readonly effects: readonly Effect[];
      /** Exactly what is decided on; an approving key counts only once every row was drawn (PR-7). */
      readonly rows: readonly AskRow[];
      readonly diffs: readonly FileDiff[];
      readonly choices: readonly AskChoice[];
      /** Of a command: what the model would be given of its output; the `output` of an answer says otherwise. */
      readonly output?: 'text' | 'ref';
    }
  | { readonly kind: 'questions'; readonly questions: readonly Question[] }
  | {
      readonly kind: 'trust';
      readonly folder: string;
      readonly rows: readonly AskRow[];
      readonly choices: readonly AskChoice[];
    };

export interface AskRow {
  readonly role: 'line' | 'path' | 'reason' | 'warning' | 'content';
  readonly shown: Shown;
}

export interface AskChoice {
  /** One lower-case letter. */
  readonly key: string;
  readonly name: 'once' | 'session' | 'remember' | 'no' | 'trust' | 'distrust' | 'leave';
  readonly label: string;
  /** Approving choices are guarded: never by Enter, never by a paste, never while the person is typing (UP-15). */
  readonly approves: boolean;
  /** The second of two choices named `session` or `remember`, which its answer must repeat: covers the wider pattern its label spells out, not just the exact line. */
  readonly wide?: boolean;
}

export interface Question {
  readonly question: string;
  readonly options: readonly string[];
  readonly many: boolean;
}

export type AskAnswer =
  | {
      readonly kind: 'choice';
      readonly choice: AskChoice['name'];
      readonly output?: 'text' | 'ref';
      readonly note?: string;
      readonly wide?: boolean;
    }
  /** One list of chosen or typed answers a question; an empty list is a skipped one. */
  | { readonly kind: 'answers'; readonly answers: readonly (readonly string[])[] };
