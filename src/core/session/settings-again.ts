import type { Rules } from '../policy/rules.ts';
import type { SpendingLimits } from '../runtime/spending.ts';
import type { ToolLimits } from '../tools/tool.ts';
import type { DelegateModels } from './delegate-models.ts';

/** Settings as they were read again: what of them can hold while a session runs. */
export interface SettingsAgain {
  readonly rules: Rules;
  /** Of those, what also holds for the person's own lines. */
  readonly managed: Rules;
  /** Of what the project asks for: what it asked for when the person was asked to trust it. */
  readonly project: Rules;
  readonly commandOutput: 'class' | 'aside';
  readonly retries: number;
  readonly stallMs: number;
  readonly limits: ToolLimits;
  readonly autoVet: boolean;
  readonly agentsDisabled: readonly string[];
  readonly delegateModels: DelegateModels;
  readonly sleeps: number;
  readonly enabledModels: readonly string[];
  readonly spending: SpendingLimits;
  readonly hooks: { readonly enabled: boolean; readonly injects: boolean };
  /** Keys whose value changed and holds from now on. */
  readonly now: readonly string[];
  /** Keys whose changed value only sessions to come have. */
  readonly later: readonly string[];
  /** What could not be read, one line each. */
  readonly problems: readonly string[];
}
