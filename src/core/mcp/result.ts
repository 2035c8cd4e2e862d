import type { Json } from '../../base/json.ts';
import type { ToolOutcome } from '../tools/tool.ts';
import { isObject } from './config.ts';
import type { Answer } from './peer.ts';

/** So much of an answer is kept; the rest is gone, and that is said in it. */
const MOST_TEXT = 4 * 1024 * 1024;

/** What a call came to. Whatever the server said is content nobody vouched for, its errors too (SEC-5). */
export function outcomeOf(answer: Answer, source: { readonly server: string; readonly tool: string }): ToolOutcome {
  const provenance = { from: 'external', ...source } as const;
  if (!answer.ok) {
    if (answer.why === 'stopped')
      return {
        ok: false,
        kind: 'stopped',
        message: `${source.server} was told to stop; what it did by then is not known.`,
      };
    const message = `${source.server} did not do it: ${answer.message}.`;
    if (answer.said === undefined) return { ok: false, kind: 'error', message };
    return { ok: false, kind: 'error', message: answer.said, provenance, display: { kind: 'none' } };
  }
  const read = readResult(answer.result);
  if (read === null)
    return { ok: false, kind: 'error', message: `${source.server} answered with no result of a tool.` };
  if (read.failed) return { ok: false, kind: 'error', message: read.text, provenance, display: { kind: 'none' } };
  return {
    ok: true,
    text: read.text,
    provenance,
    display: { kind: 'none' },
    ...(read.picture === null ? {} : { aside: read.picture }),
  };
}

interface ReadResult {
  readonly text: string;
  readonly failed: boolean;
  /** Where the whole answer is one picture: its bytes. */
  readonly picture: { readonly form: 'picture'; readonly mediaType: string; readonly bytes: Uint8Array } | null;
}

function readResult(result: Json): ReadResult | null {
  if (!isObject(result)) return null;
  const { content, structuredContent, isError } = result;
  if (content !== undefined && !Array.isArray(content)) return null;
  const parts = (content ?? []) as readonly Json[];
  if (parts.length === 0 && structuredContent === undefined)
    return content === undefined ? null : EMPTY(isError === true);
  const texts = parts.map(partText);
  const text = texts.length === 0 ? JSON.stringify(structuredContent, null, 2) : texts.join('\n');
  const [only] = parts;
  return {
    text: cut(text),
    failed: isError === true,
    picture: parts.length === 1 && isError !== true ? pictureIn(only!) : null,
  };
}

const EMPTY = (failed: boolean): ReadResult => ({ text: '', failed, picture: null });

function partText(part: Json): string {
  if (!isObject(part)) return '[a part that is none]';
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? part.text.toWellFormed() : '';
    case 'image':
    case 'audio':
      return `[${part.type}, ${mediaOf(part.mimeType)}, ${typeof part.data === 'string' ? Math.floor((part.data.length * 3) / 4) : 0} bytes]`;
    case 'resource': {
      const { resource } = part;
      if (!isObject(resource)) return '[a resource]';
      return typeof resource.text === 'string'
        ? resource.text.toWellFormed()
        : `[a resource, ${mediaOf(resource.mimeType)}]`;
    }
    case 'resource_link':
      return `[a resource: ${typeof part.uri === 'string' ? part.uri.slice(0, 2_000) : 'without an address'}]`;
    default:
      return '[a part of a kind that is not known here]';
  }
}

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function pictureIn(part: Json): ReadResult['picture'] {
  if (!isObject(part) || part.type !== 'image' || typeof part.data !== 'string') return null;
  const mediaType = mediaOf(part.mimeType);
  if (!PICTURES.has(mediaType) || part.data.length > MOST_TEXT) return null;
  return { form: 'picture', mediaType, bytes: new Uint8Array(Buffer.from(part.data, 'base64')) };
}

function mediaOf(type: Json | undefined): string {
  return typeof type === 'string' && /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type.toLowerCase() : 'unknown';
}

function cut(text: string): string {
  return text.length <= MOST_TEXT
    ? text
    : `${text.slice(0, MOST_TEXT).toWellFormed()}\n[Houston: cut here; the answer had ${text.length} characters.]`;
}
