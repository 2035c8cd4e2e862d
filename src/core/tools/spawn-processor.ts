import { list, optional, text, toolArguments } from './arguments.ts';
import { argumentsLabel, wrongArguments } from './planning.ts';
import { noReferences, noSuchReference, withoutContent } from './references.ts';
import description from './spawn-processor.md' with { type: 'text' };
import type { ProcessorOrder, Tool } from './tool.ts';
import { absolutePath } from './tool-paths.ts';

const given = toolArguments({
  reads: list('References it is given, such as `["ref:2"]`.', text('A reference.'), 0, 20),
  about: optional(text('The file the document is for: a path, or a reference that stands for a file.')),
  instruction: text('What it should do, on its own: it knows nothing of this conversation.'),
});

export const spawnProcessor: Tool<ProcessorOrder> = {
  name: 'spawn_processor',
  description,
  heldBy: 'worker',
  input: given.schema,
  routing: ['reads', 'about'],
  order: 'alone',
  title: () => 'Process what was kept aside',

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const { reads, about, instruction } = read.value;
    const { refs } = context;
    if (!refs) return noReferences(context);
    if (reads.length === 0)
      return { ok: false, message: '"reads" is empty: a processor is given at least one reference.' };
    if (new Set(reads).size < reads.length) return { ok: false, message: '"reads" names a reference twice.' };
    const label = argumentsLabel(context);
    if (label.integrity === 'untrusted') return noReferences({ ...context, refs: null });
    if (context.instructionPrivate === true)
      return {
        ok: false,
        message:
          'Released or private content was shown to you, so no instruction of yours goes to a processor any more.',
      };
    for (const ref of reads) {
      const slot = refs.find(ref);
      if (slot === null) return noSuchReference(ref);
      const name = withoutContent(ref, slot.form);
      if (name !== null) return name;
      if (slot.form === 'binary') return { ok: false, message: `${ref} is binary: nothing can be read from it.` };
    }
    const target = targetOf(reads, about, refs.fileOf);
    if (target === undefined) return { ok: false, message: `"about" must name a file: ${about} stands for none.` };
    if (target === null && reads.length > 1)
      return {
        ok: false,
        message: '"about" is missing: with several references it must say which file the document is for.',
      };
    // Files are opened for it now, so their rules count now.
    const files = reads.flatMap((ref) => refs.fileOf(ref) ?? []);
    return {
      ok: true,
      title: `Process ${reads.join(', ')}`,
      effects: [
        ...files.map(
          (path) => ({ kind: 'read', path, label, ref: reads.find((ref) => refs.fileOf(ref) === path)! }) as const,
        ),
        { kind: 'session', what: 'processor', label },
      ],
      diffs: [],
      planned: { refs: reads, about: target === null ? null : absolutePath(target, context), instruction },
    };
  },

  async run(order, world) {
    const made = await world.process(order);
    if (!made.ok) return { ok: false, kind: 'error', message: made.message };
    const { document } = made;
    if (document === null)
      return {
        ok: true,
        text: 'It made no document, so there is nothing to write. What it said was shown to the person.',
        provenance: { from: 'houston' },
        display: { kind: 'none' },
      };
    const where = order.about === null ? 'nowhere: it is about no file' : 'only to the file it is about';
    return {
      ok: true,
      text: `[${document.ref}: ${document.origin}, ${document.label.integrity} and ${document.label.confidentiality}. It can be written ${where}, with write_file and \`contents_ref\`.]`,
      ref: document.ref,
      provenance: { from: 'houston' },
      display: { kind: 'none' },
    };
  },
};

/** Undefined where `about` is a reference that stands for no file; null where nothing is said and nothing implied. */
function targetOf(
  reads: readonly string[],
  about: string | null,
  fileOf: (ref: string) => string | null,
): string | null | undefined {
  if (about === null) return reads.length === 1 ? fileOf(reads[0]!) : null;
  return /^ref:\d+$/.test(about) ? (fileOf(about) ?? undefined) : about;
}
