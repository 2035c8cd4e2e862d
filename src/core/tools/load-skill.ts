import { peek, text, toolArguments } from './arguments.ts';
import description from './load-skill.md' with { type: 'text' };
import { argumentsLabel, wrongArguments } from './planning.ts';
import { textDisplay } from './text-display.ts';
import type { Tool } from './tool.ts';

interface Planned {
  readonly name: string;
  readonly folder: string;
}

const given = toolArguments({ name: text('Exactly a name from the list of skills.') });

export const loadSkill: Tool<Planned> = {
  name: 'load_skill',
  description,
  heldBy: 'reader',
  needs: 'skills',
  input: given.schema,
  routing: ['name'],
  order: 'beside',
  title: (input) => `Load skill ${peek(input, 'name')}`.trim(),

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const skills = context.skills ?? [];
    const skill = skills.find(({ name }) => name === read.value.name);
    if (skill === undefined) {
      const names = skills.map(({ name }) => name).join(', ');
      return { ok: false, message: `There is no such skill. Listed: ${names === '' ? 'none' : names}.` };
    }
    return {
      ok: true,
      title: `Load skill ${skill.name}`,
      effects: [{ kind: 'session', what: 'skill', label: argumentsLabel(context) }],
      diffs: [],
      planned: { name: skill.name, folder: skill.path.slice(0, skill.path.lastIndexOf('/')) },
    };
  },

  async run({ name, folder }, world) {
    const found = await world.skill(name);
    if (found === null) return { ok: false, kind: 'error', message: `The skill ${name} cannot be read any more.` };
    return {
      ok: true,
      text: `[skill ${name}; its files are in ${folder}]\n${found}`,
      // Listed at the start, out of places the person trusts (SEC-5).
      provenance: { from: 'houston' },
      display: textDisplay(found.split('\n'), found.split('\n').length),
    };
  },
};
