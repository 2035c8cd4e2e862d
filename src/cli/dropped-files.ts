import path from 'node:path';
import type { NewAttachment } from '../protocol/intent.ts';
import { type Files, SystemError } from '../system/files.ts';
import { MEDIA_TYPES, MOST_BYTES } from './attach-files.ts';

export type DroppedFiles =
  | { readonly kind: 'files'; readonly files: readonly NewAttachment[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly why: string };

/** Where a file holds no zero byte this far, it is taken as text. */
const LOOKED_AT = 8 * 1024;

/**
 * What was dropped onto the window, to go with the prompt: pictures, PDFs and text. `none` where one of them is no file or
 * holds something else: then its path says more (ADD-9).
 */
export async function readDroppedFiles(files: Files, paths: readonly string[]): Promise<DroppedFiles> {
  const found: NewAttachment[] = [];
  for (const full of paths) {
    try {
      const stat = await files.stat(full);
      if (stat?.kind !== 'file') return { kind: 'none' };
      const name = path.basename(full);
      if (stat.size > MOST_BYTES) {
        return { kind: 'refused', why: `${name} has ${(stat.size / 1024 / 1024).toFixed(1)} MB, 10 MB is the most` };
      }
      const bytes = await files.read(full, MOST_BYTES);
      const mediaType = MEDIA_TYPES[path.extname(full).toLowerCase()] ?? (isText(bytes) ? 'text/plain' : null);
      if (mediaType === null) return { kind: 'none' };
      const kind = mediaType.startsWith('image/') ? 'image' : 'file';
      found.push({ kind, name, mediaType, base64: Buffer.from(bytes).toString('base64') });
    } catch (error) {
      if (error instanceof SystemError) return { kind: 'none' };
      throw error;
    }
  }
  return { kind: 'files', files: found };
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.subarray(0, LOOKED_AT).includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
