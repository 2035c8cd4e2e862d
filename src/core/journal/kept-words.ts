import type { KeptWords } from '../../protocol/entry.ts';
import type { PermissionMode } from '../../protocol/message.ts';

const MODES: Readonly<Record<PermissionMode, string>> = {
  ask: 'ask: what changes anything is put to the person first',
  edits: 'edits: files in the workspace may be changed unasked',
  plan: 'plan: nothing may be changed; look, think and propose',
  bypass: 'bypass: nothing is asked',
};

/** What a compaction carried over, as the model reads it behind the summary. */
export function keptText({ said, answers, todo, mode }: KeptWords): string {
  const parts = [`[Still in force, word for word. Permission mode: ${MODES[mode]}.]`];
  if (answers.length > 0) parts.push(`[What the person answered and decided:]\n${answers.join('\n\n')}`);
  if (todo.length > 0)
    parts.push(`[The list of things to do:]\n${todo.map(({ state, text }) => `- ${state}: ${text}`).join('\n')}`);
  if (said.length > 0)
    parts.push("[The person's newest words follow as they wrote them. The summary says how far they are carried out.]");
  return parts.join('\n\n');
}
