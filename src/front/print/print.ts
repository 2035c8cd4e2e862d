import type { Refusal } from '../../base/refusal.ts';
import { visible } from '../../base/text-width.ts';
import type { Entry } from '../../protocol/entry.ts';
import { itemsOf } from '../../protocol/fold.ts';
import type { NewAttachment } from '../../protocol/intent.ts';
import { addUsage, NO_TOTALS, type Totals } from '../../protocol/message.ts';
import { apply, emptyHead, emptyView } from '../../protocol/reduce.ts';
import type { Session } from '../../protocol/session.ts';
import type { Update } from '../../protocol/update.ts';
import type { InputOutcome } from '../../protocol/view.ts';
import { exitCodeOf } from './exit-codes.ts';

export interface PrintOptions {
  readonly session: Session;
  readonly client: string;
  readonly ref: string;
  readonly prompt: string;
  readonly attachments: readonly NewAttachment[];
  /** Others use the session too: only what belongs to this prompt is told, and an interrupt leaves and no more. */
  readonly shared?: boolean;
  readonly format: 'text' | 'json' | 'stream-json';
  /** Stdout: the reply and nothing else. */
  readonly out: (text: string) => void;
  /** Stderr: everything else. */
  readonly err: (text: string) => void;
  /** Ends the run with code 130; a session of our own stops its turn too. */
  readonly interrupted: AbortSignal;
}

/** What one prompt came to, gathered from the entries as they are written. */
interface Report {
  reply: string;
  model: string | null;
  rounds: number;
  totals: Totals;
  calls: { name: string; target: string; refused: boolean }[];
  refusals: { tool: string; reason: string }[];
  failure: { identifier: string; message: string } | null;
}

/** Says one prompt, waits until its turn is over, prints the reply; resolves to the exit code (decisions §3). */
export async function runPrint(options: PrintOptions): Promise<number> {
  const report: Report = {
    reply: '',
    model: null,
    rounds: 0,
    totals: NO_TOTALS,
    calls: [],
    refusals: [],
    failure: null,
  };
  const view = emptyView(emptyHead('', '', ''));
  const ended = Promise.withResolvers<InputOutcome | 'closed'>();
  const started = Promise.withResolvers<void>();
  let warned = false;
  let asked = false;
  // From the start of its turn to its end, everything is this prompt's (SC-28.5.2).
  let ours = options.shared !== true;
  const attachment = options.session.attach({ client: options.client }, (update: Update) => {
    if (options.format === 'stream-json' && ours) options.out(`${JSON.stringify(update)}\n`);
    apply(view, update);
    for (const change of update.changes) {
      if (change.type === 'outcome' && isOwn(change.outcome, options)) ours ||= change.outcome.state === 'started';
      if (change.type === 'entry' && ours) gather(report, change.entry, options);
      if (change.type === 'closed') ended.resolve('closed');
    }
    if (view.head.notSaved !== null && !warned) {
      warned = true;
      tell(options, `houston: not-saved: ${view.head.waitsForDisk ?? view.head.notSaved}`);
    }
    // Somebody has to answer it in a window; nobody reading this would know why nothing comes.
    if (options.shared === true && view.asks.length > 0 && !asked) {
      asked = true;
      tell(options, 'houston: asks: the session waits for an answer of yours: houston attach shows the question');
    }
    if (view.head.ready || view.head.startupProblem !== null) started.resolve();
    const outcome = view.outcomes.find((one) => isOwn(one, options));
    if (outcome !== undefined && outcome.state !== 'waiting' && outcome.state !== 'started') ended.resolve(outcome);
  });
  attachment.closed.then(() => {
    started.resolve();
    ended.resolve('closed');
  });
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    if (options.shared === true) {
      ended.resolve('closed');
      return;
    }
    void options.session.send({ type: 'cancel', queue: 'pause' }, options.client);
  };
  options.interrupted.addEventListener('abort', stop, { once: true });
  await started.promise;
  // What is missing from the start is said before anything is asked (MC-8).
  if (options.shared !== true)
    for (const item of view.transcript.items)
      if (item.kind === 'note' && item.level !== 'info' && item.identifier === 'mcp')
        tell(options, `houston: mcp: ${item.text.split('\n')[0]?.replace(/^MCP: /, '')}`);
  // Without a model there is no use in saying anything: nothing is written, and the session leaves no trace.
  if (view.head.startupProblem !== null) {
    attachment.close();
    const problem = view.head.startupProblem;
    return finish(options, report, exitCodeOf(problem.identifier), 'refused', problem);
  }
  const sent = await options.session.send(
    { type: 'say', ref: options.ref, text: options.prompt, attachments: options.attachments, delivery: 'queue' },
    options.client,
  );
  if (!sent.accepted) {
    attachment.close();
    return finish(options, report, refusedCode(sent.refusal), 'refused', sent.refusal);
  }
  const outcome = await ended.promise;
  options.interrupted.removeEventListener('abort', stop);
  attachment.close();
  if (stopped)
    return finish(options, report, 130, 'stopped', {
      identifier: 'interrupted',
      message:
        options.shared === true
          ? 'left before it was done: it goes on, or goes on waiting'
          : 'stopped before it was done',
    });
  if (outcome === 'closed')
    return finish(options, report, 1, 'failed', {
      identifier: 'session-closed',
      message: 'the session ended before the reply',
    });
  const failure = report.failure ?? outcome.messages.at(-1) ?? null;
  const identifier = failure?.identifier ?? outcome.state;
  // What ended the turn is said once, as the last line.
  const warnings = outcome.messages.filter(
    (message) => message.level !== 'info' && (outcome.state === 'done' || message.identifier !== identifier),
  );
  for (const warning of warnings) tell(options, `houston: ${warning.identifier}: ${warning.text}`);
  if (outcome.state === 'done') {
    const refused = outcome.refusals > 0;
    return finish(
      options,
      report,
      refused ? 4 : 0,
      'done',
      refused ? { identifier: 'effect-refused', message: 'an effect was refused by the permission gate' } : null,
    );
  }
  const message =
    failure === null ? `the turn ended: ${outcome.state}` : 'message' in failure ? failure.message : failure.text;
  return finish(options, report, exitCodeOf(identifier), outcome.state, { identifier, message });
}

