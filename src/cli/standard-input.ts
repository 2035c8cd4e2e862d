import { fstatSync } from 'node:fs';
import { done, type Outcome, refuse } from '../base/refusal.ts';

/** More than this is refused, with advice to use a file (ADD-11). */
const MOST_BYTES = 10 * 1024 * 1024;
/** Beside a prompt in words, how long a pipe may be silent before it is ignored (decisions §10.12). */
const FIRST_BYTE_MS = 3_000;

/** A terminal, or `/dev/null`. Told by the descriptor alone: opening its stream takes longer than the rest of the start. */
function nobodyWrites(): boolean {
  try {
    return fstatSync(0).isCharacterDevice();
  } catch {
    return true;
  }
}

/**
 * What was piped in; null when nothing was. With `beside` a prompt is there already: then a pipe nobody writes to is
 * given three seconds, said so, and left alone. Refusal: `input-too-large`, `input-not-text`.
 */
export async function readStandardInput(beside: boolean, say: (text: string) => void): Promise<Outcome<string | null>> {
  if (nobodyWrites()) return done(null);
  const chunks: Buffer[] = [];
  let size = 0;
  const finished = Promise.withResolvers<'end' | 'silent' | 'large'>();
  const patience = beside ? setTimeout(() => finished.resolve('silent'), FIRST_BYTE_MS) : undefined;
  const hint = beside ? setTimeout(() => say('houston: waiting up to 3 s for piped input\n'), 300) : undefined;
  const settle = (how: 'end' | 'large'): void => finished.resolve(how);
  const onData = (chunk: Buffer): void => {
    clearTimeout(patience);
    clearTimeout(hint);
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_BYTES) settle('large');
  };
  process.stdin.on('data', onData);
  process.stdin.once('end', () => settle('end'));
  // A closed descriptor is no input, not an error of the person's.
  process.stdin.once('error', () => settle('end'));
  process.stdin.once('close', () => settle('end'));
  const how = await finished.promise;
  clearTimeout(patience);
  clearTimeout(hint);
  process.stdin.off('data', onData);
  process.stdin.pause();
  if (how === 'silent') {
    say('houston: no piped input came within 3 s; going on without it\n');
    process.stdin.unref?.();
  }
  if (how === 'large')
    return refuse('input-too-large', 'piped input is larger than 10 MiB; put it into a file and name that');
  if (size === 0) return done(null);
  try {
    return done(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    return refuse('input-not-text', 'piped input is not UTF-8 text; put it into a file and name that');
  }
}
