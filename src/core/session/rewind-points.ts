import { done, type Outcome } from '../../base/refusal.ts';
import type { EntryId, EntryOf } from '../../protocol/entry.ts';
import { SHELL_LINE } from '../../protocol/own-call.ts';
import type { AnswerTo, RewindPoint } from '../../protocol/query.ts';
import { MOST_POINTS } from '../changes/before-images.ts';
import type { FileChange } from '../changes/ledger.ts';
import { lookAhead, type Outlook, waysBack } from '../changes/put-back.ts';
import { nearest } from '../journal/branch.ts';
import type { Journal } from '../journal/journal.ts';
import { loadSaid } from '../journal/said.ts';
import { destination } from '../journal/tree.ts';
import type { SessionParts } from './parts.ts';

/** A place before one prompt of the branch, and what our tools wrote since. */
export interface Point {
  readonly entry: EntryId;
  readonly leaf: EntryId;
  readonly turn: number;
  readonly time: number;
  readonly said: NonNullable<ReturnType<Awaited<ReturnType<typeof loadSaid>>['get']>>;
  /** Whether the person said it, so that it goes back into the box. */
  readonly own: boolean;
  /** Oldest first. */
  readonly changes: readonly FileChange[];
  readonly ranCommands: boolean;
}

/** Newest first. Only what stands on the branch counts: other branches' changes are not this one's to take back. */
export async function pointsOf(journal: Journal): Promise<Point[]> {
  const branch = journal.branch();
  const places = new Map(branch.map((id, place) => [id, place]));
  const taken = (await journal.load(branch.filter((id) => journal.kindOf(id) === 'taken'))).filter(
    (entry): entry is EntryOf<'taken'> => entry.kind === 'taken' && entry.as !== 'steering' && entry.as !== 'shell',
  );
  const newest = taken.slice(-MOST_POINTS);
  const first = newest[0] === undefined ? 0 : places.get(newest[0].id)!;
  const said = await loadSaid(journal, newest);
  const changes = (await journal.load(journal.ofKind('file-change'))).flatMap((entry) => {
    const place = entry.kind === 'file-change' && entry.parent !== null ? places.get(entry.parent) : undefined;
    return entry.kind === 'file-change' && place !== undefined && place >= first ? [{ place, change: entry }] : [];
  });
  const calls = await journal.load(branch.slice(first).filter((id) => journal.kindOf(id) === 'call'));
  const commands = calls.flatMap((entry) =>
    entry.kind === 'call' && (entry.tool === SHELL_LINE || entry.effects.some(({ kind }) => REACHES_FURTHER.has(kind)))
      ? [places.get(entry.id)!]
      : [],
  );
  return newest
    .map((entry): Point => {
      const place = places.get(entry.id)!;
      return {
        entry: entry.id,
        leaf: destination(journal, entry.id)!.leaf,
        turn: entry.turn,
        time: entry.time,
        own: entry.as !== 'wake',
        said: said.get(entry.id) ?? { text: '', attachments: [] },
        changes: changes.filter((one) => one.place >= place).map((one) => one.change),
        ranCommands: commands.some((one) => one >= place),
      };
    })
    .reverse();
}

/** Effects on files and the world that are not taken back with what our file tools wrote. */
const REACHES_FURTHER = new Set(['run', 'network', 'external', 'service', 'delegate']);

/** What the last going back was that can be taken back; null when there is none, or when more was said since. */
export async function lastUndo(
  journal: Journal,
): Promise<{ readonly start: EntryOf<'undo-start'>; readonly end: EntryOf<'undo-end'> } | null> {
  const entries = await journal.load(journal.ofKind('undo-start', 'undo-end'));
  const starts = new Map<EntryId, EntryOf<'undo-start'>>();
  const stack: { start: EntryOf<'undo-start'>; end: EntryOf<'undo-end'> }[] = [];
  for (const entry of entries) {
    if (entry.kind === 'undo-start') starts.set(entry.id, entry);
    if (entry.kind !== 'undo-end' || !entry.whole) continue;
    const start = starts.get(entry.start);
    if (start === undefined) continue;
    if (start.what === 'redo') stack.pop();
    else stack.push({ start, end: entry });
  }
  const top = stack.at(-1);
  return top !== undefined && wordsAt(journal, journal.leaf) === wordsAt(journal, top.start.to) ? top : null;
}

/** The nearest entry that is more than a note or the run of a hook. */
function wordsAt(journal: Journal, leaf: EntryId | null): EntryId | null {
  return nearest(journal, leaf, (kind) => kind !== 'note' && kind !== 'hook');
}

export async function readRewind(parts: SessionParts): Promise<Outcome<AnswerTo<'rewind'>>> {
  const { journal, images, system } = parts;
  const seen = new Map<string, Promise<Outlook>>();
  const look = (way: ReturnType<typeof waysBack>[number]): Promise<Outlook> => {
    const key = JSON.stringify(way);
    const known = seen.get(key) ?? lookAhead({ files: system.files, images }, way);
    seen.set(key, known);
    return known;
  };
  const points: RewindPoint[] = [];
  for (const { entry, turn, time, said, changes, ranCommands } of await pointsOf(journal)) {
    const ways = waysBack(changes);
    const outlooks = await Promise.all(ways.map(look));
    const files = ways.map(({ step }, at) => ({ path: step.path, becomes: outlooks[at]! }));
    points.push({ entry, turn, time, text: said.text, files, ranCommands });
  }
  return done({ points, redo: (await lastUndo(journal)) !== null });
}
