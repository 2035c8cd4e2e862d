import { done, type Outcome, type Refusal } from '../../base/refusal.ts';
import type { EntryId, EntryOf } from '../../protocol/entry.ts';
import type { Intent, Sent } from '../../protocol/intent.ts';
import type { AnswerTo } from '../../protocol/query.ts';
import type { ClientId } from '../../protocol/session.ts';
import { nearest, sharedLength } from '../journal/branch.ts';
import type { Journal } from '../journal/journal.ts';
import { loadSaid } from '../journal/said.ts';
import { type Destination, destination, treeNodes } from '../journal/tree.ts';
import { askBeside } from '../runtime/beside-request.ts';
import { contextOptions } from '../runtime/request.ts';
import { createTurnProgress } from '../runtime/turn-progress.ts';
import { addExchange, type Exchange } from './add-exchange.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';
import type { CommandEnd } from './turn-loop.ts';

/** Names the entry that says what the person calls a place in the tree. */
const LABEL = 'label';
const LABEL_LIMIT = 80;
/** So many characters of an id name it. */
const ID_LEAST = 8;
const KEPT = 'Branches are kept: /tree leads back. Files and what commands did are not undone.';

export async function readTree({ journal }: SessionParts): Promise<Outcome<AnswerTo<'tree'>>> {
  const labels = await labelsOf(journal);
  const nodes = (await treeNodes(journal)).map((node) => {
    const label = labels.get(node.id);
    return label === undefined ? node : { ...node, label };
  });
  const known = new Set(nodes.map(({ id }) => id));
  return done({ nodes, leaf: journal.leaf, here: nearest(journal, journal.leaf, (_, id) => known.has(id)) });
}

/** The `navigate` intent: at once, and refused while anything runs or waits (SC-25.1). */
export async function navigate(
  parts: SessionParts,
  { entry, edit }: Extract<Intent, { type: 'navigate' }>,
  client: ClientId,
): Promise<Sent> {
  if (parts.loop.running !== null || parts.inbox.rows.length > 0)
    return refused('busy', 'Something runs or waits: going elsewhere has to wait. /tree with the id waits in line.');
  const place = destination(parts.journal, entry);
  if (place === null) return refused('no-such-entry', 'There is no such place in this conversation.');
  await parts.mover.move(place.leaf);
  parts.publisher.publish({ type: 'flash', client, level: 'info', text: KEPT });
  const drafts = edit ? await draftsOf(parts.journal, place) : [];
  return accepted(drafts.length === 0 ? null : { kind: 'recalled', drafts });
}

/** `/tree ID [summary]`: the same as a command, which waits in line; `summary` takes along what the branch left came to. */
export async function goInTree(parts: SessionParts, argument: string, signal: AbortSignal): Promise<CommandEnd> {
  const { journal } = parts;
  const [name = '', word, ...more] = argument.split(/\s+/);
  if (name === '' || more.length > 0 || (word !== undefined && word !== 'summary'))
    return refusedEnd('argument-unknown', '/tree ID [summary]');
  const entry = findEntry(journal, name);
  const place = entry === null ? null : destination(journal, entry);
  if (place === null) return refusedEnd('no-such-entry', 'There is no such place in this conversation.');
  let left: Exchange | null = null;
  if (word === 'summary') {
    const asked = await summariseLeft(parts, place.leaf, signal);
    if ('state' in asked) return asked;
    left = asked;
  }
  await parts.mover.move(place.leaf);
  if (left !== null) await addExchange(parts, left);
  const drafts = await draftsOf(journal, place);
  const text = left === null ? KEPT : `The branch left is summarised here. ${KEPT}`;
  return {
    state: 'done',
    messages: [{ level: 'info', identifier: 'moved', text }],
    recalled: drafts,
  };
}

/** `/bring ID`: the reply another branch ended with, word for word, behind where the conversation stands. */
export async function bringBack(parts: SessionParts, argument: string): Promise<CommandEnd> {
  const { journal } = parts;
  const id = findEntry(journal, argument);
  const [entry] = id === null ? [] : await journal.load([id]);
  if (entry?.kind !== 'assistant' || textOf(entry) === '')
    return refusedEnd('no-such-reply', 'Name a reply of another branch: /bring ID, or the key for it in /tree.');
  if (journal.branch().includes(entry.id))
    return refusedEnd('here-already', 'That reply stands on this branch already.');
  const prompt = nearest(journal, entry.parent, (kind) => kind === 'taken');
  const [taken] = prompt === null ? [] : await journal.load([prompt]);
  const said = taken === undefined ? undefined : (await loadSaid(journal, [taken])).get(taken.id);
  const asked = `[From another branch of this conversation. There I said:]\n\n${said?.text ?? ''}`;
  await addExchange(parts, { asked, answered: textOf(entry), model: entry.model });
  return {
    state: 'done',
    messages: [{ level: 'info', identifier: 'brought', text: 'The reply stands here now too.' }],
  };
}

