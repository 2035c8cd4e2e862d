import type { FileStat } from '../../system/files.ts';

/** Told from another file with the same bytes in no other way than by what the system says of it. */
export interface FileIdentity {
  readonly size: number;
  readonly inode: number;
  readonly device: number;
  readonly changedMs: number | null;
}

export function identityOf({ size, inode, device, changedMs }: FileStat): FileIdentity {
  return { size, inode, device, changedMs: changedMs ?? null };
}

/** Nobody wrote to the file in between: no program can set back when it was changed. */
export function isUntouched(now: FileIdentity, then: FileIdentity): boolean {
  return (
    now.changedMs === then.changedMs && now.size === then.size && now.inode === then.inode && now.device === then.device
  );
}
