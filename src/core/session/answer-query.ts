import nodePath from 'node:path';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import type { AnswerTo, Queries, Query, QueryType } from '../../protocol/query.ts';
import type { Item } from '../../protocol/view.ts';
import { completePath } from './complete-path.ts';
import { modelChoices } from './offered-models.ts';
import type { SessionParts } from './parts.ts';
import { readRewind } from './rewind-points.ts';
import { sessionChanges } from './session-changes.ts';
import { completeArgument } from './session-commands.ts';
import { sessionFiles } from './session-files.ts';
import { statusRows } from './status.ts';
import { trailRow } from './trail.ts';
import { readTree } from './tree-moves.ts';

const PAGE_LIMIT = 1000;
const FIND_BATCH = 200;
const OUTPUT_BYTES = 64 * 1024 * 1024;
/** Characters of an excerpt around a hit. */
const EXCERPT = 160;

type Answer<K extends QueryType> = (
  parts: SessionParts,
  ask: Readonly<Queries[K]['ask']>,
) => Promise<Outcome<AnswerTo<K>>> | Outcome<AnswerTo<K>>;

/** One function a query; none changes anything. */
const ANSWERS: { readonly [K in QueryType]: Answer<K> } = {
  page: async ({ transcript, publisher }, { from, count }) => {
    const page = await transcript.page(Math.max(0, from), Math.min(count, PAGE_LIMIT));
    return done({ generation: publisher.view.transcript.generation, from: page.from, items: page.items });
  },
  output: readOutput,
  entry: async ({ journal }, { id }) => done({ entry: (await journal.load([id]))[0] ?? null }),
  'complete-path': async ({ system, folder }, { typed, limit }) =>
    done(await completePath(system.files, folder, typed, limit)),
  'complete-argument': async (parts, { command, typed }) =>
    done({ choices: await completeArgument(parts, command, typed) }),
  changes: async ({ system, images, ledger, folder }, { path }) => {
    const sources = { files: system.files, images, changes: ledger.changes, workspace: folder };
    return done({ files: await sessionChanges(sources, path) });
  },
  'session-files': async (parts) => done({ files: await sessionFiles(parts) }),
  usage: async ({ usage }, { fresh }) => done(await usage.report(fresh)),
  providers: async ({ signIn }, { look }) => done({ providers: [...((await signIn.connections?.rows(look)) ?? [])] }),
  models: async ({ models }, { refresh }) => {
    const reached = refresh ? await models.refresh() : true;
    return done({ models: modelChoices(models.all()), reached });
  },
  status: async (parts) => done({ rows: await statusRows(parts) }),
  find: async ({ transcript }, { words, limit }) => done({ hits: await findItems(transcript, words, limit) }),
  tree: (parts) => readTree(parts),
  rewind: (parts) => readRewind(parts),
  delegate: ({ delegates }, { name }) => delegates.read(name),
  trail: async ({ trail }, { from, count }) => {
    if (trail === null) return done({ total: 0, from: 0, rows: [] });
    const page = await trail.read(from === null ? null : Math.max(0, from), Math.min(count, PAGE_LIMIT));
    return done({ total: page.total, from: page.from, rows: page.lines.map(trailRow) });
  },
  side: () => refuse('no-side', 'A session that is not saved has no side conversation.'),
  custom: (_parts, { name }) => refuse('unknown-name', `Nothing here answers to "${name}".`),
};

/** Never rejects: what cannot be answered is refused. */
export async function answerQuery(parts: SessionParts, query: Query): Promise<Outcome<AnswerTo<QueryType>>> {
  try {
    const answer = ANSWERS[query.type] as Answer<QueryType> | undefined;
    if (answer === undefined) return refuse('unknown-query', `There is no query "${String(query.type)}".`);
    return await answer(parts, query);
  } catch (error) {
    return refuse('query-failed', error instanceof Error ? error.message : String(error));
  }
}

async function readOutput(
  { journal, outputs, system }: SessionParts,
  { call, from, count }: Queries['output']['ask'],
): Promise<Outcome<AnswerTo<'output'>>> {
  const ids = journal.ofKind('result').toReversed();
  for (const id of ids) {
    const [entry] = await journal.load([id]);
    if (entry?.kind !== 'result' || entry.call !== call) continue;
    if (entry.output === null || outputs === null) return done(linesOf(entry.text, from, count, entry.label));
    const bytes = await system.files
      .read(nodePath.join(outputs, nodePath.basename(entry.output)), OUTPUT_BYTES)
      .catch(() => null);
    if (bytes === null) return refuse('output-gone', 'The output of this call is no longer there.');
    return done(
      linesOf(new TextDecoder().decode(bytes), from, count, entry.ref === null ? entry.label : UNTRUSTED_PRIVATE),
    );
  }
  return refuse('no-such-call', `There is no result of a call ${call}.`);
}

function linesOf(text: string, from: number, count: number, label: AnswerTo<'output'>['label']): AnswerTo<'output'> {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  return {
    lines: lines.slice(from, from + count),
    totalLines: lines.length,
    totalBytes: Buffer.byteLength(text),
    label,
  };
}

/** Newest first, page by page from the end, so that a long session costs no more than it must. */
async function findItems(
  transcript: SessionParts['transcript'],
  words: string,
  limit: number,
): Promise<AnswerTo<'find'>['hits']> {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const hits: AnswerTo<'find'>['hits'] = [];
  if (wanted.length === 0) return hits;
  for (let end = await transcript.total(); end > 0 && hits.length < limit; end -= FIND_BATCH) {
    const from = Math.max(0, end - FIND_BATCH);
    const { items } = await transcript.page(from, end - from);
    for (let at = items.length - 1; at >= 0 && hits.length < limit; at--) {
      const text = textOf(items[at]!);
      const lower = text.toLowerCase();
      if (wanted.every((word) => lower.includes(word)))
        hits.push({ item: from + at, excerpt: excerptOf(text, lower.indexOf(wanted[0]!)) });
    }
  }
  return hits;
}

function textOf(item: Item): string {
  switch (item.kind) {
    case 'call':
      return `${item.title}\n${item.text}`;
    case 'hook':
      return item.injected.text;
    case 'turn-end':
      return item.message ?? '';
    case 'compaction':
      return item.summary;
    default:
      return item.text;
  }
}

function excerptOf(text: string, at: number): string {
  const from = Math.max(0, at - EXCERPT / 4);
  return text
    .slice(from, from + EXCERPT)
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed();
}
