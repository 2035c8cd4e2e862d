import type { Refusal } from '../../base/refusal.ts';
import { type Label, TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { type PlanContext, type Planning, TOOL_LIMITS, type ToolLimits } from './tool.ts';

/** Arguments the model got wrong, said so that it can put them right. */
export function wrongArguments(refusal: Refusal): { readonly ok: false; readonly message: string } {
  return { ok: false, message: `Wrong arguments: ${refusal.message}.` };
}

export function argumentsLabel(context: PlanContext): Label {
  return context.label ?? TRUSTED_PUBLIC;
}

export function limitsOf(context: PlanContext): ToolLimits {
  return context.limits ?? TOOL_LIMITS;
}

/** A plan that turned out impossible for reasons that lie in a file: telling them is reading it, and decided on as such. */
export interface Explanation {
  readonly kind: 'explanation';
  readonly path: string;
  readonly message: string;
  /** Hash of the file when the message shows its text, else null. */
  readonly shown: string | null;
}

export function explainInstead(
  title: string,
  explanation: Omit<Explanation, 'kind'>,
  context: PlanContext,
): Planning<Explanation> {
  const effect = { kind: 'read', path: explanation.path, label: argumentsLabel(context) } as const;
  return { ok: true, title, effects: [effect], diffs: [], planned: { kind: 'explanation', ...explanation } };
}
