import type { Quota, SpendingState, UsageReport, UsageRow, UsageSum } from '../../../protocol/usage.ts';
import { joinSums, NO_USAGE_SUM } from '../../../protocol/usage.ts';
import type { Row } from '../blocks/row.ts';
import { clockTime, count, money, plural } from '../figures.ts';
import { type Line, piece } from '../piece.ts';
import type { Screen } from '../screen.ts';

/** The title by which an answer that comes later finds its dialog. */
const TITLE = 'Usage';
/** Columns of a name before its figures. */
const NAME_COLUMNS = 34;

/** `/usage` opens at once; its figures take their place when they are here. */
export function openUsage(screen: Screen): Screen {
  const rows = [row([piece('one moment', 'quiet')])];
  const modal = { kind: 'scroller', title: TITLE, body: { kind: 'rows', rows }, top: 0, search: null } as const;
  return { ...screen, modals: [...screen.modals, modal], completion: null, keyList: false };
}

/** The figures are here, or are here anew; nothing happens where the dialog was closed meanwhile. */
export function usageArrived(screen: Screen, report: UsageReport, now: number): Screen {
  const at = screen.modals.findLastIndex((modal) => modal.kind === 'scroller' && modal.title === TITLE);
  const modal = screen.modals[at];
  if (modal?.kind !== 'scroller') return screen;
  const body = { kind: 'rows', rows: usageRows(report, now) } as const;
  return { ...screen, modals: screen.modals.with(at, { ...modal, body }) };
}

export function usageRows(report: UsageReport, now: number): Row[] {
  const { session, today, spending, quotas } = report;
  return [
    ...section('This session', session, true),
    ...(today === null ? [] : [row([]), ...section('Today, all sessions', today, false)]),
    ...limitRows(spending),
    ...quotas.flatMap((quota) => [row([]), ...quotaRows(quota, now)]),
  ];
}

/** By model; what was asked beside the conversation stands below it, so that the share of delegates is seen. */
function section(title: string, rows: readonly UsageRow[], purposes: boolean): Row[] {
  const models = new Map<string, UsageRow[]>();
  for (const one of rows) {
    const name = `${one.model.provider}:${one.model.model}`;
    models.set(name, [...(models.get(name) ?? []), one]);
  }
  const lines: Row[] = [row([piece(title, 'heading')])];
  if (rows.length === 0) return [...lines, row([piece('  nothing yet', 'quiet')])];
  for (const [name, own] of models) {
    lines.push(figures(`  ${name}`, own.reduce<UsageSum>(joinSums, NO_USAGE_SUM), 'text'));
    if (purposes && own.some(({ purpose }) => purpose !== 'turn'))
      lines.push(...own.map((one) => figures(`    ${PURPOSES[one.purpose] ?? one.purpose}`, one, 'quiet')));
  }
  if (models.size > 1) lines.push(figures('  together', rows.reduce<UsageSum>(joinSums, NO_USAGE_SUM), 'strong'));
  return lines;
}

const PURPOSES: Readonly<Record<string, string>> = {
  turn: 'turns',
  delegate: 'delegates',
  title: 'title',
  compaction: 'compaction',
  retry: 'failed tries',
  check: 'checks',
  processor: 'processors',
};

function figures(name: string, sum: UsageSum, role: 'text' | 'quiet' | 'strong'): Row {
  const input = sum.input + sum.cacheRead + sum.cacheWrite;
  const cached = input > 0 ? `${Math.round((sum.cacheRead / input) * 100)}% cached` : '';
  return row([
    piece(name.padEnd(NAME_COLUMNS), role),
    piece(costText(sum).padEnd(12), role),
    piece(`${count(input).padStart(5)} in  ${cached.padEnd(11)} ${count(sum.output).padStart(5)} out  `, 'quiet'),
    piece(plural(sum.requests, 'request'), 'quiet'),
  ]);
}

/** What is known of the cost; a request without a known price is named, not left out. */
export function costText({ cost, unpriced, requests }: UsageSum): string {
  if (unpriced === 0) return money(cost);
  return unpriced === requests ? '$ unknown' : `${money(cost)} + ?`;
}

function limitRows(spending: readonly SpendingState[]): Row[] {
  const limited = spending.filter(({ limit }) => limit !== null);
  if (limited.length === 0) return [];
  return [
    row([]),
    row([piece('Spending limits', 'heading')]),
    ...limited.map(({ what, spent, limit, unpriced }) => {
      const near = limit !== null && spent >= limit * 0.8;
      return row([
        piece(`  ${what === 'session' ? 'this session' : 'today'}`.padEnd(NAME_COLUMNS), 'text'),
        piece(`${money(spent)} of ${money(limit)}`, near ? 'warn' : 'text'),
        piece(unpriced === 0 ? '' : `  and ${plural(unpriced, 'request')} of unknown price`, 'warn'),
      ]);
    }),
  ];
}

const BAR_CELLS = 20;

function quotaRows({ label, plan, windows, at }: Quota, now: number): Row[] {
  const heard = now - at < 60_000 ? '' : `, ${clockTime(now - at)} ago`;
  return [
    row([
      piece(`${label}${plan === null ? '' : ` ${plan}`}`, 'heading'),
      piece(`  as its service says${heard}`, 'quiet'),
    ]),
    ...windows.map(({ name, used, resetsAt }) => {
      const filled = Math.round((used / 100) * BAR_CELLS);
      return row([
        piece(`  ${NAMES[name] ?? name}`.padEnd(NAME_COLUMNS), 'text'),
        piece(`${used}%`.padStart(4), used >= 80 ? 'warn' : 'text'),
        piece(` [${'#'.repeat(filled)}${'.'.repeat(BAR_CELLS - filled)}]`, 'signal'),
        piece(resetsAt === null || resetsAt <= now ? '' : `  starts over in ${clockTime(resetsAt - now)}`, 'quiet'),
      ]);
    }),
  ];
}

const NAMES: Readonly<Record<string, string>> = { w: 'a week', '5h': 'five hours' };

function row(line: Line): Row {
  return { margin: [], line, join: '\n' };
}
