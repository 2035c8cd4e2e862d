import type { Totals } from '../../protocol/message.ts';
import { modelRefText } from '../models/model-ref.ts';
import type { SessionParts } from './parts.ts';

/** What `/status` says, from one source for every way of asking (SC-26.4). Rows with nothing to say are left out. */
export function statusRows({
  publisher,
  journal,
  model,
  folder,
}: Pick<SessionParts, 'publisher' | 'journal' | 'model' | 'folder'>): { name: string; value: string }[] {
  const { head, transcript, queue, jobs } = publisher.view;
  const running = jobs.filter(({ state }) => state === 'running' || state === 'stopping');
  const rows: [string, string | null][] = [
    ['Title', head.title === '' ? null : head.title],
    [
      'Model',
      model.model === null
        ? `none${model.problem === null ? '' : ` (${model.problem.message})`}`
        : modelRefText(model.model.ref),
    ],
    ['Next model', head.pendingModel === null ? null : modelRefText(head.pendingModel)],
    ['Effort', model.effort],
    ['Mode', head.mode],
    ['Folder', folder],
    ['Branch', head.gitBranch],
    ['Sandbox', head.sandbox],
    ['Context', contextText(head.contextTokens, head.contextWindow)],
    ['Tokens', tokensText(head.totals)],
    ['Cost', head.totals.cost === null ? 'unknown (a price is not known)' : `$${head.totals.cost.toFixed(4)}`],
    ['Requests', String(head.totals.requests)],
    ['Items', String(transcript.total)],
    ['Waiting', queue.rows.length === 0 ? null : `${queue.rows.length}${queue.paused === null ? '' : ', held'}`],
    ['Jobs', running.length === 0 ? null : running.map(({ id, label }) => `${id} ${label}`).join(', ')],
    ['Session', journal.session],
    ['Saved', head.notSaved ?? journal.folder ?? 'not saved'],
    ['Version', head.version],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
}

function contextText(tokens: number | null, window: number | null): string {
  const used = tokens === null ? 'no request yet' : `${tokens} tokens`;
  return window === null ? `${used}, window unknown` : `${used} of ${window}`;
}

function tokensText({ input, output, cacheRead, cacheWrite }: Totals): string {
  return `${input} in, ${output} out, ${cacheRead} read from cache, ${cacheWrite} written to cache`;
}
