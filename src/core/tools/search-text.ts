import { dirname, join } from 'node:path';
import { type Arguments, flag, oneOrMore, optional, peek, text, toolArguments, whole } from './arguments.ts';
import { byteLength, keepStart, OUTPUT_LIMIT } from './limit-output.ts';
import { argumentsLabel, limitsOf, wrongArguments } from './planning.ts';
import { commonFlags, complaint, partial, splitNames, target } from './ripgrep.ts';
import description from './search-text.md' with { type: 'text' };
import { textDisplay } from './text-display.ts';
import type { Tool, ToolLimits, ToolOutcome, ToolWorld } from './tool.ts';
import { absolutePath, explain, oneLine, shortPath } from './tool-paths.ts';

const PAGE = 200;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_LINE_BYTES = 500;
const MOST_LIST_BYTES = 64 * 1024 * 1024;
const MOST_ARGUMENT_BYTES = 512 * 1024;
const MOST_CONTEXT = 5;

const given = toolArguments({
  pattern: oneOrMore(
    'What to look for: a regular expression, or plain text with `literal`. A list finds lines that match any of them.',
    text('A regular expression or text.'),
    20,
  ),
  directory: optional(text('Folder to search below, or one file. Default: the working folder.')),
  include: optional(text('Only files whose path matches this glob, such as `*.ts` or `src/**`.')),
  exclude: optional(text('Not files whose path matches this glob.')),
  literal: optional(flag('Take the pattern as plain text. Default false.')),
  case_sensitive: optional(flag('Default true.')),
  context: optional(whole(`Lines to show around each match. Default 0, most ${MOST_CONTEXT}.`, 0, MOST_CONTEXT)),
  ignored: optional(flag('Also files that .gitignore and the like leave out. Default false.')),
  offset: optional(whole('How many matching lines to skip, to continue a long result.', 0, Number.MAX_SAFE_INTEGER)),
});

type Wanted = typeof given extends Arguments<infer T> ? T : never;
type Planned = Wanted & { readonly path: string; readonly name: string; readonly limits: ToolLimits };

