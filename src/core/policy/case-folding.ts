import type { Files } from '../../system/files.ts';

/** Whether the volume `folder` lies on tells upper from lower case no apart: then rules do not either (RULE-2). */
export async function ignoresCase(files: Pick<Files, 'stat'>, folder: string): Promise<boolean> {
  const other = [...folder].map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join('');
  if (other === folder) return false;
  const [here, there] = await Promise.all([files.stat(folder), files.stat(other)]);
  return here !== null && there !== null && here.inode === there.inode && here.device === there.device;
}
