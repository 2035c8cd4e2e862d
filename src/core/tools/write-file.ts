import type { FileDiff } from '../../protocol/display.ts';
import { hashBytes } from '../changes/hash.ts';
import { fileDiff } from '../changes/patch.ts';
import { peek, text, toolArguments } from './arguments.ts';
import { argumentsLabel, type Explanation, explainInstead, wrongArguments } from './planning.ts';
import { readWhole } from './read-whole.ts';
import { decodeText, encodeText } from './text-encoding.ts';
import type { Tool } from './tool.ts';
import { absolutePath, explain, shortPath } from './tool-paths.ts';
import description from './write-file.md' with { type: 'text' };

interface Writing {
  readonly kind: 'writing';
  readonly path: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly before: string | null;
  readonly diff: FileDiff;
}

const given = toolArguments({
  path: text('File to write: relative to the working folder, or absolute. Missing folders are made.'),
  contents: text('The whole content of the file.', { empty: true }),
});

export const writeFile: Tool<Writing | Explanation> = {
  name: 'write_file',
  description,
  input: given.schema,
  routing: ['path'],
  order: 'alone',
  title: (input) => `Write ${peek(input, 'path') || 'a file'}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const path = absolutePath(read.value.path, context);
    const name = shortPath(path, context.folder);
    const title = `Write ${name}`;
    const found = await readWhole(context.files, path);
    if (found.kind === 'impossible') return { ok: false, message: found.message };

    const label = argumentsLabel(context);
    const old = found.kind === 'file' ? decodeText(found.bytes) : null;
    const bytes = encodeText(read.value.contents, old?.kind === 'text' ? old.encoding : 'UTF-8');
    const after = hashBytes(bytes);
    const before = found.kind === 'file' ? hashBytes(found.bytes) : null;
    if (before === after)
      return explainInstead(title, { path, message: `${name} already holds exactly this.`, shown: before }, context);
    const seen = context.lastSeen(path);
    if (before !== null && seen !== null && seen !== before) {
      return {
        ok: false,
        message: `${name} changed since you last saw it. Read it again before you overwrite it. Nothing was written.`,
      };
    }
    const change = before === null ? 'create' : 'overwrite';
    const diff = fileDiff(
      path,
      change,
      old === null ? '' : old.kind === 'text' ? old.text : null,
      read.value.contents,
      label,
    );
    const effect = { kind: 'write', path, content: { change, before, after, bytes: bytes.length }, label } as const;
    return {
      ok: true,
      title,
      effects: [effect],
      diffs: [diff],
      planned: { kind: 'writing', path, name, bytes, before, diff },
    };
  },

  async run(planned, world) {
    const provenance = { from: 'files', paths: [planned.path] } as const;
    if (planned.kind === 'explanation') {
      if (planned.shown !== null) world.sawFile(planned.path, planned.shown);
      return { ok: true, text: planned.message, provenance, display: { kind: 'none' } };
    }
    try {
      await world.files.write(planned.path, planned.bytes, planned.before);
    } catch (error) {
      return { ok: false, kind: 'error', message: `Nothing was written. ${explain(error, planned.name)}` };
    }
    world.sawFile(planned.path, hashBytes(planned.bytes));
    const what = planned.before === null ? 'Created' : 'Overwrote';
    return {
      ok: true,
      text: `${what} ${planned.name} (${planned.bytes.length} bytes).`,
      provenance: { from: 'houston' },
      display: { kind: 'diff', files: [planned.diff] },
    };
  },
};
