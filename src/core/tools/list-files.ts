import { join } from 'node:path';
import { UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import type { FolderEntry } from '../../system/files.ts';
import { plainSlot } from '../values/slot.ts';
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
  readonly pattern: string | null;
}

interface Listing {
  readonly lines: string[];
  /** Entries that are shown by their names. */
  readonly paths: string[];
  readonly accepts: (name: string) => boolean;
  /** Whether even the names are content nobody vouched for. */
  readonly nameless: boolean;
  lastRef: string | null;
  refs: number;
  cut: boolean;
}

const MOST_ENTRIES = 1_000;
const MOST_REFS = 200;
const MOST_DEPTH = 5;
/** Folders that are named but never entered: large, generated, or the inside of a repository. */
const NOT_ENTERED = new Set(['.git', 'node_modules', '.venv', 'venv', '__pycache__', 'target', 'dist', '.cache']);

const given = toolArguments({
  directory: optional(text('Folder to list. Default: the working folder.')),
  pattern: optional(text('Only files whose name matches this glob, such as `*.ts`. Folders are always shown.')),
  depth: optional(whole(`How many levels to show. Default 1, most ${MOST_DEPTH}.`, 1, MOST_DEPTH)),
});

export const listFiles: Tool<Planned> = {
  name: 'list_files',
  description,
  heldBy: 'reader',
  input: given.schema,
  routing: ['directory', 'pattern', 'depth'],
  order: 'beside',
  title: (input) => `List ${peek(input, 'directory') || '.'}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    // Each star more multiplies the ways a name may be tried in.
    if ((read.value.pattern?.match(/\*+/g)?.length ?? 0) > 4)
      return { ok: false, message: 'Wrong arguments: "pattern" has more than four stars.' };
    const path = absolutePath(read.value.directory ?? '.', context);
    const name = shortPath(path, context.folder);
    const effect = { kind: 'walk', path, contents: false, label: argumentsLabel(context) } as const;
    return {
      ok: true,
      title: `List ${name}`,
      effects: [effect],
      diffs: [],
      planned: { path, name, depth: read.value.depth ?? 1, pattern: read.value.pattern },
    };
  },

  async run({ path, name, depth, pattern }, world) {
    const listing: Listing = {
      lines: [],
      paths: [path],
      accepts: pattern === null ? () => true : nameMatcher(pattern),
      nameless: !world.trusts(path),
      lastRef: null,
      refs: 0,
      cut: false,
    };
    try {
      await listFolder(world, path, depth, '', listing);
    } catch (error) {
      return { ok: false, kind: 'error', message: explain(error, name) };
    }
    const { lines } = listing;
    if (lines.length === 0) lines.push(pattern === null ? '[the folder is empty]' : '[nothing here matches]');
    const shown = listing.cut
      ? [...lines, `[cut after ${lines.length} entries: list a folder further down, or use find_files]`]
      : lines;
    return {
      ok: true,
      text: limitOutput({ head: shown.join('\n'), tail: '', omittedBytes: 0 }, null),
      // Where every entry is a reference, nothing is left but our own words.
      provenance: listing.nameless ? { from: 'houston' } : { from: 'files', paths: listing.paths },
      ...(listing.lastRef === null ? {} : { ref: listing.lastRef }),
      display: textDisplay(shown, lines.length),
    };
  },
};

/** `*` and `?` as usual, `{a,b}` for either; everything else stands for itself. */
function nameMatcher(pattern: string): (name: string) => boolean {
  const source = pattern
    .replace(/\*+/g, '*')
    .replace(/[.+^$()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.')
    .replace(/\{([^{}]*)\}/g, (_, inner: string) => `(?:${inner.replaceAll(',', '|')})`)
    .replace(/[{}]/g, '\\$&');
  const matcher = new RegExp(`^${source}$`, 's');
  return (name) => matcher.test(name);
}

/** A name nobody vouched for, as something that can be read or written to without being seen. */
function reference(path: string, kind: FolderEntry['kind'], listing: Listing, world: ToolWorld): string {
  const { ref } = world.keepAside(
    plainSlot({
      origin: `the name of a ${kind}`,
      label: UNTRUSTED_PRIVATE,
      form: 'name',
      content: { kind: 'file', file: { path, real: path, named: 'a listed name' } },
    }),
  );
  listing.refs++;
  listing.lastRef = ref;
  return `[${ref}: a ${kind}]`;
}

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
    if (kind !== 'folder' && !listing.accepts(name)) continue;
    if (listing.lines.length >= MOST_ENTRIES || listing.refs >= MOST_REFS) {
      listing.cut = true;
      return;
    }
    const path = join(folder, name);
    const skipped = kind === 'folder' && depth > 1 && NOT_ENTERED.has(name);
    const aside = listing.nameless || !world.trusts(path);
    if (!aside) listing.paths.push(path);
    const shown = aside
      ? reference(path, kind, listing, world)
      : `${oneLine(name)}${{ folder: '/', link: '@', file: '', other: '|' }[kind]}`;
    listing.lines.push(`${indent}${shown}${skipped ? ' [not listed]' : ''}`);
    if (kind !== 'folder' || depth === 1 || skipped) continue;
    try {
      await listFolder(world, path, depth - 1, `${indent}  `, listing);
    } catch (error) {
      listing.lines.push(`${indent}  [${explain(error, aside ? 'it' : oneLine(name))}]`);
    }
  }
}
