import path from 'node:path';
import type { Json } from '../../base/json.ts';
import type { Entry, EntryOf } from '../../protocol/entry.ts';
import type { UsageReport } from '../../protocol/usage.ts';
import type { System } from '../../system/system.ts';
import type { Model } from '../models/model.ts';
import type { UsageWatch } from '../models/usage-watch.ts';
import type { AskPerson, Recorder } from '../runtime/runtime.ts';
import { createSpending, NEAR, RAISED, readRaised, type Spending, type SpendingLimits } from '../runtime/spending.ts';
import type { Follower } from './follower.ts';
import { createUsageLedger, dayOf } from './usage-ledger.ts';
import { createUsageTally, type SavedTally, type Spent } from './usage-tally.ts';

/** All that a session knows of what it used, what it cost and what it may still cost. */
export interface UsageDesk extends Follower {
  /** From here on entries are new. Gives back the guard every model of the session is under. */
  open(parts: { recorder: Recorder; ask: AskPerson; canAsk: boolean; limits: SpendingLimits }): Spending;
  report(fresh: boolean): Promise<UsageReport>;
  /** Somebody signed in or out. */
  accountChanged(): void;
  close(): Promise<void>;
}

export interface UsageDeskParts {
  readonly system: Pick<System, 'files' | 'clock'>;
  /** Folder of Houston's state; null where nothing is kept. */
  readonly state: string | null;
  readonly session: string;
  /** What services say of their allowances; absent: nobody listens. */
  readonly watch?: UsageWatch;
}

/** Requests longer ago than this are not caught up with any more. */
const CATCH_UP_MS = 3 * 86_400_000;

interface SavedDesk {
  readonly tally: SavedTally;
  readonly raises: readonly Json[];
  readonly told: readonly Json[];
  readonly past: readonly Spent[];
}

/** Where what was spent is written down, in the state folder. */
export const USAGE_FOLDER = 'usage';

export function createUsageDesk({ system, state, session, watch }: UsageDeskParts): UsageDesk {
  const { clock, files } = system;
  const folder = state === null ? null : path.join(state, USAGE_FOLDER);
  let tally = createUsageTally();
  const ledger = createUsageLedger({ files, clock, folder, session });
  const today = (): string => dayOf(clock.now());
  let past: Spent[] | null = [];
  /** Limits that were raised, as they were written down: how long each holds is known when it is asked for. */
  let raises: Json[] = [];
  let told: Json[] = [];
  let spending: Spending | null = null;

  return {
    see: (entry) => {
      const spent = tally.see(entry);
      if (spent !== null && past !== null) past.push(spent);
      else if (spent !== null) ledger.add(spent);
      // Nothing follows that it could wait for.
      if (past === null && entry.kind === 'turn-end') void ledger.settle();
      if (past !== null && isRecord(entry, RAISED)) raises.push(entry.data);
      else if (past !== null && isRecord(entry, NEAR)) told.push(entry.data);
      if (past === null && STIRS.has(entry.kind)) watch?.stir();
    },
    name: 'usage',
    save: () => {
      const since = clock.now() - CATCH_UP_MS;
      const saved: SavedDesk = {
        tally: tally.save(),
        raises,
        told,
        past: (past ?? []).filter(({ time }) => time >= since),
      };
      return JSON.stringify(saved);
    },
    restore: (text) => {
      const saved = JSON.parse(text) as SavedDesk;
      tally = createUsageTally(saved.tally);
      raises = [...saved.raises];
      told = [...saved.told];
      past = [...saved.past];
    },
    open: ({ recorder, ask, canAsk, limits }) => {
      const earlier = past ?? [];
      past = null;
      const caughtUp = ledger.catchUp(earlier).catch(() => undefined);
      const todaySum = () => caughtUp.then(ledger.todaySum);
      const raised: Partial<SpendingLimits> = Object.assign({}, ...raises.map((data) => readRaised(data, today())));
      const given = { limits, raised, told, recorder, ask, canAsk, dayOf: today };
      spending = createSpending({ ...given, spent: () => tally.sum(), today: todaySum });
      return spending;
    },
    accountChanged: () => watch?.accountChanged(),
    report: async (fresh) => {
      if (fresh) await watch?.refresh();
      return {
        session: tally.rows(),
        today: folder === null ? null : await ledger.today(),
        quotas: watch?.quotas() ?? [],
        spending: (await spending?.state()) ?? [],
      };
    },
    close: () => {
      watch?.close();
      return ledger.settle();
    },
  };
}

/** What agents do; nothing a person types alone (FO-18). */
const STIRS = new Set<Entry['kind']>(['turn-start', 'assistant', 'call', 'result', 'usage', 'turn-end']);

/** The same model, asked for leave before every request. */
export function underSpending(model: Model, spending: Spending): Model {
  return {
    ref: model.ref,
    facts: model.facts,
    stream: (request, signal) => model.stream(request, signal),
    ready: (request) => model.ready?.(request),
    admits: (signal) => spending.admits(model, signal),
  };
}

function isRecord(entry: Entry, name: string): entry is EntryOf<'record'> {
  return entry.kind === 'record' && entry.name === name;
}
