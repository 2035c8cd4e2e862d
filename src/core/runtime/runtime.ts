import type { Outcome } from '../../base/refusal.ts';
import type { Ask, AskAnswer } from '../../protocol/ask.ts';
import type { TodoItem } from '../../protocol/display.ts';
import type { Entry, EntryBody } from '../../protocol/entry.ts';
import type { AssistantPart, Attachment, Effort, Target } from '../../protocol/message.ts';
import type { WatchState } from '../../protocol/standing.ts';
import type { Change } from '../../protocol/update.ts';
import type { UsageLimit } from '../../protocol/usage.ts';
import type { Network } from '../../system/network.ts';
import type { System } from '../../system/system.ts';
import type { Ledger } from '../changes/ledger.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { RunHelper, RunLine } from '../jobs/line.ts';
import type { AppendOptions, Journal } from '../journal/journal.ts';
import type { ModelContext } from '../journal/model-context.ts';
import type { Model } from '../models/model.ts';
import type { RetryLimits } from '../models/retry.ts';
import type { GrantedWrite } from '../policy/world.ts';
import type { LanguageServers } from '../tools/language-servers.ts';
import type { DelegateOrder, DelegateReport, Skill, Tool, ToolLimits } from '../tools/tool.ts';
import type { CompactionWish } from './compact-budget.ts';
import type { ContextGauge } from './context-gauge.ts';
import type { DelegateWatch } from './delegate-watch.ts';
import type { Gate } from './gate.ts';
import type { Hooks } from './hooks.ts';
import type { Inbox, Waiting } from './inbox.ts';
import type { KeyHold } from './key-hold.ts';
import type { TurnProgress } from './turn-progress.ts';

/** Writes first, shows afterwards: resolves once the entries are as safe as their classes ask and every client was told. */
export interface Recorder {
  /** Rejects with a `SystemError` when they could not be written (never with `onFailure: 'keep'`). */
  write(bodies: readonly EntryBody[], options?: AppendOptions): Promise<readonly Entry[]>;
  /** Settles once everything written so far was published. */
  written(): Promise<void>;
}

export type AskWish = Pick<Ask, 'for' | 'origin' | 'call' | 'body' | 'unkept'>;
/** Resolves to the first answer; null when the question was withdrawn (`signal`) or nobody can answer it. */
export type AskPerson = (wish: AskWish, signal: AbortSignal) => Promise<AskAnswer | null>;

export type CallPart = Extract<AssistantPart, { type: 'call' }>;

/** Why a turn was told to stop: by the person, by a message that interrupts it, or because the session closes. */
export type StopCause = 'stopped' | 'interrupted' | 'closing';

/** What every turn of a session is given: all it may touch. */
export interface Runtime {
  readonly session: string;
  readonly system: Pick<System, 'clock' | 'files'>;
  /** Between 0 and 1, for jitter. */
  readonly random: () => number;
  /** As requests are built from it. */
  readonly journal: Journal;
  readonly context: ModelContext;
  /** Where more of a failed turn is kept; null or absent: nowhere a person could look. */
  readonly failuresIn?: () => string | null;
  readonly gauge: ContextGauge;
  /** What the person wants of automatic compaction, as it stands now. */
  readonly compaction: () => CompactionWish;
  readonly recorder: Recorder;
  readonly publish: (...changes: readonly Change[]) => void;
  readonly inbox: Inbox;
  /** System prompt, one text a block; the same for every request of the session, so that the prefix stays cached. */
  readonly systemPrompt: readonly string[];
  /** Names of calls already in the journal: a provider may repeat one, the journal may not. */
  readonly usedCalls: Set<string>;
  /** Hashes of attachments a service refused: they are left out of later requests. */
  readonly refusedAttachments: Set<string>;
  /** Hashes of pictures in requests so far: the context keeps what it built, and does not load them again. */
  readonly sentImages: Set<string>;
  readonly loadAttachment: (attachment: Attachment) => Promise<string | null>;
  readonly retryLimits: Partial<RetryLimits>;
  /** Whether the person wants the faster, dearer service, as it stands now. */
  readonly fast: () => boolean;
  /** Whether somebody reads the thinking, as it stands now. */
  readonly readsThinking: () => boolean;
  /** How often a turn may sleep until a usage limit is lifted. */
  readonly sleeps: number;
  /** What the model has to be told with the next request of the turn; absent: nothing ever. */
  readonly notices?: (turn: number) => Promise<readonly EntryBody[]>;
  readonly calls: CallServices;
  /** Told when a turn begins and ends; null or absent: nobody is. */
  readonly hooks?: Hooks | null;
}

