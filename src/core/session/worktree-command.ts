import type { Outcome, Refusal } from '../../base/refusal.ts';
import type { Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { WORKSPACE } from '../journal/summary.ts';
import type { Waiting } from '../runtime/inbox.ts';
import { ended } from './command-end.ts';
import type { SessionParts } from './parts.ts';
import { accepted } from './sent.ts';
import type { SlowTask } from './slow-work.ts';
import type { CommandEnd } from './turn-loop.ts';
import { conflicted } from './worktree-facts.ts';
import { createGit } from './worktree-git.ts';
import {
  cleanWorktrees,
  describeWorktree,
  finishWorktree,
  linkedWorktree,
  listWorktrees,
  mergeWorktree,
  removeWorktree,
} from './worktree-work.ts';

export const WORKTREE_ACTIONS: readonly { readonly value: string; readonly description: string }[] = [
  { value: 'status', description: 'where this session works, and what is not merged' },
  { value: 'merge', description: 'bring the work into the mainline' },
  { value: 'resolve', description: 'let the model resolve what collided' },
  { value: 'finish', description: 'merge, remove the worktree and its branch, end the session' },
  { value: 'remove', description: 'remove the worktree, keep its branch' },
  { value: 'list', description: 'every worktree of the repository' },
  { value: 'clean', description: 'remove every other worktree that holds nothing' },
];

/** Why it can not be carried out; what needs an idle session waits for one. */
export function refusesWorktree(_parts: SessionParts, argument: string): Refusal | null {
  if (argument === '' || WORKTREE_ACTIONS.some(({ value }) => value === argument)) return null;
  const names = WORKTREE_ACTIONS.map(({ value }) => value).join('|');
  return { identifier: 'argument-unknown', message: `Usage: /worktree ${names}` };
}

/** What runs beside a turn: it is answered at once and says what came of it when it is over. */
export function worktreeAtOnce(
  parts: SessionParts,
  argument: string,
  client: ClientId,
  ref: string,
): Sent | 'begun' | null {
  const slow = (run: SlowTask['run']): 'begun' => {
    parts.slow.begin({ label: `/worktree ${argument}`, owner: { client, ref }, note: 'worktree', run });
    return 'begun';
  };
  const git = createGit(parts.system);
  const { folder } = parts;
  switch (argument) {
    case '':
    case 'status':
      return beside(parts, client, describeWorktree(git, folder));
    case 'list':
      return beside(parts, client, listWorktrees(git, folder));
    case 'merge':
      return slow((signal) => mergeWorktree(git, folder, signal));
    case 'clean':
      return slow((signal) => cleanWorktrees(git, folder, parts.isOpenElsewhere, signal));
    default:
      return null;
  }
}

function beside(parts: SessionParts, client: ClientId, work: Promise<Outcome<readonly string[]>>): Sent {
  const show = (level: 'info' | 'warning', text: string): void =>
    parts.publisher.publish({ type: 'flash', client, level, text });
  void work.then(
    (outcome) => (outcome.ok ? show('info', outcome.value.join('\n')) : show('warning', outcome.refusal.message)),
    (error: unknown) => show('warning', error instanceof Error ? error.message : String(error)),
  );
  return accepted();
}

/** What needs the session to itself. */
export async function doWorktree(
  parts: SessionParts,
  argument: string,
  signal: AbortSignal,
  row: Waiting,
): Promise<CommandEnd> {
  const git = createGit(parts.system);
  if (argument === 'resolve') return resolve(parts, row);
  const found = await linkedWorktree(git, parts.folder);
  const carryOut = argument === 'finish' ? finishWorktree : removeWorktree;
  const outcome = await carryOut(git, parts.folder, signal);
  if (!outcome.ok && signal.aborted) return { state: 'stopped', messages: [] };
  if (!outcome.ok) return ended('refused', 'error', outcome.refusal.identifier, outcome.refusal.message);
  const text = outcome.value.join('\n');
  const moved = found.ok ? [{ kind: 'record', name: WORKSPACE, data: found.value.main.path } as const] : [];
  await parts.recorder.write([{ kind: 'note', level: 'info', identifier: 'worktree', text }, ...moved], {
    onFailure: 'keep',
  });
  if (argument === 'finish') parts.end();
  return ended('done', 'info', 'worktree', text);
}

/** What collided becomes a prompt, said right after this. */
async function resolve(parts: SessionParts, row: Waiting): Promise<CommandEnd> {
  const { recorder, inbox, loop, model, system, folder } = parts;
  if (model.model === null)
    return ended('refused', 'warning', 'no-model', 'There is no model: choose one with /model.');
  const git = createGit(system);
  const found = await linkedWorktree(git, folder);
  if (!found.ok) return ended('refused', 'warning', found.refusal.identifier, found.refusal.message);
  const files = await conflicted(git, found.value.path);
  if (files.length === 0)
    return ended('refused', 'error', 'no-conflicts', 'No file holds two sides: /worktree merge comes first.');
  const text = `A merge of the branch ${found.value.main.branch ?? 'HEAD'} into this worktree left conflicts in these files:\n${files.map((file) => `- ${file}`).join('\n')}\n\nResolve them so that both sides keep what they meant, check the result, then \`git add\` the files and \`git commit --no-edit\`. Change nothing else.`;
  const body = {
    client: row.client,
    ref: `${row.ref}-resolve`,
    text,
    attachments: [],
    delivery: 'queue',
    target: null,
  } as const;
  const [entry] = await recorder.write([{ kind: 'input', ...body }]);
  inbox.add({ id: entry!.id, ...body }, inbox.rows[0]?.id ?? null);
  loop.wake();
  return { state: 'done', messages: [] };
}
