import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  assistantBody,
  compactionBody,
  MODEL,
  NO_USAGE,
  OTHER_MODEL,
  turnEndBody,
} from '../../../../test/support/entries.ts';
import type { Entry, EntryBody } from '../../../protocol/entry.ts';
import { applyEntry, emptyHead, emptyView } from '../../../protocol/reduce.ts';
import type { Item, View } from '../../../protocol/view.ts';
import { FRONT_COMMANDS } from '../../commands/command-table.ts';
import { makeKeymap } from '../../commands/keymap.ts';
import { lineWidth } from '../draw.ts';
import { clockTime, count, duration, money } from '../figures.ts';
import { keyListLines } from '../modals/help-rows.ts';
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
    const known = viewWith(() => {});
    const step = (body: EntryBody) => applyEntry(known, { id: 'e', parent: null, time: 0, ...body } as Entry);
    step({
      ...assistantBody(1, []),
      usage: { ...NO_USAGE, input: 1000, cacheRead: 3000, output: 900, reasoning: 500 },
    });
    expect(plainText(footerFigures(known, 0)[0]!)).toContain('75%(cache)');
    // A request nobody gave figures for changes nothing about what is known.
    step(assistantBody(2, []));
    expect(plainText(footerFigures(known, 0)[0]!)).toContain('75%(cache)');
  });

  test('whatever the figures are, every field stands where it stood (FO-3)', () => {
    const tokens = fc.oneof(fc.nat(2000), fc.nat(2_000_000), fc.integer({ min: 0, max: 90_000_000_000 }));
    const known = fc.option(tokens, { nil: null });
    const shape = ([input, output, cacheRead, context, window, time, live]: readonly (number | null)[]) => {
      const view = viewWith((made) => {
        made.head.totals = { ...made.head.totals, input: input!, output: output!, cacheRead: cacheRead! };
        Object.assign(made.head, { contextTokens: context, contextWindow: window, compactAt: 0.8, activeTime: time });
        made.live = { turn: 1, round: 1, parts: [], tokens: live! };
      });
      return footerFigures(view, 0).map((line) => {
        const text = plainText(line);
        return ['(in)', '(out)', '(cache)', '%', '[', ']', 'Compact'].map((mark) => text.lastIndexOf(mark)).join(' ');
      });
    };
    const expected = shape([0, 0, 0, null, null, 0, 0]);
    fc.assert(
      fc.property(
        fc.tuple(tokens, tokens, tokens, known, known, fc.nat(8_640_000_000 - 1), fc.nat(200_000)),
        (figures) => {
          expect(shape(figures)).toEqual(expected);
        },
      ),
    );
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

  test('what streams counts by estimate, and another model hides the figure until it answered (FO-13)', () => {
    const view = viewWith(({ head }) => {
      Object.assign(head, { model: MODEL, contextTokens: 50_000, contextWindow: 200_000, compactAt: 0.8 });
    });
    view.live = { turn: 1, round: 1, parts: [], tokens: 10_000 };
    expect(plainText(footerFigures(view, 0)[0]!)).toContain(' 30% [###.....|.]');
    view.live = null;
    const step = (body: EntryBody) => applyEntry(view, { id: 'e', parent: null, time: 0, ...body } as Entry);
    step({ kind: 'model', model: MODEL, effort: 'high' });
    expect(plainText(footerFigures(view, 0)[0]!)).toContain(' 25%');
    step({ kind: 'model', model: OTHER_MODEL, effort: 'high' });
    expect(plainText(footerFigures(view, 0)[0]!)).toContain('  —% [..........]');
    step({ ...assistantBody(1, []), usage: { ...NO_USAGE, input: 20_000, output: 1 } });
    expect(plainText(footerFigures(view, 0)[0]!)).toContain(' 10%');
  });

  test('the mark is where compaction fires, for every threshold and filling (FO-11)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 300_000 }), (percent, tokens) => {
        const view = viewWith(({ head }) => {
          Object.assign(head, { contextTokens: tokens, contextWindow: 200_000, compactAt: percent / 100 });
        });
        const bar = /\[([^\]]{10})\]/.exec(plainText(footerFigures(view, 0)[0]!))![1]!;
        expect(bar.indexOf('|')).toBe(Math.min(9, Math.floor(percent / 10)));
        const used = Math.min(10, Math.round(tokens / 20_000));
        expect([...bar].filter((cell, at) => cell === '#' || (cell === '|' && at < used)).length).toBe(used);
        view.head.compactAt = null;
        expect(plainText(footerFigures(view, 0)[0]!)).not.toContain('|.');
        expect(plainText(footerFigures(view, 0)[0]!)).toContain('Auto off');
      }),
    );
  });

  test('turns, shell lines and compactions add up, and reading the entries again gives the same total (FO-7, FO-10)', () => {
    const bodies: EntryBody[] = [
      { ...turnEndBody(1, 'done'), duration: 60_000 },
      { kind: 'active-time', duration: 5_000 },
      { ...turnEndBody(2, 'stopped'), duration: 7_000 },
    ];
    const read = () =>
      viewWith((view) => {
        for (const body of bodies) applyEntry(view, { id: 'e', parent: null, time: 0, ...body } as Entry);
      });
    expect(plainText(footerFigures(read(), 0)[0]!)).toContain('Session:  1m12s');
    expect(footerFigures(read(), 0)).toEqual(footerFigures(read(), 99_000_000));
  });

  test('totals count every request, delegates and compactions too, and what was never recorded stays out (FO-4, FO-6)', () => {
    const usage = { ...NO_USAGE, input: 1000, output: 100 };
    const bodies: EntryBody[] = [
      { ...assistantBody(1, []), usage },
      { kind: 'usage', purpose: 'delegate', model: OTHER_MODEL, usage, cost: null },
      { ...compactionBody('short', 'e'), usage },
      assistantBody(2, []),
    ];
    const view = viewWith((made) => {
      for (const body of bodies) applyEntry(made, { id: 'e', parent: null, time: 0, ...body } as Entry);
    });
    expect(plainText(footerFigures(view, 0)[0]!)).toContain('3.0k(in)│  300(out)');
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
    expect(contextReading(unknown)).toEqual({ words: 'context 80k tokens, window unknown', figure: true });
    unknown.head.contextTokens = null;
    expect(contextReading(unknown)).toEqual({ words: 'context not measured yet', figure: false });
  });
});

