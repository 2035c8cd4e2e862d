import type { Aside } from '../../protocol/aside.ts';
import type { EntryBody, EntryId, EntryOf } from '../../protocol/entry.ts';
import type { Sent } from '../../protocol/intent.ts';
import type { ThinkingShown } from '../../protocol/message.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { System } from '../../system/system.ts';
import type { BeforeImages } from '../changes/before-images.ts';
import type { Ledger } from '../changes/ledger.ts';
import type { Drafts } from '../journal/drafts.ts';
import type { Journal } from '../journal/journal.ts';
import type { TranscriptIndex } from '../journal/transcript.ts';
import type { CompactionWish } from '../runtime/compact-budget.ts';
import type { Inbox } from '../runtime/inbox.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { SaveDefaults } from '../settings/save-defaults.ts';
import type { Answers } from './answers.ts';
import type { Asks } from './asks.ts';
import type { Attachments } from './attachments.ts';
import type { CurrentModel } from './current-model.ts';
import type { DelegateModels } from './delegate-models.ts';
import type { DelegatesDesk } from './delegates-desk.ts';
import type { ErrorLog } from './error-log.ts';
import type { HandBacks } from './hand-backs.ts';
import type { JobsDesk } from './jobs-desk.ts';
import type { LatestWindow } from './latest-window.ts';
import type { McpDesk } from './mcp-desk.ts';
import type { OfferedModels } from './offered-models.ts';
import type { Outcomes } from './outcomes.ts';
import type { PrimaryAgent } from './primary-agent.ts';
import type { Publisher } from './publish.ts';
import type { SessionRecorder } from './recorder.ts';
import type { Reload } from './reload.ts';
import type { SavedEfforts } from './saved-efforts.ts';
import type { SessionExport } from './session-export.ts';
import type { SignInDesk } from './sign-in-desk.ts';
import type { SlowWork } from './slow-work.ts';
import type { StandingOrders } from './standing-orders.ts';
import type { ThinkingForwarded } from './thinking-forwarded.ts';
import type { Trail } from './trail.ts';
import type { TrustMemory } from './trust-memory.ts';
import type { CommandEnd, TurnLoop } from './turn-loop.ts';
import type { UsageDesk } from './usage-desk.ts';

/** What is wanted of automatic compaction now; changed by `/autocompact`, read before each request. */
export interface Autocompact {
  wish: CompactionWish;
}

/** Whether requests ask for the faster, dearer service; changed by `/fast`. */
export interface FastMode {
  on: boolean;
}

/** How readable thinking is shown; changed by `/thinking`. */
export interface ThinkingMode {
  mode: ThinkingShown;
}

/** Everything a session is made of, for the files that serve its door. */
export interface SessionParts {
  readonly system: System;
  /** Absolute, links resolved. */
  readonly folder: string;
  readonly bypassOffered: boolean;
  readonly journal: Journal;
  readonly publisher: Publisher;
  readonly recorder: SessionRecorder;
  readonly mover: BranchMover;
  readonly asides: SideThreads;
  /** The loop, the goal and the watches. */
  readonly standing: StandingOrders;
  readonly inbox: Inbox;
  readonly outcomes: Outcomes;
  readonly handBacks: HandBacks;
  readonly asks: Asks;
  /** Of commands carried out beside a turn. */
  readonly answers: Answers;
  readonly models: OfferedModels;
  readonly model: CurrentModel;
  readonly loop: TurnLoop;
  readonly desk: JobsDesk;
  readonly delegates: DelegatesDesk;
  /** Commands that take their time, beside turns. */
  readonly slow: SlowWork;
  /** MCP servers of this session. */
  readonly mcp: McpDesk;
  readonly latestWindow: LatestWindow;
  /** Null until the session is ready. */
  readonly runtime: () => Runtime | null;
  readonly autocompact: Autocompact;
  /** Whom the person talks with, and the profiles there are. */
  readonly agents: PrimaryAgent;
  /** Models a call may give a delegate. */
  readonly delegateModels: () => DelegateModels;
  readonly fast: FastMode;
  readonly thinking: ThinkingMode;
  readonly forwarded: Pick<ThinkingForwarded, 'state'>;
  /** What was used, what it cost and what it may still cost. */
  readonly usage: Pick<UsageDesk, 'report' | 'accountChanged'>;
  readonly efforts: SavedEfforts;
  /** Keeps choices for sessions to come; false when that can not be. */
  readonly saveDefaults: SaveDefaults;
  /** What failed, for later. */
  readonly errors: Pick<ErrorLog, 'record'>;
  readonly exporting: SessionExport;
  /** Reads what was read at the start again. */
  readonly reload: Pick<Reload, 'all'>;
  /** Whether another session works in this folder. */
  readonly isOpenElsewhere: (folder: string) => Promise<boolean>;
  /** Whether somebody is there. */
  readonly canAsk: boolean;
  readonly attachments: Attachments;
  readonly drafts: Drafts;
  readonly transcript: TranscriptIndex;
  readonly ledger: Ledger;
  readonly images: BeforeImages;
  /** Whether what this file holds may be kept for undoing: only where somebody vouched for it (SEC-42). */
  readonly mayKeepImage: (path: string) => boolean;
  /** The session's `outputs/`, absolute; null when nothing is saved. */
  readonly outputs: string | null;
  /** The trail of decisions; null where none is kept. */
  readonly trail: Pick<Trail, 'read'> | null;
  readonly memory: SessionMemory;
  /** Where an answer about trusting the workspace is remembered; null where none may be. */
  readonly trustMemory: TrustMemory | null;
  readonly signIn: SignInDesk;
  /** The session is ending or has ended: what ends now was not stopped by anybody (SC-1.7). */
  readonly closing: () => boolean;
  /** Ends the session; the answer to the intent that asked for it is given first. */
  readonly end: () => void;
}

/** Puts the conversation at another place of its tree; every client is shown the branch there. */
export interface BranchMover {
  /**
   * Writes `before` and the new position as one, so that both are there after a crash or neither is. Rejects with a
   * `SystemError` when that could not be written or the branch could not be read; the conversation then stands where it
   * stood.
   */
  move(leaf: EntryId, before?: readonly EntryBody[]): Promise<void>;
}

/** Questions beside the conversation: asked with what it knows, answered beside its turns, joined to it only when told. */
export interface SideThreads {
  /** `/btw`: a new question, or one asked on in a thread (`#2 …`). */
  ask(argument: string, client: ClientId): Promise<Sent>;
  /** Null where none of this number is there. */
  find(id: number): Aside | null;
  stop(id: number): boolean;
  /** How many were running. */
  stopAll(): number;
  forget(id: number): void;
  /** Its answer was looked at: no window says any more that it is new. */
  read(id: number): Promise<void>;
  /** Each answered exchange becomes a turn where the question was asked (SC-24.2). */
  merge(id: number): Promise<CommandEnd>;
  /** One exchange in place of the whole thread (SC-24.3). */
  summarize(id: number, focus: string, signal: AbortSignal): Promise<CommandEnd>;
  close(): Promise<void>;
}

/** What the session knows beside its View and changes as it goes. */
export interface SessionMemory {
  /** What was said, by client and ref: the entry it became (null: kept nowhere), so that saying it again says it once. */
  readonly said: Map<string, EntryId | null>;
  /** What opened the last turn, and whether that turn can be tried again. */
  lastInput: Pick<EntryOf<'input'>, 'text' | 'attachments'> | null;
  lastTurnFailed: boolean;
}
