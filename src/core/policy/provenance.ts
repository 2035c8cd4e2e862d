import {
  combineLabels,
  type Label,
  TRUSTED_PRIVATE,
  TRUSTED_PUBLIC,
  UNTRUSTED_PRIVATE,
  UNTRUSTED_PUBLIC,
} from '../../protocol/label.ts';
import type { Facts } from './facts.ts';
import { isWithin } from './paths.ts';
import { type TrustMap, trusts } from './trust.ts';

/** Where a result's content came from, as its tool states it. */
export type Origin =
  | { readonly from: 'files'; readonly paths: readonly string[] }
  | { readonly from: 'program'; readonly line: string; readonly folder: string; readonly fed?: Label }
  | { readonly from: 'picture'; readonly path: string }
  | { readonly from: 'server'; readonly language: string }
  | { readonly from: 'released'; readonly ref: string }
  | { readonly from: 'delegate'; readonly name: string; readonly label: Label }
  | { readonly from: 'person' }
  | { readonly from: 'houston' }
  | { readonly from: 'network'; readonly host: string }
  | { readonly from: 'external'; readonly server: string; readonly tool: string };

/**
 * The first label of a result: the one table of SEC-5. `output` is what the decision (or the person with it) chose for
 * this run. Nothing here may look at the content.
 */
export function labelResult(origin: Origin, output: 'text' | 'ref', facts: Facts, trust: TrustMap): Label {
  switch (origin.from) {
    case 'files': {
      // The places that were looked through count too: finding nothing there is also something read from them.
      const paths = [...facts.paths.map((fact) => fact.path), ...origin.paths];
      return paths.every((path) => isTrusted(path, output, facts, trust)) ? TRUSTED_PRIVATE : UNTRUSTED_PRIVATE;
    }
    case 'program':
      // Whoever vouched for the line did not vouch for what it was given.
      return combineLabels([output === 'text' ? TRUSTED_PRIVATE : UNTRUSTED_PRIVATE, origin.fed ?? TRUSTED_PRIVATE]);
    case 'picture':
    case 'server':
    case 'external':
      return UNTRUSTED_PRIVATE;
    case 'released':
      return TRUSTED_PRIVATE;
    case 'network':
      return UNTRUSTED_PUBLIC;
    case 'delegate':
      return origin.label;
    case 'person':
    case 'houston':
      return TRUSTED_PUBLIC;
  }
}

/** By the trust map, or because the person vouched for this one read when asked about a path the map does not cover. */
function isTrusted(path: string, output: 'text' | 'ref', facts: Facts, trust: TrustMap): boolean {
  const fact = facts.paths.find((known) => isWithin(path, known.path));
  if (fact === undefined) return trusts(trust, path);
  if (fact.output) return fact.trusted;
  const real = fact.real + path.slice(fact.path.length);
  return trusts(trust, real) || (output === 'text' && !fact.trusted);
}