export const searchText: Tool<Planned> = {
  name: 'search_text',
  description,
  heldBy: 'reader',
  input: given.schema,
  routing: ['pattern', 'directory', 'include', 'exclude', 'literal', 'case_sensitive', 'context', 'ignored', 'offset'],
  order: 'beside',
  title: (input) => `Search ${peek(input, 'pattern')}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const { pattern, directory, include, exclude, literal } = read.value;
    for (const one of pattern) {
      const wrong = one.includes('\n') ? 'must be one line' : literal === true ? null : unsupported(one);
      if (wrong !== null) return { ok: false, message: `Wrong arguments: "pattern" ${wrong}.` };
    }
    if (include?.startsWith('!') || exclude?.startsWith('!'))
      return { ok: false, message: 'Wrong arguments: "include" and "exclude" must not begin with "!".' };
    const path = absolutePath(directory ?? '.', context);
    const name = shortPath(path, context.folder);
    const title = `Search ${pattern.join(' | ')}${name === '.' ? '' : ` in ${name}`}`;
    const effect = { kind: 'walk', path, contents: true, label: argumentsLabel(context) } as const;
    return {
      ok: true,
      title,
      effects: [effect],
      diffs: [],
      planned: { ...read.value, path, name, limits: limitsOf(context) },
    };
  },

  async run(planned, world) {
    try {
      return await search(planned, world);
    } catch (error) {
      return failed(explain(error, planned.name));
    }
  },
};

async function search(planned: Planned, world: ToolWorld): Promise<ToolOutcome> {
  const { path, name, pattern, limits } = planned;
  const stat = await world.files.stat(path);
  if (stat === null) return failed(`${name}: there is no such file or folder`);
  const { include, exclude } = planned;
  const selection = commonFlags({ include, exclude, ignored: planned.ignored ?? false });
  const matching = [
    '--line-number',
    '--no-heading',
    '--with-filename',
    `--max-columns=${MOST_LINE_BYTES}`,
    '--max-columns-preview',
  ];
  if (planned.literal) matching.push('--fixed-strings');
  if (planned.case_sensitive === false) matching.push('--ignore-case');
  if (planned.context) matching.push(`--context=${planned.context}`);
  matching.push(...pattern.map((one) => `--regexp=${one}`));
  const root = stat.kind === 'folder' ? path : dirname(path);
  const found: Found[] = [];
  const notes: string[] = [];
  // Which files there are, first: more than are looked at is said, and so is none.
  const listed = await world.runHelper('rg', ['--files', ...selection, ...target(path, stat)], path, MOST_LIST_BYTES);
  const files = splitNames(listed.out);
  const batches = files.length <= limits.searchFiles ? [target(path, stat)] : batchesOf(files, limits.searchFiles);
  if (batches.length > 1 || files.length > limits.searchFiles)
    notes.push(`only the first ${limits.searchFiles} of ${files.length} files were searched: the result is partial`);
  for (const batch of batches) {
    const result = await world.runHelper('rg', [...selection, ...matching, ...batch], path, MOST_BYTES);
    const wrong = complaint(result);
    // The program's own words may repeat what it read.
    if (wrong !== null)
      return { ...failed(`The search could not be made: ${wrong}`), provenance: { from: 'files', paths: [path] } };
    const lines = parseFound(new TextDecoder().decode(result.out));
    found.push(...lines.filter((line) => world.files.covers(join(root, line.file))));
    const missing = partial(result, limits.searchSeconds);
    if (missing !== '') notes.push(missing);
    if (result.cut !== null) break;
  }
  if (found.length === 0) {
    const which = planned.include === null ? name : `${name} (${planned.include})`;
    notes.push(files.length === 0 ? `no files selected: nothing to search in ${which}` : `no matches in ${which}`);
  }
  const page = pageOf(found, planned.offset ?? 0);
  if (page.next !== null) notes.push(`continue with offset ${page.next}`);
  const lines = notes.length === 0 ? page.lines : [...page.lines, `[${notes.join('; ')}]`];
  return {
    ok: true,
    text: lines.join('\n'),
    provenance: { from: 'files', paths: page.files.map((file) => join(root, file)) },
    display: textDisplay(lines, found.filter((line) => line.match).length),
  };
}

/** Why an expression is not taken: what would need to go back, or repeat by count; null when it is fine. */
function unsupported(pattern: string): string | null {
  const bare = pattern.replace(/\\[^\dk]/g, '').replace(/\[\^?\]?[^\]]*\]/g, '[]');
  if (/\(\?(?:<?[=!])/.test(bare)) return 'holds a lookaround, which is not supported';
  if (/\(\?P?[<']/.test(bare)) return 'holds a named group, which is not supported';
  if (/\\(?:[1-9]|k)/.test(bare)) return 'holds a backreference, which is not supported';
  if (/\{(?:\d+,?\d*|,\d+)\}/.test(bare))
    return 'holds a counted repetition such as {3}, which is not supported: use + or *';
  return null;
}

/** Names as arguments, in their order, so many at a time as a command line takes. */
function batchesOf(files: readonly string[], most: number): string[][] {
  const batches: string[][] = [];
  let room = 0;
  for (const file of files.slice(0, most)) {
    room -= byteLength(file) + 16;
    if (room < 0) {
      batches.push(['--']);
      room = MOST_ARGUMENT_BYTES;
    }
    batches.at(-1)!.push(file);
  }
  return batches;
}

interface Found {
  readonly file: string;
  readonly line: string;
  readonly match: boolean;
  readonly text: string;
}

/**
 * `./file NUL line:text` for a match, `line-text` for its surroundings, `--` between groups. Read by the zero bytes, since
 * a file name may hold line ends.
 */
function parseFound(out: string): Found[] {
  const found: Found[] = [];
  for (let at = 0; at < out.length; ) {
    const zero = out.indexOf('\0', at);
    if (zero < 0) break;
    const file = out.slice(at, zero).replace(/^(?:--\n)?(?:\.\/)?/, '');
    const end = out.indexOf('\n', zero);
    const parts = /^(\d+)([:-])(.*?)\r?$/s.exec(out.slice(zero + 1, end < 0 ? out.length : end));
    if (parts !== null) {
      found.push({ file, line: parts[1]!, match: parts[2] === ':', text: keepStart(parts[3]!, MOST_LINE_BYTES + 100) });
    }
    if (end < 0) break;
    at = end + 1;
  }
  return found;
}

/** Rows grouped under their file, from match number `offset` on, as many as a result may hold. */
function pageOf(found: readonly Found[], offset: number): { lines: string[]; files: string[]; next: number | null } {
  const lines: string[] = [];
  const files: string[] = [];
  let seen = 0;
  let bytes = 0;
  for (const { file, line, match, text } of found) {
    if (match) seen++;
    if (match ? seen <= offset : seen < offset) continue;
    const row = `${line}${match ? ':' : '-'} ${text}`;
    bytes += byteLength(row) + 1 + (files.at(-1) === file ? 0 : byteLength(file) + 1);
    if (match && (seen > offset + PAGE || bytes > OUTPUT_LIMIT - 256)) return { lines, files, next: seen - 1 };
    if (files.at(-1) !== file) {
      files.push(file);
      lines.push(oneLine(file));
    }
    lines.push(row);
  }
  return { lines, files, next: null };
}

function failed(message: string): ToolOutcome {
  return { ok: false, kind: 'error', message };
}
