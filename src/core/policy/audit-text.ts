import type { Label } from '../../protocol/label.ts';
import type { AuditedEffect, AuditLine } from './audit.ts';

/** One line of the trail in words; control characters of names are left for whoever draws it to make visible. */
export function auditText(line: AuditLine): string {
  const who = line.delegate === undefined ? '' : `${line.delegate} `;
  return `${who}${wordsOf(line)}`;
}

/** Whether something was kept from happening. */
export function isRefusal(line: AuditLine): boolean {
  if (line.event === 'decision') return line.verdict === 'deny';
  return line.event === 'answer' && line.choice === 'no';
}

function wordsOf(line: AuditLine): string {
  switch (line.event) {
    case 'session':
      return `session opened: sandbox ${line.sandbox}; rules ${line.deny} deny, ${line.ask} ask, ${line.allow} allow`;
    case 'decision': {
      const verdict = { allow: 'allowed', ask: 'asked', deny: 'refused' }[line.verdict];
      const by = line.by === null ? '' : ` by ${line.by}`;
      const reasons = line.reasons.length === 0 ? '' : ` (${[...new Set(line.reasons)].join(', ')})`;
      return `${verdict}${by} in mode ${line.mode}: ${line.effects.map(effectText).join('; ')}${reasons}`;
    }
    case 'answer':
      return `answered ${line.choice}${line.output === null ? '' : `, output as ${line.output}`}`;
    case 'answered':
      return `question closed by ${line.by}`;
    case 'present':
      return line.ref === null ? `shown to the model ${labelText(line.label)}` : `kept aside as ${line.ref}`;
    case 'promote':
      return `path taken from an untrusted context: ${line.path}`;
    case 'release':
      return `${line.ref} released to ${line.path ?? `the ${line.to}`}`;
    case 'processor':
      return `processor read ${line.refs.join(', ')}${line.document === null ? '' : ` and made ${line.document}`}`;
    case 'job':
      return line.did === 'moved' ? `the person moved ${line.job} to the background` : `the person stopped ${line.job}`;
    case 'check':
      return `check of ${line.ref}: ${line.verdict}`;
    case 'trust':
      return `${line.path} ${line.trusted ? 'trusted' : 'not trusted'}, by ${line.by}`;
    case 'compaction': {
      const cost = line.cost === null ? '' : `, $${line.cost.toFixed(4)}`;
      const focus = line.focus === 0 ? '' : `, a focus of ${line.focus} characters`;
      return `compacted (round ${line.round}): ${line.summarised} messages summarised, ${line.kept} kept${cost}${focus}`;
    }
    case 'turn':
      return `turn ${line.turn} began in mode ${line.mode}`;
    case 'mode':
      return `mode is now ${line.mode}`;
    case 'said':
      return `the person said (${line.as}, turn ${line.turn})${line.attachments === 0 ? '' : ` with ${line.attachments} attached`}`;
  }
}

function effectText({ kind, target, label }: AuditedEffect): string {
  return `${kind}${target === null ? '' : ` ${target}`} ${labelText(label)}`;
}

function labelText({ integrity, confidentiality }: Label): string {
  return `[${integrity}, ${confidentiality}]`;
}
