import { join } from 'node:path';
import type { Json } from '../../base/json.ts';
import type { Display, FileDiff } from '../../protocol/display.ts';
import type { EntryOf, ResultOutcome } from '../../protocol/entry.ts';
import { combineLabels, type Label, TRUSTED_PUBLIC, UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import type { Facts } from '../policy/facts.ts';
import { labelResult } from '../policy/provenance.ts';
import type { Provenance, ToolOutcome } from '../tools/tool.ts';
import { seal } from '../values/sealed.ts';
import type { NewSlot } from '../values/slot.ts';
import type { Gate } from './gate.ts';

/** What a call leaves behind: what the model is given and what people see. */
export type Presented = Pick<
  EntryOf<'result'>,
  'outcome' | 'text' | 'images' | 'ref' | 'label' | 'display' | 'output' | 'job'
>;

/** A result in Houston's own words: nothing in it was read from anywhere. */
export function ownWords(outcome: ResultOutcome, text: string): Presented {
  return {
    outcome,
    text,
    images: [],
    ref: null,
    label: TRUSTED_PUBLIC,
    display: { kind: 'none' },
    output: null,
    job: null,
  };
}

/**
 * Decides once what a tool's outcome becomes: sealed under the label its provenance gives it, then shown to the model or
 * kept aside (SEC-5, SEC-7). Secrets are taken out before either.
 */
export function presentOutcome(
  outcome: ToolOutcome,
  output: 'text' | 'ref',
  facts: Facts,
  gate: Gate,
  redact: (text: string) => string,
  call: string,
): Presented {
  const provenance: Provenance = outcome.provenance ?? { from: 'houston' };
  // A job's output stays what it was when the job started (JOB-9).
  const reads = provenance.from === 'program' ? (provenance.reads ?? output) : output;
  const label = labelResult(provenance, reads, facts, gate.scope.trust);
  const display = labelled(redactAll(outcome.display ?? { kind: 'none' }, redact), label, facts);
  const shown = gate.quarantine.present({
    sealed: seal(redact(textOf(outcome)), label),
    origin: originOf(provenance),
    ending: endingOf(display),
    display,
    output: outcome.output ?? null,
    slot: slotOf(outcome, provenance, label, gate),
  });
  gate.audit({ event: 'present', call, label: shown.label, ref: shown.ref });
  return {
    outcome: outcome.ok ? 'ok' : outcome.kind,
    ...shown,
    ref: shown.ref ?? (outcome.ok ? (outcome.ref ?? null) : null),
    // Pictures are content too: kept aside with the rest.
    images: outcome.ok && shown.ref === null ? (outcome.images ?? []) : [],
    output: outcome.output ?? null,
    job: outcome.ok ? (outcome.job ?? null) : null,
  };
}

function textOf(outcome: ToolOutcome): string {
  if (!outcome.ok) return outcome.message;
  return outcome.token === undefined ? outcome.text : `${outcome.text}\n[version ${outcome.token}]`;
}

/** What a slot holds and stands for beyond the text, should this be kept aside. */
function slotOf(outcome: ToolOutcome, provenance: Provenance, label: Label, gate: Gate): Partial<NewSlot> {
  const aside = outcome.ok ? outcome.aside : undefined;
  if (aside !== undefined) {
    const { form, mediaType, bytes } = aside;
    return { form, mediaType, content: { kind: 'bytes', sealed: seal(bytes, label) } };
  }
  if (provenance.from !== 'program') return {};
  const { outputs } = gate.scope;
  const whole = outcome.output && outputs !== null ? join(outputs, outcome.output) : null;
  return { command: provenance.line, whole };
}

/** A display shows what the text says, so it stands under the same label; a change, under that of what it replaced too. */
function labelled(display: Display, label: Label, facts: Facts): Display {
  if (display.kind === 'text' || display.kind === 'terminal') return { ...display, label };
  return display.kind === 'diff' ? { ...display, files: display.files.map((file) => labelDiff(file, facts)) } : display;
}

/** A change shows what the file held before: where nobody vouched for that, neither is the change (PR-8). */
export function labelDiff(diff: FileDiff, facts: Facts): FileDiff {
  const fact = facts.paths.find((known) => known.path === diff.path);
  const before = fact === undefined || fact.trusted || !fact.exists ? [] : [UNTRUSTED_PRIVATE];
  return { ...diff, label: combineLabels([diff.label, ...before]) };
}

/** What the content is, without a word of it. */
function originOf(provenance: Provenance): string {
  switch (provenance.from) {
    case 'files':
      if (provenance.named !== undefined) return `the content of ${provenance.named}`;
      return provenance.paths.length === 1
        ? `the content of ${provenance.paths[0]}`
        : `content of ${provenance.paths.length} files`;
    case 'program':
      return 'the output of the command';
    case 'picture':
      return `the picture or document ${provenance.named ?? provenance.path}`;
    case 'server':
      return `words of the ${provenance.language} language server`;
    case 'released':
      return `what was released of ${provenance.ref}`;
    case 'network':
      return `the answer of ${provenance.host}`;
    case 'external':
      return `the answer of ${provenance.server}: ${provenance.tool}`;
    case 'delegate':
      return `the report of ${provenance.name}`;
    case 'person':
      return 'the answer of the person';
    case 'houston':
      return 'a message of Houston';
  }
}

function endingOf(display: Display): string {
  if (display.kind !== 'terminal') return '';
  return display.endedBy === 'exit' ? `exit ${display.exit}` : display.endedBy;
}

/** Every text in a plain value, through `redact`. */
function redactAll(value: Display, redact: (text: string) => string): Display {
  const walk = (part: Json): Json => {
    if (typeof part === 'string') return redact(part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part === 'object' && part !== null)
      return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, walk(inner)]));
    return part;
  };
  return walk(value as unknown as Json) as unknown as Display;
}
