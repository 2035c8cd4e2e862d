import type { EntryOf } from '../../protocol/entry.ts';
import type { Totals } from '../../protocol/message.ts';
import { NOTHING_STANDS, type Standing } from '../../protocol/standing.ts';
import type { Journal } from '../journal/journal.ts';
import { modelRefText } from '../models/model-ref.ts';
import { compactionBudget } from '../runtime/compact-budget.ts';
import { inThousands } from '../runtime/context-size.ts';
import type { SessionParts } from './parts.ts';
import { readTree } from './tree-moves.ts';

export interface StatusRow {
  readonly name: string;
  readonly value: string;
}

/**
 * What `/status` says, from one source for every way of asking (SC-26.4). Rows with nothing to say are left out; name and
 * title lead, since they tell sessions apart. Never the address of a service or anything of a key (CMD-5).
 */
export async function statusRows(parts: SessionParts): Promise<StatusRow[]> {
  const { publisher, journal, model, folder } = parts;
  const { head, queue, jobs } = publisher.view;
  const running = jobs.filter(({ state }) => state === 'running' || state === 'stopping');
  const [{ name, title }, times, branches] = await Promise.all([
    namesOf(journal),
    timesOf(journal),
    countBranches(parts),
  ]);
  const turns = journal.branch().filter((id) => journal.kindOf(id) === 'turn-start').length;
  const rows: [string, string | null][] = [
    ['Name', name],
    ['Title', title],
    ['Model', modelText(parts)],
    ['Next model', head.pendingModel === null ? null : modelRefText(head.pendingModel)],
    ['Effort', model.model === null ? 'n/a' : effortText(parts)],
    ['Thinking', forwardedText(parts)],
    ['Mode', head.mode],
    ['Sandbox', head.sandbox],
    ['Workspace', folder],
    ['Branch', head.gitBranch],
    ['Instructions', listed(head.told?.instructions)],
    ['Skills', listed(head.told?.skills)],
    [model.model?.ref.provider === 'demo' ? 'Preview turns' : 'Turns', String(turns)],
    ['Tokens', tokensText(head.totals)],
    ['Cache', cacheText(head.totals)],
    ['Cost', head.totals.cost === null ? 'unknown (a price is not known)' : `$${head.totals.cost.toFixed(4)}`],
    ['Requests', String(head.totals.requests)],
    ['Tools', toolsText(parts)],
    ['Context', contextText(head.contextTokens, head.contextWindow)],
    ...overheadRows(parts),
    ['Compaction', compactionText(parts)],
    ...standingRows(head.standing ?? NOTHING_STANDS),
    ['Waiting', queue.rows.length === 0 ? null : `${queue.rows.length}${queue.paused === null ? '' : ', held'}`],
    ['Jobs', running.length === 0 ? null : running.map(({ id, label }) => `${id} ${label}`).join(', ')],
    ['MCP', listed(parts.mcp.on)],
    ['Branches', branches > 1 ? `${branches}, see /tree` : null],
    ['Session', journal.session],
    ...savedRows(parts, times),
    ['Version', head.version],
  ];
  return rows.flatMap(([label, value]) => (value === null ? [] : [{ name: label, value }]));
}

function modelText({ model }: SessionParts): string {
  const start = 'choose one with /model, or sign in with /login';
  if (model.model === null) return `none${model.problem === null ? '' : ` (${model.problem.message})`}: ${start}`;
  const { ref } = model.model;
  return ref.provider === 'demo' ? `${modelRefText(ref)}, a preview: ${start}` : modelRefText(ref);
}

function effortText({ model }: SessionParts): string {
  const reads = model.model?.facts.efforts.length ?? 0;
  return reads === 0 && model.effort !== 'default' ? `${model.effort} (this model has no levels)` : model.effort;
}

function listed(names: readonly string[] | undefined): string | null {
  return names === undefined || names.length === 0 ? null : names.join(', ');
}

/** Only where something stands between: whether it lets thinking through (SC-19.15). */
function forwardedText({ forwarded: { state } }: SessionParts): string | null {
  if (state === null) return null;
  const said = state.forwards === null ? 'unknown' : state.forwards ? 'yes' : 'no';
  return `forwarded by ${state.address}: ${said}`;
}

function tokensText({ input, cacheRead, cacheWrite, output }: Totals): string {
  return `${input + cacheRead + cacheWrite} in, ${output} out`;
}

