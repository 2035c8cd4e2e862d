import type { EntryId, TurnEndReason } from '../../protocol/entry.ts';
import type { LoopState } from '../../protocol/standing.ts';
import type { Clock } from '../../system/clock.ts';
import { DAY, HOUR, MINUTE, spanText } from './loop-line.ts';
import type { SelfPrompts } from './self-prompt.ts';

/** What the model may ask for in a loop without an interval. */
export const LEAST_PACE = MINUTE;
export const MOST_PACE = HOUR;
/** Once, where the model did not say when to come again. */
const SILENT_RETRY = 20 * MINUTE;
const LONGEST_LIFE = 7 * DAY;

const PACED =
  '[Houston: this prompt comes again by itself, in a loop without an interval. Before you finish, call pace_loop: when it should come again, or that there is nothing more to do.]';

/** One prompt said again and again: at once, then each time some while after the turn before it ended. */
export interface Loop {
  readonly state: LoopState;
  begin(): void;
  /** The model says when to come again (clamped), or that it is done. False where that is not for it to say now. */
  pace(wish: number | 'finished'): { readonly ms: number | null } | null;
  /** A turn ended: `input` opened it. */
  settled(input: EntryId, reason: TurnEndReason): void;
  /** What waited has gone without being said. */
  gone(inputs: readonly EntryId[]): void;
  /** Something that made it wait is over. */
  look(): void;
  close(): void;
}

export interface LoopParts {
  readonly clock: Clock;
  readonly prompts: SelfPrompts;
  readonly text: string;
  readonly every: number | null;
  readonly onChange: () => void;
  readonly onTrouble: (message: string) => void;
  /** It is over by itself. */
  readonly onEnd: (why: string) => void;
}

export function createLoop({ clock, prompts, text, every, onChange, onTrouble, onEnd }: LoopParts): Loop {
  let due: number | null = null;
  let times = 0;
  let over = false;
  /** Its prompt, from being said to the end of its turn: there is never a second one. */
  let said: EntryId | 'coming' | null = null;
  let waits = false;
  let paced: number | 'finished' | null = null;
  let silent = 0;
  let cancelTimer = (): void => {};

  const end = (why: string): void => {
    if (over) return;
    close();
    onEnd(why);
  };
  const close = (): void => {
    over = true;
    cancelTimer();
    cancelLife();
  };
  const cancelLife = clock.after(LONGEST_LIFE, () => end('it is seven days old'));

  const plan = (ms: number): void => {
    cancelTimer();
    due = clock.now() + ms;
    cancelTimer = clock.after(ms, () => {
      waits = true;
      look();
    });
    onChange();
  };
  /** Says it once nothing runs and nothing waits; until then it is due and waits itself. */
  const look = (): void => {
    if (over || !waits || said !== null || !prompts.quiet) return;
    waits = false;
    said = 'coming';
    void speak();
  };
  const speak = async (): Promise<void> => {
    try {
      const id = await prompts.say(every === null ? `${text}\n\n${PACED}` : text, 'queue');
      if (said === 'coming') said = id;
      times++;
      due = null;
      onChange();
    } catch (error) {
      said = null;
      if (over) return;
      onTrouble(error instanceof Error ? error.message : String(error));
      plan(every ?? SILENT_RETRY);
    }
  };
  const next = (): void => {
    said = null;
    if (every !== null) plan(every);
    else if (paced === 'finished') end('the model says that it is finished');
    else if (paced !== null) {
      silent = 0;
      plan(paced);
    } else if (silent++ === 0) plan(SILENT_RETRY);
    else end('the model did not say when to come again');
    paced = null;
  };

  return {
    get state() {
      return { text, every, due, times };
    },
    begin: () => {
      waits = true;
      due = clock.now();
      onChange();
      void prompts.idle().then(look);
    },
    pace: (wish) => {
      if (over || every !== null || typeof said !== 'string' || said === 'coming') return null;
      paced = wish === 'finished' ? wish : Math.min(MOST_PACE, Math.max(LEAST_PACE, wish));
      return { ms: paced === 'finished' ? null : paced };
    },
    settled: (input, reason) => {
      if (over) return;
      if (reason === 'stopped' || reason === 'interrupted') end('a turn was stopped');
      else if (input === said) next();
      else void prompts.idle().then(look);
    },
    gone: (inputs) => {
      if (over || said === null || said === 'coming' || !inputs.includes(said)) return;
      said = null;
      plan(every ?? SILENT_RETRY);
    },
    look,
    close,
  };
}

/** `every 5 m, next at …`, without the time, which whoever shows it knows best. */
export function paceText(every: number | null): string {
  return every === null ? 'at the pace the model chooses' : `every ${spanText(every)}`;
}
