/**
 * Every command and key as data. Completion, dispatch, queueing, footer hints, help and bindings all read this entry.
 * Who runs it: `front` in the terminal that was typed in, `session` where the session runs.
 */
export interface Command {
  /** Without the slash, lower case, dashes between words. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly group: CommandGroup;
  readonly description: string;
  /** How the argument is written in help; empty for none. */
  readonly argument: string;
  readonly choices?: readonly string[];
  readonly runs: 'front' | 'session';
  /** Mid-turn: at once, or as an item of the prompt queue (decisions §4). */
  readonly during: 'now' | 'after';
  /** Whether it can be typed as a slash command; actions that are keys only say false. */
  readonly slash: boolean;
  /** Chosen once and hardly ever again: offered where nothing else begins as it does. */
  readonly rare?: true;
  /** Default chords, such as `ctrl-x`, `alt-shift-e`, `f1`. */
  readonly keys?: readonly string[];
  /** Where the keys count. */
  readonly where?: 'anywhere' | 'prompt' | 'transcript' | 'modal';
}

export type CommandGroup = 'Session' | 'Model' | 'Inspect' | 'Prompt' | 'View' | 'Safety';
