import { SystemError } from '../../system/files.ts';
import type { PlanContext } from './tool.ts';
import { explain } from './tool-paths.ts';

/** Files beyond this are not edited or replaced as text. */
export const MOST_EDIT_BYTES = 16 * 1024 * 1024;

export type WholeFile =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'missing' }
  /** Not something that can be written to; says so without showing content. */
  | { readonly kind: 'impossible'; readonly message: string };

/** Looks at a file for a plan, through links, without blocking on pipes and devices. */
export async function readWhole(files: PlanContext['files'], path: string): Promise<WholeFile> {
  try {
    const stat = await files.stat(path);
    if (stat === null) return { kind: 'missing' };
    if (stat.kind === 'folder') return { kind: 'impossible', message: `${path} is a folder.` };
    if (stat.kind !== 'file') return { kind: 'impossible', message: `${path} is not an ordinary file.` };
    if (stat.size > MOST_EDIT_BYTES)
      return { kind: 'impossible', message: `${path} is too large to be edited (${stat.size} bytes).` };
    const file = await files.open(path, { write: false, follow: true });
    try {
      return { kind: 'file', bytes: await file.readAll(MOST_EDIT_BYTES) };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof SystemError) return { kind: 'impossible', message: explain(error, path) };
    throw error;
  }
}
