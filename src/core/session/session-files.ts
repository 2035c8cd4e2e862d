import type { SessionFile } from '../../protocol/query.ts';
import type { SessionParts } from './parts.ts';

/** Calls looked at in one go. */
const BATCH = 256;

/** Files that calls of this session were let read, or that its tools changed, in the order they were first met. */
export async function sessionFiles({
  journal,
  ledger,
}: Pick<SessionParts, 'journal' | 'ledger'>): Promise<SessionFile[]> {
  const changed = new Set(ledger.changes.map((change) => change.path));
  const paths = new Set<string>();
  const calls = journal.ofKind('call');
  for (let at = 0; at < calls.length; at += BATCH)
    for (const entry of await journal.load(calls.slice(at, at + BATCH)))
      for (const effect of entry.kind === 'call' ? entry.effects : [])
        if (effect.kind === 'read' || (effect.kind === 'write' && changed.has(effect.path))) paths.add(effect.path);
  for (const path of changed) paths.add(path);
  return [...paths].map((path) => ({ path, changed: changed.has(path) }));
}
