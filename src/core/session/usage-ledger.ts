import path from 'node:path';
import type { Json } from '../../base/json.ts';
import { joinSums, NO_USAGE_SUM, type UsageRow, type UsageSum } from '../../protocol/usage.ts';
import type { Clock } from '../../system/clock.ts';
import type { AppendFile, Files } from '../../system/files.ts';
import { modelRefText, parseModelRef } from '../models/model-ref.ts';
import { addRow, type Spent, sorted } from './usage-tally.ts';

/**
 * What all sessions of this machine spent, one file a day, one line a request, appended by whoever spends. It outlives the
 * sessions it speaks of, holds no word of them, and never counts one request twice.
 */
export interface UsageLedger {
  add(spent: Spent): void;
  /** Adds what a crash kept from being added: of these, those of today and yesterday that are not there. */
  catchUp(spent: readonly Spent[]): Promise<void>;
  /** By model and purpose, since midnight here. */
  today(): Promise<UsageRow[]>;
  todaySum(): Promise<UsageSum>;
  /** Settles once everything added is on its way to the disk. */
  settle(): Promise<void>;
}

/** One line of it, read back. */
export interface LedgerLine extends Spent {
  readonly session: string;
}

export interface LedgerParts {
  readonly files: Pick<Files, 'openAppend' | 'makeFolder' | 'read' | 'readRange' | 'stat'>;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Absolute; null: what this session spends is remembered as long as it runs. */
  readonly folder: string | null;
  readonly session: string;
}

const DAY_MS = 86_400_000;

/** Lines go to the file together, in milliseconds: while the next request is answered, not before it is sent. */
const GATHER_MS = 250;

export function createUsageLedger({ files, clock, folder, session }: LedgerParts): UsageLedger {
  let writing: Promise<void> = Promise.resolve();
  const unwritten: LedgerLine[] = [];
  /** Added and not yet on their way. */
  let gathered: LedgerLine[] = [];
  let stopTimer: (() => void) | null = null;
  /** What was read of the newest day so far. */
  let day = '';
  let offset = 0;
  let rows = new Map<string, UsageRow>();
  let ids = new Set<string>();

  const append = async (name: string, lines: readonly LedgerLine[]): Promise<void> => {
    if (folder === null) return void unwritten.push(...lines);
    try {
      const file = await opened(folder, path.join(folder, name));
      try {
        await file.append(new TextEncoder().encode(lines.map((line) => `${encode(line)}\n`).join('')));
      } finally {
        await file.close();
      }
    } catch {
      // A full disk must not stop a turn: it is remembered here at least.
      unwritten.push(...lines);
    }
  };
  const write = (): Promise<void> => {
    stopTimer?.();
    stopTimer = null;
    const days = Map.groupBy(gathered, (line) => ledgerFile(line.time));
    gathered = [];
    for (const [name, lines] of days) writing = writing.then(() => append(name, lines));
    return writing;
  };
  /** The folder is made when it is missing: it stands nearly always. */
  const opened = (parent: string, file: string): Promise<AppendFile> =>
    files.openAppend(file, 0o600).catch(async () => {
      await files.makeFolder(parent, 0o700);
      return files.openAppend(file, 0o600);
    });
  const add = (spent: Spent): void => {
    const { id, time, model, purpose, usage, cost } = spent;
    gathered.push({ id, time, model, purpose, usage, cost, session });
    stopTimer ??= clock.after(GATHER_MS, () => void write());
  };
  const take = (line: LedgerLine): void => {
    if (ids.has(line.id)) return;
    ids.add(line.id);
    addRow(rows, line);
  };

  const readOn = async (): Promise<void> => {
    await write();
    const now = ledgerFile(clock.now());
    if (now !== day) {
      day = now;
      offset = 0;
      rows = new Map();
      ids = new Set();
    }
    if (folder !== null) {
      const file = path.join(folder, day);
      const size = (await files.stat(file).catch(() => null))?.size ?? 0;
      if (size > offset) {
        const bytes = await files.readRange(file, offset, size - offset);
        // The last line may still be on its way.
        const end = bytes.lastIndexOf(10) + 1;
        offset += end;
        for (const line of decodeLines(bytes.subarray(0, end))) take(line);
      }
    }
    for (const line of unwritten) if (ledgerFile(line.time) === day) take(line);
  };
  let reading: Promise<void> = Promise.resolve();
  const inTurn = (): Promise<void> => {
    reading = reading.then(readOn).catch(() => undefined);
    return reading;
  };

  return {
    add,
    catchUp: async (spent) => {
      const now = clock.now();
      const recent = new Set([ledgerFile(now), ledgerFile(now - DAY_MS)]);
      const wanted = spent.filter(({ time }) => recent.has(ledgerFile(time)));
      if (wanted.length === 0 || folder === null) return;
      const there = new Set<string>();
      for (const name of recent)
        for (const { id } of await readLedgerFile(files, path.join(folder, name))) there.add(id);
      for (const one of wanted) if (!there.has(one.id)) add(one);
      await write();
    },
    today: async () => {
      await inTurn();
      return sorted(rows.values());
    },
    todaySum: async () => {
      await inTurn();
      return [...rows.values()].reduce<UsageSum>(joinSums, NO_USAGE_SUM);
    },
    settle: write,
  };
}

/** `2026-11-30.jsonl`: the day as the clock on the wall has it. */
export function ledgerFile(time: number): string {
  return `${dayOf(time)}.jsonl`;
}

export function dayOf(time: number): string {
  const quarter = Math.floor(time / QUARTER_MS);
  if (lastDay.quarter !== quarter) lastDay = { quarter, day: localDay(time) };
  return lastDay.day;
}

/** Days begin on a quarter of an hour wherever one lives; asking for the time on the wall costs more than all else here. */
const QUARTER_MS = 900_000;
let lastDay = { quarter: Number.NaN, day: '' };

function localDay(time: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const MOST_BYTES = 256 * 1024 * 1024;

/** Every line of a day that can be read; none where there is no such file. */
export async function readLedgerFile(files: Pick<Files, 'read'>, file: string): Promise<LedgerLine[]> {
  const bytes = await files.read(file, MOST_BYTES).catch(() => null);
  return bytes === null ? [] : decodeLines(bytes);
}

function encode({ id, time, session, model, purpose, usage, cost }: LedgerLine): string {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  const counts = { input, output, cacheRead, cacheWrite, reasoning };
  return JSON.stringify({ id, time, session, model: modelRefText(model), purpose, ...counts, cost });
}

function decodeLines(bytes: Uint8Array): LedgerLine[] {
  return new TextDecoder()
    .decode(bytes)
    .split('\n')
    .flatMap((line) => {
      try {
        return decode(JSON.parse(line) as Json);
      } catch {
        return [];
      }
    });
}

function decode(value: Json): LedgerLine[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const given = value as { readonly [key: string]: Json };
  const { id, time, session, model, purpose } = given;
  if (typeof id !== 'string' || typeof time !== 'number' || typeof session !== 'string') return [];
  if (typeof model !== 'string' || typeof purpose !== 'string') return [];
  const ref = parseModelRef(model, () => false);
  if (ref === null) return [];
  const count = (key: string): number | null => {
    const found = given[key];
    return typeof found === 'number' && found >= 0 ? found : null;
  };
  const usage = {
    input: count('input'),
    output: count('output'),
    cacheRead: count('cacheRead'),
    cacheWrite: count('cacheWrite'),
    reasoning: count('reasoning'),
  };
  return [{ id, time, session, model: ref, purpose, usage, cost: count('cost') }];
}
