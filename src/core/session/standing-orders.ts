import { type Outcome, type Refusal, refuse } from '../../base/refusal.ts';
import type { Entry, EntryId, TurnEndReason } from '../../protocol/entry.ts';
import { NOTHING_STANDS, type Standing, type WatchState } from '../../protocol/standing.ts';
import type { System } from '../../system/system.ts';
import type { Ledger } from '../changes/ledger.ts';
import { checkGoal } from '../runtime/goal-check.ts';
import type { Inbox } from '../runtime/inbox.ts';
import type { Recorder, Runtime } from '../runtime/runtime.ts';
import { oneLine } from '../tools/tool-paths.ts';
import type { CurrentModel } from './current-model.ts';
import { createGoal, type Goal } from './goal.ts';
import { createLoop, type Loop, paceText } from './loop.ts';
import { spanText } from './loop-line.ts';
import type { Publisher } from './publish.ts';
import { createSelfPrompts } from './self-prompt.ts';
import type { TurnLoop } from './turn-loop.ts';
import { createWatches } from './watches.ts';

/** What starts turns by itself: at most one loop or one goal, or some watched files (LOOP-6). None of it is kept on disk. */
export interface StandingOrders {
  readonly state: Standing;
  /** In place of a loop, a goal and watches that stand. */
  beginLoop(text: string, every: number | null): void;
  setGoal(text: string): void;
  /** False where there is none. */
  endLoop(why: string): boolean;
  endGoal(why: string): boolean;
  pauseGoal(): boolean;
  resumeGoal(): boolean;
  /** Refusals: those of `Watches.add`, and `loop-or-goal`. */
  watch(path: string, prompt: string): Promise<Outcome<WatchState>>;
  unwatch(number: number): WatchState | null;
  /** What the model says in a loop without an interval: milliseconds, or that it is done. The answer is for the model. */
  pace(wish: number | 'finished'): string;
  /** Ends a check that runs; false where none does. */
  stopCheck(): boolean;
  /** Ctrl-C with nothing nearer to stop: the loop or goal, else all watches (STOP-11). */
  endNearest(): void;
  /** Everything that was written. */
  see(entry: Entry): void;
  settled(input: EntryId, reason: TurnEndReason): void;
  /** The session ends: what stands is said in the transcript. */
  close(): void;
}

export interface StandingParts {
  readonly system: Pick<System, 'clock' | 'files' | 'ids'>;
  readonly folder: string;
  readonly recorder: Recorder;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly inbox: Inbox;
  readonly ledger: Pick<Ledger, 'changes'>;
  readonly model: CurrentModel;
  readonly loop: () => TurnLoop;
  readonly runtime: () => Runtime | null;
}

