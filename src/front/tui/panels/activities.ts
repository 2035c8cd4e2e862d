import type { DelegateRow } from '../../../protocol/delegate.ts';
import type { TurnEndReason } from '../../../protocol/entry.ts';
import type { CallState, Item, JobRow, View } from '../../../protocol/view.ts';
import { FOG, type HooksShown } from '../blocks/row.ts';
import { RUNNING, stateMark } from '../blocks/tool-call.ts';
import { bytes, duration, plural } from '../figures.ts';
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
  /** Asked for while it is drawn: of thousands of rows a few dozen are in sight. */
  readonly look: () => ActivityLook;
  /** What lies below it is folded until somebody looks. */
  readonly folded?: true;
  /** The item that its detail tells of; null where there is nothing more to tell. */
  readonly item: string | null;
}

export interface ActivityLook {
  readonly mark: Piece;
  readonly text: string;
  readonly right: Line;
}

export interface TreeRow {
  readonly activity: Activity;
  readonly depth: number;
  /** Null where nothing lies below it. */
  readonly open: boolean | null;
}

/** What the View holds, in the order it happened: turns, and below them calls with their jobs and delegates, and replies. */
export function activitiesOf(view: View, injected?: HooksShown['inTree']): Activity[] {
  const jobs = new Map(view.jobs.map((job) => [job.id, job]));
  const delegates = Map.groupBy(view.delegates ?? [], (row) => row.call);
  const turns = new Map<number, string>();
  const calls = new Map<string, string>();
  const ends = turnEnds(view.transcript.items);
  const all: Activity[] = [];
  let current: string | null = null;
  const add = (item: Item, parent: string | null, look: () => ActivityLook): void => {
    all.push({ id: item.id, parent, look, item: item.id });
  };
  for (const item of view.transcript.items) {
    switch (item.kind) {
      case 'user': {
        const turn = turns.get(item.turn) ?? null;
        const begins = turn === null && item.as !== 'steering';
        if (begins) turns.set(item.turn, item.id);
        if (begins) current = item.id;
        add(item, turn, () => ({
          mark: begins ? turnMark(view, item, ends.get(item.turn)) : piece('❯ ', 'accent'),
          text: oneLine(item.text),
          right: [],
        }));
        break;
      }
      case 'call': {
        calls.set(item.call, item.id);
        add(item, turns.get(item.turn) ?? null, () => callLook(item));
        const started = delegates.get(item.call);
        if (started !== undefined) all.push(...delegateActivities(started, item.id));
        const job = item.job === null ? undefined : jobs.get(item.job);
        if (job !== undefined)
          all.push({ id: `job-${job.id}`, parent: item.id, look: () => jobLook(job), item: item.id });
        break;
      }
      case 'assistant':
        add(item, turns.get(item.turn) ?? null, () => saidLook(piece('  '), item.text));
        break;
      case 'hook':
        if (injected !== undefined)
          add(item, calls.get(item.call ?? '') ?? turns.get(item.turn) ?? null, () => hookLook(item, injected));
        break;
      case 'compaction':
        add(item, null, () => saidLook(piece('── ', 'muse'), 'Compacted'));
        break;
      case 'note':
        if (item.level !== 'info') add(item, current, () => saidLook(piece('▲ ', 'warn'), item.text));
        break;
      default:
        break;
    }
  }
  for (const [place, part] of (view.live?.parts ?? []).entries()) {
    if (part.type !== 'call') continue;
    const text = oneLine(part.title === '' ? part.tool : part.title);
    const look = () => ({ mark: stateMark('writing'), text, right: [] });
    all.push({ id: `live-${place}`, parent: turns.get(view.live?.turn ?? -1) ?? null, look, item: null });
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

function callLook(item: ItemOf<'call'>): ActivityLook {
  return {
    mark: still(stateMark(item.state)),
    text: oneLine(item.title === '' ? item.tool : item.title),
    right: item.duration === null || item.duration < 100 ? [] : [piece(duration(item.duration), 'quiet')],
  };
}

const JOB_STATES = { running: 'running', stopping: 'running', ended: 'ok', stopped: 'stopped' } as const;

function jobLook(job: JobRow): ActivityLook {
  const failed = job.state === 'ended' && job.exit !== 0;
  const mark = still(stateMark(failed ? 'error' : JOB_STATES[job.state]));
  return { mark, text: `${job.id} ${oneLine(job.label)}`, right: [] };
}

/** What a hook told the model: its words, or only that it did, and how much (HK-4). */
function hookLook({ label, status, injected }: ItemOf<'hook'>, style: 'content' | 'metadata'): ActivityLook {
  const fogged = style === 'content' && injected.label.integrity === 'untrusted';
  const words =
    style === 'content'
      ? oneLine(injected.text.trim())
      : `${status} • ${plural(injected.items, 'item')} • ${bytes(injected.bytes)}`;
  return { mark: fogged ? FOG : piece('↳ ', 'signal'), text: `${oneLine(label)}: ${words}`, right: [] };
}

function saidLook(mark: Piece, text: string): ActivityLook {
  const [first = ''] = text.trim().split('\n', 1);
  return { mark, text: first, right: [] };
}

const DELEGATE_STATES = { running: 'running', reported: 'ok', failed: 'error', stopped: 'stopped' } as const;

/** Those that one call started, each below the one that started it, with the newest of what they did folded below them. */
function delegateActivities(rows: readonly DelegateRow[], call: string): Activity[] {
  const idOf = (name: string) => `${call}-${name}`;
  return rows.flatMap((row) => {
    const id = idOf(row.name);
    const above = row.name.slice(0, row.name.lastIndexOf('.'));
    const delegate: Activity = {
      id,
      parent: rows.some(({ name }) => name === above) ? idOf(above) : call,
      look: () => ({
        mark: still(stateMark(DELEGATE_STATES[row.state])),
        text: `${row.name} ${row.agent ?? row.kind}: ${oneLine(row.task)}`,
        right: row.ended === null ? [] : [piece(duration(row.ended - row.started), 'quiet')],
      }),
      folded: true,
      item: call,
    };
    const first = row.count - row.acts.length;
    const acts = row.acts.map(({ kind, text, label }, at): Activity => {
      const mark = label?.integrity === 'untrusted' ? FOG : kind === 'refused' ? stateMark('denied') : piece('  ');
      const look = () => ({ mark, text: oneLine(text), right: [] });
      return { id: `${id}-${first + at}`, parent: id, look, item: call };
    });
    return [delegate, ...acts];
  });
}

/**
 * Activities as rows: below its parent stands what names it as such, in the order it happened. Links that
 * lead round are refused (AD-10). `turned`: what is folded that stands open at first, or the other way round.
 */
export function treeRows(activities: readonly Activity[], turned: ReadonlySet<string>): TreeRow[] {
  const byId = new Map(activities.map((one) => [one.id, one]));
  const parents = parentsOf(byId);
  const below = new Map<string | null, Activity[]>();
  for (const one of byId.values()) {
    const parent = parents.get(one.id) ?? null;
    const children = below.get(parent);
    if (children === undefined) below.set(parent, [one]);
    else children.push(one);
  }
  const rows: TreeRow[] = [];
  // A stack of its own: how deep a tree may be is not for the call stack to say.
  const waiting = (below.get(null) ?? []).toReversed().map((activity) => ({ activity, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const children = below.get(next.activity.id) ?? [];
    const open = children.length === 0 ? null : turned.has(next.activity.id) === (next.activity.folded === true);
    rows.push({ ...next, open });
    if (open !== true) continue;
    for (let at = children.length - 1; at >= 0; at--) waiting.push({ activity: children[at]!, depth: next.depth + 1 });
  }
  return rows;
}

/** Whom each stands below; of links that lead back to where they came from one is left out. */
function parentsOf(byId: ReadonlyMap<string, Activity>): Map<string, string | null> {
  const parents = new Map<string, string | null>();
  for (const start of byId.values()) {
    if (parents.has(start.id)) continue;
    // Nearly always what lies above came before.
    if (start.parent === null || parents.has(start.parent)) parents.set(start.id, start.parent);
    else placeAbove(start, byId, parents);
  }
  return parents;
}

function placeAbove(start: Activity, byId: ReadonlyMap<string, Activity>, parents: Map<string, string | null>): void {
  const path = new Set<string>();
  let one: Activity | undefined = start;
  while (one !== undefined && !parents.has(one.id)) {
    path.add(one.id);
    const above: Activity | undefined = byId.get(one.parent ?? '');
    const fits: boolean = above !== undefined && !path.has(above.id);
    parents.set(one.id, fits ? one.parent : null);
    one = fits ? above : undefined;
  }
}
