import type { TreeNode } from '../../../protocol/query.ts';
import { age } from '../figures.ts';
import type { ListModal, ListRow } from './list.ts';

/** `/tree`: every place of the conversation. While something runs one looks, and what is chosen waits in line (SC-25.3). */
export function treeList(busy: boolean): ListModal {
  return {
    kind: 'list',
    of: 'tree',
    title: busy ? 'Conversation tree · something runs: going elsewhere waits in line' : 'Conversation tree',
    rows: null,
    cursor: 0,
    filter: null,
    keys: [
      { chord: 'enter', label: 'Enter', words: 'Go there', does: 'go' },
      { chord: 's', label: 's', words: 'Go, summarising what is left', does: 'summary' },
      { chord: 'm', label: 'm', words: 'Bring this reply here', does: 'bring' },
      { chord: 'l', label: 'l', words: 'Name it', does: 'label' },
    ],
    none: 'Nothing was said yet',
  };
}

const MARKS: Readonly<Record<string, string>> = {
  root: '⌂',
  prompt: 'you',
  response: '↳',
  compaction: 'summary',
  stopped: 'stopped',
  failed: 'failed',
  limit: 'limit',
  repeating: 'repeating',
  interrupted: 'interrupted',
};

const LEADS: Readonly<Record<string, string>> = {
  root: 'Leads to the beginning: nothing said yet.',
  prompt: 'Leads to before this prompt, with its words back in the box.',
};

/** Rows go in only where the conversation forks. */
export function treeRows(nodes: readonly TreeNode[], here: string | null, now: number): ListRow[] {
  const children = new Map<string | null, number>();
  for (const { parent } of nodes) children.set(parent, (children.get(parent) ?? 0) + 1);
  const indents = new Map<string, number>();
  return nodes.map((node) => {
    const above = node.parent === null ? 0 : (indents.get(node.parent) ?? 0);
    const indent = node.parent !== null && (children.get(node.parent) ?? 0) > 1 ? above + 1 : above;
    indents.set(node.id, indent);
    const label = node.label === undefined ? '' : ` ★ ${node.label}`;
    return {
      value: node.id,
      indent,
      here: node.id === here,
      mark: MARKS[node.kind] ?? node.kind,
      // A reply may begin with a heading; its marks say nothing here.
      text: `${node.text.replace(/^#{1,6}\s+/, '')}${label}`,
      detail: node.kind === 'root' ? '' : age(now - node.time),
      below:
        LEADS[node.kind] ?? 'Leads to after this. Other branches stay; files and what commands did are not undone.',
    };
  });
}
