import type { Effect } from '../../protocol/effect.ts';
import type { DecidedBy } from '../../protocol/entry.ts';
import type { Facts } from '../policy/facts.ts';
import type { Tool } from '../tools/tool.ts';
import type { Sealed } from '../values/sealed.ts';

/** A call that may run, with what it was allowed to do. */
export interface Allowed {
  readonly tool: Tool;
  readonly title: string;
  readonly effects: readonly Effect[];
  readonly planned: unknown;
  /** Absolute path of the one file the call reads, where that is all it does. */
  readonly file: string | null;
  /** Media type of that file, where its name says it is a picture or document. */
  readonly picture: string | null;
  readonly facts: Facts;
  readonly by: DecidedBy;
  readonly output: 'text' | 'ref';
  /** What the model is to be shown of what was kept aside; null for a call that shows nothing of it. */
  readonly released: Sealed<string> | null;
}
