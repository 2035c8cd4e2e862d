import type { Json } from '../../base/json.ts';
import type { Failure } from '../../protocol/failure.ts';
import type { SpendingState, UsageSum } from '../../protocol/usage.ts';
import type { Model } from '../models/model.ts';
import { modelRefText } from '../models/model-ref.ts';
import type { AskPerson, Recorder } from './runtime.ts';

/** US dollars; null for no limit. */
export interface SpendingLimits {
  readonly session: number | null;
  readonly day: number | null;
}

export type SpendingSpan = keyof SpendingLimits;

/** Keeps what is spent below what the person allowed. Asked before every request, whoever makes it. */
export interface Spending {
  /** Null when the request may be made; else why not. Waits for the person where one can answer. */
  admits(model: Pick<Model, 'ref' | 'facts'>, signal: AbortSignal): Promise<Failure | null>;
  state(): Promise<SpendingState[]>;
}

export interface SpendingParts {
  readonly limits: SpendingLimits;
  /** Limits the person raised before, in this session. */
  readonly raised?: Partial<SpendingLimits>;
  /** What was said before, in this session, as `NEAR` wrote it down: nobody is told twice. */
  readonly told?: readonly Json[];
  readonly spent: () => UsageSum;
  /** Of all sessions, since midnight. */
  readonly today: () => Promise<UsageSum>;
  readonly dayOf: () => string;
  readonly recorder: Recorder;
  readonly ask: AskPerson;
  readonly canAsk: boolean;
}

/** Names the entry that says a limit was raised. */
export const RAISED = 'spending-raised';
/** Names the entry that says the person was told how near a limit is. */
export const NEAR = 'spending-near';
const WARN_AT = 0.8;
const SPANS: readonly SpendingSpan[] = ['session', 'day'];
const STOP = 'Stop here';

export function createSpending(parts: SpendingParts): Spending {
  const { recorder } = parts;
  const limits = { ...parts.limits, ...parts.raised };
  const told = new Set((parts.told ?? []).flatMap((data) => readNear(data) ?? []));
  const toldUnpriced = new Set<string>();
  /** One question at a time for everybody who waits: it is withdrawn once nobody does. */
  let asking: { readonly answer: Promise<boolean>; readonly stop: AbortController; waiting: number } | null = null;

  const sumOf = (span: SpendingSpan): Promise<UsageSum> | UsageSum =>
    span === 'session' ? parts.spent() : parts.today();
  const note = (identifier: string, text: string): Promise<unknown> =>
    recorder.write([{ kind: 'note', level: 'warning', identifier, text }], KEEP);

  /** The span whose limit is reached; says on the way what is near. */
  const reached = async (): Promise<{ span: SpendingSpan; spent: number; limit: number } | null> => {
    for (const span of SPANS) {
      const limit = limits[span];
      if (limit === null) continue;
      const { cost } = await sumOf(span);
      if (cost >= limit) return { span, spent: cost, limit };
      const day = parts.dayOf();
      if (cost >= limit * WARN_AT && !told.has(nearKey(span, limit, day))) {
        told.add(nearKey(span, limit, day));
        await recorder.write([{ kind: 'record', name: NEAR, data: { span, limit, day } }], KEEP);
        const share = Math.floor((cost / limit) * 100);
        await note('spending-near', `${share}% of ${nameOf(span)} is used: ${dollars(cost)} of ${dollars(limit)}.`);
      }
    }
    return null;
  };

  const raise = async (span: SpendingSpan, limit: number): Promise<void> => {
    limits[span] = limit;
    const data = { span, limit, day: parts.dayOf() };
    await recorder.write([{ kind: 'record', name: RAISED, data }], KEEP);
    await recorder.write(
      [
        {
          kind: 'note',
          level: 'info',
          identifier: 'spending-raised',
          text: `${capital(nameOf(span))} is now ${dollars(limit)}.`,
        },
      ],
      KEEP,
    );
  };

  /** True when it was raised. */
  const askPerson = async (span: SpendingSpan, spent: number, limit: number, signal: AbortSignal): Promise<boolean> => {
    const step = (span === 'session' ? parts.limits.session : parts.limits.day) ?? limit;
    // Far enough that the very next request does not ask again.
    const next = step > 0 ? (Math.floor(spent / step) + 1) * step : spent + 1;
    const raised = `Raise it to ${dollars(next)} and go on`;
    const question = `${capital(nameOf(span))} is reached: ${dollars(spent)} of ${dollars(limit)}. Go on? You can also type an amount.`;
    const wish = {
      for: null,
      origin: '',
      call: null,
      body: { kind: 'questions', questions: [{ question, options: [raised, STOP], many: false }] },
    } as const;
    for (;;) {
      const answer = await parts.ask(wish, signal);
      const said = answer?.kind === 'answers' ? answer.answers[0]?.[0] : undefined;
      if (said === undefined || said === STOP) return false;
      const amount = said === raised ? next : amountOf(said);
      if (amount === null || amount <= spent) continue;
      await raise(span, amount);
      return true;
    }
  };

  const askOnce = async (span: SpendingSpan, spent: number, limit: number, signal: AbortSignal): Promise<boolean> => {
    if (asking === null) {
      const stop = new AbortController();
      const answer = askPerson(span, spent, limit, stop.signal).finally(() => {
        asking = null;
      });
      asking = { answer, stop, waiting: 0 };
    }
    const mine = asking;
    mine.waiting++;
    const { promise: gone, resolve } = Promise.withResolvers<false>();
    const leave = (): void => resolve(false);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    const answered = await Promise.race([mine.answer, gone]);
    signal.removeEventListener('abort', leave);
    if (--mine.waiting === 0) mine.stop.abort();
    return answered;
  };

  return {
    admits: async ({ ref, facts }, signal) => {
      if (limits.session === null && limits.day === null) return null;
      const name = modelRefText(ref);
      if (facts.price === null && !toldUnpriced.has(name)) {
        toldUnpriced.add(name);
        const why = facts.included === true ? `A subscription pays for ${name}` : `Nobody says what ${name} costs`;
        const text = `${why}: its requests cannot be counted against the spending limit.`;
        await note('spending-unknown', text);
      }
      for (;;) {
        const over = await reached();
        if (over === null) return null;
        const { span, spent, limit } = over;
        if (!parts.canAsk || !(await askOnce(span, spent, limit, signal))) return failure(span, spent, limit);
      }
    },
    state: () =>
      Promise.all(
        SPANS.map(async (span) => {
          const { cost, unpriced } = await sumOf(span);
          return { what: span, spent: cost, limit: limits[span], unpriced };
        }),
      ),
  };
}

