import type { Entry, EntryId } from '../../protocol/entry.ts';
import type { Journal } from '../journal/journal.ts';

/**
 * Knows which prompts no longer belong in a request: one whose turn failed before anything came of it is not slipped in
 * with the next prompt (UP-18), and trying again asks with the prompt that is there instead of saying it twice (SC-7.6).
 * Told of every branch entry, in order; the journal itself is never changed.
 */
export interface UnansweredPrompts {
  see(entry: Entry): void;
  hides(taken: EntryId): boolean;
}

/** What is known, as data. */
export interface SavedPrompts {
  readonly hidden: readonly EntryId[];
  readonly opening: readonly EntryId[];
  readonly unanswered: boolean;
}

export function createUnansweredPrompts(saved?: SavedPrompts): UnansweredPrompts & { save(): SavedPrompts } {
  const hidden = new Set<EntryId>(saved?.hidden);
  /** What opened the last turn; more than one where several prompts were sent together. */
  let opening = saved?.opening ?? [];
  let unanswered = saved?.unanswered ?? false;
  return {
    see: (entry) => {
      switch (entry.kind) {
        case 'taken':
          if (entry.as === 'shell' || entry.as === 'steering') return;
          if (entry.as === 'resend') {
            hidden.add(entry.id);
            for (const one of opening) hidden.delete(one);
          } else opening = unanswered ? [...opening, entry.id] : [entry.id];
          unanswered = true;
          return;
        case 'assistant':
          if (entry.parts.length > 0) unanswered = false;
          return;
        case 'turn-end':
          if (entry.reason === 'failed' && unanswered) for (const one of opening) hidden.add(one);
          unanswered = false;
          return;
        default:
          return;
      }
    },
    hides: (taken) => hidden.has(taken),
    save: () => ({ hidden: [...hidden], opening, unanswered }),
  };
}

/** The journal as requests are built from it: hidden prompts are not on its branch. */
export function withoutHidden(journal: Journal, prompts: UnansweredPrompts): Journal {
  return Object.create(journal, {
    branch: { value: (leaf?: EntryId) => journal.branch(leaf).filter((id) => !prompts.hides(id)) },
  }) as Journal;
}
