import type { Json, JsonObject } from '../../base/json.ts';
import type { Outcome } from '../../base/refusal.ts';
import type { AskRow, Question } from '../../protocol/ask.ts';
import type { Display, FileDiff, TodoItem } from '../../protocol/display.ts';
import type { Effect } from '../../protocol/effect.ts';
import type { Label } from '../../protocol/label.ts';
import type { Attachment, Effort } from '../../protocol/message.ts';
import type { Clock } from '../../system/clock.ts';
import type { Files } from '../../system/files.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { HelperResult, LineResult } from '../jobs/line.ts';
import type { NewSlot, Slot } from '../values/slot.ts';
import type { Fetched } from './egress.ts';
import type { LanguageServer } from './language-server.ts';
import type { KnownServer, LanguageServers } from './language-servers.ts';

/**
 * A thing the model can call. `plan` says what a call would do (its effects) and does nothing itself; the policy decides
 * on the effects; `run` then does exactly that through a `ToolWorld` narrowed to its grant.
 */
export interface Tool<Planned = unknown> {
  readonly name: string;
  /** The model-facing text, from the `.md` beside the tool. */
  readonly description: string;
  /** Offered only where there is any. */
  readonly needs?: 'skills' | 'delegates' | 'jobs' | 'standing';
  /** The least of the kinds of delegate that may hold it; absent: none ever does. */
  readonly heldBy?: DelegateKind;
  /** JSON schema of the arguments, `why` included. */
  readonly input: JsonObject;
  /** Which arguments decide where an effect goes and which are only carried (SEC-9). Fixed, never reclassified. */
  readonly routing: readonly string[];
  /** Calls that may run beside each other: all of a batch are `beside`, or they run one after another. */
  readonly order: 'beside' | 'alone';
  /** One line for people, from arguments that may be incomplete while they stream. Never throws. */
  title(input: Json): string;
  plan(input: Json, context: PlanContext): Promise<Planning<Planned>>;
  run(planned: Planned, world: ToolWorld): Promise<ToolOutcome>;
}

/** Each may hold what the one before it may, and more. */
export type DelegateKind = 'reader' | 'checker' | 'worker';

export type Planning<Planned> =
  | {
      readonly ok: true;
      readonly title: string;
      readonly effects: readonly Effect[];
      /** Exact changes a person would approve, for writes. */
      readonly diffs: readonly FileDiff[];
      /** What else the person should see before deciding, such as the remark of who made the content. */
      readonly rows?: readonly AskRow[];
      readonly planned: Planned;
      /** The one file (absolute) that the call reads, where that is all it does: it is not opened when it must be kept aside. */
      readonly file?: string;
      /** Its media type, where its name says that it is a picture or document. */
      readonly picture?: string;
    }
  /** Not possible as asked: told to the model, nothing happens. */
  | { readonly ok: false; readonly message: string };

export interface PlanContext {
  /** Where relative paths start: absolute, links resolved. */
  readonly folder: string;
  /** Reading only; whatever a plan looks at stays unseen by the model until the call was decided. */
  readonly files: Pick<Files, 'stat' | 'linkStat' | 'realPath' | 'open' | 'list' | 'readLink'>;
  /** What this session last saw of a file (SHA-256 hex), to refuse writes over changes the model never saw (UP-45). */
  lastSeen(path: string): string | null;
  /** The person's home, for a leading `~/`; absent when there is none. */
  readonly home?: string | null;
  /** Where `output:NAME` is found: the session's `outputs/`, absolute; absent or null when nothing is saved. */
  readonly outputs?: string | null;
  /** Of the arguments: the planner's context decides (SEC-10). Trusted and public where absent. */
  readonly label?: Label;
  /** Whether what a file holds is kept from the model: then no plan may let its content decide anything. */
  readonly isKeptAside?: (path: string) => Promise<boolean>;
  /** Null where no reference may be named; absent where there are none. */
  readonly refs?: RefPlans | null;
  /** Absent where no program of ours can be started. */
  readonly languages?: Pick<LanguageServers, 'find' | 'wasStarted'>;
  /** Whether released or other private content was shown, so that what the model writes may repeat it (SEC-6). */
  readonly instructionPrivate?: boolean;
  readonly skills?: readonly Skill[];
  /** Gives the next delegate its name, such as `d1.2`; absent or null where none can be started. */
  readonly nameDelegate?: (() => string) | null;
  /** The person's choices for tools; the defaults where absent. */
  readonly limits?: ToolLimits;
}

