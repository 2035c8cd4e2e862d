import { sha256 } from '../../base/sha256.ts';

/** SHA-256 as lower-case hex: the one name bytes have in plans, grants, entries and before-images. */
export function hashBytes(bytes: Uint8Array): string {
  return sha256(bytes);
}
