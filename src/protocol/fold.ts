import type { Entry, EntryId, EntryOf } from './entry.ts';
import type { Attachment, Target } from './message.ts';
import type { HookRow, Item, ItemBody, ItemOf } from './view.ts';

/** What an `input` entry said: needed when its `taken` entry puts it on the branch. */
export interface Said {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly target?: Target | null;
}

/**
 * The transcript items one branch entry begins. Pure, and used by the reducer and by whoever reads old pages from the
 * journal, so that a page and the View can never disagree.
 */
export function itemsOf(entry: Entry, said: (input: EntryId) => Said | null): Item[] {
  switch (entry.kind) {
    case 'taken': {
      const input = said(entry.input);
      const body: ItemBody = {
        kind: 'user',
        text: input?.text ?? entry.words ?? '',
        attachments: input?.attachments ?? [],
        as: entry.as,
        turn: entry.turn,
        stopped: false,
        ...(input?.target ? { target: input.target } : {}),
      };
      return [item(entry, 0, body)];
    }
    case 'assistant':
      return entry.parts.flatMap((part, index) => {
        if (part.type === 'text') {
          if (part.text === '') return [];
          return [item(entry, index, { kind: 'assistant', text: part.text, turn: entry.turn, stop: entry.stop })];
        }
        if (part.type === 'thinking') {
          return part.text === '' ? [] : [item(entry, index, { kind: 'thinking', text: part.text, turn: entry.turn })];
        }
        return [item(entry, index, newCall(part.call, part.tool, part.title, part.why, part.input, entry.turn))];
      });
    case 'note':
      return [item(entry, 0, { kind: 'note', level: entry.level, identifier: entry.identifier, text: entry.text })];
    case 'hook':
      return hookItems(entry);
    case 'turn-end':
      return [
        item(entry, 0, {
          kind: 'turn-end',
          turn: entry.turn,
          reason: entry.reason,
          failure: entry.failure,
          message: entry.message,
          ...(entry.more === undefined ? {} : { more: entry.more }),
          duration: entry.duration,
          usage: entry.usage,
        }),
      ];
    case 'compaction':
      return [
        item(entry, 0, {
          kind: 'compaction',
          summary: entry.summary,
          tokensBefore: entry.tokensBefore,
          tokensAfter: entry.tokensAfter,
          ...(entry.budget === undefined ? {} : { budget: entry.budget }),
        }),
      ];
    default:
      return [];
  }
}

/** The item for a call that no assistant message announced (a person's own shell line). */
export function itemOfOwnCall(entry: EntryOf<'call'>): Item {
  return item(entry, 0, newCall(entry.call, entry.tool, entry.title, null, null, entry.turn));
}

/** Changes `items` for what `entry` says about earlier items; returns the positions changed. */
export function amendItems(items: Item[], entry: Entry): number[] {
  switch (entry.kind) {
    case 'call': {
      const position = findCall(items, entry.call);
      if (position < 0) return [];
      const found = items[position] as ItemOf<'call'>;
      found.title = entry.title;
      found.effects = entry.effects;
      found.state = 'running';
      found.started = entry.time;
      found.revision++;
      return [position];
    }
    case 'result': {
      const position = findCall(items, entry.call);
      if (position < 0) return [];
      const found = items[position] as ItemOf<'call'>;
      found.title = entry.title;
      found.state = entry.outcome;
      found.display = entry.display;
      found.text = entry.text;
      found.output = entry.output;
      found.job = entry.job;
      found.duration = entry.duration;
      found.tail = '';
      found.revision++;
      return [position];
    }
    case 'hook': {
      const { call, hook, phase, label, status, duration, text } = entry;
      return call === null ? [] : setHook(items, call, { hook, phase, label, status, duration, text });
    }
    case 'turn-end': {
      if (entry.reason !== 'stopped') return [];
      const changed: number[] = [];
      for (let position = items.length - 1; position >= 0; position--) {
        const found = items[position]!;
        if (found.kind !== 'user') continue;
        if (found.turn !== entry.turn) break;
        found.stopped = true;
        found.revision++;
        changed.push(position);
      }
      return changed;
    }
    default:
      return [];
  }
}

/** A run that is known already is that one, further on; returns the position changed. */
export function setHook(items: Item[], call: string, row: HookRow): number[] {
  const position = findCall(items, call);
  if (position < 0) return [];
  const found = items[position] as ItemOf<'call'>;
  const rows = found.hooks ?? [];
  const at = rows.findIndex(({ hook }) => hook === row.hook);
  found.hooks = at < 0 ? [...rows, row] : rows.with(at, row);
  found.revision++;
  return [position];
}

/** One that failed warns, whatever is shown of hooks; what one told the model has a card. Of the rest the call shows a row. */
function hookItems(entry: EntryOf<'hook'>): Item[] {
  const { turn, phase, label, tool, call, status, text, injected } = entry;
  if (status === 'failed') {
    const where = tool === null ? phase : `${phase}, ${tool}`;
    const words = `The hook “${label}” (${where}) failed${text === '' ? '.' : `: ${text}`}`;
    return [item(entry, 0, { kind: 'note', level: 'warning', identifier: 'hook', text: words })];
  }
  if (injected === null) return [];
  return [item(entry, 0, { kind: 'hook', turn, phase, label, tool, call, status, injected })];
}

export function findCall(items: readonly Item[], call: string): number {
  for (let position = items.length - 1; position >= 0; position--) {
    const found = items[position]!;
    if (found.kind === 'call' && found.call === call) return position;
  }
  return -1;
}

function newCall(
  call: string,
  tool: string,
  title: string,
  why: string | null,
  input: unknown,
  turn: number,
): ItemBody {
  return {
    kind: 'call',
    call,
    tool,
    title,
    state: 'waiting',
    why,
    input,
    effects: [],
    display: { kind: 'none' },
    text: '',
    output: null,
    job: null,
    tail: '',
    started: null,
    duration: null,
    turn,
  };
}

function item(entry: Entry, index: number, body: ItemBody): Item {
  return {
    id: index === 0 ? entry.id : `${entry.id}.${index}`,
    entry: entry.id,
    time: entry.time,
    revision: 0,
    ...body,
  };
}
