import { extname } from 'node:path';
import { borderAtOrBefore } from '../../base/graphemes.ts';
import { sha256 } from '../../base/sha256.ts';
import type { FileStat } from '../../system/files.ts';
import { optional, peek, text, toolArguments, whole } from './arguments.ts';
import { byteLength } from './limit-output.ts';
import { argumentsLabel, wrongArguments } from './planning.ts';
import description from './read-file.md' with { type: 'text' };
import { type ReadLines, readLines } from './read-lines.ts';
import { fileNamed } from './references.ts';
import { textDisplay } from './text-display.ts';
import type { Tool, ToolOutcome } from './tool.ts';
import { explain } from './tool-paths.ts';

interface Planned {
  readonly path: string;
  readonly name: string;
  readonly ref: string | null;
  readonly offset: number;
  readonly limit: number;
}

const MOST_LINES = 500;
const MOST_CHARACTERS = 2_000;
/** Of one read: 500 ordinary lines. A file of long lines is given in more pieces. */
const MOST_BYTES = 32 * 1024;

/** What is a picture or document by its name alone. */
const PICTURES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
};

const given = toolArguments({
  path: optional(text('File to read: relative to the working folder, absolute, or `output:NAME` for a saved output.')),
  path_ref: optional(text('In place of `path`: a reference that stands for a file, such as `ref:2`.')),
  offset: optional(whole('First line to read; 1 is the first. Default 1.', 1, Number.MAX_SAFE_INTEGER)),
  limit: optional(whole(`How many lines. Default and most: ${MOST_LINES}.`, 1, MOST_LINES)),
});

/**
 * Lines come without numbers: `edit_file` wants the text itself, and a model copies what it saw. Where in the file they
 * stand is said once, in the last line.
 */
export const readFile: Tool<Planned> = {
  name: 'read_file',
  description,
  heldBy: 'reader',
  input: given.schema,
  routing: ['path', 'path_ref', 'offset', 'limit'],
  order: 'beside',
  title: (input) => `Read ${peek(input, 'path') || peek(input, 'path_ref') || 'a file'}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const place = fileNamed(read.value.path, read.value.path_ref, context);
    if ('message' in place) return place;
    const { path, ref } = place;
    const picture = PICTURES[extname(path).toLowerCase()];
    const planned = {
      path,
      name: ref ?? read.value.path ?? '',
      ref,
      offset: read.value.offset ?? 1,
      limit: read.value.limit ?? MOST_LINES,
    };
    return {
      ok: true,
      title: `Read ${place.name}`,
      effects: [{ kind: 'read', path, label: argumentsLabel(context), ...(ref === null ? {} : { ref }) }],
      diffs: [],
      planned,
      file: path,
      ...(picture === undefined ? {} : { picture }),
    };
  },

  async run({ path, name, ref, offset, limit }, world): Promise<ToolOutcome> {
    try {
      const stat = await world.files.stat(path);
      if (stat === null) return failed(`${name}: there is no such file`);
      if (stat.kind === 'folder') return failed(`${name} is a folder: list_files shows what is in it`);
      if (stat.kind !== 'file') return failed(`${name} is not an ordinary file`);
      const token = changeToken(stat);
      const shown = (lines: readonly string[], totalLines: number) => outcome(lines, totalLines, path, ref, token);
      const source = {
        read: (most: number) => world.files.read(path, most),
        readRange: (from: number, bytes: number) => world.files.readRange(path, from, bytes),
      };
      const found = await readLines(source, stat.size, { first: offset, most: limit });
      if (found.hash !== null) world.sawFile(path, found.hash);
      if (found.kind === 'binary') return shown([`[binary file, ${stat.size} bytes: not shown]`], 0);
      if (found.totalLines === 0) return shown(['[the file is empty]'], 0);
      if (offset > found.totalLines)
        return failed(`${name} has only ${count(found.totalLines, 'line')}: offset ${offset} is past its end`);
      const lines = fit(found.lines.map(cutLine));
      const end = offset + lines.length - 1;
      const notes = describe(found, offset, end);
      return shown(notes === '' ? lines : [...lines, notes], found.totalLines);
    } catch (error) {
      return failed(explain(error, name));
    }
  },
};

/** At least one line, then as many whole ones as the bound allows. */
function fit(lines: readonly string[]): readonly string[] {
  let bytes = 0;
  const end = lines.findIndex((line, index) => (bytes += byteLength(line) + 1) > MOST_BYTES && index > 0);
  return end < 0 ? lines : lines.slice(0, end);
}

function cutLine(line: string): string {
  if (line.length <= MOST_CHARACTERS) return line;
  const end = borderAtOrBefore(line, MOST_CHARACTERS) || MOST_CHARACTERS;
  return `${line.slice(0, end)} [... ${line.length - end} more characters in this line]`;
}

/** One closing line, only when there is something the lines themselves do not say. */
function describe(found: Extract<ReadLines, { kind: 'lines' }>, first: number, last: number): string {
  const notes: string[] = [];
  if (first > 1 || last < found.totalLines) notes.push(`lines ${first}-${last} of ${found.totalLines}`);
  if (last < found.totalLines) notes.push(`continue with offset ${last + 1}`);
  if (found.encoding === 'Latin-1') notes.push('not UTF-8: shown as Latin-1, edit_file will refuse it');
  else if (found.encoding !== 'UTF-8' && found.encoding !== 'large') notes.push(found.encoding);
  if (found.carriageReturns) notes.push('CRLF line endings');
  if (last === found.totalLines && !found.finalNewline) notes.push('no newline at the end');
  return notes.length === 0 ? '' : `[${notes.join('; ')}]`;
}

/** Of the whole file, taken before it is read, so that a change meanwhile shows at the next read. */
function changeToken({ size, modifiedMs }: FileStat): string {
  return sha256(`${size}:${modifiedMs}`).slice(0, 12);
}

function outcome(
  lines: readonly string[],
  totalLines: number,
  path: string,
  ref: string | null,
  token: string,
): ToolOutcome {
  const language = extname(path).slice(1);
  return {
    ok: true,
    text: lines.join('\n'),
    token,
    provenance: { from: 'files', paths: [path], ...(ref === null ? {} : { named: ref }) },
    display: textDisplay(lines, totalLines, language === '' ? undefined : language),
  };
}

function failed(message: string): ToolOutcome {
  return { ok: false, kind: 'error', message };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
