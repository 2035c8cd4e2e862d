import type { FileDiff } from '../../protocol/display.ts';
import { TRUSTED_PRIVATE, UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import type { Files } from '../../system/files.ts';
import type { BeforeImages } from '../changes/before-images.ts';
import type { FileChange } from '../changes/ledger.ts';
import { fileDiff } from '../changes/patch.ts';
import { isWithin } from '../policy/paths.ts';

const LARGEST = 8 * 1024 * 1024;

export interface ChangeSources {
  readonly files: Pick<Files, 'read'>;
  readonly images: Pick<BeforeImages, 'read'>;
  readonly changes: readonly FileChange[];
  readonly workspace: string;
}

/**
 * What the files this session changed look like now, against what they held before its first change; `path` null for all
 * of them. A file that is as it was is left out; one that cannot be compared is named without hunks.
 */
export async function sessionChanges(
  { files, images, changes, workspace }: ChangeSources,
  path: string | null,
): Promise<FileDiff[]> {
  const first = new Map<string, string | null>();
  for (const change of changes) if (!first.has(change.path)) first.set(change.path, change.before);
  const diffs: FileDiff[] = [];
  for (const [file, hash] of first) {
    if (path !== null && file !== path) continue;
    const now = await files.read(file, LARGEST).catch(() => null);
    if (now === null && hash === null) continue;
    const before = hash === null ? new Uint8Array() : await images.read(hash);
    const kind = hash === null ? 'create' : now === null ? 'delete' : 'edit';
    const label = isWithin(file, workspace) ? TRUSTED_PRIVATE : UNTRUSTED_PRIVATE;
    const diff = fileDiff(file, kind, textOf(before), textOf(now ?? new Uint8Array()), label);
    if (kind !== 'edit' || diff.hunks.length > 0 || !diff.complete) diffs.push(diff);
  }
  return diffs;
}

/** Null for what is no text: it is named, not compared. */
function textOf(bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