export function createStandingOrders(parts: StandingParts): StandingOrders {
  const { system, publisher, recorder } = parts;
  const { clock } = system;
  const prompts = createSelfPrompts({ ...parts, ids: system.ids });
  let loop: Loop | null = null;
  let goal: Goal | null = null;
  let shown: Standing = NOTHING_STANDS;

  const state = (): Standing => ({
    loop: loop?.state ?? null,
    goal: goal?.state ?? null,
    watches: watches.state,
  });
  const show = (): void => {
    shown = state();
    publisher.publish({ type: 'head', head: { standing: shown } });
  };
  const tell = (identifier: string, text: string, level: 'info' | 'warning' = 'info'): void =>
    void recorder.write([{ kind: 'note', level, identifier, text }], { onFailure: 'keep' });
  const onTrouble = (message: string): void =>
    publisher.publish({ type: 'flash', client: null, level: 'error', text: `Could not be said: ${message}` });

  const watches = createWatches({
    ...parts,
    clock,
    files: system.files,
    prompts,
    onChange: show,
    onTrouble,
    onEnd: ({ number, path }, why) =>
      tell('watch-ended', `Watch ${number} of ${oneLine(path)} ended: ${why}.`, 'warning'),
  });

  const endLoop = (why: string): boolean => {
    if (loop === null) return false;
    loop.close();
    const { times } = loop.state;
    loop = null;
    show();
    tell('loop-ended', `The loop ended after ${timesText(times)}: ${why}.`);
    return true;
  };
  const endGoal = (why: string, level: 'info' | 'warning' = 'info'): boolean => {
    if (goal === null) return false;
    goal.close();
    goal = null;
    show();
    tell('goal-ended', `The goal ended: ${why}.`, level);
    return true;
  };
  const endWatches = (why: string): boolean => {
    const ended = watches.stopAll();
    if (ended.length === 0) return false;
    tell('watch-ended', `${watchNames(ended)} ended: ${why}.`);
    return true;
  };
  const replace = (by: string): void => {
    endLoop(`a ${by} takes its place`);
    endGoal(`a ${by} takes its place`);
    endWatches(`a ${by} takes their place`);
  };

  return {
    get state() {
      return state();
    },
    beginLoop: (text, every) => {
      replace('loop');
      loop = createLoop({
        clock,
        prompts,
        text,
        every,
        onChange: () => {
          if (loop !== null) show();
        },
        onTrouble,
        onEnd: endLoop,
      });
      tell('loop-began', `A loop says this again ${paceText(every)}, until /loop stop: ${text}`);
      loop.begin();
    },
    setGoal: (text) => {
      replace('goal');
      const check = async (condition: string, signal: AbortSignal) => {
        const runtime = parts.runtime();
        const { model, effort } = parts.model;
        if (runtime === null || model === null) return { verdict: 'failed', message: 'there is no model' } as const;
        return checkGoal(runtime, { model, effort, signal }, condition);
      };
      const own = createGoal({
        prompts,
        text,
        check,
        onChange: () => {
          if (goal === own) show();
        },
        onEnd: (level, why) => void endGoal(why, level),
      });
      goal = own;
      show();
      tell('goal-set', `Checked after each turn that goes well, until it is met: ${text}`);
    },
    endLoop,
    endGoal,
    pauseGoal: () => goal?.pause() ?? false,
    resumeGoal: () => goal?.resume() ?? false,
    watch: async (path, prompt) => {
      if (loop !== null || goal !== null)
        return refuse(
          'loop-or-goal',
          `A ${loop === null ? 'goal' : 'loop'} stands: files are watched only without one.`,
        );
      return watches.add(path, prompt);
    },
    unwatch: (number) => watches.stop(number),
    pace: (wish) => {
      const answer = loop?.pace(wish) ?? null;
      if (answer === null) return 'Nothing was changed: this turn does not belong to a loop without an interval.';
      if (answer.ms === null) return 'Noted: the loop ends with this turn.';
      return `Noted: the prompt comes again ${spanText(answer.ms)} after this turn.`;
    },
    stopCheck: () => {
      if (goal?.state.state !== 'checking') return false;
      return endGoal('its check was stopped');
    },
    endNearest: () => {
      if (endLoop('you stopped it') || endGoal('you stopped it')) return;
      endWatches('you stopped it');
    },
    see: (entry) => {
      if (entry.kind === 'dropped') {
        loop?.gone([entry.input]);
        watches.gone([entry.input]);
      }
      if (entry.kind !== 'dropped' && entry.kind !== 'queue') return;
      if (loop === null && goal === null && shown.watches.length === 0) return;
      void prompts.idle().then(() => {
        loop?.look();
        goal?.look();
        watches.look();
      });
    },
    settled: (input, reason) => {
      loop?.settled(input, reason);
      goal?.settled(reason);
      watches.settled(input, reason);
    },
    close: () => {
      endLoop('the session ended');
      endGoal('the session ended');
      endWatches('the session ended');
      watches.close();
    },
  };
}

/** Why a loop, a goal or a watch cannot stand here; null when it can. */
export function refusesStanding(canAsk: boolean): Refusal | null {
  const headless = refuse('needs-a-person', 'Nobody is there to stop it: loops, goals and watches need a screen.');
  return canAsk ? null : headless.refusal;
}

function timesText(times: number): string {
  return times === 1 ? 'one time' : `${times} times`;
}

function watchNames(watches: readonly WatchState[]): string {
  return watches.length === 1
    ? `Watch ${watches[0]!.number} of ${oneLine(watches[0]!.path)}`
    : `Watches ${watches.map(({ number }) => number).join(', ')}`;
}
