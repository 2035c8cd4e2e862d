import path from 'node:path';
import { visible } from '../base/text-width.ts';
import { listSessions } from '../core/journal/catalog.ts';
import { modelRefText } from '../core/models/model-ref.ts';
import { USAGE_FOLDER } from '../core/session/usage-desk.ts';
import { dayOf, type LedgerLine, ledgerFile, readLedgerFile } from '../core/session/usage-ledger.ts';
import { places } from '../core/settings/paths.ts';
import { addToSum, joinSums, NO_USAGE_SUM, type UsageSum } from '../protocol/usage.ts';
import type { System } from '../system/system.ts';
import { writeErr, writeOut } from './output.ts';

const USUAL_DAYS = 30;
const MOST_DAYS = 3_660;
const DAY_MS = 86_400_000;

/** `houston usage [DAYS]`: what was used and what it cost, by day, model and session, from what every session wrote down. */
export async function printUsage(system: System, typed: string | null): Promise<number> {
  const { files, clock, environment } = system;
  const { state } = places(environment);
  const days = typed === null ? USUAL_DAYS : /^\d{1,4}$/.test(typed) ? Number(typed) : 0;
  if (days < 1 || days > MOST_DAYS) {
    writeErr(`houston: bad-value: usage takes a number of days from 1 to ${MOST_DAYS}, not ${typed}\n`);
    return 2;
  }
  if (state === null) {
    writeErr('houston: not-saved: neither HOME nor HOUSTON_HOME is set, so nothing was written down\n');
    return 1;
  }
  const names = new Set<string>();
  // Noon, so that no change of the clock skips a day.
  const noon = new Date(clock.now()).setHours(12, 0, 0, 0);
  for (let back = 0; back < days; back++) names.add(ledgerFile(noon - back * DAY_MS));
  const lines = new Map<string, LedgerLine>();
  for (const name of names)
    for (const line of await readLedgerFile(files, path.join(state, USAGE_FOLDER, name))) lines.set(line.id, line);
  if (lines.size === 0) {
    writeErr(`houston: nothing was used in the last ${days} days\n`);
    return 0;
  }
  const all = [...lines.values()];
  const titles = new Map((await listSessions(system, state, null)).map(({ id, title }) => [id, title]));
  print(
    'By day',
    group(all, ({ time }) => dayOf(time)),
    (a, b) => (a < b ? 1 : -1),
  );
  print(
    'By model',
    group(all, ({ model }) => modelRefText(model)),
  );
  print(
    'By purpose',
    group(all, ({ purpose }) => purpose),
  );
  print(
    'By session',
    group(all, ({ session }) => `${session.slice(0, 13)} ${visible(titles.get(session) ?? '(no longer kept)')}`.trim()),
  );
  const whole = all.reduce((sum, { usage, cost }) => addToSum(sum, usage, cost), NO_USAGE_SUM);
  writeOut(`${row(`Last ${days} days`, whole)}\n`);
  if (whole.unpriced > 0)
    writeErr(
      `houston: price-unknown: nobody says what ${whole.unpriced} of these requests cost; they are not in the sums\n`,
    );
  return 0;
}

function group(lines: readonly LedgerLine[], nameOf: (line: LedgerLine) => string): Map<string, UsageSum> {
  const groups = new Map<string, UsageSum>();
  for (const line of lines) {
    const name = nameOf(line);
    groups.set(name, joinSums(groups.get(name) ?? NO_USAGE_SUM, addToSum(NO_USAGE_SUM, line.usage, line.cost)));
  }
  return groups;
}

function print(title: string, groups: Map<string, UsageSum>, order?: (a: string, b: string) => number): void {
  writeOut(`${title}\n`);
  const sorted = [...groups].sort(([a, one], [b, other]) =>
    order === undefined ? other.cost - one.cost || other.requests - one.requests : order(a, b),
  );
  for (const [name, sum] of sorted) writeOut(`${row(`  ${name}`, sum)}\n`);
  writeOut('\n');
}

const NAME_COLUMNS = 44;

function row(name: string, { requests, input, output, cacheRead, cacheWrite, cost, unpriced }: UsageSum): string {
  const shown = [...name].length > NAME_COLUMNS ? `${[...name].slice(0, NAME_COLUMNS - 1).join('')}…` : name;
  const all = input + cacheRead + cacheWrite;
  const known = `$${cost.toFixed(4)}`;
  const money = unpriced === 0 ? known : unpriced === requests ? 'unknown' : `${known} + ?`;
  return `${shown.padEnd(NAME_COLUMNS)} ${money.padStart(14)} ${String(requests).padStart(7)} requests ${String(all).padStart(12)} in ${String(cacheRead).padStart(12)} cached ${String(output).padStart(10)} out`;
}
