import path from 'node:path';
import { done, type Outcome, refuse } from '../base/refusal.ts';
import type { NewAttachment } from '../protocol/intent.ts';
import type { Files } from '../system/files.ts';

export const MOST_BYTES = 10 * 1024 * 1024;
export const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
};

/** Files named with `--file`, as attachments of the first prompt. Refusals: `file-not-found`, `file-too-large`, `file-unreadable`. */
export async function attachFiles(
  files: Files,
  folder: string,
  names: readonly string[],
): Promise<Outcome<NewAttachment[]>> {
  const attachments: NewAttachment[] = [];
  for (const name of names) {
    const full = path.resolve(folder, name);
    const stat = await files.stat(full);
    if (stat === null) return refuse('file-not-found', `--file: there is no ${name}`);
    if (stat.size > MOST_BYTES) return refuse('file-too-large', `--file: ${name} is larger than 10 MB`);
    try {
      const bytes = await files.read(full, MOST_BYTES);
      const mediaType = MEDIA_TYPES[path.extname(name).toLowerCase()];
      attachments.push({
        kind: mediaType?.startsWith('image/') ? 'image' : 'file',
        name,
        mediaType: mediaType ?? 'text/plain',
        base64: Buffer.from(bytes).toString('base64'),
      });
    } catch (error) {
      return refuse(
        'file-unreadable',
        `--file: ${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return done(attachments);
}
