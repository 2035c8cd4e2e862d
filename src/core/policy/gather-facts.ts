import type { Effect } from '../../protocol/effect.ts';
import type { FactScope, FactSources, Facts, LineFact, PathFact } from './facts.ts';
import { lineFact } from './line-facts.ts';
import { pathFact } from './path-fact.ts';
import { credentialPlaces } from './protected-places.ts';
import { trusts } from './trust.ts';

/** Finds what a decision on `effects` rests on. Touches nothing; what it cannot find out counts against the effect. */
export async function gatherFacts(effects: readonly Effect[], scope: FactScope, sources: FactSources): Promise<Facts> {
  const paths: PathFact[] = [];
  let line: LineFact | null = null;
  for (const effect of effects) {
    if (effect.kind === 'read' || effect.kind === 'walk' || effect.kind === 'write') {
      paths.push(await pathFact(effect.path, scope, sources.files));
    } else if (effect.kind === 'run') {
      line = await lineFact(effect.line, effect.folder, scope, sources);
    }
  }
  return {
    workspace: scope.workspace,
    roots: scope.roots,
    trusted: trusts(scope.trust, scope.workspace),
    home: scope.home,
    paths,
    line,
    hidden: [...scope.own, ...credentialPlaces(scope.home)],
    ignoreCase: scope.ignoreCase ?? false,
  };
}
