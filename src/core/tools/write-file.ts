import type { FileDiff } from '../../protocol/display.ts';
import type { Label } from '../../protocol/label.ts';
import { hashBytes } from '../changes/hash.ts';
import { fileDiff } from '../changes/patch.ts';
import { type FoundKeys, findKeys } from '../values/find-keys.ts';
import { optional, peek, text, toolArguments } from './arguments.ts';
import { argumentsLabel, type Explanation, explainInstead, wrongArguments } from './planning.ts';
import { readWhole, type WholeFile } from './read-whole.ts';
import { fileNamed, type NamedFile, noReferences, noSuchReference, withoutContent } from './references.ts';
import { decodeText, encodeText } from './text-encoding.ts';
import type { PlanContext, Planning, RefWrite, Tool } from './tool.ts';
import { explain } from './tool-paths.ts';
import description from './write-file.md' with { type: 'text' };

interface Writing {
  readonly kind: 'writing';
  readonly path: string;
  /** What the model calls it. */
  readonly name: string;
  /** The content itself, or the reference it stands under. */
  readonly from: Uint8Array | { readonly ref: string };
  readonly size: number;
  /** The reference the place was named by; null for a path. */
  readonly ref: string | null;
  readonly before: string | null;
  readonly diff: FileDiff;
}

const given = toolArguments({
  path: optional(text('File to write: relative to the working folder, or absolute. Missing folders are made.')),
  path_ref: optional(text('In place of `path`: a reference that stands for a file, such as `ref:2`.')),
  contents: optional(text('The whole content of the file.', { empty: true })),
  contents_ref: optional(text('In place of `contents`: a reference whose content is written as it is.')),
});

export const writeFile: Tool<Writing | Explanation> = {
  name: 'write_file',
  description,
  heldBy: 'worker',
  input: given.schema,
  routing: ['path', 'path_ref', 'contents_ref'],
  order: 'alone',
  title: (input) => `Write ${peek(input, 'path') || peek(input, 'path_ref') || 'a file'}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const target = fileNamed(read.value.path, read.value.path_ref, context);
    if ('message' in target) return target;
    const { contents, contents_ref: ref } = read.value;
    if ((contents === null) === (ref === null))
      return { ok: false, message: 'Wrong arguments: exactly one of "contents" and "contents_ref" is needed.' };
    const found = await readWhole(context.files, target.path);
    if (found.kind === 'impossible') return { ok: false, message: found.message.replaceAll(target.path, target.name) };
    const before = found.kind === 'file' ? hashBytes(found.bytes) : null;
    const seen = context.lastSeen(target.path);
    if (before !== null && seen !== null && seen !== before) {
      const message = `${target.name} changed since you last saw it. Read it again before you overwrite it. Nothing was written.`;
      return { ok: false, message };
    }
    return ref === null ? planContents(target, contents!, found, context) : planReference(target, ref, found, context);
  },

  async run(planned, world) {
    const provenance = { from: 'files', paths: [planned.path] } as const;
    if (planned.kind === 'explanation') {
      if (planned.shown !== null) world.sawFile(planned.path, planned.shown);
      return { ok: true, text: planned.message, provenance, display: { kind: 'none' } };
    }
    const { path, name, from, before } = planned;
    try {
      if ('ref' in from) await world.files.writeRef(path, from.ref, before);
      else await world.files.write(path, from, before);
    } catch (error) {
      return { ok: false, kind: 'error', message: `Nothing was written. ${explain(error, name)}` };
    }
    if (!('ref' in from)) world.sawFile(path, hashBytes(from));
    const what = before === null ? 'Created' : 'Overwrote';
    return {
      ok: true,
      text: `${what} ${name} (${planned.size} bytes${'ref' in from ? `, from ${from.ref}` : ''}).`,
      provenance: { from: 'houston' },
      // A name known by its reference only stays out of the record.
      display: { kind: 'diff', files: [planned.ref === null ? planned.diff : { ...planned.diff, path: planned.ref }] },
    };
  },
};

async function planContents(
  { path, name, ref }: NamedFile,
  contents: string,
  found: WholeFile,
  context: PlanContext,
): Promise<Planning<Writing | Explanation>> {
  const old = found.kind === 'file' ? decodeText(found.bytes) : null;
  const bytes = encodeText(contents, old?.kind === 'text' ? old.encoding : 'UTF-8');
  const before = found.kind === 'file' ? hashBytes(found.bytes) : null;
  const after = hashBytes(bytes);
  // That it holds exactly this is an answer out of the file: only where the file may be shown.
  const isKeptAside = (await context.isKeptAside?.(path)) === true;
  if (before === after && !isKeptAside)
    return explainInstead(
      `Write ${name}`,
      { path, message: `${name} already holds exactly this.`, shown: before },
      context,
    );
  const label = argumentsLabel(context);
  const change = before === null ? 'create' : 'overwrite';
  const oldText = old === null ? '' : old.kind === 'text' ? old.text : null;
  const diff = fileDiff(path, change, oldText, contents, label);
  // What the file held already is not blamed on this write, where the person vouched for it (CRED-2).
  const keys = findKeys(contents, isKeptAside ? '' : (oldText ?? ''));
  return writing({ path, name, ref }, bytes, { after, bytes: bytes.length, label, diff, rows: [] }, before, keys);
}

async function planReference(
  target: NamedFile,
  ref: string,
  found: WholeFile,
  context: PlanContext,
): Promise<Planning<Writing>> {
  const { refs } = context;
  if (!refs) return noReferences(context);
  const slot = refs.find(ref);
  if (slot === null) return noSuchReference(ref);
  const name = withoutContent(ref, slot.form);
  if (name !== null) return name;
  if (slot.only !== null && (slot.only.path === null || !(await isSamePlace(slot.only.path, target.path, context))))
    return {
      ok: false,
      message: `${ref} may be written only to the file its processor was about. Nothing was written.`,
    };
  const draft = await refs.write(ref, target.path, found.kind === 'file' ? found.bytes : null);
  if (draft === null) return noSuchReference(ref);
  return writing(target, { ref }, draft, found.kind === 'file' ? hashBytes(found.bytes) : null);
}

async function isSamePlace(one: string, other: string, { files }: PlanContext): Promise<boolean> {
  if (one === other) return true;
  const real = await files.realPath(one);
  return real !== null && real === (await files.realPath(other));
}

function writing(
  { path, name, ref }: NamedFile,
  from: Writing['from'],
  draft: RefWrite,
  before: string | null,
  keys?: FoundKeys,
): Extract<Planning<Writing>, { ok: true }> {
  const change = before === null ? 'create' : 'overwrite';
  const label: Label = draft.label;
  const content = {
    change,
    before,
    after: draft.after,
    bytes: draft.bytes,
    ...(keys === undefined ? {} : { keys }),
  } as const;
  return {
    ok: true,
    title: `Write ${name}`,
    effects: [{ kind: 'write', path, content, label, ...(ref === null ? {} : { ref }) }],
    diffs: [draft.diff],
    rows: draft.rows,
    planned: { kind: 'writing', path, name, ref, from, size: draft.bytes, before, diff: draft.diff },
  };
}
