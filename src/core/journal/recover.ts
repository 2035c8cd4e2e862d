import type {
  Entry,
  EntryBody,
  EntryId,
  EntryOf,
  QueuePause,
  ResultOutcome,
  TurnEndReason,
} from '../../protocol/entry.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { addUsage, NO_TOTALS } from '../../protocol/message.ts';
import { isOwnCall } from '../../protocol/own-call.ts';
import { BRANCH_KINDS } from './branch.ts';
import { damageWarning } from './damage.ts';
import { NOT_RUN, OUTCOME_UNKNOWN } from './interrupted.ts';
import type { Journal } from './journal.ts';

/** What waits to be run: inputs neither taken nor dropped, in the order they stand in line. */
export interface Waiting {
  readonly inputs: readonly EntryOf<'input'>[];
  readonly paused: QueuePause | null;
  /** What the pause holds; missing: nothing. */
  readonly held?: readonly EntryId[];
}

const NOTHING_WAITS: Waiting = { inputs: [], paused: null };

/** What waits, from entries in file order; other kinds are ignored. */
export function waitingOf(entries: Iterable<Entry>): Waiting {
  let inputs: EntryOf<'input'>[] = [];
  let paused: QueuePause | null = null;
  let held: readonly EntryId[] = [];
  for (const entry of entries) {
    if (entry.kind === 'input') inputs.push(entry);
    else if (entry.kind === 'taken' || entry.kind === 'dropped')
      inputs = inputs.filter((input) => input.id !== entry.input);
    else if (entry.kind === 'queue') {
      const edits = new Map(entry.edited.map(({ input, text, delivery }) => [input, { text, delivery }]));
      const places = new Map(entry.order.map((id, place) => [id, place]));
      const placeOf = (input: EntryOf<'input'>) => places.get(input.id) ?? places.size;
      inputs = inputs.map((input) => ({ ...input, ...edits.get(input.id) })).sort((a, b) => placeOf(a) - placeOf(b));
      paused = entry.paused;
      held = paused === null ? [] : (entry.held ?? inputs.map(({ id }) => id));
    }
  }
  return { inputs, paused, ...(held.length > 0 ? { held } : {}) };
}

export async function loadWaiting(journal: Journal): Promise<Waiting> {
  return waitingOf(await journal.load(journal.ofKind('input', 'taken', 'dropped', 'queue')));
}

/**
 * What to append after a crash so that nothing is left half-done: a result for each call that has none, the end of an
 * open turn, and a pause of the queue when a turn was cut and something waits behind it. Nothing is ever run again.
 * `branch` may begin anywhere before the last turn. Appended to the branch, its own output leaves nothing to do.
 */
export function recoveryEntries(branch: readonly Entry[], waiting: Waiting): EntryBody[] {
  const after = branch.findLastIndex((entry) => entry.kind === 'turn-end');
  const open = branch.slice(after + 1);
  const cut = unanswered(open);
  const bodies: EntryBody[] = cut.map(resultBody);
  const turn = openTurn(open);
  if (turn !== null) bodies.push(turnEnd(open, turn, isComplete(open) ? 'done' : 'interrupted'));
  const order = waiting.inputs.map((input) => input.id);
  if (isCut(bodies) && order.some((id) => waiting.held?.includes(id) !== true))
    bodies.push({ kind: 'queue', order, edited: [], paused: { because: 'restarted', message: CUT } });
  return bodies;
}

const CUT = 'Held because the turn before was interrupted.';

/** Whether a turn ends here that did not come to its end. */
function isCut(bodies: readonly EntryBody[]): boolean {
  return bodies.some((body) => body.kind === 'turn-end' && body.reason === 'interrupted');
}

/** The same for a journal that was just opened, and a word about lines of it that are lost. */
export async function recover(journal: Journal): Promise<EntryBody[]> {
  const closed = await closings(journal);
  const warning = await damageWarning(journal);
  const held = closed.some(({ kind }) => kind === 'queue') || warning.length === 0 ? [] : await holdForDamage(journal);
  return [...closed, ...warning, ...held];
}

