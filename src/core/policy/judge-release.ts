import type { Effect } from '../../protocol/effect.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { lineRows } from './ask-rows.ts';
import type { LineFact } from './facts.ts';
import { allow, deny, type Judgement, NO_OFFER } from './judgement.ts';
import type { DecisionInput } from './policy.ts';

type Release = Extract<Effect, { kind: 'release' }>;
type Service = Extract<Effect, { kind: 'service' }>;
type Run = Extract<Effect, { kind: 'run' }>;

/** Showing the model what was kept aside: put to the person each time, whatever was answered or ruled before (SEC-28). */
export function judgeRelease(effect: Release, { mode, contextTrusted }: DecisionInput): Judgement {
  if (!contextTrusted) return deny('context-untrusted', 'untrusted content was shown in this conversation');
  if (mode === 'bypass') return allow('mode', 'mode-bypass', 'permission questions are answered with yes', 'text');
  const text = `the model is shown all of ${effect.ref} as if you had vouched for it`;
  return {
    verdict: 'ask',
    reasons: [{ identifier: 'release', text }],
    rows: [{ role: 'reason', shown: { text, label: TRUSTED_PUBLIC } }],
    output: 'text',
    offer: NO_OFFER,
  };
}

/** Starting a program of ours that goes on running beside the session: asked for once, by whoever starts it. */
export function judgeService(effect: Service, { mode, contextTrusted }: DecisionInput): Judgement {
  if (!contextTrusted) return deny('context-untrusted', 'untrusted content was shown in this conversation');
  if (mode === 'plan') return deny('mode-plan', 'plan mode starts nothing that may change something');
  if (mode === 'bypass') return allow('mode', 'mode-bypass', 'permission questions are answered with yes', 'text');
  const text = `starts the ${effect.language} language server, which reads the project and may run its build; it stays for this session`;
  return {
    verdict: 'ask',
    reasons: [{ identifier: 'service', text }],
    rows: [
      { role: 'line', shown: { text: effect.program, label: TRUSTED_PUBLIC } },
      { role: 'reason', shown: { text, label: TRUSTED_PUBLIC } },
    ],
    output: 'text',
    offer: NO_OFFER,
  };
}

/**
 * What a line is fed counts beside the line itself: private bytes are asked about every single time (SEC-13), and what
 * comes out of untrusted bytes is kept aside whoever vouched for the line.
 */
export function judgeFed(effect: Run, line: LineFact, found: Judgement, { facts, mode }: DecisionInput): Judgement {
  const { input } = effect;
  if (input === undefined || found.verdict === 'deny') return found;
  if (effect.background) return deny('input-background', 'nothing is fed to a command in the background');
  const redirected = line.commands.some(({ redirections }) =>
    redirections.some(({ operator }) => operator.startsWith('<')),
  );
  if (redirected || (line.unparsed !== null && line.line.includes('<')))
    return deny('input-twice', 'a command is given a reference or a redirected input, not both');
  const output = input.label.integrity === 'untrusted' ? 'ref' : found.output;
  const isPrivate = input.label.confidentiality === 'private';
  if (found.verdict === 'allow') {
    if (!isPrivate || mode === 'bypass') return { ...found, output };
  }
  const text = `is given the bytes of ${input.ref}${isPrivate ? ', which are private' : ''}`;
  const reason = { identifier: isPrivate ? 'private-input' : 'input', text };
  const rows = found.verdict === 'ask' ? found.rows : lineRows(line, effect.label, facts.workspace);
  return {
    verdict: 'ask',
    reasons: [reason, ...(found.verdict === 'ask' ? found.reasons : [])],
    rows: [...rows, { role: 'reason', shown: { text, label: TRUSTED_PUBLIC } }],
    output,
    offer: isPrivate || found.verdict !== 'ask' ? NO_OFFER : { ...found.offer, output },
  };
}