/** `/label [TEXT]`: what the person calls this place; `/label ID TEXT` another one. Without text: no name any more. */
export async function labelPlace(parts: SessionParts, argument: string): Promise<Sent> {
  const { journal, recorder } = parts;
  const [first = '', ...rest] = argument.split(/\s+/);
  const named = /^[0-9a-f-]{8,36}$/.test(first) ? findEntry(journal, first) : null;
  const entry = named ?? (await readTree(parts).then((tree) => (tree.ok ? tree.value.here : null)));
  if (entry === null) return refused('no-such-entry', 'There is no such place in this conversation.');
  const text = (named === null ? [first, ...rest] : rest)
    .join(' ')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  await recorder.write([
    { kind: 'record', name: LABEL, data: { entry, text: text.slice(0, LABEL_LIMIT).toWellFormed() } },
  ]);
  return accepted();
}

async function labelsOf(journal: Journal): Promise<Map<EntryId, string>> {
  const labels = new Map<EntryId, string>();
  for (const record of await journal.load(journal.ofKind('record'))) {
    if (record.kind !== 'record' || record.name !== LABEL) continue;
    const data = record.data as { readonly entry?: unknown; readonly text?: unknown } | null;
    if (typeof data?.entry !== 'string' || typeof data.text !== 'string') continue;
    if (data.text === '') labels.delete(data.entry);
    else labels.set(data.entry, data.text);
  }
  return labels;
}

/** By its id or at least the first characters of it, where only one begins so. */
function findEntry(journal: Journal, name: string): EntryId | null {
  if (journal.kindOf(name) !== null) return name;
  if (name.length < ID_LEAST) return null;
  const found = journal
    .ofKind('session', 'taken', 'assistant', 'compaction', 'turn-end')
    .filter((id) => id.startsWith(name));
  return found.length === 1 ? found[0]! : null;
}

async function draftsOf(journal: Journal, { taken }: Destination) {
  if (taken === null) return [];
  const said = (await loadSaid(journal, await journal.load([taken]))).get(taken);
  return said === undefined ? [] : [{ text: said.text, attachments: said.attachments }];
}

/** What the branch that is left came to, in the words of the model; the conversation stays where it was. */
async function summariseLeft(parts: SessionParts, leaf: EntryId, signal: AbortSignal): Promise<Exchange | CommandEnd> {
  const { journal, publisher, system } = parts;
  const runtime = parts.runtime();
  const { model, effort } = parts.model;
  if (runtime === null || model === null) return refusedEnd('no-model', 'There is no model to summarise with.');
  const here = journal.branch();
  const left = here.slice(sharedLength(here, journal.branch(leaf)));
  const first = left.find((id) => journal.kindOf(id) === 'taken');
  if (first === undefined) return refusedEnd('nothing-left', 'Nothing would be left behind there.');
  const said = (await loadSaid(journal, await journal.load([first]))).get(first);
  createTurnProgress(null, system.clock.now(), publisher.publish).phase('compacting', 'the branch that is left');
  const began = excerpt(said?.text ?? '');
  const messages = await runtime.context.build({
    ...contextOptions(runtime, model),
    lastly: `[Houston: the person goes back to an earlier place of this conversation and leaves what came since they said “${began}”. Write down for whoever goes on from there what was tried, found and decided since, with paths, names and exact commands that matter, in at most 400 words. Call no tool and answer nothing else.]`,
  });
  const reply = await askBeside(runtime, { model, effort, signal }, messages, 'branch-summary', 3);
  if (reply.outcome === 'stopped') return { state: 'stopped', messages: [] };
  if (reply.outcome === 'failed') {
    const text = `The branch could not be summarised: ${reply.message}. The conversation stays where it is.`;
    return { state: 'failed', messages: [{ level: 'error', identifier: 'not-summarised', text }] };
  }
  const asked = `[I went back to here from another branch, which began with “${began}”. What came of it:]`;
  return { asked, answered: reply.text, model: model.ref };
}

export function refusesTree(_parts: SessionParts, argument: string): Refusal | null {
  return argument.trim() === '' ? { identifier: 'argument-missing', message: 'Where to? /tree ID' } : null;
}

function textOf(entry: EntryOf<'assistant'>): string {
  return entry.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}

const EXCERPT = 120;

function excerpt(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length <= EXCERPT ? line : `${line.slice(0, EXCERPT).toWellFormed()}…`;
}

function refusedEnd(identifier: string, text: string): CommandEnd {
  return { state: 'refused', messages: [{ level: 'warning', identifier, text }] };
}
