import { scrollToCard } from './regions/transcript-scroll.ts';
import { type Screen, withNote } from './screen.ts';
import type { Context } from './screen-event.ts';
import { noted, type Step, stay } from './step.ts';
import { transcriptRows } from './transcript-rows.ts';

const WANTED = {
  'first-failed': { states: ['error', 'denied', 'unknown'], what: 'Failed call', none: 'No failed call here' },
  'first-running': { states: ['running', 'asking', 'waiting'], what: 'Running call', none: 'No call is running' },
} as const;

/** To the first call that failed or runs, of those the window holds; pressed again, to the next, and round (KY-11). */
export function goToCall(screen: Screen, context: Context, command: keyof typeof WANTED): Step {
  const { view } = context;
  const { states, what, none } = WANTED[command];
  const found = view.transcript.items.flatMap((item, at) =>
    item.kind === 'call' && states.some((state) => state === item.state) ? [{ at, id: item.id }] : [],
  );
  if (found.length === 0) return noted(screen, none);
  const before = screen.goneTo?.command === command ? found.findIndex(({ id }) => id === screen.goneTo?.item) : -1;
  const place = (before + 1) % found.length;
  const { at, id } = found[place]!;
  const scroll = scrollToCard({ ...context, screen }, view.transcript.first + at, transcriptRows(context.layout));
  const there: Screen = { ...screen, scroll, focus: 'transcript', goneTo: { command, item: id } };
  return stay(found.length === 1 ? there : withNote(there, `${what} ${place + 1} of ${found.length}`));
}