/** What running calls takes. */
export interface CallServices {
  /** What an MCP server offers comes and goes: the next request has what is there by then. */
  tools: readonly Tool[];
  readonly gate: Gate;
  readonly ask: AskPerson;
  readonly canAsk: boolean;
  /** Where relative paths start: absolute, links resolved. */
  readonly folder: string;
  readonly home: string | null;
  /** The session's `outputs/`, absolute; null when nothing is saved. */
  readonly outputs: string | null;
  readonly runLine: RunLine;
  /** What runs on by itself; absent: a command ends with its call. */
  readonly jobs?: Jobs;
  readonly runHelper: RunHelper;
  readonly write: (write: GrantedWrite) => Promise<void>;
  readonly ledger: Pick<Ledger, 'saw' | 'lastSeen'>;
  readonly todo: () => readonly TodoItem[];
  /** The way out for tools; null where there is none. */
  readonly network: Pick<Network, 'fetch'> | null;
  readonly languages: LanguageServers | null;
  readonly skills: readonly Skill[];
  readonly loadSkill: (name: string) => Promise<string | null>;
  readonly limits: ToolLimits;
  /** What may start turns by itself; null or absent where nobody is there to stop it. */
  readonly standing?: StandingTools | null;
  /** Null where no delegate may be started. */
  readonly delegates: Delegates | null;
  /** Absent where nobody looks at what they do. */
  readonly delegateWatch?: DelegateWatch;
  /** Whether a check that finds content safe answers the questions about releasing it (SEC-31). */
  readonly autoVet: boolean;
  /** Whether the person is offered to vouch for a file that a read keeps aside (SEC-28). */
  readonly offersVouching: boolean;
  /** Reads that are held back for what looks like keys (CRED-3); null: none are. */
  readonly keyHold: KeyHold | null;
  /** Told of each call and each message, in every run of the session; null or absent: nobody is. */
  readonly hooks?: Hooks | null;
  /** Takes secrets out of text before it is kept or sent. */
  readonly redact: (text: string) => string;
}

/** What the model may set up of what starts turns by itself. */
export interface StandingTools {
  watch(path: string, prompt: string): Promise<Outcome<WatchState>>;
  pace(wish: number | 'finished'): string;
}

/** The second agents that one run may start. */
export interface Delegates {
  /** The name of the next one. */
  name(): string;
  /** Runs them beside each other until all have ended; their reports in the same order. */
  run(orders: readonly DelegateOrder[], spawn: Spawn): Promise<readonly DelegateReport[]>;
  /** Stops one and those below it: what they asked is declined, nothing more is permitted, they report. False when none such runs. */
  stop(name: string): boolean;
}

/** The call that starts delegates, and the turn it belongs to. */
export interface Spawn {
  readonly call: string;
  readonly terms: Pick<TurnTerms, 'turn' | 'model' | 'effort' | 'signal'>;
  readonly progress: Pick<TurnProgress, 'spend' | 'refusals'>;
}

/** One turn's own terms. */
export interface TurnTerms {
  readonly turn: number;
  readonly model: Model;
  readonly effort: Effort;
  /** Rounds after which the model is asked for its answer without tools (TURN-1); null for no limit. */
  readonly roundLimit: number | null;
  readonly opening: Waiting;
  /** What was said besides and opens the turn together with it, in the order typed (QUE-13). */
  readonly beside?: readonly Waiting[];
  /** What it runs on is this turn's alone: what of it differs from the conversation. */
  readonly once?: Target;
  /** Whether `#tree` and the like in what is said are carried out: a person says it. */
  readonly tags?: true;
  /** A usage limit it was asleep for when the session before ended: it goes on sleeping first. */
  readonly asleep?: UsageLimit;
  /** Aborted with a `StopCause` as its reason. */
  readonly signal: AbortSignal;
  /** Told of every input the turn took, the opening one first. */
  readonly onTaken: (input: Waiting) => void;
}
