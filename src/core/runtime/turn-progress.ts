import { addUsage, NO_TOTALS, type Totals, type Usage } from '../../protocol/message.ts';
import type { Change } from '../../protocol/update.ts';
import type { Activity } from '../../protocol/view.ts';

/** What one turn came to so far. */
export interface TurnProgress {
  readonly since: number;
  readonly spent: Totals;
  /** Whether anything of the model's was to be seen (STOP-6). */
  visible: boolean;
  /** Files the person was offered to vouch for: once a turn is enough. */
  readonly offered: Set<string>;
  /** Calls the permission gate refused. */
  refusals: number;
  /** Whether it sleeps until a usage limit is lifted. */
  asleep: boolean;
  spend(usage: Usage, cost: number | null): void;
  /** Says what the turn is doing; the same thing twice is said once. */
  phase(phase: Activity['phase'], detail?: string, retry?: Activity['retry']): void;
}

/** `turn` is null for what the person starts beside any turn. */
export function createTurnProgress(
  turn: number | null,
  since: number,
  publish: (change: Change) => void,
): TurnProgress {
  let spent = NO_TOTALS;
  let last = '';
  return {
    since,
    get spent() {
      return spent;
    },
    offered: new Set(),
    visible: false,
    refusals: 0,
    asleep: false,
    spend: (usage, cost) => {
      spent = addUsage(spent, usage, cost);
    },
    phase: (phase, detail = '', retry = null) => {
      const said = `${phase}\n${detail}\n${retry?.at ?? ''}`;
      if (said === last) return;
      last = said;
      publish({ type: 'activity', activity: { phase, turn, since, detail, retry } });
    },
  };
}
