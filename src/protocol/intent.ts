import type { Json } from '../base/json.ts';
import type { Refusal } from '../base/refusal.ts';
import type { AskAnswer } from './ask.ts';
import type { Delivery, EntryId } from './entry.ts';
import type { Attachment, Effort, ModelRef, PermissionMode } from './message.ts';
import type { NewProvider } from './provider.ts';

/** What a front end can want. A new wish is a new variant here and one case in `handle-intent.ts`, never a new method. */
export type Intent =
  | {
      readonly type: 'say';
      /** Chosen by the client, unique for it: sending the same one again (after a lost link) says it once. */
      readonly ref: string;
      readonly text: string;
      readonly attachments: readonly NewAttachment[];
      readonly delivery: 'steering' | 'queue' | 'interrupt' | 'shell';
      /** The `!!` form: display only, never sent, never stored (DSH-3). */
      readonly private?: boolean;
      /**
       * With an interruption: everything that waits goes out together with it as one turn, in the order typed, up to the
       * first command or shell line (QUE-13). `text` may be empty then.
       */
      readonly together?: boolean;
    }
  /** Stops what runs. `pause` (Ctrl-C) holds what waits; `go-on` (Esc) lets the next one start (decisions §10.5). */
  | { readonly type: 'cancel'; readonly queue: 'pause' | 'go-on' }
  /** Stops one delegate, such as `d1.2`, and those below it; the turn goes on with what it reports (SEC-39). */
  | { readonly type: 'stop-delegate'; readonly delegate: string }
  /** Said to one delegate that runs: it reads it before its next request (SA-9). */
  | { readonly type: 'tell-delegate'; readonly delegate: string; readonly ref: string; readonly text: string }
  /** Takes back what one has not read; answers with `recalled`. `discard`: it is dropped instead. */
  | { readonly type: 'recall-delegate'; readonly delegate: string; readonly discard?: true }
  | { readonly type: 'answer'; readonly ask: string; readonly answer: AskAnswer }
  | {
      readonly type: 'command';
      readonly ref: string;
      readonly name: string;
      readonly argument: string;
      /** The client runs it itself; the session keeps its place in line and tells it when its turn has come (SC-5.9). */
      readonly here?: boolean;
      /** Of a command that says a prompt. */
      readonly delivery?: 'steering' | 'queue' | 'interrupt';
    }
  /** A command whose turn came is over: what waits behind it may go on. */
  | { readonly type: 'command-done'; readonly ref: string }
  | { readonly type: 'draft'; readonly draft: Draft }
  /** Refused with `draft-out-of-step` where another draft is kept than it was made from. */
  | { readonly type: 'draft-edit'; readonly edit: DraftEdit }
  | { readonly type: 'set-mode'; readonly mode: PermissionMode }
  | { readonly type: 'set-model'; readonly model: ModelRef | null; readonly effort: Effort | null }
  /** One level up or down among those the model has. */
  | { readonly type: 'adjust-effort'; readonly by: 1 | -1 }
  /** The next primary agent, or None behind the last one. */
  | { readonly type: 'cycle-agent' }
  /** A `ThinkingShown`; one this session does not know, of a newer client, changes nothing. */
  | { readonly type: 'set-thinking'; readonly mode: string }
  /** A prompt of this client went back into its box: stopped before anything came of it, it leaves the conversation (STOP-6). */
  | { readonly type: 'withdraw'; readonly ref: string }
  /** Takes waiting inputs back into the box; answers with `recalled`. */
  | { readonly type: 'recall'; readonly inputs: readonly EntryId[] | 'all' }
  | { readonly type: 'queue-resume' }
  | { readonly type: 'queue-discard'; readonly inputs: readonly EntryId[] | 'all' }
  | {
      readonly type: 'queue-edit';
      readonly input: EntryId;
      readonly text?: string;
      readonly delivery?: Delivery;
      readonly before?: EntryId | null;
    }
  /** To the sign-in that runs: the address the browser ended at; null gives it up. */
  | { readonly type: 'sign-in'; readonly ref: string; readonly redirect: string | null }
  /** Writes a provider of the person's own into the settings; answered once that is done or failed. */
  | { readonly type: 'connect-provider'; readonly provider: NewProvider; readonly replace: boolean }
  | { readonly type: 'retry' }
  | { readonly type: 'navigate'; readonly entry: EntryId; readonly edit: boolean }
  /** One question beside the conversation: end it, forget it, bring what was answered into the conversation, or it was read. */
  | {
      readonly type: 'aside';
      readonly id: number;
      readonly action: 'stop' | 'close' | 'merge' | 'summarize' | 'read';
      readonly ref: string;
      /** What a summary should look after. */
      readonly focus?: string;
    }
  /** `watch` sends what it prints as `job-output` changes; `remove` forgets one that has ended. */
  | {
      readonly type: 'job';
      readonly job: string;
      readonly action: 'stop' | 'background' | 'watch' | 'unwatch' | 'remove';
    }
  /** Keys for a job on a terminal, as that terminal would send them. */
  | { readonly type: 'job-input'; readonly job: string; readonly text: string }
  /** How large the terminal of a job is to be. */
  | { readonly type: 'job-size'; readonly job: string; readonly columns: number; readonly rows: number }
  | { readonly type: 'seen'; readonly refs: readonly string[] }
  /** Makes sure that there is a side conversation; refused with `no-side` where there can be none (SI-8). */
  | { readonly type: 'side-open' }
  /** The side conversation starts over: what it was stays on the disk (SI-6). Accepted once the new one stands. */
  | { readonly type: 'side-reset' }
  /** For the side conversation, as if it had been sent to it. */
  | { readonly type: 'side'; readonly intent: Intent }
  /** Ends the session's host after what runs was stopped and everything is on disk. */
  | { readonly type: 'end' }
  /** For extensions and bridges: forwarded to whoever registered the name. */
  | { readonly type: 'custom'; readonly name: string; readonly data: Json };

