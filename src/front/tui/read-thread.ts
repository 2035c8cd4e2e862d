import type { Screen } from './screen.ts';
import type { Context } from './screen-event.ts';
import { type Step, stay, step } from './step.ts';

/** It was read here: then it is new in no other window either. */
export function readThread(screen: Screen, id: number, unread: boolean): Step {
  const ref = `${screen.refPrefix}${screen.nextRef}`;
  return unread
    ? step(
        { ...screen, nextRef: screen.nextRef + 1 },
        { kind: 'send', intent: { type: 'aside', id, action: 'read', ref } },
      )
    : stay(screen);
}

/** A list of threads that has just opened shows the words of the one its cursor stands on. */
export function readShown(before: Screen, screen: Screen, { view }: Pick<Context, 'view'>): Step {
  const list = screen.modals.at(-1);
  if (list?.kind !== 'list' || list.of !== 'threads' || before.modals.includes(list)) return stay(screen);
  if (before.modals.some((modal) => modal.kind === 'list' && modal.of === 'threads')) return stay(screen);
  const id = Number(list.rows?.[list.cursor]?.value);
  return readThread(
    screen,
    id,
    view.asides.some((one) => one.id === id && one.unread === true),
  );
}