export interface ToolLimits {
  /** Seconds a command may run when the call names none. */
  readonly commandSeconds: number;
  readonly searchFiles: number;
  readonly searchSeconds: number;
}

export const TOOL_LIMITS: ToolLimits = { commandSeconds: 300, searchFiles: 50_000, searchSeconds: 20 };

/** A text the model may load by its exact name. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Further names it can be called by as a command. */
  readonly aliases?: readonly string[];
  /** MCP servers it wants to be on. */
  readonly servers?: readonly string[];
  /** Its `SKILL.md`, absolute. */
  readonly path: string;
}

/** What a processor is given and where its document may go. */
export interface ProcessorOrder {
  readonly refs: readonly string[];
  /** The file, absolute, that the document may be written to; null for none. */
  readonly about: string | null;
  readonly instruction: string;
}

export interface DelegateOrder {
  readonly name: string;
  readonly kind: DelegateKind;
  /** All it is told. */
  readonly task: string;
  /** What it is to run on, as the call named it; absent: what its definition or its turn runs on. */
  readonly model?: string;
  /** The definition it was started by; absent: it is what its kind is. */
  readonly profile?: DelegateProfile;
}

/** A delegate as a file describes it: of a kind, and with no more than that. */
export interface DelegateProfile {
  readonly name: string;
  readonly description: string;
  readonly kind: DelegateKind;
  /** Names of the tools it may hold at most; null for all of its kind. */
  readonly tools: readonly string[] | null;
  readonly rounds: number | null;
  /** Null for that of whoever starts it. */
  readonly model: string | null;
  readonly effort: Effort | null;
  /** What it is told about itself. */
  readonly body: string;
}

export interface DelegateReport {
  readonly name: string;
  readonly ended: 'reported' | 'failed' | 'stopped';
  /** What it wrote last; one sentence of our own where it did not report. */
  readonly text: string;
  /** Of its own context in the end (SEC-37). */
  readonly label: Label;
  /** Whether it was shown what had been kept aside, so that its report may repeat it. */
  readonly released: boolean;
}

/** What plans may know of quarantined content: what it stands for, and how a change by it would look to the person. */
export interface RefPlans {
  /** What may be said of a slot without reading it; null for a name that stands for nothing. */
  find(ref: string): Slot | null;
  /** The file a reference stands for, absolute; null for any other (SEC-12). */
  fileOf(ref: string): string | null;
  /** `before`: what the file holds now, null for a new one. Null for a reference that stands for nothing. */
  write(ref: string, path: string, before: Uint8Array | null): Promise<RefWrite | null>;
}

export interface RefWrite {
  /** SHA-256 (hex) and number of the bytes the file would hold. */
  readonly after: string;
  readonly bytes: number;
  readonly label: Label;
  readonly diff: FileDiff;
  /** What a processor said about it, for the person alone (SEC-26). */
  readonly rows: readonly AskRow[];
}

/** What a tool may touch while it runs: its grant decides, not the tool. */
export interface ToolWorld {
  readonly call: string;
  readonly folder: string;
  /** Refuses with `SystemError` code `EPERM` whatever the grant does not cover. */
  readonly files: GrantedFiles;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Runs the granted line, in the sandbox, in a group of its own. Its output is shown under the call by itself. */
  runLine(onOutput: (text: string) => void): Promise<LineResult>;
  /** What runs in the background; absent where nothing can. */
  readonly jobs?: Pick<Jobs, 'all' | 'find' | 'stop' | 'wait' | 'unread' | 'markTold'>;
  /** Runs one of our own programs (ripgrep) in the granted folder, or in the folder of the granted file; ended once it printed `maxBytes`. */
  runHelper(program: 'rg', argv: readonly string[], place: string, maxBytes: number): Promise<HelperResult>;
  /** Fetches the granted address, each hop decided on again (NET-1). */
  fetchPage(): Promise<Fetched>;
  /** Runs the granted program, or the one started before for the same language; null when it does not work. */
  languageServer(server: KnownServer, program: string): Promise<LanguageServer | null>;
  /** One model request without tools over what was kept aside (SEC-23): a reference to its document, null for none. */
  process(order: ProcessorOrder): Promise<Processed>;
  /** Runs the granted delegates beside each other until all have ended: their reports, in the same order. */
  delegate(orders: readonly DelegateOrder[]): Promise<readonly DelegateReport[]>;
  /** The text the person agreed to show. */
  released(): string;
  /** The text of a skill the session listed. */
  skill(name: string): Promise<string | null>;
  /** Puts content into a slot of its own without showing it. */
  keepAside(slot: NewSlot): Slot;
  /** Whether the person vouched for what lies at this path. */
  trusts(path: string): boolean;
  ask(questions: readonly Question[]): Promise<readonly (readonly string[])[] | null>;
  setTodo(items: readonly TodoItem[]): void;
  todo(): readonly TodoItem[];
  sawFile(path: string, hash: string): void;
  /** A change of this granted file (absolute) starts a turn from now on; answers the watch's number. */
  watchFile(path: string): Promise<Outcome<{ readonly number: number }>>;
  /** When the prompt of a loop comes again, in milliseconds, or that it need not; what is said of it to the model. */
  pace(wish: number | 'finished'): string;
  /** Shown under the running call. */
  progress(text: string): void;
}

