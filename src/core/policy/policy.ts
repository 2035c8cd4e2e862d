import type { AskChoice, AskRow } from '../../protocol/ask.ts';
import type { Effect } from '../../protocol/effect.ts';
import type { DecidedBy } from '../../protocol/entry.ts';
import type { PermissionMode } from '../../protocol/message.ts';
import type { Facts } from './facts.ts';
import type { Rules } from './rules.ts';

/**
 * What the one decision point (`decide.ts`) is given. It is pure: facts, effects, labels, mode and answers in, a verdict
 * out. Whatever touches the world to find the facts lies in `gather-facts.ts`; whatever asks the person, in the runtime.
 */
export interface DecisionInput {
  readonly effects: readonly Effect[];
  readonly facts: Facts;
  readonly mode: PermissionMode;
  readonly rules: Rules;
  readonly answers: SessionAnswers;
  /** False in a one-shot run: nobody can be asked, so what would ask is denied (decisions §10.2). */
  readonly canAsk: boolean;
  /** Whether an answer can be kept beyond this session; not where nothing is saved. False where absent. */
  readonly canRemember?: boolean;
  /** `aside`: what a command prints is kept aside whoever answers (decisions §10.2). By class where absent. */
  readonly commandOutput?: 'class' | 'aside';
  /** Whether the planner's context is still trusted (SEC-6, SEC-10). */
  readonly contextTrusted: boolean;
}

export type Decision =
  | {
      readonly verdict: 'allow';
      readonly by: DecidedBy;
      readonly reasons: readonly Reason[];
      readonly output: 'text' | 'ref';
    }
  | {
      readonly verdict: 'ask';
      readonly reasons: readonly Reason[];
      readonly rows: readonly AskRow[];
      readonly choices: readonly AskChoice[];
      /** What a remembered answer would cover, word for word. */
      readonly remember: readonly string[];
      /** What a session answer would cover; `withAnswer` adds it. */
      readonly offer: Offer;
      readonly output: 'text' | 'ref';
    }
  | { readonly verdict: 'deny'; readonly reasons: readonly Reason[]; readonly message: string };

/** Why: a stable identifier (`mode-plan`, `outside-workspace`, `rule-deny`, ...) and one line for people and model. */
export interface Reason {
  readonly identifier: string;
  readonly text: string;
}

/** What the person answered for the rest of this session (`answers.ts` adds to it). A folder covers all below it. */
export interface SessionAnswers {
  readonly readsAllowed: readonly string[];
  readonly writesAllowed: readonly string[];
  readonly lines: readonly AnsweredLine[];
  /** Folders in whose own files values that look like credentials may be written. */
  readonly keyFolders?: readonly string[];
  readonly tools?: readonly AnsweredTool[];
}

/** A tool of an MCP server that is called unasked in one workspace, as long as it is what was agreed to. */
export interface AnsweredTool {
  readonly server: string;
  readonly tool: string;
  readonly pinned: string;
  readonly folder: string;
}

export interface AnsweredLine {
  /** An exact line, or (`wide`) a command pattern such as `npm test *` that each step of a line must match. */
  readonly pattern: string;
  readonly wide: boolean;
  readonly folder: string;
  readonly output: 'text' | 'ref';
  /** Where the programs it started lay when it was given, links resolved: another one of the same name is not meant (PR-11). */
  readonly programs?: readonly string[];
  /** From an earlier session: a rule that asks stands above it. */
  readonly remembered?: boolean;
}

export const NO_ANSWERS: SessionAnswers = { readsAllowed: [], writesAllowed: [], lines: [] };

/** What an answer for the whole session would cover; nothing for what is asked each time. */
export interface Offer {
  readonly reads: string | null;
  readonly writes: string | null;
  readonly lines: readonly Omit<AnsweredLine, 'output' | 'remembered'>[];
  /** The folder in whose files what looks like a credential may be written from then on. */
  readonly keys?: string;
  readonly tool?: AnsweredTool;
  /** Whether `lines`, `keys` and `tool` may also be remembered beyond this session. */
  readonly remember?: boolean;
  /** What a lasting answer does with the output unless another choice is made; as the question says where absent. */
  readonly output?: 'text' | 'ref';
}
