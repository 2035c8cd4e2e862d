import type { LinkedSession } from '../../protocol/link.ts';
import type { ScreenEvent } from './screen-event.ts';
import type { LinkClock } from './session-link.ts';

/** A link that is back at once, as after a restart, is not worth a word. */
const CALM_MS = 250;

/** Tells the screen while the way to the session is being found again, and when it is back; returns how to stop. */
export function watchLink(
  link: Pick<LinkedSession, 'state' | 'onLinkChange'>,
  clock: LinkClock,
  dispatch: (event: ScreenEvent) => void,
): () => void {
  let shown = false;
  let cancel: (() => void) | null = null;
  const look = (): void => {
    const away = link.state.phase === 'reconnecting';
    if (away && !shown)
      cancel ??= clock.after(CALM_MS, () => {
        cancel = null;
        shown = true;
        dispatch({ type: 'link', link: 'reconnecting' });
      });
    if (away) return;
    cancel?.();
    cancel = null;
    if (shown && link.state.phase === 'connected') dispatch({ type: 'link', link: 'there' });
    shown = false;
  };
  const deaf = link.onLinkChange(look);
  look();
  return () => {
    deaf();
    cancel?.();
  };
}
