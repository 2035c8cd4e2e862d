import type { Aside } from './aside.ts';
import type { Ask } from './ask.ts';
import type { CommandGroup } from './command.ts';
import type { DelegateRow } from './delegate.ts';
import type { Display, TodoItem } from './display.ts';
import type { Effect } from './effect.ts';
import type {
  Delivery,
  EntryId,
  HookInjected,
  HookRan,
  HookStatus,
  QueuePause,
  ResultOutcome,
  TurnEndReason,
} from './entry.ts';
import type { Failure } from './failure.ts';
import type {
  Attachment,
  Effort,
  ModelRef,
  PermissionMode,
  StopReason,
  Target,
  ThinkingShown,
  Totals,
} from './message.ts';
import type { SignIn } from './provider.ts';
import type { Standing } from './standing.ts';
import type { QuotaFigure } from './usage.ts';

/**
 * Everything a front end draws. Moved only by `apply` (reduce.ts), in the host and in every client alike. The transcript
 * is windowed: `items` holds the newest ones, from number `first` on; older ones come by the `page` query.
 */
export interface View {
  seq: number;
  head: Head;
  transcript: Transcript;
  /** The message being streamed right now; closed by its `assistant` entry. */
  live: LiveMessage | null;
  activity: Activity;
  asks: Ask[];
  queue: Queue;
  todo: TodoItem[];
  outcomes: InputOutcome[];
  jobs: JobRow[];
  /** Questions beside the conversation, oldest first. */
  asides: Aside[];
  /** The sign-in that runs; null for none. */
  signIn: SignIn | null;
  /** Those that were started since this session was opened, in that order; missing: none was. */
  delegates?: DelegateRow[];
}

export interface Head {
  session: string;
  /** Empty until something named it. */
  title: string;
  folder: string;
  gitBranch: string | null;
  home: string | null;
  model: ModelRef | null;
  pendingModel: ModelRef | null;
  /** The last turn that ran on a model or effort of its own. */
  elsewhere?: number;
  effort: Effort;
  mode: PermissionMode;
  /** Whom the person talks with, by the name of a profile; null or missing: Houston itself. */
  agent?: string | null;
  /** Whether bypass may be reached with the mode key: only if the command line asked for it. */
  bypassOffered: boolean;
  contextWindow: number | null;
  /** Whether requests ask for the faster, dearer service (`/fast`), and whether this model offers it. */
  fast?: { on: boolean; offered: boolean };
  /** How readable thinking is shown (`/thinking`); missing: in the transcript. */
  thinking?: ThinkingShown;
  /** What the model is told by files: instructions (absolute), and skills by name; missing until they were looked for. */
  told?: { readonly instructions: readonly string[]; readonly skills: readonly string[] };
  /** What starts turns by itself: a loop, a goal, watched files; missing: nothing does. */
  standing?: Standing;
  /** How much of an account's allowance is used; missing or null: nothing to show. */
  quota?: QuotaFigure | null;
  /** Share of the window at which compaction fires, 0-1; null when automatic compaction is off. */
  compactAt: number | null;
  /** Input tokens of the last request (fresh + cache), null before any. */
  contextTokens: number | null;
  totals: Totals;
  /** Milliseconds of finished active intervals; add now - activity.since while active. */
  activeTime: number;
  /** A turn that ended left decisions to look at. */
  trail?: true;
  /** `null` when every word is on disk; else why not (disk full, no home, incognito). */
  notSaved: string | null;
  /** While the disk takes nothing: what keeps it, that nothing is lost, and when it is tried again. */
  waitsForDisk?: string | null;
  /** False until prompts can be executed; what is said before then waits. */
  ready: boolean;
  startupProblem: { identifier: string; message: string } | null;
  sandbox: string;
  version: string;
  /** Commands the session itself runs, for completion and help. */
  commands: SessionCommand[];
}

export interface SessionCommand {
  readonly name: string;
  /** What it is about; `Session` where it is not said. */
  readonly group?: CommandGroup;
  readonly argument: string;
  /** Words behind it are refused; else, where it takes none, they make it a prompt. */
  readonly alone?: true;
  readonly description: string;
  /** Other names of it, all free. */
  readonly aliases?: readonly string[];
  /** It says a prompt: it is sent the way prompts are. */
  readonly says?: true;
  /** Mid-turn: at once, or as an item of the queue; `after` where it is not said. */
  readonly during?: 'now' | 'after';
}

export interface Transcript {
  /** How many items exist on the branch. */
  total: number;
  /** Number of `items[0]`; items before it are read by page. */
  first: number;
  items: Item[];
  /** Goes up by one whenever items before the tail changed as a whole (branch moved, another session). */
  generation: number;
}

