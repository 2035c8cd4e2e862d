import { peek, text, toolArguments } from './arguments.ts';
import { argumentsLabel, wrongArguments } from './planning.ts';
import { noReferences, noSuchReference, withoutContent } from './references.ts';
import { textDisplay } from './text-display.ts';
import type { Tool } from './tool.ts';
import description from './vet-content.md' with { type: 'text' };

interface Planned {
  readonly ref: string;
}

const given = toolArguments({
  ref: text('The reference, such as `ref:3`.'),
  expects: text('What it should be, in one sentence.'),
});

export const vetContent: Tool<Planned> = {
  name: 'vet_content',
  description,
  input: given.schema,
  routing: ['ref'],
  order: 'alone',
  title: (input) => `Vet ${peek(input, 'ref') || 'content'}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const { ref, expects } = read.value;
    if (!context.refs) return noReferences(context);
    const slot = context.refs.find(ref);
    if (slot === null) return noSuchReference(ref);
    const name = withoutContent(ref, slot.form);
    if (name !== null) return name;
    if (slot.form !== 'text') return { ok: false, message: `${ref} is not text: it cannot be shown.` };
    return {
      ok: true,
      title: `Vet ${ref}`,
      effects: [{ kind: 'release', ref, how: 'vet', expects, label: argumentsLabel(context) }],
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
