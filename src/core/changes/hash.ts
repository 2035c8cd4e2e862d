import { createHash } from 'node:crypto';

/** SHA-256 as lower-case hex: the one name bytes have in plans, grants, entries and before-images. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
