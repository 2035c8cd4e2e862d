import type { FinishedTurn, TurnNews } from '../../protocol/turn-news.ts';
import { notifySequence } from './frame/screen-modes.ts';
import type { LinkClock } from './session-link.ts';

/** The window in front of a person goes first, then the one of that session, then any. */
const OWN_MS = 150;
const OTHER_MS = 450;

/** What stands on the desktop of whoever does other things meanwhile: one notification a turn, whatever windows are open. */
export function notifyOfTurns(
  news: TurnNews,
  clock: LinkClock,
  window: { readonly session: () => string; readonly focused: () => boolean; readonly write: (text: string) => void },
): () => void {
  const waiting = new Set<() => void>();
  const take = async (finished: FinishedTurn): Promise<void> => {
    const looksAt = window.session() === finished.session && window.focused();
    const won = await news.claim(finished).catch(() => false);
    // Who looks at it has seen it: nobody else need say so.
    if (won && !looksAt) window.write(notifySequence(textOf(finished)));
  };
  const deaf = news.watch((finished) => {
    const own = window.session() === finished.session;
    const wait = own ? (window.focused() ? 0 : OWN_MS) : OTHER_MS;
    const cancel = clock.after(wait, () => {
      waiting.delete(cancel);
      void take(finished);
    });
    waiting.add(cancel);
  });
  return () => {
    deaf();
    for (const cancel of waiting) cancel();
  };
}

function textOf({ title }: FinishedTurn): string {
  return title === '' ? 'Houston: a turn is done' : `Houston: ${title} is done`;
}
