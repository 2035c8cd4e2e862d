import { describe, expect, test } from 'bun:test';
import { emptyHead, emptyView } from '../../../protocol/reduce.ts';
import type { Item, View } from '../../../protocol/view.ts';
import { FRONT_COMMANDS } from '../../commands/command-table.ts';
import { makeKeymap } from '../../commands/keymap.ts';
import { clockTime, count, duration, money } from '../figures.ts';
import { plainText } from '../piece.ts';
import { destinations } from './destination.ts';
import { footerFigures } from './footer-figures.ts';
import { contextReading, fitParts, hintParts } from './hint-parts.ts';

const keymap = makeKeymap(FRONT_COMMANDS);

function viewWith(change: (view: View) => void): View {
  const view = emptyView(emptyHead('s', '/p', '1.0.0'));
  view.head.ready = true;
  change(view);
  return view;
}

const compaction = (before: number | null, after: number | null): Item => ({
  id: 'c',
  entry: 'c',
  time: 0,
  revision: 0,
  kind: 'compaction',
  summary: '',
  tokensBefore: before,
  tokensAfter: after,
});

describe('footer figures', () => {
  test('have the shape of the border, with the threshold in the bar (FO-2, FO-11)', () => {
    const view = viewWith(({ head }) => {
      Object.assign(head, { activeTime: 858_000, contextTokens: 124_000, contextWindow: 200_000, compactAt: 0.8 });
      head.totals = { input: 20_000, output: 18_000, cacheRead: 93_000, cacheWrite: 10_000, cost: 0, requests: 3 };
    });
    expect(plainText(footerFigures(view, 0)[0]!)).toBe(
      'Session: 14m18s • 123k(in)│  18k(out)│  76%(cache) • Current Ctx:  62% [######..|.] 200k • Compact at 80%',
    );
  });

  test('unknown is a dash, never a zero, and automatic compaction may be off (FO-3, FO-5)', () => {
    const line = plainText(
      footerFigures(
        viewWith(() => {}),
        0,
      )[0]!,
    );
    expect(line).toContain('—% [..........] —');
    expect(line).toContain('—(cache)');
    expect(line).toContain('Auto off');
  });

  test('each field keeps its width, so that nothing jitters (FO-3)', () => {
    const widths = [1, 900, 12_300, 999_999].map((tokens) => {
      const view = viewWith(({ head }) => {
        head.totals = { input: tokens, output: tokens, cacheRead: 0, cacheWrite: 0, cost: 0, requests: 1 };
      });
      return plainText(footerFigures(view, 0)[0]!).length;
    });
    expect(new Set(widths).size).toBe(1);
  });

  test('the bar goes first, then whole figures, and none is cut (FO-13)', () => {
    const lengths = footerFigures(
      viewWith(() => {}),
      0,
    ).map((line) => plainText(line).length);
    expect(
      plainText(
        footerFigures(
          viewWith(() => {}),
          0,
        )[2]!,
      ),
    ).not.toContain('[');
    expect(lengths.at(-1)).toBe(0);
  });

  test('the clock ticks while something runs (FO-9)', () => {
    const view = viewWith((made) => {
      made.activity = { phase: 'tools', turn: 1, since: 1000, detail: '', retry: null };
    });
    expect(plainText(footerFigures(view, 13_000)[0]!)).toContain('Session:    12s');
  });
});

describe('context reading', () => {
  test('measured, compacted and unmeasured, each in words (CTX-1, CTX-2, CTX-4)', () => {
    const measured = viewWith(({ head }) =>
      Object.assign(head, { contextTokens: 80_000, contextWindow: 200_000, compactAt: 0.8 }),
    );
    expect(contextReading(measured)).toEqual({ words: 'context 50%', figure: true });
    measured.head.contextTokens = 500_000;
    expect(contextReading(measured).words).toBe('context 100%');
    measured.transcript.items = [compaction(120_000, 40_000)];
    expect(contextReading(measured).words).toBe('compacted, about 50% won back');
    measured.transcript.items = [compaction(null, null)];
    expect(contextReading(measured).words).toBe('compacted');
    const unknown = viewWith(({ head }) => Object.assign(head, { contextTokens: 80_000 }));
    expect(contextReading(unknown)).toEqual({ words: 'context not measured yet', figure: false });
  });
});

describe('hint row', () => {
  test('the mode comes first and is absent while asking; confinement never stands there (HINT-4, HINT-5, HINT-8)', () => {
    const view = viewWith(({ head }) => Object.assign(head, { sandbox: 'bubblewrap' }));
    expect(hintParts(view, keymap).map((part) => plainText(part.line))).toEqual([
      'context not measured yet',
      '? for shortcuts',
    ]);
    view.head.mode = 'plan';
    expect(plainText(hintParts(view, keymap)[0]!.line)).toBe('plan only');
  });

  test('whole parts go: a reading without a figure, the bindings, the figures, the mode last (HINT-6)', () => {
    const view = viewWith(({ head }) => {
      head.mode = 'edits';
    });
    view.jobs = [
      {
        id: 'j',
        label: 'job:1',
        command: 'x',
        state: 'running',
        exit: null,
        started: 0,
        ended: null,
        background: true,
      },
    ];
    const left = (width: number) =>
      fitParts(hintParts(view, keymap), width, (parts) =>
        parts.reduce((sum, part) => sum + plainText(part.line).length + 3, 0),
      ).map((part) => plainText(part.line));
    expect(left(200)).toEqual(['accept edits', 'context not measured yet', '1 in the background', '? for shortcuts']);
    expect(left(60)).toEqual(['accept edits', '1 in the background', '? for shortcuts']);
    expect(left(40)).toEqual(['accept edits', '1 in the background']);
    expect(left(20)).toEqual(['accept edits']);
  });
});

describe('destinations', () => {
  test('a command holds its place: nothing behind it joins the running turn (QUE-2, QUE-20)', () => {
    const view = viewWith((made) => {
      made.activity.phase = 'tools';
      made.queue.rows = (['steering', 'command', 'steering', 'steering'] as const).map((delivery, index) => ({
        id: `${index}`,
        client: 'c',
        ref: `${index}`,
        text: 'x',
        attachments: [],
        delivery,
      }));
    });
    expect(destinations(view)).toEqual([
      'into this turn, next round',
      'carried out after this',
      'a new turn after this',
      'into the next turn',
    ]);
    view.activity.phase = 'compacting';
    expect(destinations(view)[0]).toBe('a new turn after this');
  });
});

test('figures are short and say unknown', () => {
  expect([0, 950, 1234, 12_345, 1_234_567, 23_456_789].map(count)).toEqual(['0', '950', '1.2k', '12k', '1.2M', '23M']);
  expect([400, 9_900, 12_000, 184_000, 7_500_000].map(duration)).toEqual(['0.4s', '9.9s', '12s', '3m04s', '2h05m']);
  expect(clockTime(59_999)).toBe('59s');
  expect([0, 0.0042, 12.3, null].map(money)).toEqual(['$0.00', '$0.0042', '$12.30', '$—']);
});
