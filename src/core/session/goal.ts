import type { TurnEndReason } from '../../protocol/entry.ts';
import type { GoalState } from '../../protocol/standing.ts';
import type { Verdict } from '../runtime/goal-check.ts';
import type { SelfPrompts } from './self-prompt.ts';

export const MOST_ROUNDS = 10;

/** A condition that is checked after each turn that went well; as long as it is not met, another turn follows. */
export interface Goal {
  readonly state: GoalState;
  settled(reason: TurnEndReason): void;
  /** Something that kept the last turn from being judged is over. */
  look(): void;
  pause(): boolean;
  resume(): boolean;
  /** What it is checking is no longer of interest. */
  close(): void;
}

export interface GoalParts {
  readonly prompts: SelfPrompts;
  readonly text: string;
  readonly check: (text: string, signal: AbortSignal) => Promise<Verdict>;
  readonly onChange: () => void;
  readonly onEnd: (level: 'info' | 'warning', why: string) => void;
}

export function createGoal({ prompts, text, check, onChange, onEnd }: GoalParts): Goal {
  let paused = false;
  let rounds = 0;
  let reason: string | null = null;
  let checking: AbortController | null = null;
  let over = false;
  /** A turn went well and was not judged yet: something waits, if only because it is held. */
  let due = false;

  const end = (level: 'info' | 'warning', why: string): void => {
    if (over) return;
    over = true;
    onEnd(level, why);
  };

  const look = async (): Promise<void> => {
    await prompts.idle();
    // What is said meanwhile has its own turn, and that one its own check.
    if (over || paused || !due || checking !== null || !prompts.quiet) return;
    due = false;
    const own = new AbortController();
    checking = own;
    onChange();
    const verdict = await check(text, own.signal).catch(
      (error: unknown): Verdict => ({
        verdict: 'failed',
        message: error instanceof Error ? error.message : String(error),
      }),
    );
    checking = null;
    if (over) return;
    onChange();
    // A turn began while it was judged: that one is judged in turn.
    if (paused || !prompts.quiet) return;
    await act(verdict);
  };

  const act = async (verdict: Verdict): Promise<void> => {
    switch (verdict.verdict) {
      case 'met':
        return end('info', `it is met${because(verdict.reason)}`);
      case 'impossible':
        return end('warning', `the check says that it cannot be met${because(verdict.reason)}`);
      case 'unclear':
        return end('warning', 'the check gave no clear answer');
      case 'failed':
        return end('warning', `the check failed: ${verdict.message}`);
      case 'stopped':
        return end('info', 'the check was stopped');
      case 'unmet':
        break;
    }
    reason = verdict.reason;
    if (rounds >= MOST_ROUNDS) return end('warning', `it is not met after ${rounds} rounds${because(reason)}`);
    rounds++;
    try {
      await prompts.say(sentence(text, reason), 'wake');
      onChange();
    } catch (error) {
      end('warning', `its next turn could not be written down: ${error instanceof Error ? error.message : error}`);
    }
  };

  return {
    get state() {
      const state: GoalState['state'] = paused ? 'paused' : checking !== null ? 'checking' : 'active';
      return { text, state, rounds, reason };
    },
    settled: (ended) => {
      due = !over && !paused && ended === 'done';
      if (due) void look();
    },
    look: () => {
      if (due) void look();
    },
    pause: () => {
      if (paused) return false;
      paused = true;
      due = false;
      checking?.abort('stopped');
      onChange();
      return true;
    },
    resume: () => {
      if (!paused) return false;
      paused = false;
      onChange();
      return true;
    },
    close: () => {
      over = true;
      checking?.abort('stopped');
    },
  };
}

function sentence(text: string, reason: string): string {
  const missing = reason === '' ? '' : ` A check says: “${reason}”`;
  return `The goal “${text}” is not met yet.${missing}\n\nGo on until it is.`;
}

function because(reason: string | null): string {
  return reason === null || reason === '' ? '' : `: ${reason}`;
}
