/**
 * How far a value may be trusted and shown: two independent axes (SEC-1), never one ordered level.
 * (untrusted, private) and (trusted, public) are incomparable.
 */
export interface Label {
  readonly integrity: 'trusted' | 'untrusted';
  readonly confidentiality: 'public' | 'private';
}

export const TRUSTED_PUBLIC: Label = { integrity: 'trusted', confidentiality: 'public' };
export const TRUSTED_PRIVATE: Label = { integrity: 'trusted', confidentiality: 'private' };
export const UNTRUSTED_PUBLIC: Label = { integrity: 'untrusted', confidentiality: 'public' };
export const UNTRUSTED_PRIVATE: Label = { integrity: 'untrusted', confidentiality: 'private' };

/** The label of something made from `labels`: any untrusted input taints, any private input taints, order is irrelevant (SEC-2). */
export function combineLabels(labels: readonly Label[]): Label {
  return {
    integrity: labels.some((label) => label.integrity === 'untrusted') ? 'untrusted' : 'trusted',
    confidentiality: labels.some((label) => label.confidentiality === 'private') ? 'private' : 'public',
  };
}

/** True when moving from `from` to `to` improves neither axis: the only direction a label may move (SEC-3). */
export function isNoBetter(to: Label, from: Label): boolean {
  const integrityHolds = to.integrity === 'untrusted' || from.integrity === 'trusted';
  const confidentialityHolds = to.confidentiality === 'private' || from.confidentiality === 'public';
  return integrityHolds && confidentialityHolds;
}

/** Reads a label that crossed a border as data; anything unreadable counts as the worst one (SEC-41). */
export function readLabel(value: unknown): Label {
  const candidate = value as Partial<Label> | null | undefined;
  const known =
    (candidate?.integrity === 'trusted' || candidate?.integrity === 'untrusted') &&
    (candidate.confidentiality === 'public' || candidate.confidentiality === 'private');
  return known ? (candidate as Label) : UNTRUSTED_PRIVATE;
}

/** Text for people together with its label: a region decides the quarantine margin from the label alone. */
export interface Shown {
  readonly text: string;
  readonly label: Label;
}
