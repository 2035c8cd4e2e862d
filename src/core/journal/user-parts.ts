import type { Said } from '../../protocol/fold.ts';
import type { Attachment } from '../../protocol/message.ts';
import type { UserPart } from '../models/model.ts';

export interface PartOptions {
  /** Bytes of an attachment as base64; null when they are no longer there. */
  readonly loadAttachment: (attachment: Attachment) => Promise<string | null>;
  /** Whether the model takes images. */
  readonly images: boolean;
  /** Hashes of attachments, ids of calls and ids of entries that the service refused: they are left out, and said to be. */
  readonly dropped: ReadonlySet<string>;
}

export type ImagePart = Extract<UserPart, { type: 'image' }>;

/** Characters of an attached text file that are sent. */
const FILE_TEXT_LIMIT = 64 * 1024;
const TEXT_TYPES = /^text\/|[/+](json|xml|yaml|toml|javascript|typescript|x-sh)$/;

/** A text part, none for text without a single visible character: services refuse those. */
export function textPart(text: string): UserPart[] {
  return text.trim() === '' ? [] : [{ type: 'text', text: text.toWellFormed() }];
}

export async function userParts(said: Said, options: PartOptions): Promise<UserPart[]> {
  const parts: UserPart[] = textPart(said.text);
  for (const attachment of said.attachments) parts.push(...(await attachmentParts(attachment, options)));
  return parts;
}

export async function attachmentParts(attachment: Attachment, options: PartOptions): Promise<UserPart[]> {
  const image = attachment.kind === 'image';
  const name = `${image ? 'image' : 'file'} ${JSON.stringify(attachment.name.toWellFormed())}`;
  if (options.dropped.has(attachment.hash)) return textPart(`[${name} left out: the model service refused it]`);
  if (image && !options.images) return textPart(`[${name} left out: this model takes no images]`);
  if (!image && !TEXT_TYPES.test(attachment.mediaType)) {
    return textPart(`[${name} attached: ${attachment.mediaType}, ${attachment.bytes} bytes, not shown]`);
  }
  const base64 = await options.loadAttachment(attachment);
  if (base64 === null || base64 === '') return textPart(`[${name} left out: its bytes are no longer there]`);
  if (image) return [{ type: 'image', mediaType: attachment.mediaType, base64, name: attachment.name.toWellFormed() }];
  const text = new TextDecoder().decode(Uint8Array.fromBase64(base64));
  const cut = text.length > FILE_TEXT_LIMIT ? `\n[cut after ${FILE_TEXT_LIMIT} of ${text.length} characters]` : '';
  return textPart(`${name}:\n${text.slice(0, FILE_TEXT_LIMIT)}${cut}`);
}
