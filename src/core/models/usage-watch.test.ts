import { expect, test } from 'bun:test';
import type { QuotaFigure, QuotaWindow } from '../../protocol/usage.ts';
import { createMemoryClock } from '../../system/memory/clock.ts';
import { readUsage } from './usage-codex.ts';
import { createUsageWatch, figureOf, type QuotaAccount } from './usage-watch.ts';

const MINUTE = 60_000;
const week = (used: number): QuotaWindow => ({ name: 'w', used, resetsAt: null });

/** An account under the test's thumb. */
function rig(more: { readonly plan?: string | null } = {}) {
  const clock = createMemoryClock();
  const state = { account: 'a' as string | null, used: 72, asked: 0, busy: false, fails: false };
  let held: Promise<void> | null = null;
  const source: QuotaAccount = {
    label: 'Codex',
    service: 'OpenAI Codex',
    account: async () => {
      if (state.fails) throw new Error('unreadable');
      return state.account;
    },
    ask: async () => {
      state.asked++;
      const { used } = state;
      await held;
      return { plan: more.plan ?? 'pro', windows: [week(used)] };
    },
  };
  const figures: (QuotaFigure | null)[] = [];
  const watch = createUsageWatch({ clock, accounts: [source] });
  const serve = async () => {
    watch.serve({ show: (figure) => void figures.push(figure), isBusy: () => state.busy });
    await clock.settle();
  };
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return () => {
      held = null;
      resolve();
    };
  };
  return { clock, state, watch, figures, serve, hold };
}

test('it asks when an account is there, then at most every five minutes, and only while something goes on (FO-18)', async () => {
  const { clock, state, watch, figures, serve } = rig();
  await serve();
  expect(figures).toEqual([{ label: 'Codex', used: 72, window: 'w' }]);
  await clock.advance(60 * MINUTE);
  // Nothing went on: nothing was asked, and no timer runs.
  expect(state.asked).toBe(1);
  state.used = 80;
  watch.stir();
  await clock.settle();
  expect(state.asked).toBe(2);
  for (let minute = 0; minute < 12; minute++) {
    watch.stir();
    await clock.advance(MINUTE);
  }
  expect(state.asked).toBe(4);
  await clock.advance(60 * MINUTE);
  expect(state.asked).toBe(5);
  // A prompt that runs and says nothing for long counts.
  state.busy = true;
  watch.stir();
  await clock.advance(11 * MINUTE);
  expect(state.asked).toBe(8);
  expect(figures.at(-1)).toEqual({ label: 'Codex', used: 80, window: 'w' });
});

test('whoever signs in sees the figure at once, with nothing else going on (FO-18)', async () => {
  const { clock, state, watch, figures, serve } = rig();
  state.account = null;
  await serve();
  expect(state.asked).toBe(0);
  state.account = 'a';
  watch.accountChanged();
  await clock.settle();
  expect(figures).toEqual([{ label: 'Codex', used: 72, window: 'w' }]);
});

test('asking for the figures shares what is under way (FO-19)', async () => {
  const { clock, state, watch, serve, hold } = rig();
  await serve();
  const release = hold();
  const both = Promise.all([watch.refresh(), watch.refresh()]);
  await clock.settle();
  expect(state.asked).toBe(2);
  release();
  await both;
  await watch.refresh();
  expect(state.asked).toBe(3);
});

test('whoever signs out, or whose sign-in can not be read, has no figure any more (FO-20)', async () => {
  for (const leave of ['account', 'fails'] as const) {
    const { clock, state, watch, figures, serve } = rig();
    await serve();
    watch.stir();
    if (leave === 'account') state.account = null;
    else state.fails = true;
    await clock.advance(5_000);
    expect(figures.at(-1)).toBeNull();
    expect(watch.quotas()).toEqual([]);
  }
});

test('what was asked for one account is not shown to another; a renewed token of the same keeps it (FO-21)', async () => {
  const { clock, state, watch, figures, serve, hold } = rig();
  const release = hold();
  await serve();
  state.account = 'b';
  release();
  await clock.settle();
  expect(figures).toEqual([]);
  expect(watch.quotas()).toEqual([]);
  state.used = 5;
  await watch.refresh();
  expect(figures.at(-1)?.used).toBe(5);
});

test('the figure is the week on Pro, five hours on any other plan, else the first there is, as long as it is (FO-17)', () => {
  const windows = [
    { name: '5h', used: 10.4, resetsAt: null },
    { name: 'w', used: 71.6, resetsAt: null },
  ];
  const figure = (plan: string | null, given: readonly QuotaWindow[] = windows) =>
    figureOf({ label: 'Codex', plan, windows: given, at: 0 }, 1_000);
  expect(figure('pro')).toEqual({ label: 'Codex', used: 72, window: 'w' });
  expect(figure('plus')).toEqual({ label: 'Codex', used: 10, window: '5h' });
  expect(figure(null)).toEqual({ label: 'Codex', used: 10, window: '5h' });
  expect(figure('pro', [{ name: '3d', used: 1, resetsAt: null }])).toMatchObject({ window: '3d' });
  expect(figure('plus', [{ name: '5h', used: 99, resetsAt: 999 }])).toBeNull();
});

test('answers of its own models renew the figure; what other services say is only kept for the list', async () => {
  const { watch, figures, serve, clock } = rig();
  await serve();
  watch.heard(
    'OpenAI Codex',
    new Headers({ 'x-codex-primary-used-percent': '90', 'x-codex-primary-window-minutes': '10080' }),
  );
  watch.heard('Anthropic', new Headers({ 'anthropic-ratelimit-unified-5h-utilization': '0.5' }));
  watch.heard('Google', new Headers());
  expect(figures.at(-1)).toEqual({ label: 'Codex', used: 90, window: 'w' });
  expect(watch.quotas()).toEqual([
    { label: 'Codex', plan: 'pro', windows: [week(90)], at: clock.now() },
    { label: 'Anthropic', plan: null, windows: [{ name: '5h', used: 50, resetsAt: null }], at: clock.now() },
  ]);
});

test('what the service answers is read by the length of its windows', () => {
  const window = (used_percent: unknown, limit_window_seconds: unknown) => ({
    used_percent,
    limit_window_seconds,
    reset_at: 9,
  });
  const answer = (primary: unknown, secondary: unknown) => ({
    plan_type: 'plus',
    rate_limit: { primary_window: primary, secondary_window: secondary },
  });
  expect(readUsage(answer(window(100, 604_800), null))).toEqual({
    plan: 'plus',
    windows: [{ name: 'w', used: 100, resetsAt: 9_000 }],
  });
  expect(readUsage(answer(window('x', 1), window(3, 18_000)))?.windows).toEqual([
    { name: '5h', used: 3, resetsAt: 9_000 },
  ]);
  expect(readUsage({ plan_type: '\u001b[31m' })).toEqual({ plan: null, windows: [] });
  expect(readUsage([])).toBeNull();
});