export interface GrantedFiles {
  stat: Files['stat'];
  linkStat: Files['linkStat'];
  list: Files['list'];
  read: Files['read'];
  readRange: Files['readRange'];
  /** False for what lies below a granted folder and must still not be shown (denied, protected): leave it out. */
  covers(path: string): boolean;
  /** Keeps a before-image, then writes: byte for byte `bytes`, keeping mode, owner and links; flushed. */
  write(path: string, bytes: Uint8Array, expected: string | null): Promise<void>;
  /** The same with what a reference stands for, which the tool never sees. */
  writeRef(path: string, ref: string, expected: string | null): Promise<void>;
}

export type Processed =
  | { readonly ok: true; readonly document: Slot | null }
  /** In our own words. */
  | { readonly ok: false; readonly message: string };

/** Bytes as they came, for a slot. */
export interface Aside {
  readonly form: Slot['form'];
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Where a result's content came from: the one thing its first label is chosen by (SEC-5), never the content. */
export type Provenance =
  | {
      readonly from: 'files';
      readonly paths: readonly string[];
      /** How to speak of it, where the path itself is content nobody vouched for. */
      readonly named?: string;
    }
  /** `fed`: label of the kept-aside bytes it was given. `reads`: decided when it started, earlier than this call. */
  | {
      readonly from: 'program';
      readonly line: string;
      readonly folder: string;
      readonly fed?: Label;
      readonly reads?: 'text' | 'ref';
    }
  /** A picture or document, whose content no trust in its path vouches for (TOOL-3). */
  | { readonly from: 'picture'; readonly path: string; readonly named?: string }
  /** Words of a language server. */
  | { readonly from: 'server'; readonly language: string }
  /** What the person released. */
  | { readonly from: 'released'; readonly ref: string }
  /** Reports, under the label their delegates' contexts had. */
  | { readonly from: 'delegate'; readonly name: string; readonly label: Label }
  | { readonly from: 'person' }
  | { readonly from: 'houston' }
  | { readonly from: 'network'; readonly host: string }
  /** What a tool of an MCP server answered. */
  | { readonly from: 'external'; readonly server: string; readonly tool: string };

export type ToolOutcome =
  | {
      readonly ok: true;
      /** For the model, within the bounds of `limit-output.ts`; whether it is shown or kept aside is decided by the caller. */
      readonly text: string;
      readonly provenance: Provenance;
      readonly display: Display;
      readonly images?: readonly Attachment[];
      /** Stands for what was read as it was then, and says nothing else: another one means another content (TOOL-2). */
      readonly token?: string;
      /** The last reference the text names, where it stands for slots of its own. */
      readonly ref?: string;
      /** What the slot holds in place of the text, when this is kept aside. */
      readonly aside?: Aside;
      readonly output?: string | null;
      readonly job?: string | null;
    }
  /** The model is told and goes on. `stopped`: the person or a deadline ended it. */
  | {
      readonly ok: false;
      readonly kind: 'error' | 'stopped';
      readonly message: string;
      readonly provenance?: Provenance;
      readonly display?: Display;
      readonly output?: string | null;
    };
