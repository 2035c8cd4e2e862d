import type { Failure } from '../../protocol/failure.ts';
import { type Compacted, compact } from './compact.ts';
import { compactionBudget } from './compact-budget.ts';
import type { CompactionParts } from './compact-parts.ts';
import type { Reading } from './context-gauge.ts';
import { breakdown, inThousands } from './context-size.ts';
import { buildRequest } from './request.ts';

/** What was done for room in one turn: twice at most, and a summariser that failed is not asked again (CMP-3). */
export interface RoomMade {
  compactions: number;
  failed: boolean;
  warned: boolean;
}

export type Room =
  | { readonly outcome: 'there' }
  | { readonly outcome: 'none'; readonly failure: Failure }
  | { readonly outcome: 'aborted' };

const MOST_COMPACTIONS = 2;
/** Tokens that stay word for word: the second time, when the first was not enough, fewer. */
export const KEEP_TOKENS = 20_000;
const KEEP_LESS_TOKENS = 5_000;

export function noRoomMade(): RoomMade {
  return { compactions: 0, failed: false, warned: false };
}

/** Before a round: compacts where the coming request would reach the budget. What still fits the window goes on, once warned. */
export async function makeRoom(parts: CompactionParts, made: RoomMade, round: number): Promise<Room> {
  const { runtime, terms } = parts;
  const { facts } = terms.model;
  const budget = compactionBudget(facts, runtime.compaction());
  if (budget === null) return { outcome: 'there' };
  const { request } = await buildRequest(runtime, terms, false);
  let reading = runtime.gauge.read(request);
  while (reading.projected >= budget && mayCompact(made)) {
    const compacted = await compactOnce(parts, made, { budget, round, refused: false });
    if (compacted.outcome === 'aborted') return compacted;
    if (compacted.outcome === 'done') ({ reading } = compacted);
  }
  if (reading.projected < budget) return { outcome: 'there' };
  if (facts.contextWindow !== null && reading.projected > facts.contextWindow)
    return { outcome: 'none', failure: noRoom(reading) };
  if (!made.warned) {
    made.warned = true;
    const text = `The conversation is at about ${inThousands(reading.projected)} tokens, over the ${inThousands(budget)} at which it is summarised: ${breakdown(reading.size, reading.projected)}.`;
    await runtime.recorder.write([{ kind: 'note', level: 'warning', identifier: 'context-filling', text }], KEEP);
  }
  return { outcome: 'there' };
}

/** After the service refused a request as too long: compacts once. There is room when it may be tried again. */
export async function makeRoomAfterRefusal(
  parts: CompactionParts,
  made: RoomMade,
  round: number,
  failure: Failure,
): Promise<Room> {
  const { runtime, terms } = parts;
  if (runtime.compaction().automatic && mayCompact(made)) {
    const budget = compactionBudget(terms.model.facts, runtime.compaction());
    const compacted = await compactOnce(parts, made, { budget, round, refused: true });
    if (compacted.outcome === 'done') return { outcome: 'there' };
    if (compacted.outcome === 'aborted') return compacted;
  }
  const { request } = await buildRequest(runtime, terms, false);
  const { message } = noRoom(runtime.gauge.read(request));
  return { outcome: 'none', failure: { ...failure, message } };
}

function mayCompact(made: RoomMade): boolean {
  return !made.failed && made.compactions < MOST_COMPACTIONS;
}

async function compactOnce(
  parts: CompactionParts,
  made: RoomMade,
  order: { readonly budget: number | null; readonly round: number; readonly refused: boolean },
): Promise<Compacted> {
  const keep = made.compactions === 0 && !order.refused ? KEEP_TOKENS : KEEP_LESS_TOKENS;
  const compacted = await compact(parts, { ...order, focus: '', keep });
  if (compacted.outcome === 'done') made.compactions++;
  else if (compacted.outcome !== 'aborted') made.failed = true;
  if (compacted.outcome === 'failed') {
    const text = `The conversation could not be shortened: ${compacted.message}. It is as it was.`;
    await parts.runtime.recorder.write([{ kind: 'note', level: 'warning', identifier: 'not-compacted', text }], KEEP);
  }
  return compacted;
}

const KEEP = { onFailure: 'keep' } as const;

function noRoom({ size, projected }: Reading): Failure {
  return {
    category: 'context-too-long',
    message: `No room is left in the model's context (about ${inThousands(projected)} tokens): ${breakdown(size, projected)}. Say it in smaller pieces, choose a model that holds more, or begin a new conversation.`,
    status: null,
    requestId: null,
    detail: null,
    retryAfterMs: null,
    retryable: false,
    attempts: 1,
  };
}
