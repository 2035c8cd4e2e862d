import { peek, text, toolArguments } from './arguments.ts';
import { argumentsLabel, wrongArguments } from './planning.ts';
import description from './read-output.md' with { type: 'text' };
import { noReferences, noSuchReference } from './references.ts';
import { textDisplay } from './text-display.ts';
import type { Tool } from './tool.ts';

interface Planned {
  readonly ref: string;
}

const given = toolArguments({ ref: text("The reference of a command's output, such as `ref:3`.") });

export const readOutput: Tool<Planned> = {
  name: 'read_output',
  description,
  heldBy: 'checker',
  input: given.schema,
  routing: ['ref'],
  order: 'alone',
  title: (input) => `Show ${peek(input, 'ref') || 'an output'} to the model`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const { ref } = read.value;
    if (!context.refs) return noReferences(context);
    const slot = context.refs.find(ref);
    if (slot === null) return noSuchReference(ref);
    if (slot.command === null)
      return { ok: false, message: `${ref} is not the output of a command: it is ${slot.origin}.` };
    return {
      ok: true,
      title: `Show ${ref} to the model`,
      effects: [{ kind: 'release', ref, how: 'output', label: argumentsLabel(context) }],
      diffs: [],
      planned: { ref },
    };
  },

  async run({ ref }, world) {
    const shown = world.released();
    const lines = shown.split('\n');
    return {
      ok: true,
      text: shown,
      provenance: { from: 'released', ref },
      display: textDisplay(lines, lines.length),
    };
  },
};
