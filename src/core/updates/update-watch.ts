import type { Clock } from '../../system/clock.ts';
import type { Found } from './ask-registry.ts';

/** Between two looks (UP-1). */
export const EVERY_MS = 4 * 60 * 60 * 1000;
/** After the first frame: whoever begins to type has the machine for themselves. */
export const FIRST_MS = 2_000;

export interface UpdateWatch {
  /** Tells of each newer release once, and of one that is known at once. Nothing is looked for once it is stopped. */
  watch(tell: (version: string) => void): () => void;
}

/** Looks now and then; one timer, and no other one while it stands. `known` and when it last looked outlive one window. */
export function createUpdateWatch({
  clock,
  look,
}: {
  readonly clock: Pick<Clock, 'after' | 'now'>;
  readonly look: () => Promise<Found>;
}): UpdateWatch {
  let known: string | null = null;
  let next = clock.now() + FIRST_MS;
  return {
    watch(tell) {
      let stopped = false;
      let cancel: (() => void) | null = null;
      const again = (): void => {
        cancel = clock.after(Math.max(0, next - clock.now()), () => void lookNow());
      };
      const lookNow = async (): Promise<void> => {
        next = clock.now() + EVERY_MS;
        const found = await look();
        const isNew = found.kind === 'newer' && found.version !== known;
        if (found.kind === 'newer') known = found.version;
        if (stopped) return;
        if (isNew && known !== null) tell(known);
        again();
      };
      if (known !== null) tell(known);
      again();
      return () => {
        stopped = true;
        cancel?.();
      };
    },
  };
}