/** A lost line may be the one that said that an input ran: the person says whether it runs again. */
async function holdForDamage(journal: Journal): Promise<EntryBody[]> {
  const waiting = await loadWaiting(journal);
  const order = waiting.inputs.map((input) => input.id);
  if (order.every((id) => waiting.held?.includes(id) === true)) return [];
  return [{ kind: 'queue', order, edited: [], paused: { because: 'restarted', message: DAMAGED } }];
}

const DAMAGED = 'Held because lines of this session are damaged: some of this may have run already.';

/** A leaf that a person moved to is no crash: a branch may well end in the middle of a turn there. */
async function closings(journal: Journal): Promise<EntryBody[]> {
  const lastMove = journal.lastOfKind(...BRANCH_KINDS, 'position');
  if (lastMove === null || journal.kindOf(lastMove) === 'position') return [];
  const since: EntryId[] = [];
  for (let at = journal.leaf; at !== null && journal.kindOf(at) !== 'turn-end'; at = journal.parentOf(at))
    since.push(at);
  const open = await journal.load(since.reverse());
  // What waits lies all over a long journal: it is read only where a cut turn may have to hold it back.
  const waiting = isCut(recoveryEntries(open, NOTHING_WAITS)) ? await loadWaiting(journal) : NOTHING_WAITS;
  return recoveryEntries(open, waiting);
}

interface Unanswered {
  readonly turn: number;
  readonly call: string;
  readonly tool: string;
  readonly title: string;
  readonly started: boolean;
}

/** In the order of the calls. */
function unanswered(entries: readonly Entry[]): Unanswered[] {
  const calls = new Map<EntryId, Unanswered>();
  for (const entry of entries) {
    if (entry.kind === 'assistant') {
      for (const part of entry.parts) {
        if (part.type !== 'call' || calls.has(part.call)) continue;
        calls.set(part.call, { turn: entry.turn, call: part.call, tool: part.tool, title: part.title, started: false });
      }
    } else if (entry.kind === 'call') {
      const { turn, call, tool, title } = entry;
      if (isOwnCall(tool) || calls.has(call)) calls.set(call, { turn, call, tool, title, started: true });
    }
  }
  for (const entry of entries) if (entry.kind === 'result') calls.delete(entry.call);
  return [...calls.values()];
}

function resultBody({ turn, call, tool, title, started }: Unanswered): EntryBody {
  const text = started ? OUTCOME_UNKNOWN : NOT_RUN;
  const outcome: ResultOutcome = started ? 'unknown' : 'stopped';
  return {
    kind: 'result',
    turn,
    call,
    tool,
    title,
    outcome,
    text,
    images: [],
    ref: null,
    label: TRUSTED_PUBLIC,
    display: { kind: 'text', text, end: 'head', totalLines: 1, label: TRUSTED_PUBLIC },
    output: null,
    job: null,
    duration: 0,
  };
}

/** The turn that began and did not end; a person's own shell line is none. */
function openTurn(entries: readonly Entry[]): number | null {
  let turn: number | null = null;
  for (const entry of entries) {
    if (entry.kind === 'turn-start' || entry.kind === 'assistant') turn = entry.turn;
    else if (entry.kind === 'taken' && entry.as !== 'shell') turn = entry.turn;
  }
  return turn;
}

/** Whether the turn had come to its last word and only its end was not written down any more. */
function isComplete(entries: readonly Entry[]): boolean {
  const last = entries.findLast(
    (entry) => entry.kind === 'assistant' || entry.kind === 'taken' || entry.kind === 'result',
  );
  return last?.kind === 'assistant' && last.stop === 'end' && last.parts.every((part) => part.type !== 'call');
}

function turnEnd(entries: readonly Entry[], turn: number, reason: TurnEndReason): EntryBody {
  const own = entries.filter((entry) => 'turn' in entry && entry.turn === turn);
  const usage = own.reduce(
    (sum, entry) => (entry.kind === 'assistant' ? addUsage(sum, entry.usage, entry.cost) : sum),
    NO_TOTALS,
  );
  const duration = Math.max(0, own[own.length - 1]!.time - own[0]!.time);
  return { kind: 'turn-end', turn, reason, failure: null, message: null, duration, usage };
}
