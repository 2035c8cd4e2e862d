import type { Aside } from './aside.ts';
import type { Ask } from './ask.ts';
import type { DelegateAct, DelegateRow } from './delegate.ts';
import type { Effect } from './effect.ts';
import type { Entry } from './entry.ts';
import type { Draft } from './intent.ts';
import type { SignIn } from './provider.ts';
import type { Activity, CallState, Head, HookRow, InputOutcome, JobRow, View } from './view.ts';

/** What changed, numbered without gaps per session. A client that sees a gap attaches again. */
export interface Update {
  readonly seq: number;
  readonly changes: readonly Change[];
}

export type Change =
  /** The whole View (then `seq` is its number), and this client's own draft. First on attach, and for a client that fell behind. */
  | { readonly type: 'snapshot'; readonly view: View; readonly draft: Draft | null }
  /** A journal entry was written (flushed, where its class says so): the reducer folds it. */
  | { readonly type: 'entry'; readonly entry: Entry }
  /** More of the streamed message; a delta only appends. `part` numbers the parts of this message from 0. */
  | { readonly type: 'delta'; readonly part: number; readonly kind: 'text' | 'thinking'; readonly text: string }
  | {
      readonly type: 'live-call';
      readonly part: number;
      readonly call: string;
      readonly tool: string;
      readonly title: string;
      readonly inputBytes: number;
    }
  | { readonly type: 'live-start'; readonly turn: number; readonly round: number }
  /** The streamed message is void (its try failed and starts again, or it was stopped before anything was kept). */
  | { readonly type: 'live-end' }
  | {
      readonly type: 'call';
      readonly call: string;
      readonly state: CallState;
      readonly title?: string;
      readonly effects?: readonly Effect[];
      readonly started?: number;
    }
  /** More output of a running call, or (`whole`) all there is to show in place of it; the View keeps its last 16 KiB. */
  | { readonly type: 'call-output'; readonly call: string; readonly text: string; readonly whole?: boolean }
  /** A delegate began, or what is said of it (all but its acts) changed. */
  | { readonly type: 'delegate'; readonly delegate: Omit<DelegateRow, 'acts' | 'count'> }
  | { readonly type: 'delegate-act'; readonly name: string; readonly act: DelegateAct }
  /** A hook began to run for a call; its `hook` entry closes it. */
  | { readonly type: 'hook'; readonly call: string; readonly row: HookRow }
  | { readonly type: 'activity'; readonly activity: Activity }
  | { readonly type: 'head'; readonly head: Partial<Head> }
  | { readonly type: 'ask'; readonly ask: Ask }
  | { readonly type: 'ask-closed'; readonly ask: string; readonly by: string; readonly answer: string }
  | { readonly type: 'outcome'; readonly outcome: InputOutcome }
  | { readonly type: 'outcomes-seen'; readonly client: string; readonly refs: readonly string[] }
  | { readonly type: 'jobs'; readonly jobs: readonly JobRow[] }
  /** More of what a watched job printed, or (`whole`) the end of all it did so far. For whoever watches it. */
  | { readonly type: 'job-output'; readonly job: string; readonly text: string; readonly whole: boolean }
  /** A question beside the conversation came or changed; an older one of the same number is replaced. */
  | { readonly type: 'aside'; readonly aside: Aside }
  | { readonly type: 'aside-gone'; readonly id: number }
  /** More of the answer that is arriving. */
  | { readonly type: 'aside-text'; readonly id: number; readonly text: string }
  /** A sign-in began, went on, or (null) is over; its command's outcome says how. */
  | { readonly type: 'sign-in'; readonly signIn: SignIn | null }
  /** The branch shown is now another one (tree moved, another session opened): items from here on are read anew. */
  | { readonly type: 'branch'; readonly view: View }
  /** For one client: a transient line. What a command answers with beside a turn is written as a note once that is over. */
  | {
      readonly type: 'flash';
      readonly client: string | null;
      readonly level: 'info' | 'warning' | 'error';
      readonly text: string;
    }
  /** For one client: its command's turn has come and it runs it itself (SC-5.9). */
  | {
      readonly type: 'your-turn';
      readonly client: string;
      readonly ref: string;
      readonly name: string;
      readonly argument: string;
    }
  /** The host is going away; `why` says whether it can be attached again. */
  | { readonly type: 'closed'; readonly why: 'ended' | 'restarting' | 'idle' | 'crashed' };
