import type { Refusal } from '../../base/refusal.ts';
import type { Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { SessionCommand } from '../../protocol/view.ts';
import { modelRefText } from '../models/model-ref.ts';
import { ended } from './command-end.ts';
import type { SessionParts } from './parts.ts';
import { accepted } from './sent.ts';
import type { CommandEnd } from './turn-loop.ts';

/** `/subagents`: which models delegates may be given. */
export const SUBAGENTS_COMMAND = {
  name: 'subagents',
  group: 'Model',
  argument: '[MODEL ...|off]',
  description: 'Choose the models delegates may be given; alone, see them',
  during: 'after',
  ahead: false,
  atOnce: listAtOnce,
  refuses: refusesModels,
  carryOut: chooseModels,
} as const satisfies SessionCommand & Record<string, unknown>;

/** Looking needs no idle session, and no model either (SC-18.8). */
function listAtOnce(parts: SessionParts, argument: string, client: ClientId): Sent | null {
  if (argument !== '') return null;
  void listText(parts).then((text) => parts.publisher.publish({ type: 'flash', client, level: 'info', text }));
  return accepted();
}

async function listText(parts: SessionParts): Promise<string> {
  const { names, project } = parts.delegateModels();
  if (names.length === 0)
    return 'Delegates use the model in force here, and may be given any provider:model per delegation.';
  // Each of them anew: a key may have come or gone since.
  const found = await Promise.all(names.map(async (name) => ({ name, fault: await faultOf(parts, name) })));
  const there = found.filter(({ fault }) => fault === null).map(({ name }) => name);
  const gone = found.flatMap(({ name, fault }) => (fault === null ? [] : [`${name}: ${fault.message}`]));
  return [
    `Delegates may be given: ${there.length === 0 ? 'none of those named' : there.join(', ')}`,
    ...(gone.length === 0 ? [] : ['Not available now:', ...gone]),
    ...(project === null ? [] : [`Set by the project: ${project}`]),
  ].join('\n');
}

async function faultOf({ models }: SessionParts, name: string): Promise<Refusal | null> {
  const ref = models.parse(name);
  if (!ref.ok) return ref.refusal;
  const opened = await models.open(ref.value);
  return opened.ok ? null : opened.refusal;
}

function refusesModels({ delegateModels, model }: SessionParts, argument: string): Refusal | null {
  if (argument === '') return null;
  const { project } = delegateModels();
  if (project !== null)
    return {
      identifier: 'project-decides',
      message: `The project decides which models delegates may be given, in ${project}: /settings changes it, with Ctrl-G for the project.`,
    };
  if (argument !== 'off' && model.model === null)
    return { identifier: 'no-model', message: 'There is no model yet: choose one with /model.' };
  return null;
}

async function chooseModels(parts: SessionParts, argument: string): Promise<CommandEnd> {
  const refuse = ({ identifier, message }: Refusal): CommandEnd => ended('refused', 'warning', identifier, message);
  // What could not be put in force is not saved either.
  if (parts.runtime() === null) return ended('refused', 'warning', 'not-ready', 'The session is not ready yet.');
  const names: string[] = [];
  for (const typed of argument === 'off' ? [] : new Set(argument.split(/\s+/))) {
    const ref = parts.models.parse(typed);
    const fault = ref.ok ? await faultOf(parts, typed) : ref.refusal;
    if (!ref.ok || fault !== null) return refuse(fault ?? { identifier: 'unknown-model', message: typed });
    const name = modelRefText(ref.value);
    if (!names.includes(name)) names.push(name);
  }
  const known = parts.models.all().map(({ ref }) => modelRefText(ref));
  const strange = names.filter((name) => !known.includes(name));
  if (!(await parts.saveDefaults({ delegateModels: names.length === 0 ? null : names })))
    return ended('failed', 'error', 'not-saved', 'The choice could not be saved, so nothing was changed.');
  const said =
    names.length === 0
      ? 'Delegates use the model in force, and may be given any.'
      : `Delegates may be given: ${names.join(', ')}.`;
  const notes = [
    ...strange.map(
      (name) => ({ level: 'warning', text: `${name} is in no catalogue: check how it is written.` }) as const,
    ),
    { level: 'info', text: said } as const,
  ];
  await parts.recorder.write(
    notes.map((one) => ({ kind: 'note', identifier: 'subagents', ...one }) as const),
    { onFailure: 'keep' },
  );
  return parts.reload.all();
}

/** The last word, by any part of a model's name; none twice, and `off` alone (SC-18.3, SC-18.8). */
export function completeSubagents(
  { models }: Pick<SessionParts, 'models'>,
  typed: string,
): { value: string; description: string }[] {
  const words = typed.split(/\s+/);
  const last = words.pop() ?? '';
  if (words.includes('off')) return [];
  const before = words.map((word) => `${word} `).join('');
  const part = last.toLowerCase();
  const rows = models
    .list()
    .map(({ ref, provider }) => ({ value: modelRefText(ref), description: provider }))
    .filter(({ value }) => value.toLowerCase().includes(part) && !words.includes(value));
  const off = words.length === 0 && 'off'.startsWith(part) ? [{ value: 'off', description: 'any model again' }] : [];
  return [...off, ...rows.map(({ value, description }) => ({ value: before + value, description }))];
}
