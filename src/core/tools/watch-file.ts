import { text, toolArguments } from './arguments.ts';
import { argumentsLabel, wrongArguments } from './planning.ts';
import type { Tool } from './tool.ts';
import { absolutePath, shortPath } from './tool-paths.ts';
import description from './watch-file.md' with { type: 'text' };

interface Planned {
  readonly path: string;
  readonly name: string;
}

const given = toolArguments({ path: text('One file that is there.') });

export const watchFile: Tool<Planned> = {
  name: 'watch_file',
  description,
  needs: 'standing',
  input: given.schema,
  routing: ['path'],
  order: 'alone',
  title: () => 'Watch a file',

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const path = absolutePath(read.value.path, context);
    const name = shortPath(path, context.folder);
    const label = argumentsLabel(context);
    const effects = [
      { kind: 'read', path, label },
      { kind: 'session', what: 'watch', label },
    ] as const;
    return { ok: true, title: `Watch ${name}`, effects, diffs: [], planned: { path, name } };
  },

  async run({ path, name }, world) {
    const watch = await world.watchFile(path);
    if (!watch.ok) return { ok: false, kind: 'error', message: watch.refusal.message };
    return {
      ok: true,
      text: `Watch ${watch.value.number}: once nothing else runs, a change of ${name} starts a turn. End this turn now if there is nothing else to do.`,
      provenance: { from: 'houston' },
      display: { kind: 'none' },
    };
  },
};
