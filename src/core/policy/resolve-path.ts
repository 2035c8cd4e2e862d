import { basename, dirname, join } from 'node:path';
import type { Files } from '../../system/files.ts';

type Looking = Pick<Files, 'realPath' | 'linkStat' | 'readLink'>;

/** As many links as Linux follows before it gives up. */
const MOST_LINKS = 40;

/**
 * Where `path` really is, also when nothing is there yet: the deepest existing folder with its links resolved, the rest
 * appended. A link that leads nowhere counts as the place it names, since writing would create that.
 */
export async function resolvePath(files: Looking, path: string): Promise<string> {
  let current = await walk(files, path);
  let rest: string[] = [];
  for (let links = 0; links <= MOST_LINKS; ) {
    const real = await files.realPath(current);
    if (real !== null) return join(real, ...rest);
    const stat = await files.linkStat(current);
    const target = stat?.kind === 'link' ? await files.readLink(current) : null;
    if (target !== null) {
      const folder = await resolvePath(files, dirname(current));
      current = await walk(files, target.startsWith('/') ? target : `${folder}/${target}`);
      links++;
      continue;
    }
    if (dirname(current) === current) break;
    rest = [basename(current), ...rest];
    current = dirname(current);
  }
  return join(current, ...rest);
}

/** An absolute path without `..`, as the system takes it: behind a link, that is the folder above where the link leads. */
async function walk(files: Looking, path: string): Promise<string> {
  let current = '/';
  for (const segment of path.split('/')) {
    if (segment === '..') current = dirname(await resolvePath(files, current));
    else current = join(current, segment);
  }
  return current;
}
