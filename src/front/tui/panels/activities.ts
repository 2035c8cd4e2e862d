import type { TurnEndReason } from '../../../protocol/entry.ts';
import type { CallState, Item, JobRow, View } from '../../../protocol/view.ts';
import { RUNNING, stateMark } from '../blocks/tool-call.ts';
import { duration } from '../figures.ts';
import { oneLine } from '../one-line.ts';
import { type Line, type Piece, piece } from '../piece.ts';

/**
 * One thing that was done or said, as the tree shows it. Whoever has rows of its own to show below a tool or a message
 * adds activities that name its item as their parent; one whose parent is not here stands at the top (HK-3, AD-10).
 */
export interface Activity {
  /** Never changes: of the item, the job, the turn. */
  readonly id: string;
  readonly parent: string | null;
  readonly mark: Piece;
  readonly text: string;
  readonly right: Line;
  /** The item that its detail tells of; null where there is nothing more to tell. */
  readonly item: string | null;
}

export interface TreeRow {
  readonly activity: Activity;
  readonly depth: number;
  /** Null where nothing lies below it. */
  readonly open: boolean | null;
}

/** What the View holds, in the order it happened: turns, and below them calls with their jobs, and replies. */
export function activitiesOf(view: View): Activity[] {
  const jobs = new Map(view.jobs.map((job) => [job.id, job]));
  const turns = new Map<number, string>();
  const ends = turnEnds(view.transcript.items);
  const all: Activity[] = [];
  let current: string | null = null;
  for (const item of view.transcript.items) {
    switch (item.kind) {
      case 'user': {
        const turn = turns.get(item.turn) ?? null;
        const begins = turn === null && item.as !== 'steering';
        if (begins) turns.set(item.turn, item.id);
        if (begins) current = item.id;
        all.push({
          id: item.id,
          parent: turn,
          mark: begins ? turnMark(view, item, ends.get(item.turn)) : piece('❯ ', 'accent'),
          text: oneLine(item.text),
          right: [],
          item: item.id,
        });
        break;
      }
      case 'call': {
        all.push(callActivity(item, turns.get(item.turn) ?? null));
        const job = item.job === null ? undefined : jobs.get(item.job);
        if (job !== undefined) all.push(jobActivity(job, item.id));
        break;
      }
      case 'assistant':
        all.push(said(item, turns.get(item.turn) ?? null, piece('  ', 'text'), item.text));
        break;
      case 'compaction':
        all.push(said(item, null, piece('── ', 'muse'), 'Compacted'));
        break;
      case 'note':
        if (item.level !== 'info') all.push(said(item, current, piece('▲ ', 'warn'), item.text));
        break;
      default:
        break;
    }
  }
  for (const [place, part] of (view.live?.parts ?? []).entries()) {
    if (part.type !== 'call') continue;
    const parent = turns.get(view.live?.turn ?? -1) ?? null;
    const text = oneLine(part.title === '' ? part.tool : part.title);
    all.push({ id: `live-${place}`, parent, mark: stateMark('writing'), text, right: [], item: null });
  }
  return all;
}

type ItemOf<K extends Item['kind']> = Extract<Item, { kind: K }>;

function turnEnds(items: readonly Item[]): Map<number, TurnEndReason> {
  const ends = new Map<number, TurnEndReason>();
  for (const item of items) if (item.kind === 'turn-end') ends.set(item.turn, item.reason);
  return ends;
}

function turnMark(view: View, item: ItemOf<'user'>, end: TurnEndReason | undefined): Piece {
  const state: CallState =
    end === undefined
      ? view.activity.turn === item.turn && view.activity.phase !== 'idle'
        ? 'running'
        : 'waiting'
      : (END_STATES[end] ?? 'stopped');
  return still(stateMark(end === undefined && item.stopped ? 'stopped' : state));
}

const END_STATES: Partial<Record<TurnEndReason, CallState>> = { done: 'ok', failed: 'error', interrupted: 'unknown' };

/** One orbit turns on the screen, and it is the card's: what is kept as it was drawn has a glyph that stands. */
function still(mark: Piece): Piece {
  return mark.text.startsWith(RUNNING) ? { ...mark, text: '◐ ' } : mark;
}

function callActivity(item: ItemOf<'call'>, parent: string | null): Activity {
  return {
    id: item.id,
    parent,
    mark: still(stateMark(item.state)),
    text: oneLine(item.title === '' ? item.tool : item.title),
    right: item.duration === null || item.duration < 100 ? [] : [piece(duration(item.duration), 'quiet')],
    item: item.id,
  };
}

const JOB_STATES = { running: 'running', stopping: 'running', ended: 'ok', stopped: 'stopped' } as const;

function jobActivity(job: JobRow, parent: string): Activity {
  const failed = job.state === 'ended' && job.exit !== 0;
  return {
    id: `job-${job.id}`,
    parent,
    mark: still(stateMark(failed ? 'error' : JOB_STATES[job.state])),
    text: `${job.id} ${oneLine(job.label)}`,
    right: [],
    item: parent,
  };
}

function said(item: Item, parent: string | null, mark: Piece, text: string): Activity {
  const [first = ''] = text.trim().split('\n', 1);
  return { id: item.id, parent, mark, text: first, right: [], item: item.id };
}

/**
 * Activities as rows: below its parent stands what names it as such, in the order it happened. Who names itself, or one
 * below it, has no parent (AD-10). `turned`: what is folded.
 */
export function treeRows(activities: readonly Activity[], turned: ReadonlySet<string>): TreeRow[] {
  const byId = new Map(activities.map((one) => [one.id, one]));
  const below = new Map<string | null, Activity[]>();
  for (const one of byId.values()) {
    const parent = parentOf(one, byId);
    const children = below.get(parent);
    if (children === undefined) below.set(parent, [one]);
    else children.push(one);
  }
  const rows: TreeRow[] = [];
  // A stack of its own: how deep a tree may be is not for the call stack to say.
  const waiting = (below.get(null) ?? []).toReversed().map((activity) => ({ activity, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const children = below.get(next.activity.id) ?? [];
    const open = children.length === 0 ? null : !turned.has(next.activity.id);
    rows.push({ ...next, open });
    if (open !== true) continue;
    for (let at = children.length - 1; at >= 0; at--) waiting.push({ activity: children[at]!, depth: next.depth + 1 });
  }
  return rows;
}

function parentOf({ id, parent }: Activity, byId: ReadonlyMap<string, Activity>): string | null {
  if (parent === null || !byId.has(parent)) return null;
  const seen = new Set([id]);
  for (let at: string | null = parent; at !== null; at = byId.get(at)?.parent ?? null) {
    if (seen.has(at)) return null;
    seen.add(at);
  }
  return parent;
}
