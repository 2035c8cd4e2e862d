import type { FileDiff } from '../../protocol/display.ts';
import { hashBytes } from '../changes/hash.ts';
import { fileDiff } from '../changes/patch.ts';
import { findKeys } from '../values/find-keys.ts';
import { flag, list, optional, peek, record, text, toolArguments } from './arguments.ts';
import description from './edit-file.md' with { type: 'text' };
import { limitOutput } from './limit-output.ts';
import { argumentsLabel, type Explanation, explainInstead, wrongArguments } from './planning.ts';
import { readWhole } from './read-whole.ts';
import { type Replaced, replaceText } from './replace-text.ts';
import { decodeText, encodeText } from './text-encoding.ts';
import type { Tool } from './tool.ts';
import { absolutePath, explain, shortPath } from './tool-paths.ts';

interface Editing {
  readonly kind: 'editing';
  readonly path: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly before: string;
  readonly diff: FileDiff;
  readonly count: number;
}

const given = toolArguments({
  path: text('File to edit: relative to the working folder, or absolute.'),
  edits: list(
    'Replacements, all made in the file as it is now, or none.',
    record({
      old_text: text('Exactly the text to replace. Must occur exactly once in the file, unless replace_all.'),
      new_text: text('The text to put there, taken literally.', { empty: true }),
      replace_all: optional(flag('Replace every occurrence. Default false.')),
    }),
    1,
    50,
  ),
});

export const editFile: Tool<Editing | Explanation> = {
  name: 'edit_file',
  description,
  heldBy: 'worker',
  input: given.schema,
  routing: ['path', 'replace_all'],
  order: 'alone',
  title: (input) => `Edit ${peek(input, 'path') || 'a file'}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const path = absolutePath(read.value.path, context);
    const name = shortPath(path, context.folder);
    const title = `Edit ${name}`;
    if ((await context.isKeptAside?.(path)) === true)
      return {
        ok: false,
        message: `${name} was not changed: nobody has vouched for what it holds, so it can only be replaced as a whole.`,
      };
    const found = await readWhole(context.files, path);
    if (found.kind === 'missing')
      return { ok: false, message: `${name}: there is no such file. write_file makes new ones.` };
    if (found.kind === 'impossible') return { ok: false, message: found.message };

    const before = hashBytes(found.bytes);
    const old = decodeText(found.bytes);
    if (old.kind === 'other') {
      const message = `${name} was not changed: it is ${old.encoding === 'binary' ? 'binary' : 'not UTF-8 (probably Latin-1)'}, and could not be written back byte for byte.`;
      return explainInstead(title, { path, message, shown: null }, context);
    }
    const replacements = read.value.edits.map((edit) => ({
      oldText: edit.old_text,
      newText: edit.new_text,
      all: edit.replace_all ?? false,
    }));
    const replaced = replaceText(old.text, replacements);
    if (!replaced.ok) {
      const changed = context.lastSeen(path) !== null && context.lastSeen(path) !== before;
      const message = refusal(name, replaced, replacements.length, changed, old.text);
      return explainInstead(title, { path, message, shown: replaced.problem === 'missing' ? before : null }, context);
    }
    const bytes = encodeText(replaced.text, old.encoding);
    const label = argumentsLabel(context);
    const diff = fileDiff(path, 'edit', old.text, replaced.text, label);
    const keys = findKeys(replaced.text, old.text);
    const after = hashBytes(bytes);
    const content = {
      change: 'edit',
      before,
      after,
      bytes: bytes.length,
      ...(keys === undefined ? {} : { keys }),
    } as const;
    return {
      ok: true,
      title,
      effects: [{ kind: 'write', path, content, label }],
      diffs: [diff],
      planned: { kind: 'editing', path, name, bytes, before, diff, count: replaced.count },
    };
  },

  async run(planned, world) {
    if (planned.kind === 'explanation') {
      if (planned.shown !== null) world.sawFile(planned.path, planned.shown);
      return {
        ok: false,
        kind: 'error',
        message: planned.message,
        provenance: { from: 'files', paths: [planned.path] },
      };
    }
    const { path, name, bytes, before, diff, count } = planned;
    try {
      await world.files.write(path, bytes, before);
    } catch (error) {
      return { ok: false, kind: 'error', message: `Nothing was changed. ${explain(error, name)}` };
    }
    world.sawFile(path, hashBytes(bytes));
    const made = count === 1 ? '1 replacement' : `${count} replacements`;
    return {
      ok: true,
      text: `Edited ${name}: ${made}, ${diff.added} lines added, ${diff.removed} removed.`,
      provenance: { from: 'houston' },
      display: { kind: 'diff', files: [diff] },
    };
  },
};

/** Why, and what to do about it. A text that is not there is answered with what is there. */
function refusal(
  name: string,
  replaced: Extract<Replaced, { ok: false }>,
  edits: number,
  changed: boolean,
  current: string,
): string {
  const which = edits === 1 ? 'old_text' : `old_text of edit ${replaced.at + 1}`;
  switch (replaced.problem) {
    case 'same':
      return `${name} was not changed: ${which} and new_text are the same.`;
    case 'overlap':
      return `${name} was not changed: ${which} overlaps another edit. Make them one edit.`;
    case 'ambiguous': {
      const lines = replaced.lines.slice(0, 20).join(', ');
      return `${name} was not changed: ${which} occurs ${replaced.lines.length} times (lines ${lines}). Give more of the text around the one you mean, or set replace_all.`;
    }
    case 'missing': {
      const since = changed ? ' The file changed since you last saw it.' : '';
      const text = limitOutput({ head: current, tail: '', omittedBytes: 0 }, null);
      return `${name} was not changed: ${which} does not occur in it exactly as given.${since} It now holds:\n${text}`;
    }
  }
}