function cacheText({ input, cacheRead, cacheWrite }: Totals): string {
  return `${cacheRead} read, ${cacheWrite} written, ${input} not cached`;
}

/** Only what the session offers; a sandbox holds what commands among them may do. */
function toolsText({ runtime, publisher }: SessionParts): string | null {
  const count = runtime()?.calls.tools.length;
  if (count === undefined) return null;
  const { sandbox } = publisher.view.head;
  return `${count}, ${/^(off|none|not confined)/i.test(sandbox) ? 'no sandbox' : 'sandbox on'}`;
}

function contextText(tokens: number | null, window: number | null): string {
  const used = tokens === null ? 'no request yet' : `${tokens} tokens`;
  return window === null ? `${used}, window unknown` : `${used} of ${window}`;
}

/** What every request begins with, as the last one really had it, against what a conversation may grow to (SC-26.5). */
function overheadRows({ runtime, model, autocompact }: SessionParts): [string, string | null][] {
  const facts = model.model?.facts;
  if (facts === undefined) return [];
  const size = runtime()?.gauge.last ?? null;
  if (size === null) return [['Prompt overhead', 'known after the first request']];
  const limits = [facts.contextWindow, compactionBudget(facts, autocompact.wish)].filter((one) => one !== null);
  const limit = limits.length === 0 ? null : Math.min(...limits);
  const row = (tokens: number): string =>
    `about ${inThousands(tokens)} tokens${limit === null ? '' : `, ${((tokens / limit) * 100).toFixed(1)}% of ${inThousands(limit)}`}`;
  return [
    ['Prompt overhead', row(size.system + size.tools)],
    ['  instructions', row(size.system)],
    ['  tools', row(size.tools)],
  ];
}

function compactionText({ model, autocompact }: SessionParts): string {
  const commands = '/autocompact changes it, /compact does it now';
  const facts = model.model?.facts;
  if (!autocompact.wish.automatic) return `off; ${commands}`;
  const budget = facts === undefined ? null : compactionBudget(facts, autocompact.wish);
  return budget === null
    ? `on, but the window is unknown; ${commands}`
    : `on, at ${inThousands(budget)} tokens; ${commands}`;
}

function standingRows({ loop, goal, watches }: Standing): [string, string | null][] {
  return [
    ['Loop', loop === null ? null : `${loop.text} (said ${loop.times} times, /loop stop ends it)`],
    ['Goal', goal === null ? null : `${goal.text} (${goal.state}, ${goal.rounds} rounds)`],
    ['Watches', watches.length === 0 ? null : watches.map(({ number, path }) => `${number} ${path}`).join(', ')],
  ];
}

interface Times {
  readonly started: number | null;
  readonly updated: number | null;
}

function savedRows({ journal, publisher }: SessionParts, { started, updated }: Times): [string, string | null][] {
  const { notSaved } = publisher.view.head;
  if (notSaved !== null || journal.folder === null) return [['Saved', notSaved ?? 'no: saving is off']];
  if (journal.ofKind('input').length === 0) return [['Saved', 'from the first prompt on']];
  return [
    ['Directory', journal.folder],
    ['Started', started === null ? null : toTheMinute(started)],
    ['Updated', updated === null ? null : toTheMinute(updated)],
  ];
}

/** What the person called it, and what a model or the first prompt made its title. */
async function namesOf(journal: Journal): Promise<{ name: string | null; title: string | null }> {
  const all = (await journal.load(journal.ofKind('name'))).filter(
    (entry): entry is EntryOf<'name'> => entry.kind === 'name',
  );
  const newest = all.at(-1);
  const filled = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);
  return {
    name: newest?.by === 'person' ? filled(newest.name) : null,
    title: filled((all.findLast(({ by }) => by === 'model') ?? all.findLast(({ by }) => by === 'prompt'))?.name),
  };
}

/** A name given later is no work done (SC-21.1). */
async function timesOf(journal: Journal): Promise<Times> {
  const branch = journal.branch();
  const [first, last] = await journal.load([branch[0], branch.at(-1)].filter((id) => id !== undefined));
  return { started: first?.time ?? null, updated: (last ?? first)?.time ?? null };
}

async function countBranches(parts: SessionParts): Promise<number> {
  const tree = await readTree(parts);
  if (!tree.ok) return 0;
  const inner = new Set(tree.value.nodes.map(({ parent }) => parent));
  return tree.value.nodes.filter(({ id }) => !inner.has(id)).length;
}

function toTheMinute(time: number): string {
  const at = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
