import type { EntryBody } from '../../protocol/entry.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { Change } from '../../protocol/update.ts';
import type { Recorder } from '../runtime/runtime.ts';
import type { Publisher } from './publish.ts';

/** Parts of a session that tell its clients something. */
interface Tells {
  readonly publisher: Publisher;
}

/** What commands answer beside a turn: seen below it at once, and in the transcript once it is over (QUE-7). */
export interface Answers {
  /** For carrying out `line`: as `parts`, and what it tells this client while a turn runs is kept. */
  heard<P extends Tells>(parts: P, line: string, client: ClientId): P;
  /** The turn is over: what was kept goes into the transcript, behind it. */
  move(): void;
}

export function createAnswers(recorder: Recorder, turnRuns: () => boolean): Answers {
  let kept: EntryBody[] = [];
  const keep = (line: string, change: Change): void => {
    if (change.type !== 'flash' || !turnRuns()) return;
    const told = change.text.trimEnd();
    const text = `${line}${told.includes('\n') ? '\n' : ': '}${told}`;
    kept.push({ kind: 'note', level: change.level, identifier: 'answer', text });
  };
  return {
    heard: (parts, line, client) => {
      if (!turnRuns()) return parts;
      const { publisher } = parts;
      const publish: Publisher['publish'] = (...changes) => {
        for (const change of changes) if (change.type === 'flash' && change.client === client) keep(line, change);
        publisher.publish(...changes);
      };
      return { ...parts, publisher: { ...publisher, publish } };
    },
    move: () => {
      if (kept.length === 0) return;
      const notes = kept;
      kept = [];
      void recorder.write(notes, { onFailure: 'keep' });
    },
  };
}
