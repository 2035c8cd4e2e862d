import path from 'node:path';
import { frontMatterOf, listed } from '../../base/front-matter.ts';
import type { Files } from '../../system/files.ts';
import type { Skill } from '../tools/tool.ts';

/** The skills a session lists, fixed when it is opened: only these can be loaded, by their exact names. */
export interface Skills {
  readonly list: readonly Skill[];
  /** The text of a listed skill as it is now; null for any other name, and for one that cannot be read any more. */
  load(name: string): Promise<string | null>;
}

/** Where a project keeps them; looked into only when the project is trusted. */
const PROJECT_FOLDERS = ['.agents/skills', '.claude/skills', '.houston/skills'];
const MOST_SKILLS = 200;
const MOST_BYTES = 64 * 1024;
const MOST_DESCRIPTION = 500;
const MOST_NAMES = 20;

/**
 * Finds `NAME/SKILL.md` in the person's own `skills/` and in the project's folders. The first of a name counts, the
 * person's own before the project's. What has no readable front matter with name and description is no skill.
 */
export async function discoverSkills(
  files: Pick<Files, 'list' | 'stat' | 'read'>,
  { config, project, trusted }: { readonly config: string | null; readonly project: string; readonly trusted: boolean },
): Promise<Skills> {
  const folders = [
    ...(config === null ? [] : [path.join(config, 'skills')]),
    ...(trusted ? PROJECT_FOLDERS.map((folder) => path.join(project, folder)) : []),
  ];
  const found = new Map<string, Skill>();
  for (const folder of folders) {
    const entries = await files.list(folder).catch(() => []);
    for (const { name } of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (found.size >= MOST_SKILLS) break;
      const place = path.join(folder, name, 'SKILL.md');
      const text = await readText(files, place);
      const front = text === null ? null : readFrontMatter(text);
      if (front !== null && !found.has(front.name)) found.set(front.name, { ...front, path: place });
    }
  }
  return {
    list: [...found.values()],
    load: async (name) => {
      const skill = found.get(name);
      return skill === undefined ? null : readText(files, skill.path);
    },
  };
}

async function readText(files: Pick<Files, 'stat' | 'read'>, place: string): Promise<string | null> {
  try {
    if ((await files.stat(place))?.kind !== 'file') return null;
    return new TextDecoder('utf-8', { fatal: true }).decode(await files.read(place, MOST_BYTES));
  } catch {
    return null;
  }
}

/** `name` and `description`, perhaps `aliases` and `mcp`, between two lines of dashes; a description may go on in indented lines. */
export function readFrontMatter(text: string): Omit<Skill, 'path'> | null {
  const fields = frontMatterOf(text)?.fields;
  const name = fields?.get('name') ?? '';
  const description = (fields?.get('description') ?? '').replace(/\s+/g, ' ').slice(0, MOST_DESCRIPTION);
  // A name stands in one line of a prompt and is typed back exactly.
  if (!/^[\w][\w.:-]{0,63}$/.test(name) || description === '') return null;
  const aliases = listed(fields?.get('aliases') ?? '').slice(0, MOST_NAMES);
  const servers = listed(fields?.get('mcp') ?? '').slice(0, MOST_NAMES);
  return {
    ...{ name, description },
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(servers.length === 0 ? {} : { servers }),
  };
}
