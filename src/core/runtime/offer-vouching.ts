import type { AskBody, AskRow } from '../../protocol/ask.ts';
import type { Effect } from '../../protocol/effect.ts';
import { TRUSTED_PUBLIC, UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import { SystemError } from '../../system/files.ts';
import { pathRows } from '../policy/ask-rows.ts';
import { linesForPerson, sizeOf, textOf } from '../policy/declassify.ts';
import type { PathFact } from '../policy/facts.ts';
import type { Sealed } from '../values/sealed.ts';
import { runCheck } from './check.ts';
import type { CallPart } from './runtime.ts';
import type { SideTurn } from './side-request.ts';

/** A longer file is not offered: nobody vouches for what they cannot read. */
const MOST_BYTES = 256 * 1024;
/** Lines of it in the question; the check reads all. */
const SHOWN_LINES = 40;

/** The file of a read that will be kept aside and may be vouched for instead; null for anything else (SEC-28). */
export function vouchable(
  { runtime, progress }: SideTurn,
  read: { readonly file: string | null; readonly picture: boolean; readonly output: 'text' | 'ref' },
  paths: readonly PathFact[],
): PathFact | null {
  const { canAsk, offersVouching, gate } = runtime.calls;
  if (!canAsk || !offersVouching || gate.mode() === 'bypass' || read.file === null || read.picture) return null;
  const fact = paths.find((known) => known.path === read.file);
  if (fact === undefined || read.output === 'text' || fact.trusted || fact.output || !fact.exists || !fact.inside)
    return null;
  return progress.offered.has(fact.real) ? null : fact;
}

/**
 * Offers the person to vouch for one file a read would keep aside, after a check read all of it: once a path and turn.
 * On a yes it is trusted from now on, itself and nothing beside it. True when it was vouched for.
 */
export async function offerVouching(
  side: SideTurn,
  call: CallPart,
  fact: PathFact,
  { title, effects }: { readonly title: string; readonly effects: readonly Effect[] },
): Promise<boolean> {
  const { runtime, terms, progress } = side;
  const { gate, ask } = runtime.calls;
  progress.offered.add(fact.real);
  const text = await wholeText(side, fact);
  if (text === null) return false;
  const checked = await runCheck(side, text, null);
  gate.audit({ event: 'check', call: call.call, ref: null, verdict: checked.verdict });
  if (terms.signal.aborted) return false;
  const { lines, hidden } = linesForPerson(text, SHOWN_LINES);
  const named = effects.some((effect) => effect.kind === 'read' && effect.ref !== undefined);
  const body: AskBody = {
    kind: 'permission',
    title,
    why: call.why,
    effects,
    rows: [
      ...pathRows(fact, named ? UNTRUSTED_PRIVATE : TRUSTED_PUBLIC),
      ours('reason', 'nobody has vouched for this file, so the model is not shown what it holds'),
      ...checked.rows,
      ...lines.map((shown): AskRow => ({ role: 'content', shown })),
      ...(hidden === 0 ? [] : [ours('warning', `${hidden} more lines are not shown here`)]),
    ],
    diffs: [],
    choices: [
      { key: 'v', name: 'trust', label: 'Vouch for this file: the model may read it, now and later', approves: true },
      { key: 'n', name: 'no', label: 'Keep it aside', approves: false },
    ],
  };
  runtime.publish({ type: 'call', call: call.call, state: 'asking', title, effects });
  progress.phase('asking', title);
  const answer = await ask({ for: null, origin: '', call: call.call, body }, terms.signal);
  const choice = answer?.kind === 'choice' ? answer.choice : 'none';
  gate.audit({ event: 'answer', call: call.call, choice, output: null });
  if (choice !== 'trust' || terms.signal.aborted) return false;
  await gate.trust.set({ path: fact.real, trusted: true, by: 'person' });
  return true;
}

/** Null for what is no file of text that can be read as a whole. */
async function wholeText({ runtime }: SideTurn, { path, real }: PathFact): Promise<Sealed<string> | null> {
  try {
    const bytes = await runtime.calls.gate.quarantine.read({ path, real });
    const text = bytes === null ? null : textOf(bytes);
    return text === null || sizeOf(text) > MOST_BYTES ? null : text;
  } catch (error) {
    if (error instanceof SystemError) return null;
    throw error;
  }
}

function ours(role: AskRow['role'], text: string): AskRow {
  return { role, shown: { text, label: TRUSTED_PUBLIC } };
}
