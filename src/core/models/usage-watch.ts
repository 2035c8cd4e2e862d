import type { Quota, QuotaFigure, QuotaWindow } from '../../protocol/usage.ts';
import type { Clock } from '../../system/clock.ts';
import { quotaWindows } from './usage-headers.ts';

/** An account whose allowance can be asked for, such as the one of a sign-in. */
export interface QuotaAccount {
  /** As people call it, such as `Codex`. */
  readonly label: string;
  /** What its models are listed under: their answers speak of the same allowance. */
  readonly service: string;
  /** Who is signed in, by a name that outlives a renewed token; null: nobody. Reads a local file at most. */
  account(): Promise<string | null>;
  /** Null where it could not be found out. */
  ask(signal: AbortSignal): Promise<{ readonly plan: string | null; readonly windows: readonly QuotaWindow[] } | null>;
}

/**
 * One worker for the figure on the border and for `/usage`: it asks when an account comes to be there, then at most every
 * five minutes and only while something went on in the last five (FO-18). Keys and the mouse make it do nothing.
 */
export interface UsageWatch {
  /** What is known of every allowance, those of accounts first. */
  quotas(): readonly Quota[];
  /** Asks anew, or waits for the asking that is under way (FO-19). Never rejects. */
  refresh(): Promise<void>;
  /** Something went on: a prompt runs, an agent did something. */
  stir(): void;
  /** Somebody signed in or out: looks at once. */
  accountChanged(): void;
  /** What a service said in the headers of an answer. */
  heard(label: string, headers: Headers): void;
  /** Begins: asks once, and tells whenever the figure changes. `isBusy`: whether a prompt runs. */
  serve(session: { readonly show: (figure: QuotaFigure | null) => void; readonly isBusy: () => boolean }): void;
  close(): void;
}

export interface UsageWatchParts {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly accounts: readonly QuotaAccount[];
}

const BETWEEN_MS = 300_000;
const CHECK_MS = 5_000;
const LONGEST_ASKING_MS = 20_000;

export function createUsageWatch({ clock, accounts }: UsageWatchParts): UsageWatch {
  const heard = new Map<string, Quota>();
  const known = new Map<string, { readonly account: string; readonly quota: Quota | null; readonly askedAt: number }>();
  const asking = new Map<string, Promise<void>>();
  const stops = new Set<AbortController>();
  let session: Parameters<UsageWatch['serve']>[0] | null = null;
  let shown = 'null';
  let stirred = Number.NEGATIVE_INFINITY;
  let stopTimer: (() => void) | null = null;
  let closed = false;

  const tell = (): void => {
    const quota = accounts.map(({ label }) => known.get(label)?.quota ?? null).find((one) => one !== null) ?? null;
    const figure = quota === null ? null : figureOf(quota, clock.now());
    const text = JSON.stringify(figure);
    if (text === shown) return;
    shown = text;
    session?.show(figure);
  };

  /** Whose account it is now; one that left or changed takes its figures along (FO-20). */
  const check = async (source: QuotaAccount): Promise<string | null> => {
    const account = await source.account().catch(() => null);
    if (account === null || known.get(source.label)?.account !== account) known.delete(source.label);
    return account;
  };

  const ask = async (source: QuotaAccount): Promise<void> => {
    const account = await check(source);
    if (account === null || closed) return tell();
    const stop = new AbortController();
    stops.add(stop);
    const late = clock.after(LONGEST_ASKING_MS, () => stop.abort());
    const answer = await source.ask(stop.signal).catch(() => null);
    late();
    stops.delete(stop);
    // What was asked for one account says nothing of the one that is there now (FO-21).
    if ((await source.account().catch(() => null)) !== account) known.delete(source.label);
    else {
      const at = clock.now();
      const quota = answer === null ? null : { label: source.label, plan: answer.plan, windows: answer.windows, at };
      known.set(source.label, { account, quota, askedAt: at });
    }
    tell();
  };
  const askOnce = (source: QuotaAccount): Promise<void> => {
    const running = asking.get(source.label);
    if (running !== undefined) return running;
    const started = ask(source).finally(() => asking.delete(source.label));
    asking.set(source.label, started);
    return started;
  };

  const look = async (): Promise<void> => {
    for (const source of accounts) {
      const account = await check(source);
      const before = known.get(source.label);
      if (account !== null && (before === undefined || clock.now() - before.askedAt >= BETWEEN_MS))
        await askOnce(source);
    }
    tell();
  };
  /** Idle, no timer runs. */
  const isActive = (): boolean => session?.isBusy() === true || clock.now() - stirred <= BETWEEN_MS;
  const tick = (): void => {
    if (closed || stopTimer !== null || accounts.length === 0 || !isActive()) return;
    stopTimer = clock.after(CHECK_MS, () => {
      void look().finally(() => {
        stopTimer = null;
        tick();
      });
    });
  };

  return {
    quotas: () => {
      const asked = accounts.flatMap(({ label }) => known.get(label)?.quota ?? []);
      const others = [...heard.values()].filter(({ label }) => !accounts.some(({ service }) => service === label));
      return [...asked, ...others]
        .map((quota) => running(quota, clock.now()))
        .filter(({ windows }) => windows.length > 0);
    },
    refresh: async () => {
      await Promise.all(accounts.map(askOnce));
    },
    stir: () => {
      if (session === null || closed) return;
      const slept = !isActive();
      stirred = clock.now();
      if (slept && accounts.length > 0) void look();
      tick();
    },
    accountChanged: () => {
      if (session !== null && !closed) void look();
    },
    heard: (label, headers) => {
      const at = clock.now();
      const windows = quotaWindows(headers, at);
      if (windows.length === 0) return;
      heard.set(label, { label, plan: null, windows, at });
      const source = accounts.find(({ service }) => service === label);
      const before = source === undefined ? undefined : known.get(source.label);
      if (source === undefined || before?.quota == null) return;
      known.set(source.label, { ...before, quota: { ...before.quota, windows, at } });
      tell();
    },
    serve: (served) => {
      session = served;
      if (accounts.length > 0) void look();
    },
    close: () => {
      closed = true;
      stopTimer?.();
      for (const stop of stops) stop.abort();
    },
  };
}

/** Which window stands for all of them: the week on Pro, else five hours, else the first there is (FO-17). */
export function figureOf(quota: Quota, now: number): QuotaFigure | null {
  const { label, plan, windows } = running(quota, now);
  const wanted = plan?.toLowerCase() === 'pro' ? 'w' : '5h';
  const window = windows.find(({ name }) => name === wanted) ?? windows[0];
  return window === undefined ? null : { label, used: Math.round(window.used), window: window.name };
}

/** Without the windows that are over: what was used of them says nothing of the next ones. */
function running(quota: Quota, now: number): Quota {
  return { ...quota, windows: quota.windows.filter(({ resetsAt }) => resetsAt === null || resetsAt > now) };
}

/** Listens to the headers of every answer of one service; changes nothing of it. */
export function listeningFetch(
  send: typeof globalThis.fetch,
  hear: (headers: Headers) => void,
): typeof globalThis.fetch {
  const listening = async (...given: Parameters<typeof globalThis.fetch>): Promise<Response> => {
    const response = await send(...given);
    hear(response.headers);
    return response;
  };
  return Object.assign(listening, { preconnect: send.preconnect }) as typeof globalThis.fetch;
}