/** One line to the person: names, titles and messages of others are drawn, never obeyed, and never make a second line. */
function tell(options: PrintOptions, line: string): void {
  options.err(`${visible(line)}\n`);
}

function isOwn(outcome: InputOutcome, { client, ref }: PrintOptions): boolean {
  return outcome.client === client && outcome.ref === ref;
}

function refusedCode(refusal: Refusal): number {
  return exitCodeOf(refusal.identifier);
}

function gather(report: Report, entry: Entry, options: PrintOptions): void {
  switch (entry.kind) {
    case 'assistant': {
      report.model = `${entry.model.provider}:${entry.model.model}`;
      report.rounds++;
      report.totals = addUsage(report.totals, entry.usage, entry.cost);
      const text = entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
      if (text !== '') report.reply = text;
      for (const part of entry.parts)
        if (part.type === 'call' && options.format === 'text') tell(options, `· ${part.title}`);
      break;
    }
    case 'usage':
    case 'compaction':
      report.totals = addUsage(report.totals, entry.usage, entry.cost);
      break;
    case 'result': {
      const refused = entry.outcome === 'denied';
      report.calls.push({ name: entry.tool, target: entry.title, refused });
      if (refused) {
        report.refusals.push({ tool: entry.tool, reason: entry.text });
        tell(options, `houston: effect-refused: ${entry.title}: ${entry.text.split('\n')[0]}`);
      }
      break;
    }
    case 'hook':
      for (const item of itemsOf(entry, () => null))
        if (item.kind === 'note') tell(options, `houston: hook: ${item.text}`);
      break;
    case 'note':
      // What it costs is nothing to find out afterwards.
      if (entry.level === 'warning' && (entry.identifier.startsWith('spending') || entry.identifier === 'hook'))
        tell(options, `houston: ${entry.identifier}: ${entry.text}`);
      break;
    case 'turn-end':
      if (entry.failure !== null)
        report.failure = { identifier: entry.failure.category, message: entry.failure.message };
      else if (entry.reason !== 'done')
        report.failure = {
          identifier: `turn-${entry.reason}`,
          message: entry.message ?? `the turn ended: ${entry.reason}`,
        };
      break;
    default:
      break;
  }
}

function finish(
  options: PrintOptions,
  report: Report,
  code: number,
  status: string,
  problem: { identifier: string; message: string } | null,
): number {
  if (problem !== null && problem.identifier !== 'effect-refused')
    tell(options, `houston: ${problem.identifier}: ${problem.message}`);
  if (options.format === 'json') {
    // One object on one line, whatever happened; fields are only ever added (CLI-5).
    const { input, output, cacheRead, cacheWrite, cost } = report.totals;
    options.out(
      `${JSON.stringify({
        schema: 1,
        status,
        identifier: problem?.identifier ?? null,
        message: problem?.message ?? null,
        reply: report.reply,
        model: report.model,
        rounds: report.rounds,
        tokens: { input, output, cache_read: cacheRead, cache_write: cacheWrite },
        cost_usd: cost,
        tool_calls: report.calls,
        refusals: report.refusals,
        exit_code: code,
      })}\n`,
    );
  } else if (options.format === 'text' && report.reply !== '') {
    options.out(report.reply.endsWith('\n') ? report.reply : `${report.reply}\n`);
  }
  return code;
}