export type Item = { readonly id: string; readonly entry: EntryId; readonly time: number; revision: number } & ItemBody;

export type ItemBody =
  | {
      kind: 'user';
      text: string;
      attachments: readonly Attachment[];
      as: 'prompt' | 'steering' | 'shell' | 'wake' | 'resend';
      turn: number;
      stopped: boolean;
      target?: Target;
    }
  | { kind: 'assistant'; text: string; turn: number; stop: StopReason }
  | { kind: 'thinking'; text: string; turn: number }
  | {
      kind: 'call';
      call: string;
      tool: string;
      title: string;
      state: CallState;
      /** Why the model says it calls (its own `why` argument), dim. */
      why: string | null;
      input: unknown;
      effects: readonly Effect[];
      display: Display;
      /** Text handed to the model, for the detail view; empty until there is a result. */
      text: string;
      output: string | null;
      job: string | null;
      /** Streamed output while it runs: last part only. */
      tail: string;
      started: number | null;
      duration: number | null;
      turn: number;
      /** Hooks that run or ran before and after it; missing: none. */
      hooks?: readonly HookRow[];
    }
  /** What a hook told the model. Shown where the person wants to see it. */
  | ({ kind: 'hook'; turn: number; injected: HookInjected } & Pick<
      HookRan,
      'phase' | 'label' | 'tool' | 'call' | 'status'
    >)
  | { kind: 'note'; level: 'info' | 'warning' | 'error'; identifier: string; text: string }
  | {
      kind: 'turn-end';
      turn: number;
      reason: TurnEndReason;
      failure: Failure | null;
      message: string | null;
      /** Where more of what failed is kept; missing: nowhere. */
      more?: string;
      duration: number;
      usage: Totals;
    }
  | {
      kind: 'compaction';
      summary: string;
      tokensBefore: number | null;
      tokensAfter: number | null;
      /** What it had to fit in when it ran; null for no limit, missing where it was not written down. */
      budget?: number | null;
    };

export interface HookRow extends Pick<HookRan, 'hook' | 'phase' | 'label' | 'text'> {
  readonly status: HookStatus | 'running';
  readonly duration: number | null;
}

export type ItemOf<K extends ItemBody['kind']> = Extract<Item, { kind: K }>;

export type CallState = 'writing' | 'waiting' | 'asking' | 'running' | ResultOutcome;

export interface LiveMessage {
  turn: number;
  round: number;
  parts: LivePart[];
  /** Output tokens so far, estimated where the service does not say. */
  tokens: number;
}

export type LivePart =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'call'; call: string; tool: string; title: string; inputBytes: number };

export interface Activity {
  phase:
    | 'starting'
    | 'idle'
    | 'waiting'
    | 'thinking'
    | 'writing'
    | 'tools'
    | 'asking'
    | 'retrying'
    | 'sleeping'
    | 'compacting'
    | 'shell'
    /** A command of the session's own that takes its time. */
    | 'command'
    | 'stopping';
  turn: number | null;
  /** When the running turn began, ms since the epoch; null when idle. */
  since: number | null;
  detail: string;
  retry: { at: number; attempt: number; attempts: number; failure: Failure } | null;
}

export interface Queue {
  paused: QueuePause | null;
  rows: QueueRow[];
}

export interface QueueRow {
  id: EntryId;
  client: string;
  ref: string;
  text: string;
  attachments: readonly Attachment[];
  delivery: Delivery;
  /** A pause holds it: it does not start by itself. */
  held?: boolean;
  /** Missing: the conversation's own model and effort. */
  target?: Target | null;
}

/** What became of something a client said, kept until that client has seen it. */
export interface InputOutcome {
  client: string;
  ref: string;
  state: 'waiting' | 'started' | 'done' | 'failed' | 'stopped' | 'dropped' | 'refused' | 'your-turn';
  turn: number | null;
  /** Numbers of gate refusals in the turn: a headless caller exits 4 on any. */
  refusals: number;
  messages: { level: 'info' | 'warning' | 'error'; identifier: string; text: string }[];
  /** What goes back into the box of the client that asked for it; an empty list: what went back before is said again. */
  recalled?: { text: string; attachments: readonly Attachment[] }[];
}

export interface JobRow {
  id: string;
  label: string;
  command: string;
  state: 'running' | 'stopping' | 'ended' | 'stopped';
  exit: number | null;
  started: number;
  ended: number | null;
  background: boolean;
  /** It has a terminal, which can be taken over. */
  terminal?: boolean;
  /** Started by a process that is gone. */
  adopted?: boolean;
  by?: 'model' | 'person';
  /** What is to be said of its end besides, such as who stopped it. */
  note?: string;
}
