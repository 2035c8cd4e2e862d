import { UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import { durationText, outcomeText, summaryOf } from '../jobs/job-words.ts';
import type { JobFacts, JobWait } from '../jobs/jobs.ts';
import { choice, optional, peek, text, toolArguments, whole } from './arguments.ts';
import description from './job.md' with { type: 'text' };
import { keepEnd } from './limit-output.ts';
import { argumentsLabel, wrongArguments } from './planning.ts';
import type { Tool, ToolOutcome, ToolWorld } from './tool.ts';

interface Planned {
  readonly action: 'list' | 'output' | 'wait' | 'stop';
  readonly id: string;
  readonly seconds: number;
  readonly until: string | null;
}

/** What the model is shown of a log at once. */
const MODEL_BYTES = 16_000;
const CARD_BYTES = 4 * 1024;
const MOST_SECONDS = 600;
const DEFAULT_SECONDS = 270;

const given = toolArguments({
  action: choice('What to do.', ['list', 'output', 'wait', 'stop']),
  job: optional(text('Which one, such as `j1`. Not for `list`.')),
  seconds: optional(
    whole(`Seconds a wait may take, 1 to ${MOST_SECONDS}. Default ${DEFAULT_SECONDS}.`, 1, MOST_SECONDS),
  ),
  until: optional(text('With `wait`: also ends it, once the command prints this.')),
});

export const job: Tool<Planned> = {
  name: 'job',
  description,
  needs: 'jobs',
  heldBy: 'checker',
  input: given.schema,
  routing: ['action', 'job', 'seconds', 'until'],
  order: 'alone',
  title: (input) => titleOf(peek(input, 'action'), peek(input, 'job')),

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const { action, job: id, seconds, until } = read.value;
    if (action !== 'list' && id === null)
      return { ok: false, message: 'Wrong arguments: "job" must name one, such as j1; "list" names them all.' };
    return {
      ok: true,
      title: titleOf(action, id ?? ''),
      effects: [{ kind: 'session', what: 'job', label: argumentsLabel(context) }],
      diffs: [],
      planned: { action, id: id ?? '', seconds: seconds ?? DEFAULT_SECONDS, until },
    };
  },

  async run({ action, id, seconds, until }, world): Promise<ToolOutcome> {
    const jobs = world.jobs ?? null;
    if (jobs === null) return { ok: false, kind: 'error', message: 'No command can run in the background here.' };
    if (action === 'list') {
      const rows = jobs.all.map((one) => summaryOf(one, world.clock.now()));
      return plain(rows.length === 0 ? 'There are no jobs.' : rows.join('\n'));
    }
    const found = jobs.find(id);
    if (found === null) return { ok: false, kind: 'error', message: `There is no job ${id}.` };
    if (action === 'stop') await jobs.stop(found.id, 'stopped by the model');
    const how =
      action === 'wait' ? await jobs.wait(found.id, { ms: seconds * 1000, text: until }, world.signal) : 'ended';
    return outputOf(world, jobs.find(found.id) ?? found, action === 'wait' ? WAITED[how] : '');
  },
};

const WAITED: Readonly<Record<JobWait, string>> = {
  ended: '',
  output: 'it printed what was waited for',
  time: 'the wait is over, the command goes on',
  message: 'a message came; the command goes on',
  stopped: 'the wait was stopped; the command goes on',
};

/** What is new of it. Whoever reads its end here need not be told of it again. */
async function outputOf(world: ToolWorld, facts: JobFacts, how: string): Promise<ToolOutcome> {
  const jobs = world.jobs!;
  const over = facts.state === 'ended' || facts.state === 'stopped';
  const { text: printed, cut, totalBytes } = await jobs.unread(facts.id, MODEL_BYTES);
  if (over) {
    await jobs.markTold([facts.id], 'model');
    // The card of this call says it to the person, in its place: a report at the end would come after the last word.
    await jobs.markTold([facts.id], 'ui');
  }
  const elapsed = durationText((facts.ended ?? world.clock.now()) - facts.started);
  const notes = [facts.id, facts.note === '' ? outcomeText(facts) : facts.note, elapsed, ...(how === '' ? [] : [how])];
  const status = `[${notes.join(' · ')}]`;
  if (printed === '') return plain(`Nothing new was printed.\n${status}`);
  const lead = cut ? '[what was printed before is left out; read_file reads the whole log]\n' : '';
  return {
    ok: true,
    text: `${lead}${printed.endsWith('\n') ? printed : `${printed}\n`}${status}`,
    provenance: { from: 'program', line: facts.command, folder: facts.folder, reads: facts.reads },
    job: facts.id,
    display: {
      kind: 'terminal',
      command: facts.command,
      tail: keepEnd(printed, CARD_BYTES),
      totalLines: printed.replace(/\n$/, '').split('\n').length,
      totalBytes,
      exit: facts.exit,
      endedBy: facts.state === 'stopped' ? 'stopped' : over ? 'exit' : 'background',
      label: UNTRUSTED_PRIVATE,
    },
  };
}

function plain(message: string): ToolOutcome {
  return { ok: true, text: message, provenance: { from: 'houston' }, display: { kind: 'none' } };
}

function titleOf(action: string, id: string): string {
  switch (action) {
    case 'output':
      return `Output of ${id || 'a job'}`;
    case 'wait':
      return `Wait for ${id || 'a job'}`;
    case 'stop':
      return `Stop ${id || 'a job'}`;
    default:
      return 'List jobs';
  }
}
