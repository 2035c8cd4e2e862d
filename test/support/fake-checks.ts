import type { Refusal, StrictLimits } from './fake-service.ts';
import { imageSize } from './image-size.ts';

/** Checks a strict fake is built from: each ends by `refuse`, which `judged` turns into a value. */
class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function refuse(message: string, status = 400, type = 'invalid_request_error'): never {
  throw new Refused({ status, type, message });
}

/** Runs `checks`; the body as far as it was seen stands beside the verdict, since a test may look at it. */
export function judged<Body>(
  nothing: Body,
  checks: (seen: (body: Body) => void) => void,
): { refused: Refusal | null; body: Body } {
  let body = nothing;
  try {
    checks((given) => {
      body = given;
    });
    return { refused: null, body };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.refusal, body };
    throw error;
  }
}

/** JSON in whole UTF-8 without half characters; `fail` words the refusal. */
export function parseBody(bytes: Buffer, fail: (why: string) => never): unknown {
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    fail(': invalid utf-8');
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    fail('');
  }
  if (!everyText(body, (one) => one.isWellFormed())) fail(': no low surrogate in string: line 1');
  return body;
}

function everyText(value: unknown, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value);
  if (Array.isArray(value)) return value.every((one) => everyText(one, test));
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, one]) => test(key) && everyText(one, test));
}

export function unknownField(value: object, fields: readonly string[]): string | null {
  return Object.keys(value).find((key) => !fields.includes(key)) ?? null;
}

/** What is wrong with a picture given as base64; null when nothing is. */
export function imageTrouble(mediaType: string, base64: string, limits: StrictLimits): string | null {
  if (base64.length > limits.imageBytes) return `the image is larger than ${limits.imageBytes} bytes`;
  const size = imageSize(Buffer.from(base64, 'base64'));
  if (size === null) return 'the image data does not represent a valid image';
  if (size.mediaType !== mediaType) return `the image is not of the media type ${mediaType}`;
  if (Math.max(size.width, size.height) > limits.imageSide)
    return `an image dimension exceeds the maximum of ${limits.imageSide} pixels`;
  return null;
}

/** Why declared tools would be refused; null when they are fine. */
export function toolTrouble(
  tools: readonly { readonly name: string; readonly parameters?: unknown }[],
  longest: number,
): string | null {
  const names = new Set<string>();
  for (const { name, parameters } of tools) {
    if (!new RegExp(`^[a-zA-Z0-9_-]{1,${longest}}$`).test(name)) return `the name '${name}' does not match the pattern`;
    if (names.has(name)) return `the name '${name}' is used twice`;
    names.add(name);
    if ((parameters as { type?: unknown } | undefined)?.type !== 'object')
      return `schema of '${name}' must be of type object`;
  }
  return null;
}
