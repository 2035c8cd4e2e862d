import type { View } from '../../protocol/view.ts';
import type { Journal } from '../journal/journal.ts';
import type { BranchMemory } from './branch-memory.ts';
import { foldJournal } from './fold-journal.ts';
import type { BranchMover, SessionMemory } from './parts.ts';
import type { Publisher } from './publish.ts';
import type { SessionRecorder } from './recorder.ts';

export interface BranchMoverParts {
  readonly journal: Journal;
  readonly publisher: Publisher;
  readonly recorder: SessionRecorder;
  readonly memory: SessionMemory;
  readonly branch: BranchMemory;
  readonly folder: string;
  readonly version: string;
}

export function createBranchMover(parts: BranchMoverParts): BranchMover {
  const { journal, publisher, recorder, memory, branch, folder, version } = parts;
  return {
    async move(leaf, before = []) {
      const stood = journal.leaf;
      try {
        await recorder.rewrite([...before, { kind: 'position', leaf }], async (entries) => {
          const there = await foldJournal(journal, folder, version, { leaf, last: entries.at(-1)!.id });
          return () => {
            branch.become(there);
            memory.lastInput = there.lastInput;
            memory.lastTurnFailed = there.lastEnd !== null && there.lastEnd.reason !== 'done';
            return [{ type: 'branch', view: shownThere(publisher.view, there.view) }];
          };
        });
      } catch (error) {
        if (stood !== null && journal.leaf === leaf && stood !== leaf)
          await recorder.write([{ kind: 'position', leaf: stood }], { onFailure: 'keep' });
        throw error;
      }
    },
  };
}

/** The branch as it is folded from the journal, and what does not depend on where one stands as it is now. */
function shownThere(now: View, there: View): View {
  return {
    ...now,
    head: { ...now.head, contextTokens: there.head.contextTokens },
    transcript: { ...there.transcript, generation: now.transcript.generation },
    live: null,
    todo: there.todo,
  };
}
