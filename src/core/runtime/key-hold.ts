import type { KeyFindings } from '../policy/key-findings.ts';

/** What is held back of a session's reads. */
export interface KeyHold {
  /** Files the person let the model read all the same, for this session. */
  readonly allowed: Set<string>;
  readonly findings: KeyFindings;
}