export type IntentType = Intent['type'];

export type Sent =
  | { readonly accepted: true; readonly value: IntentValue }
  | { readonly accepted: false; readonly refusal: Refusal };

/** What an intent may answer with. */
export type IntentValue =
  | null
  | { readonly kind: 'input'; readonly input: EntryId }
  | {
      readonly kind: 'recalled';
      readonly drafts: readonly { readonly text: string; readonly attachments: readonly Attachment[] }[];
    }
  /** How many of those named still waited and are gone. */
  | { readonly kind: 'discarded'; readonly count: number }
  | { readonly kind: 'draft'; readonly draft: Draft }
  /** The job a command began. */
  | { readonly kind: 'job'; readonly job: string };

/** Bytes a client attaches: inline as base64 (pictures pasted here), or already stored under its hash. */
export type NewAttachment =
  | { readonly kind: 'image' | 'file'; readonly name: string; readonly mediaType: string; readonly base64: string }
  | { readonly kind: 'stored'; readonly attachment: Attachment };

/** A half-written prompt, kept per client in the host (written, not flushed). `caret` counts UTF-16 units of `text`. */
export interface Draft {
  readonly text: string;
  readonly caret: number;
  /** What folded markers in `text` stand for, by their place: `at` counts UTF-16 units. */
  readonly folded: readonly FoldedText[];
  readonly shell: boolean;
}

export interface FoldedText {
  readonly at: number;
  readonly length: number;
  readonly kind: 'paste' | 'image' | 'file';
  readonly text: string;
  readonly attachment: NewAttachment | null;
}

/**
 * What changed of a long draft since it was told last: a client that keeps typing in a mebibyte sends the word, not the
 * mebibyte. Whoever holds another draft than it was made from refuses it, and is told the whole.
 */
export interface DraftEdit {
  /** UTF-16 units of the text it was made from. */
  readonly of: number;
  /** `removed` units at `at` become `inserted`. */
  readonly at: number;
  readonly removed: number;
  readonly inserted: string;
  readonly caret: number;
  /** All markers of the new text; a number stands for what that one of the old draft's markers held. */
  readonly folded: readonly (FoldedText | { readonly at: number; readonly length: number; readonly kept: number })[];
  readonly shell: boolean;
}
