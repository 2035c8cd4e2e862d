import type { Entry, EntryId } from '../../protocol/entry.ts';
import type { Said } from '../../protocol/fold.ts';
import type { TreeNode } from '../../protocol/query.ts';
import { BRANCH_KINDS, childrenOf, nearest, type Walkable } from './branch.ts';
import type { Journal } from './journal.ts';
import { loadSaid } from './said.ts';

/** Kinds of rows in the tree; a turn that did not end well has its reason as a row of its own. */
export type TreeNodeKind =
  | 'root'
  | 'prompt'
  | 'response'
  | 'compaction'
  | 'stopped'
  | 'failed'
  | 'limit'
  | 'repeating'
  | 'interrupted';

const TEXT_LIMIT = 200;

/**
 * Every place one can go to, depth first: prompts, final responses, compactions and turns that ended badly. `parent` is
 * the nearest row above, not the entry's own parent.
 */
export async function treeNodes(journal: Journal): Promise<TreeNode[]> {
  const entries = await journal.load(journal.ofKind('session', 'taken', 'assistant', 'compaction', 'turn-end'));
  const said = await loadSaid(journal, entries);
  const nodes = new Map<EntryId, TreeNode>();
  for (const entry of entries) {
    const row = rowOf(entry, said);
    if (row === null) continue;
    const parent = nearest(journal, journal.parentOf(entry.id), (_, id) => nodes.has(id));
    nodes.set(entry.id, { id: entry.id, parent, kind: row.kind, text: excerpt(row.text), time: entry.time });
  }
  return depthFirst([...nodes.values()]);
}

function rowOf(entry: Entry, said: ReadonlyMap<EntryId, Said>): { kind: TreeNodeKind; text: string } | null {
  switch (entry.kind) {
    case 'session':
      return { kind: 'root', text: entry.folder };
    case 'taken':
      return { kind: 'prompt', text: said.get(entry.id)?.text ?? '' };
    case 'assistant': {
      if (entry.stop === 'calls') return null;
      const text = entry.parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
      return text.trim() === '' ? null : { kind: 'response', text };
    }
    case 'compaction':
      return { kind: 'compaction', text: entry.summary };
    case 'turn-end':
      return entry.reason === 'done'
        ? null
        : { kind: entry.reason, text: entry.failure?.message ?? entry.message ?? '' };
    default:
      return null;
  }
}

function excerpt(text: string): string {
  const line = text.trim().split('\n', 1)[0]!;
  return line.length <= TEXT_LIMIT ? line : `${line.slice(0, TEXT_LIMIT).toWellFormed()}…`;
}

function depthFirst(nodes: readonly TreeNode[]): TreeNode[] {
  const children = new Map<EntryId | null, TreeNode[]>();
  for (const node of nodes) children.set(node.parent, [...(children.get(node.parent) ?? []), node]);
  const ordered: TreeNode[] = [];
  const stack = [...(children.get(null) ?? [])].reverse();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    ordered.push(node);
    stack.push(...(children.get(node.id) ?? []).toReversed());
  }
  return ordered;
}

/** Where choosing a row of the tree leads: the new leaf, and the input to give back as a draft. */
export interface Destination {
  readonly leaf: EntryId;
  readonly taken: EntryId | null;
}

/**
 * A prompt leads to the context before it, everything else to the context after it, which is the end of its turn where
 * that follows. Null for what is no branch entry.
 */
export function destination(journal: Walkable & Pick<Journal, 'ofKind'>, id: EntryId): Destination | null {
  const kind = journal.kindOf(id);
  if (kind === null || !(BRANCH_KINDS as readonly string[]).includes(kind)) return null;
  if (kind === 'taken') {
    const before = nearest(journal, journal.parentOf(id), (below) => below !== 'turn-start');
    return { leaf: before ?? id, taken: id };
  }
  if (kind !== 'assistant') return { leaf: id, taken: null };
  const children = childrenOf(journal, journal.ofKind(...BRANCH_KINDS));
  for (let next = children.get(id)?.[0]; next !== undefined; next = children.get(next)?.[0]) {
    const below = journal.kindOf(next);
    if (below === 'turn-end') return { leaf: next, taken: null };
    if (below === 'taken' || below === 'assistant') break;
  }
  return { leaf: id, taken: null };
}