/** Limits raised earlier, as far as they still hold: those of a day hold for that day. */
export function readRaised(data: Json, day: string): Partial<SpendingLimits> {
  const given = (data ?? {}) as { readonly span?: Json; readonly limit?: Json; readonly day?: Json };
  if (typeof given.limit !== 'number') return {};
  if (given.span === 'session') return { session: given.limit };
  return given.span === 'day' && given.day === day ? { day: given.limit } : {};
}

/** Another limit is another matter, and so is another day. */
function nearKey(span: SpendingSpan, limit: number, day: string): string {
  return span === 'day' ? `day ${limit} ${day}` : `session ${limit}`;
}

function readNear(data: Json): string | null {
  const { span, limit, day } = (data ?? {}) as { readonly span?: Json; readonly limit?: Json; readonly day?: Json };
  if ((span !== 'session' && span !== 'day') || typeof limit !== 'number' || typeof day !== 'string') return null;
  return nearKey(span, limit, day);
}

const KEEP = { onFailure: 'keep' } as const;

function failure(span: SpendingSpan, spent: number, limit: number): Failure {
  return {
    category: 'spending-limit',
    message: `${capital(nameOf(span))} is reached: ${dollars(spent)} of ${dollars(limit)} (limits.spending.${span})`,
    status: null,
    requestId: null,
    detail: null,
    retryAfterMs: null,
    retryable: false,
    attempts: 1,
  };
}

function nameOf(span: SpendingSpan): string {
  return span === 'session' ? 'the spending limit of this session' : "today's spending limit";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `$20`, `20.50`; null for anything else. */
function amountOf(text: string): number | null {
  const match = /^\s*\$?\s*(\d{1,7}(?:\.\d+)?)\s*$/.exec(text);
  return match === null ? null : Number(match[1]);
}

function dollars(value: number): string {
  const isSmall = value > 0 && value < 1 && Math.abs(value * 100 - Math.round(value * 100)) > 1e-9;
  return `$${value.toFixed(isSmall ? 4 : 2)}`;
}
