import path from 'node:path';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { sha256 } from '../../base/sha256.ts';
import type { NewAttachment } from '../../protocol/intent.ts';
import type { Attachment } from '../../protocol/message.ts';
import type { Files } from '../../system/files.ts';

/** Largest thing that can be attached, in bytes. */
const ATTACHMENT_LIMIT = 32 * 1024 * 1024;

/** Bytes people attach, stored once under their SHA-256 in the session's `attachments/`. */
export interface Attachments {
  keep(wish: NewAttachment): Promise<Outcome<Attachment>>;
  /** Null when the bytes are gone. */
  load(attachment: Pick<Attachment, 'hash'>): Promise<Uint8Array | null>;
}

/** `folder`: null when nothing is saved; then the bytes live as long as the session does. */
export function createAttachments(files: Files, folder: string | null): Attachments {
  const held = new Map<string, Uint8Array>();
  let made = false;

  const store = async (hash: string, bytes: Uint8Array): Promise<void> => {
    if (folder === null) {
      held.set(hash, bytes);
      return;
    }
    if (!made) await files.makeFolder(folder, 0o700);
    made = true;
    const file = path.join(folder, hash);
    if ((await files.stat(file)) === null) await files.writeAtomic(file, bytes, { mode: 0o600, flush: true });
  };

  const load = async ({ hash }: Pick<Attachment, 'hash'>): Promise<Uint8Array | null> => {
    if (folder === null) return held.get(hash) ?? null;
    return files.read(path.join(folder, hash), ATTACHMENT_LIMIT).catch(() => null);
  };

  return {
    load,
    keep: async (wish) => {
      if (wish.kind === 'stored') {
        if (!/^[0-9a-f]{64}$/.test(wish.attachment.hash) || (await load(wish.attachment)) === null) {
          return refuse('attachment-missing', `What was attached as ${wish.attachment.name} is no longer there.`);
        }
        return done(wish.attachment);
      }
      const bytes = Uint8Array.from(Buffer.from(wish.base64, 'base64'));
      if (bytes.length > ATTACHMENT_LIMIT) return refuse('attachment-too-large', `${wish.name} is larger than 32 MB.`);
      const hash = sha256(bytes);
      await store(hash, bytes);
      return done({ kind: wish.kind, name: wish.name, mediaType: wish.mediaType, bytes: bytes.length, hash });
    },
  };
}
