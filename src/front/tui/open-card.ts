import type { Item, ItemOf } from '../../protocol/view.ts';
import { blockOf } from './blocks/block-of.ts';
import { displayRows } from './blocks/display.ts';
import { exactRows } from './blocks/prose.ts';
import type { Row } from './blocks/row.ts';
import { piece } from './piece.ts';
import { topOf } from './regions/transcript-scroll.ts';
import type { Screen } from './screen.ts';
import type { Context } from './screen-event.ts';
import { noted, type Step, stay, step } from './step.ts';
import { transcriptRows } from './transcript-rows.ts';

/** Opens the lowest card on the screen that has more to show; none there, the newest one. */
export function openCard(screen: Screen, context: Context): Step {
  if (screen.answer !== null) return stay(withAnswer({ ...screen, answer: null }, screen.answer));
  const { view, cards, layout } = context;
  const rows = cards.from(view, topOf({ ...context, screen }, transcriptRows(layout)), transcriptRows(layout));
  return openLowest(
    screen,
    context,
    rows.map((row) => row.place.index),
  );
}

/** The lowest call among the cards numbered `shown`; none there, the newest card that has something to open. */
export function openLowest(screen: Screen, { view, cards }: Context, shown: readonly number[]): Step {
  const seen = new Set(shown);
  for (const index of [...seen].sort((a, b) => b - a)) {
    const item = cards.itemAt(view, index);
    if (item?.kind === 'call') return openItem(screen, item);
  }
  const newest = view.transcript.items.findLast((item) => item.kind === 'call' || item.kind === 'assistant');
  return newest === undefined ? noted(screen, 'Nothing to open here') : openItem(screen, newest);
}

/** The whole of a card in a scroller of its own: parameters, then everything it printed. */
export function openItem(screen: Screen, item: Item): Step {
  const width = Math.max(20, screen.columns - 8);
  const options = { width, expanded: true, openKey: '' };
  if (item.kind !== 'call') {
    return stay(
      opened(screen, item.kind === 'assistant' ? 'Reply' : 'Card', { kind: 'rows', rows: blockOf(item, options) }),
    );
  }
  const head = parameterRows(item, width);
  if (
    item.output === null &&
    item.state !== 'running' &&
    item.display.kind !== 'text' &&
    item.display.kind !== 'terminal'
  ) {
    const shown = displayRows(item.display, options);
    const text = shown.length > 0 || item.text === '' ? [] : exactRows(item.text, [], 'text', options);
    return stay(opened(screen, item.title, { kind: 'rows', rows: [...head, ...shown, ...text] }));
  }
  const fogged =
    (item.display.kind === 'text' || item.display.kind === 'terminal') && item.display.label.integrity === 'untrusted';
  const body = {
    kind: 'output',
    call: item.call,
    head,
    totalLines: null,
    fogged,
    chunks: new Map(),
    failed: null,
  } as const;
  return step(opened(screen, item.title, body), { kind: 'read-output', call: item.call, from: 0 });
}

function opened(
  screen: Screen,
  title: string,
  body: Extract<Screen['modals'][number], { kind: 'scroller' }>['body'],
): Screen {
  return {
    ...screen,
    completion: null,
    keyList: false,
    modals: [...screen.modals, { kind: 'scroller', title, body, top: 0, search: null }],
  };
}

/** A transient answer in a scroller: it is in no transcript and is gone when closed. */
export function withAnswer(screen: Screen, text: string): Screen {
  const options = { width: Math.max(20, screen.columns - 10), expanded: true, openKey: '' };
  return opened(screen, 'Answer', { kind: 'rows', rows: exactRows(text.trimEnd(), [], 'text', options) });
}

/** What the call was given, one parameter a row. */
function parameterRows(item: ItemOf<'call'>, width: number): Row[] {
  const options = { width, expanded: true, openKey: '' };
  const input = item.input;
  const rows: Row[] =
    input === null || typeof input !== 'object'
      ? []
      : Object.entries(input).flatMap(([name, value]) =>
          exactRows(
            typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
            [piece('  ', 'text')],
            'text',
            options,
          ).map(
            (row, index): Row =>
              index === 0 ? { ...row, line: [piece(`${name}: `, 'quiet'), ...row.line], margin: [] } : row,
          ),
        );
  return rows.length === 0
    ? []
    : [...rows, { margin: [], line: [piece('─'.repeat(Math.min(width, 40)), 'line')], join: '\n', furniture: true }];
}

/** The `number`-th last reply as it was written, without control characters; null when there is none (CMD-14). */
export function replyText({ view }: Context, number: number): string | null {
  const replies = view.transcript.items.filter((item) => item.kind === 'assistant');
  const text = replies.at(-number)?.text;
  return text === undefined ? null : text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
