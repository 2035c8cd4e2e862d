import { join } from 'node:path';
import { optional, peek, text, toolArguments, whole } from './arguments.ts';
import { limitOutput } from './limit-output.ts';
import description from './list-files.md' with { type: 'text' };
import { argumentsLabel, wrongArguments } from './planning.ts';
import { textDisplay } from './text-display.ts';
import type { Tool, ToolWorld } from './tool.ts';
import { absolutePath, explain, oneLine, shortPath } from './tool-paths.ts';

interface Planned {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
}

interface Listing {
  readonly lines: string[];
  readonly paths: string[];
  cut: boolean;
}

const MOST_ENTRIES = 1_000;
const MOST_DEPTH = 5;
/** Folders that are named but never entered: large, generated, or the inside of a repository. */
const NOT_ENTERED = new Set(['.git', 'node_modules', '.venv', 'venv', '__pycache__', 'target', 'dist', '.cache']);

const given = toolArguments({
  directory: optional(text('Folder to list. Default: the working folder.')),
  depth: optional(whole(`How many levels to show. Default 1, most ${MOST_DEPTH}.`, 1, MOST_DEPTH)),
});

export const listFiles: Tool<Planned> = {
  name: 'list_files',
  description,
  input: given.schema,
  routing: ['directory', 'depth'],
  order: 'beside',
  title: (input) => `List ${peek(input, 'directory') || '.'}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const path = absolutePath(read.value.directory ?? '.', context);
    const name = shortPath(path, context.folder);
    const effect = { kind: 'walk', path, contents: false, label: argumentsLabel(context) } as const;
    return {
      ok: true,
      title: `List ${name}`,
      effects: [effect],
      diffs: [],
      planned: { path, name, depth: read.value.depth ?? 1 },
    };
  },

  async run({ path, name, depth }, world) {
    const listing: Listing = { lines: [], paths: [path], cut: false };
    try {
      await listFolder(world, path, depth, '', listing);
    } catch (error) {
      return { ok: false, kind: 'error', message: explain(error, name) };
    }
    const { lines } = listing;
    if (lines.length === 0) lines.push('[the folder is empty]');
    const shown = listing.cut
      ? [...lines, `[cut after ${MOST_ENTRIES} entries: list a folder further down, or use find_files]`]
      : lines;
    return {
      ok: true,
      text: limitOutput({ head: shown.join('\n'), tail: '', omittedBytes: 0 }, null),
      provenance: { from: 'files', paths: listing.paths },
      display: textDisplay(shown, lines.length),
    };
  },
};

/** Folders first, each kind by name; a folder that is not entered says so. */
async function listFolder(
  world: ToolWorld,
  folder: string,
  depth: number,
  indent: string,
  listing: Listing,
): Promise<void> {
  const entries = (await world.files.list(folder)).filter(
    (entry) => world.files.covers(join(folder, entry.name)) || entry.name === '.git',
  );
  const order = (kind: string) => (kind === 'folder' ? 0 : 1);
  entries.sort((one, other) => order(one.kind) - order(other.kind) || (one.name < other.name ? -1 : 1));
  for (const { name, kind } of entries) {
    if (listing.lines.length >= MOST_ENTRIES) {
      listing.cut = true;
      return;
    }
    const path = join(folder, name);
    listing.paths.push(path);
    const skipped = kind === 'folder' && depth > 1 && NOT_ENTERED.has(name);
    listing.lines.push(
      `${indent}${oneLine(name)}${{ folder: '/', link: '@', file: '', other: '|' }[kind]}${skipped ? ' [not listed]' : ''}`,
    );
    if (kind !== 'folder' || depth === 1 || skipped) continue;
    try {
      await listFolder(world, path, depth - 1, `${indent}  `, listing);
    } catch (error) {
      listing.lines.push(`${indent}  [${explain(error, oneLine(name))}]`);
    }
  }
}
