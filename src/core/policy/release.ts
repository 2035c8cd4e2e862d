import { sha256 } from '../../base/sha256.ts';
import type { FileDiff } from '../../protocol/display.ts';
import { combineLabels, type Label, TRUSTED_PRIVATE } from '../../protocol/label.ts';
import type { Sealed } from '../values/sealed.ts';
import { opener } from './opener.ts';

/** What a person approves before sealed bytes may go into a file; the diff carries their label, so it is drawn as such. */
export interface ReleasePlan {
  /** SHA-256 (hex) and number of the bytes the file would hold. */
  readonly after: string;
  readonly bytes: number;
  readonly label: Label;
  readonly diff: FileDiff;
}

/** How two texts are compared; null for what is no text. */
export type CompareTexts = (
  path: string,
  change: FileDiff['change'],
  before: string | null,
  after: string | null,
  label: Label,
) => FileDiff;

/** Counting, hashing and comparing for the person happen here, on the still sealed value (SEC-18). `before`: null for a new file. */
export function planRelease(
  sealed: Sealed<Uint8Array>,
  path: string,
  before: Uint8Array | null,
  compare: CompareTexts,
): ReleasePlan {
  const bytes = opener.open(sealed);
  const label = combineLabels([sealed.label, TRUSTED_PRIVATE]);
  const change = before === null ? 'create' : 'overwrite';
  return {
    after: sha256(bytes),
    bytes: bytes.length,
    label,
    diff: compare(path, change, before === null ? '' : textOf(before), textOf(bytes), label),
  };
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
