import type { Json } from '../../base/json.ts';
import type { EntryBody, ResultOutcome } from '../../protocol/entry.ts';
import type { Label } from '../../protocol/label.ts';
import type { AssistantPart } from '../../protocol/message.ts';
import type { Change } from '../../protocol/update.ts';
import type { AppendOptions } from '../journal/journal.ts';
import type { Presented } from '../policy/quarantine.ts';

/** Whose moment it is: where its hooks run, and where what came of them is written. */
export interface HookSide {
  readonly turn: number;
  readonly signal: AbortSignal;
  readonly folder: string;
  readonly publish: (...changes: readonly Change[]) => void;
  /** How far what the model writes may be trusted: it may repeat whatever it was shown. */
  readonly said: () => Label;
  /** Seals what a hook has to say to the model, and decides what becomes of it. */
  readonly present: (text: string, about: { label: Label; origin: string; call: string }) => HookTold;
  readonly redact: (text: string) => string;
  /** Null where nothing may be kept: then only a failure is told, and nothing reaches the model. */
  readonly recorder: HookRecorder | null;
  /** Told of a failure where nothing is kept. */
  readonly onFailure?: (text: string) => void;
}

/** Where runs are written down. */
export interface HookRecorder {
  write(bodies: readonly EntryBody[], options?: AppendOptions): Promise<unknown>;
}

export type HookTold = Pick<Presented, 'text' | 'ref' | 'label'>;

export interface ToolMoment {
  readonly phase: 'before_tool' | 'after_tool';
  readonly tool: string;
  /** What else it goes by. */
  readonly alias?: string;
  readonly call: string;
  readonly title: string;
  readonly arguments: Json;
  readonly outcome?: {
    readonly status: ResultOutcome;
    /** As the model is given it: of what is kept aside, the sentence that stands for it. */
    readonly text: string;
    readonly label: Label;
    readonly duration: number;
  };
}

export interface TurnMoment {
  readonly phase: 'turn_started' | 'turn_finished';
  readonly reason?: string;
}

/**
 * Programs that are told of what a session does. They can change nothing of it: neither what is called with which
 * arguments nor what came of it (HR-2). Each call resolves when the hooks of that moment are over; none ever rejects.
 */
export interface Hooks {
  tool(side: HookSide, moment: ToolMoment): Promise<void>;
  /** After a message of the model was kept: first its thinking, then its words. */
  message(side: HookSide, parts: readonly AssistantPart[]): Promise<void>;
  /** Nobody waits for these. */
  turn(side: HookSide, moment: TurnMoment): void;
  /** Gives what still runs a moment, then ends it; settles once nothing of any hook is left. */
  close(): Promise<void>;
}
