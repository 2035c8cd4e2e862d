import type { Item, View } from '../../../protocol/view.ts';
import { blockOf } from '../blocks/block-of.ts';
import { diffRows } from '../blocks/diff.ts';
import { displayRows } from '../blocks/display.ts';
import { exactRows, textRows } from '../blocks/prose.ts';
import { INDENT, type Row } from '../blocks/row.ts';
import { stateMark } from '../blocks/tool-call.ts';
import { duration } from '../figures.ts';
import type { ActivityModal, ScrollerModal } from '../modals/modal.ts';
import { piece } from '../piece.ts';
import type { Screen } from '../screen.ts';
import { section } from './summary-rows.ts';

type Call = Extract<Item, { kind: 'call' }>;

export const DETAIL_TITLE = 'Selected Activity Detail';

/** Whether its output lies beside the conversation and is fetched piece by piece. */
export function hasOutput(item: Item): item is Call {
  return (
    item.kind === 'call' &&
    item.state !== 'running' &&
    item.state !== 'writing' &&
    item.state !== 'waiting' &&
    item.state !== 'asking' &&
    (item.output !== null || item.display.kind === 'text' || item.display.kind === 'terminal')
  );
}

export function itemOf(view: View, id: string): Item | null {
  return view.transcript.items.findLast((item) => item.id === id) ?? null;
}

/** The detail as rows to read: what it is, what it was given, what came of it (AD-4). */
export function asScroller(
  view: View,
  modal: ActivityModal,
  { panels: { liveFrom }, hooks }: Pick<Screen, 'panels' | 'hooks'>,
  width: number,
): ScrollerModal {
  const item = itemOf(view, modal.id);
  const place = view.transcript.first + view.transcript.items.findLastIndex(({ id }) => id === modal.id);
  const common = { kind: 'scroller', title: DETAIL_TITLE, top: modal.top, search: modal.search } as const;
  if (item === null) return { ...common, body: { kind: 'rows', rows: [line('It is no longer among what is here')] } };
  const head = headRows(item, modal.expanded, width);
  if (modal.output !== null && hasOutput(item)) return { ...common, body: { kind: 'output', head, ...modal.output } };
  return {
    ...common,
    body: { kind: 'rows', rows: [...head, ...bodyRows(item, place >= liveFrom, hooks.inTree ?? 'metadata', width)] },
  };
}

const STATES: Readonly<Record<Call['state'], string>> = {
  writing: 'is being written',
  waiting: 'waits',
  asking: 'asks you',
  running: 'running',
  ok: 'success',
  error: 'failed',
  denied: 'refused',
  stopped: 'stopped',
  unknown: 'outcome unknown',
};

const KINDS: Readonly<Record<Exclude<Item['kind'], 'call'>, string>> = {
  user: 'Prompt',
  assistant: 'Reply',
  thinking: 'Thinking',
  note: 'Note',
  'turn-end': 'End of a turn',
  compaction: 'Compaction',
  hook: 'Told by a hook',
};

function headRows(item: Item, expanded: boolean, width: number): Row[] {
  const call = item.kind === 'call' ? item : null;
  const status: Row =
    call === null
      ? line('done')
      : {
          margin: [{ ...stateMark(call.state), text: call.state === 'running' ? '◐ ' : stateMark(call.state).text }],
          line: [piece(STATES[call.state])],
          join: '\n',
        };
  const words = call === null ? 'Metadata' : 'Metadata / Params';
  const fold: Row = {
    margin: [piece(expanded ? '▾ ' : '▸ ', 'accent')],
    line: [piece(words, 'accent')],
    join: '\n',
    action: 'toggle',
    rule: true,
  };
  const title =
    call === null
      ? KINDS[item.kind as keyof typeof KINDS]
      : `Tool • ${call.tool} • ${call.title.replace(/\s*\n\s*/g, ' ⏎ ')}`;
  return [
    section('Status'),
    status,
    ...textRows(title, [], 'strong', { width, expanded: true, openKey: '' }),
    fold,
    ...(expanded ? metadataRows(item, width) : []),
  ];
}

function bodyRows(item: Item, live: boolean, injected: 'content' | 'metadata', width: number): Row[] {
  const options = { width, expanded: true, openKey: '', hooks: { rows: true, injected } };
  if (item.kind !== 'call') return [section('Content'), ...blockOf(item, options)];
  const { display } = item;
  const printed =
    item.state === 'running'
      ? exactRows(item.tail, [], 'text', options)
      : display.kind === 'diff' || display.kind === 'text' || display.kind === 'terminal'
        ? exactRows(item.text, [], 'text', options)
        : [
            ...displayRows(display, options),
            ...(display.kind === 'none' ? exactRows(item.text, [], 'text', options) : []),
          ];
  const diff =
    live && display.kind === 'diff' && item.state === 'ok'
      ? [section('Applied Diff'), ...display.files.flatMap((file) => diffRows(file, options, true))]
      : [];
  return [section('Sanitized Output'), ...(printed.length === 0 ? [line('It printed nothing')] : printed), ...diff];
}

function line(text: string): Row {
  return { margin: [], line: [piece(text, 'quiet')], join: '\n' };
}

/** All it was given, and all that is known of what came of it (AD-6). */
function metadataRows(item: Item, width: number): Row[] {
  const { kind, id, entry, time, revision: _, ...rest } = item;
  const given = item.kind === 'call' ? fieldRows(item.input, width) : [];
  const {
    input: __,
    text: ___,
    tail: ____,
    injected: _____,
    display,
    ...known
  } = rest as Readonly<Record<string, unknown>>;
  const told = item.kind === 'hook' ? { items: item.injected.items, bytes: item.injected.bytes } : {};
  const at = new Date(time).toISOString();
  const spent = item.kind === 'call' && item.duration !== null ? { took: duration(item.duration) } : {};
  return [
    ...given,
    ...fieldRows(
      {
        ...known,
        ...told,
        ...spent,
        ...(display === undefined ? {} : { display: bare(display) }),
        kind,
        id,
        entry,
        at,
      },
      width,
    ),
  ];
}

/** Of what a result shows, everything but the text itself, which stands below. */
function bare(display: unknown): unknown {
  if (typeof display !== 'object' || display === null) return display;
  return Object.fromEntries(
    Object.entries(display).filter(([name]) => !['text', 'tail', 'files', 'items', 'preview'].includes(name)),
  );
}

function fieldRows(value: unknown, width: number): Row[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const hidden = withoutSecrets(name, one);
    const text = typeof hidden === 'string' ? hidden : (JSON.stringify(hidden) ?? '');
    const options = { width, expanded: true, openKey: '' };
    return exactRows(`${name}: ${text}`, [INDENT], 'quiet', options);
  });
}

const SECRET = /pass(word|phrase|wd)|secret|token|api[-_]?key|authorization|credential|cookie|private[-_]?key/i;

/** What stands under a name that speaks of a credential is not shown, however deep it lies. */
export function withoutSecrets(name: string, value: unknown): unknown {
  if (typeof value === 'string') return SECRET.test(name) && value !== '' ? '[hidden]' : value;
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(name, one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withoutSecrets(SECRET.test(name) ? name : key, one)]),
  );
}
