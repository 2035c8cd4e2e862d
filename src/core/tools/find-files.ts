import { join } from 'node:path';
import { flag, optional, peek, text, toolArguments, whole } from './arguments.ts';
import description from './find-files.md' with { type: 'text' };
import { limitOutput } from './limit-output.ts';
import { argumentsLabel, limitsOf, wrongArguments } from './planning.ts';
import { commonFlags, complaint, partial, splitNames, target } from './ripgrep.ts';
import { textDisplay } from './text-display.ts';
import type { Tool } from './tool.ts';
import { absolutePath, explain, oneLine, shortPath } from './tool-paths.ts';

interface Planned {
  readonly path: string;
  readonly name: string;
  readonly pattern: string;
  readonly ignored: boolean;
  readonly offset: number;
  readonly seconds: number;
}

const PAGE = 200;
const MOST_BYTES = 4 * 1024 * 1024;

const given = toolArguments({
  pattern: text(
    'Glob such as `*.ts`, `src/**/*.test.ts` or `package.json`. Without a slash it matches names at any depth.',
  ),
  directory: optional(text('Folder to search below. Default: the working folder.')),
  ignored: optional(flag('Also files that .gitignore and the like leave out. Default false.')),
  offset: optional(whole('How many paths to skip, to continue a long result.', 0, Number.MAX_SAFE_INTEGER)),
});

export const findFiles: Tool<Planned> = {
  name: 'find_files',
  description,
  heldBy: 'reader',
  input: given.schema,
  routing: ['pattern', 'directory', 'ignored', 'offset'],
  order: 'beside',
  title: (input) => `Find ${peek(input, 'pattern') || 'files'}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const { pattern, directory, ignored, offset } = read.value;
    if (pattern.startsWith('!')) return { ok: false, message: 'Wrong arguments: "pattern" must not begin with "!".' };
    const path = absolutePath(directory ?? '.', context);
    const name = shortPath(path, context.folder);
    const effect = { kind: 'walk', path, contents: false, label: argumentsLabel(context) } as const;
    const planned = {
      path,
      name,
      pattern,
      ignored: ignored ?? false,
      offset: offset ?? 0,
      seconds: limitsOf(context).searchSeconds,
    };
    return {
      ok: true,
      title: `Find ${pattern}${name === '.' ? '' : ` in ${name}`}`,
      effects: [effect],
      diffs: [],
      planned,
    };
  },

  async run({ path, name, pattern, ignored, offset, seconds }, world) {
    try {
      const stat = await world.files.stat(path);
      if (stat?.kind !== 'folder') return { ok: false, kind: 'error', message: `${name}: there is no such folder` };
      const argv = ['--files', ...commonFlags({ include: pattern, ignored }), ...target(path, stat)];
      const result = await world.runHelper('rg', argv, path, MOST_BYTES);
      const wrong = complaint(result);
      if (wrong !== null) {
        // The program's own words may repeat what it read.
        const provenance = { from: 'files', paths: [path] } as const;
        return { ok: false, kind: 'error', message: `The search could not be made: ${wrong}`, provenance };
      }
      const found = splitNames(result.out)
        .map((file) => file.replace(/^\.\//, ''))
        .filter((file) => world.files.covers(join(path, file)));
      const page = found.slice(offset, offset + PAGE);
      const notes = [partial(result, seconds)];
      if (found.length === 0) notes.push(`no file below ${name} matches ${pattern}`);
      else if (page.length === 0) notes.push(`there are only ${found.length} paths`);
      else if (offset + page.length < found.length)
        notes.push(
          `${offset + 1}-${offset + page.length} of ${found.length}; continue with offset ${offset + page.length}`,
        );
      const said = notes.filter((note) => note !== '');
      const lines = [...page.map(oneLine), ...said.map((note) => `[${note}]`)];
      return {
        ok: true,
        text: limitOutput({ head: lines.join('\n'), tail: '', omittedBytes: 0 }, null),
        provenance: { from: 'files', paths: page.map((file) => join(path, file)) },
        display: textDisplay(lines, found.length),
      };
    } catch (error) {
      return { ok: false, kind: 'error', message: explain(error, name) };
    }
  },
};