test('a resumed session opens with the size of its last request; a failed try that was counted counts too (CTX-3, CTX-6)', () => {
  const view = viewWith(({ head }) => Object.assign(head, { contextWindow: 100_000, compactAt: 0.8 }));
  const read = (body: EntryBody) => applyEntry(view, { id: 'e', parent: null, time: 0, ...body } as Entry);
  read({ ...assistantBody(1, []), usage: { ...NO_USAGE, input: 30_000, cacheRead: 10_000, output: 1 } });
  expect(contextReading(view).words).toBe('context 50%');
  const tried = { kind: 'usage', model: MODEL, cost: null, usage: { ...NO_USAGE, input: 60_000 } } as const;
  read({ ...tried, purpose: 'title' });
  expect(contextReading(view).words).toBe('context 50%');
  read({ ...tried, purpose: 'retry' });
  expect(contextReading(view).words).toBe('context 75%');
  read({ ...tried, purpose: 'retry', usage: NO_USAGE });
  expect(contextReading(view).words).toBe('context 75%');
});

test('the key list has as many columns as fit and never overflows (HINT-3)', () => {
  for (let width = 20; width < 200; width++) {
    const lines = keyListLines(keymap, width);
    for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
    if (width >= 64) expect(lines.length).toBeLessThan(keyListLines(keymap, 32).length);
  }
});

describe('hint row', () => {
  test('the mode comes first and is absent while asking; confinement never stands there (HINT-5, HINT-8)', () => {
    const view = viewWith(({ head }) => Object.assign(head, { sandbox: 'bubblewrap' }));
    expect(hintParts(view, keymap).map((part) => plainText(part.line))).toEqual([
      'context not measured yet',
      '? for shortcuts',
    ]);
    view.head.mode = 'plan';
    view.head.contextTokens = 1000;
    view.head.contextWindow = 10_000;
    expect(plainText(hintParts(view, keymap)[0]!.line)).toBe('plan only');
    // Colour is for the mode alone.
    const roles = hintParts(view, keymap).map((part) => part.line.map((each) => each.role));
    expect(roles).toEqual([['muse'], ['quiet'], ['quiet']]);
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
    // A loop stands longer than any figure, and shorter than the mode.
    view.head.standing = { loop: { every: 300_000, due: null, runs: 0 } as never, goal: null, watches: [] };
    const loop = 'loop every 5m, now';
    expect(left(60)).toEqual(['accept edits', loop, '1 in the background']);
    expect(left(45)).toEqual(['accept edits', loop]);
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
    view.queue.rows[1]!.delivery = 'shell';
    expect(destinations(view)).toEqual([
      'into this turn, next round',
      'run in your shell',
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
