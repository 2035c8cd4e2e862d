import { combineLabels, type Label } from '../../protocol/label.ts';
import { seal } from '../values/sealed.ts';
import { plainSlot } from '../values/slot.ts';
import { choice, list, optional, peek, text, toolArguments } from './arguments.ts';
import { limitOutput } from './limit-output.ts';
import { argumentsLabel, wrongArguments } from './planning.ts';
import description from './spawn-agent.md' with { type: 'text' };
import { textDisplay } from './text-display.ts';
import type {
  DelegateKind,
  DelegateOrder,
  DelegateProfile,
  DelegateReport,
  Tool,
  ToolOutcome,
  ToolWorld,
} from './tool.ts';

/** Things one call may hand out. */
const MOST_EACH = 8;

const OTHER_MODEL = 'What it runs on, where another model than yours was asked for.';
const KINDS: readonly DelegateKind[] = ['reader', 'checker', 'worker'];

const argumentsFor = (profiles: readonly DelegateProfile[], models: readonly string[]) =>
  toolArguments({
    kind: choice('What the delegate may do.', [...KINDS, ...profiles.map(({ name }) => name)]),
    task: text('Everything it needs to know: it sees nothing else.'),
    each: optional(list('One delegate for each of these, with the same task.', text('One of them.'), 1, MOST_EACH)),
    model: optional(models.length === 0 ? text(`${OTHER_MODEL} As provider:model.`) : choice(OTHER_MODEL, models)),
  });

export const spawnAgent = spawnAgentWith([]);

/** The tool where the person has described delegates of their own: a kind may name one (DEL-5). */
export function spawnAgentWith(
  profiles: readonly DelegateProfile[],
  /** What a call may name; none: whatever there is. */
  models: readonly string[] = [],
): Tool<readonly DelegateOrder[]> {
  const given = argumentsFor(profiles, models);
  return {
    name: 'spawn_agent',
    description: described(profiles),
    needs: 'delegates',
    heldBy: 'reader',
    input: given.schema,
    // What it is told is all it acts on.
    routing: ['kind', 'task', 'each', 'model'],
    order: 'beside',
    title: (input) => titleOf(peek(input, 'kind') || 'Delegate', [], peek(input, 'task')),

    async plan(input, context) {
      const read = given.read(input);
      if (!read.ok) return wrongArguments(read.refusal);
      const { kind: named, task, each, model } = read.value;
      const profile = profiles.find(({ name }) => name === named);
      const kind = profile?.kind ?? KINDS.find((one) => one === named) ?? 'reader';
      if (model !== null && (profile?.model ?? null) !== null)
        return { ok: false, message: `${named} runs on a model of its own: leave "model" out.` };
      const { nameDelegate } = context;
      if (!nameDelegate) return { ok: false, message: 'No delegate can be started here.' };
      if (context.instructionPrivate === true)
        return {
          ok: false,
          message: 'Released or private content was shown to you, so no task of yours goes to a delegate any more.',
        };
      const tasks = each === null ? [task] : each.map((one) => `${task}\n\nYours is this one: ${one}`);
      const orders = tasks.map(
        (own): DelegateOrder => ({
          name: nameDelegate(),
          kind,
          task: own,
          ...(model === null ? {} : { model }),
          ...(profile === undefined ? {} : { profile }),
        }),
      );
      const label = argumentsLabel(context);
      return {
        ok: true,
        title: titleOf(
          named,
          orders.map(({ name }) => name),
          task,
        ),
        effects: orders.map((order) => ({ kind: 'delegate', agent: named, task: order.task, label })),
        diffs: [],
        planned: orders,
      };
    },

    async run(orders, world) {
      const reports = await world.delegate(orders);
      const [only] = reports;
      return reports.length === 1 && only !== undefined ? alone(only) : together(reports, world);
    },
  };
}

function described(profiles: readonly DelegateProfile[]): string {
  if (profiles.length === 0) return description;
  const rows = profiles.map((one) => `  - \`${one.name}\` (a ${one.kind}): ${one.description}`);
  return `${description.trimEnd()}\n- A kind may also be one of these, which the person described; take the one whose description fits the work:\n${rows.join('\n')}`;
}

function titleOf(kind: string, names: readonly string[], task: string): string {
  const [first] = names;
  const numbers = first === undefined ? '' : names.length === 1 ? ` ${first}` : ` ${first} to ${names.at(-1)}`;
  const line = task.split('\n').find((one) => one.trim() !== '') ?? '';
  return `${kind}${numbers}: ${line.trim()}`;
}

/** Its report under its own label: whoever presents the result decides whether it is shown (SEC-37). */
function alone(report: DelegateReport): ToolOutcome {
  const { name, ended, label } = report;
  if (ended !== 'reported') return { ok: false, kind: ended === 'stopped' ? 'stopped' : 'error', message: report.text };
  return shown(reportText(report), { from: 'delegate', name, label });
}

/** Several: each of those nobody vouches for is kept aside by itself, so that one of them spoils none of the others. */
function together(reports: readonly DelegateReport[], world: Pick<ToolWorld, 'keepAside'>): ToolOutcome {
  const labels: Label[] = [];
  let last: string | undefined;
  const texts = reports.map((report) => {
    const { name, ended, label, text: own } = report;
    if (ended !== 'reported') return `[${own}]`;
    if (label.integrity === 'trusted') {
      labels.push(label);
      return reportText(report);
    }
    const origin = `the report of ${name}`;
    last = world.keepAside(plainSlot({ origin, label, content: { kind: 'text', sealed: seal(own, label) } })).ref;
    return `[report of ${name}: kept aside as ${last}, since its delegate saw what nobody has vouched for]`;
  });
  const names = `${reports[0]?.name} to ${reports.at(-1)?.name}`;
  const all = shown(texts.join('\n\n'), { from: 'delegate', name: names, label: combineLabels(labels) });
  return last === undefined || !all.ok ? all : { ...all, ref: last };
}

/** Who speaks stands before what it says, in our words (SEC-38). */
function reportText({ name, text: own }: DelegateReport): string {
  return `[report of ${name}]\n${own}`;
}

function shown(whole: string, provenance: Extract<ToolOutcome, { ok: true }>['provenance']): ToolOutcome {
  const lines = whole.split('\n');
  return {
    ok: true,
    text: limitOutput({ head: whole, tail: '', omittedBytes: 0 }, null),
    provenance,
    display: textDisplay(lines, lines.length, 'markdown'),
  };
}
