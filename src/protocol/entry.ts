import type { Json, JsonObject } from '../base/json.ts';
import type { AskAnswer } from './ask.ts';
import type { Display, TodoItem } from './display.ts';
import type { Effect } from './effect.ts';
import type { Failure } from './failure.ts';
import type { Label } from './label.ts';
import type {
  AssistantPart,
  Attachment,
  Effort,
  ModelRef,
  PermissionMode,
  StopReason,
  Target,
  Totals,
  Usage,
} from './message.ts';

export type EntryId = string;

/**
 * One immutable journal line. `parent` is the branch entry it stands on; entries placed `branch` become the new leaf,
 * entries placed `side` do not. An entry of unknown kind is kept on disk and ignored.
 */
export interface EntryBase {
  readonly id: EntryId;
  readonly parent: EntryId | null;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

export type EntryBody =
  | {
      readonly kind: 'session';
      readonly version: 1;
      readonly session: string;
      readonly folder: string;
      readonly build: string;
      readonly forkedFrom: { readonly session: string; readonly entry: EntryId | null } | null;
    }
  /** A thing a person or the controller said, waiting. It joins the branch by `taken` or ends by `dropped`. */
  | {
      readonly kind: 'input';
      readonly client: string;
      /** The client's own id of this input: saying the same one twice is one input. */
      readonly ref: string;
      readonly text: string;
      readonly attachments: readonly Attachment[];
      readonly delivery: Delivery;
      /** For the turn it opens alone; the words that named it are not part of `text`. */
      readonly target: Target | null;
    }
  | {
      readonly kind: 'taken';
      readonly input: EntryId;
      readonly turn: number;
      readonly as: 'prompt' | 'steering' | 'shell' | 'wake' | 'resend';
      /** What was said, where it never waited as an input: it was had elsewhere and is written here. */
      readonly words?: string;
    }
  | {
      readonly kind: 'dropped';
      readonly input: EntryId;
      /** `carried-out`: it was a command, and its turn came. */
      readonly reason: 'cleared' | 'recalled' | 'stale' | 'failed' | 'discarded' | 'carried-out';
    }
  /** What waits changed: the ids in their new order, what was rewritten, and whether the queue is held. */
  | {
      readonly kind: 'queue';
      readonly order: readonly EntryId[];
      readonly edited: readonly { readonly input: EntryId; readonly text: string; readonly delivery: Delivery }[];
      readonly paused: QueuePause | null;
      /** What the pause holds, where that is not everything in `order`. */
      readonly held?: readonly EntryId[];
    }
  | {
      readonly kind: 'turn-start';
      readonly turn: number;
      readonly model: ModelRef;
      readonly effort: Effort;
      readonly mode: PermissionMode;
      /** Model and effort hold for this turn alone; the conversation keeps its own. */
      readonly once?: true;
    }
  /** One whole message of the model: closes every delta streamed before it. */
  | {
      readonly kind: 'assistant';
      readonly turn: number;
      readonly round: number;
      readonly model: ModelRef;
      readonly parts: readonly AssistantPart[];
      readonly stop: StopReason;
      readonly usage: Usage;
      readonly cost: number | null;
      readonly requestId: string | null;
      /** Milliseconds from request to end. */
      readonly duration: number;
    }
  /** A call is about to run: flushed before its first effect, so that a crash leaves "outcome unknown", never "run again". */
  | {
      readonly kind: 'call';
      readonly turn: number;
      readonly call: string;
      readonly tool: string;
      readonly title: string;
      readonly effects: readonly Effect[];
      readonly decidedBy: DecidedBy;
    }
  | {
      readonly kind: 'result';
      readonly turn: number;
      readonly call: string;
      readonly tool: string;
      readonly title: string;
      readonly outcome: ResultOutcome;
      /** What the model is given: text, or the sentence describing a quarantined slot. */
      readonly text: string;
      readonly images: readonly Attachment[];
      readonly ref: string | null;
      readonly label: Label;
      readonly display: Display;
      /** Where the whole output lies (a name under `outputs/`), when it is longer than the text. */
      readonly output: string | null;
      readonly job: string | null;
      readonly duration: number;
    }
  /** For the trail: that a question stood here. The question itself is live state, since it may show quarantined text. */
  | { readonly kind: 'ask'; readonly ask: string; readonly call: string | null; readonly title: string }
  | { readonly kind: 'answer'; readonly ask: string; readonly answer: AskAnswer | null; readonly by: string }
  | {
      readonly kind: 'turn-end';
      readonly turn: number;
      readonly reason: TurnEndReason;
      readonly failure: Failure | null;
      readonly message: string | null;
      /** Where more of what failed is kept; missing: nowhere. */
      readonly more?: string;
      readonly duration: number;
      readonly usage: Totals;
    }
  | {
      readonly kind: 'compaction';
      readonly summary: string;
      /** First branch entry that stays word for word. */
      readonly keepFrom: EntryId;
      readonly tokensBefore: number | null;
      readonly tokensAfter: number | null;
      readonly usage: Usage;
      readonly cost: number | null;
      /** Who summarised. */
      readonly model?: ModelRef;
      /** Tokens the conversation may grow to, when it ran; null where no such limit was in force. */
      readonly budget?: number | null;
      readonly kept?: KeptWords;
    }
  | { readonly kind: 'todo'; readonly items: readonly TodoItem[] }
  | { readonly kind: 'model'; readonly model: ModelRef; readonly effort: Effort }
  | { readonly kind: 'mode'; readonly mode: PermissionMode }
  | { readonly kind: 'name'; readonly name: string; readonly by: 'person' | 'model' | 'prompt' }
  /** The person moved to another place in the tree: the leaf is now `leaf`. */
  | { readonly kind: 'position'; readonly leaf: EntryId }
  | {
      readonly kind: 'note';
      readonly level: 'info' | 'warning' | 'error';
      readonly identifier: string;
      readonly text: string;
    }
  /** A decision that outlives its call: a session answer, a trusted path (SEC-20). */
  | { readonly kind: 'decision'; readonly decision: JsonObject }
  /** Tokens spent beside the conversation (titles, summaries, checks), so that totals add up. */
  | {
      readonly kind: 'usage';
      readonly purpose: string;
      readonly model: ModelRef;
      readonly usage: Usage;
      readonly cost: number | null;
    }
  /** A turn waits for a usage limit to be lifted: flushed, so that it goes on waiting after a restart. */
  | { readonly kind: 'sleep'; readonly turn: number; readonly until: number; readonly failure: Failure }
  | { readonly kind: 'active-time'; readonly duration: number }
  | {
      readonly kind: 'file-change';
      readonly call: string;
      readonly path: string;
      readonly before: string | null;
      readonly after: string | null;
    }
  /**
   * Files are about to be put back to what they held at another point of the conversation. On the disk before the first
   * of them is touched, so that a crash in the middle is found.
   */
  | {
      readonly kind: 'undo-start';
      readonly what: 'undo' | 'redo';
      /** Where the conversation stood and where it will stand; the same for files alone. */
      readonly from: EntryId;
      readonly to: EntryId;
      readonly files: readonly FileStep[];
    }
  | {
      readonly kind: 'undo-end';
      readonly start: EntryId;
      /** False where a crash cut it short: the conversation stayed where it was. */
      readonly whole: boolean;
      readonly restored: readonly string[];
      readonly left: readonly { readonly path: string; readonly why: FileLeft }[];
    }
  /** A hook ran: for people, whoever looks and whenever. Of it the model is given `injected` alone, with the next request. */
  | ({ readonly kind: 'hook'; readonly turn: number } & HookRan)
  /** Room for what comes: extensions, children. Never sent to a model. */
  | { readonly kind: 'record'; readonly name: string; readonly data: Json };

/** One run of a hook, as it is kept: nothing is run again to show it (HR-5). */
export interface HookRan {
  /** Of this run: a row that said it was running has the same one. */
  readonly hook: string;
  readonly phase: string;
  readonly label: string;
  /** The tool and the call it was about; null for a hook of a message or a turn. */
  readonly tool: string | null;
  readonly call: string | null;
  readonly status: HookStatus;
  /** Milliseconds. */
  readonly duration: number;
  /** What it printed, without secrets and controls, cut; why it failed. */
  readonly text: string;
  readonly injected: HookInjected | null;
}

export type HookStatus = 'ok' | 'failed' | 'stopped';

/** What a hook has told the model. */
export interface HookInjected {
  /** The words, or the sentence that stands for them where nobody vouched for what the hook was given. */
  readonly text: string;
  readonly ref: string | null;
  readonly label: Label;
  readonly items: number;
  readonly bytes: number;
}

export type Entry = EntryBase & EntryBody;
export type EntryKind = EntryBody['kind'];
export type EntryOf<K extends EntryKind> = EntryBase & Extract<EntryBody, { kind: K }>;

/** `command` is a slash command waiting in line for an idle session. */
export type Delivery = 'steering' | 'queue' | 'interrupt' | 'shell' | 'resend' | 'wake' | 'command';
export type ResultOutcome = 'ok' | 'error' | 'denied' | 'stopped' | 'unknown';
export type TurnEndReason = 'done' | 'stopped' | 'failed' | 'limit' | 'repeating' | 'interrupted';
export type DecidedBy = 'not-needed' | 'proven' | 'person' | 'session' | 'remembered' | 'rule' | 'mode';

/** What a compaction carries over word for word: it is said again after the summary, never left to whoever summarises. */
export interface KeptWords {
  /** `taken` entries of the newest messages of the person, where they no longer stand in what stays. */
  readonly said: readonly EntryId[];
  /** What the person answered and refused, oldest first. */
  readonly answers: readonly string[];
  readonly todo: readonly TodoItem[];
  readonly mode: PermissionMode;
}

/** One file on its way from one content to another; a hash is SHA-256 (hex), null for "is not there". */
export interface FileStep {
  readonly path: string;
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * Why a file was not put back: another hand changed it since, what it held is not kept any more, it is no ordinary file
 * now, it could not be written, or the session ended before its turn came.
 */
export type FileLeft = 'changed' | 'not-kept' | 'unsafe' | 'failed' | 'not-reached';

export interface QueuePause {
  readonly because: 'stopped' | 'failed' | 'restarted';
  readonly message: string;
}

/**
 * `flushed`: on the disk (fdatasync) before it is acted on or shown as done. `written`: in the file, flushed with the
 * next flushed entry. `branch` entries move the leaf; `side` entries do not.
 */
export interface EntryClass {
  readonly durability: 'flushed' | 'written';
  readonly place: 'branch' | 'side';
}

const BRANCH_FLUSHED: EntryClass = { durability: 'flushed', place: 'branch' };
const SIDE_FLUSHED: EntryClass = { durability: 'flushed', place: 'side' };
const BRANCH_WRITTEN: EntryClass = { durability: 'written', place: 'branch' };
const SIDE_WRITTEN: EntryClass = { durability: 'written', place: 'side' };

export const ENTRY_CLASSES: { readonly [K in EntryKind]: EntryClass } = {
  session: BRANCH_FLUSHED,
  input: SIDE_FLUSHED,
  taken: BRANCH_FLUSHED,
  dropped: SIDE_FLUSHED,
  queue: SIDE_FLUSHED,
  'turn-start': BRANCH_WRITTEN,
  assistant: BRANCH_FLUSHED,
  call: BRANCH_FLUSHED,
  result: BRANCH_FLUSHED,
  ask: SIDE_WRITTEN,
  answer: SIDE_FLUSHED,
  'turn-end': BRANCH_FLUSHED,
  compaction: BRANCH_FLUSHED,
  todo: BRANCH_WRITTEN,
  model: SIDE_WRITTEN,
  mode: SIDE_WRITTEN,
  name: SIDE_WRITTEN,
  position: SIDE_FLUSHED,
  note: BRANCH_WRITTEN,
  decision: SIDE_FLUSHED,
  usage: SIDE_WRITTEN,
  sleep: SIDE_FLUSHED,
  'active-time': SIDE_WRITTEN,
  'file-change': SIDE_FLUSHED,
  'undo-start': SIDE_FLUSHED,
  'undo-end': SIDE_FLUSHED,
  hook: BRANCH_WRITTEN,
  record: SIDE_WRITTEN,
};

/** The class of a kind read from disk; a kind this build does not know is kept aside and changes nothing. */
export function entryClass(kind: string): EntryClass {
  return (ENTRY_CLASSES as Readonly<Record<string, EntryClass>>)[kind] ?? SIDE_WRITTEN;
}
