import type { AskRow } from '../../protocol/ask.ts';
import type { Effect } from '../../protocol/effect.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { linesForPerson, redacted, sizeOf, textOf } from '../policy/declassify.ts';
import type { Sealed } from '../values/sealed.ts';
import { runCheck } from './check.ts';
import type { SideTurn } from './side-request.ts';

type Release = Extract<Effect, { kind: 'release' }>;

/** What a release would show, read once: the person decides on exactly what the model is then given. */
export type PreparedRelease =
  | {
      readonly ok: true;
      readonly text: Sealed<string>;
      readonly rows: readonly AskRow[];
      /** What the check answers in the person's place (SEC-31, SEC-32); null leaves it to them. */
      readonly answer: 'yes' | 'withheld' | null;
    }
  | { readonly ok: false; readonly message: string };

/** More is not shown at once: nobody reads it before answering. */
const MOST_BYTES = 64 * 1024;

/**
 * Reads what would be released and has it checked. `asked` false: permission questions answer themselves, and then
 * nothing is checked, unless vetting by itself was asked for: then anything but safe stays where it is.
 */
export async function prepareRelease(
  side: SideTurn,
  effect: Release,
  call: string,
  asked: boolean,
): Promise<PreparedRelease> {
  const { gate, autoVet, redact } = side.runtime.calls;
  const { quarantine } = gate;
  const { ref } = effect;
  const slot = quarantine.find(ref);
  // Of a long output its two ends: what stands for it everywhere else.
  const ends = slot?.command === null ? null : quarantine.slot(ref);
  const whole = ends === null ? await quarantine.content(ref) : null;
  if (slot === null || (ends === null && whole === null)) return { ok: false, message: `${ref} stands for nothing.` };
  const text = redacted(ends ?? textOf(whole!), redact);
  const bytes = sizeOf(text);
  if (bytes > MOST_BYTES) {
    const message = `${ref} is too long to be shown (${bytes} bytes, at most ${MOST_BYTES}). Have a processor make something shorter of it.`;
    return { ok: false, message };
  }
  if (!asked && !autoVet) return { ok: true, text, rows: [], answer: 'yes' };
  const checked = await runCheck(side, text, effect.expects ?? null);
  const safe = checked.verdict === 'safe';
  gate.audit({ event: 'check', call, ref, verdict: checked.verdict });
  if (!asked) return { ok: true, text, rows: [], answer: safe ? 'yes' : 'withheld' };
  const rows: AskRow[] = [
    ...checked.rows,
    ...(slot.command === null
      ? [ours('reason', `${slot.origin}, ${bytes} bytes`)]
      : slot.command.split('\n').map((line) => ours('line', line))),
    ...linesForPerson(text, Number.POSITIVE_INFINITY).lines.map((shown): AskRow => ({ role: 'content', shown })),
  ];
  return { ok: true, text, rows, answer: autoVet && safe ? 'yes' : null };
}

function ours(role: AskRow['role'], text: string): AskRow {
  return { role, shown: { text, label: TRUSTED_PUBLIC } };
}
