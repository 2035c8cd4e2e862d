import type { Clock } from '../../system/clock.ts';
import type { Environment } from '../../system/environment.ts';
import type { Files } from '../../system/files.ts';
import type { Network } from '../../system/network.ts';
import { newerRelease } from './releases.ts';

const PACKAGE = 'houston';
const PUBLIC = 'https://registry.npmjs.org';
/** An answer is waited for so long, and read so far. */
const LIMIT_MS = 10_000;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_NPMRC = 64 * 1024;
/** All that is needed of each version, in a few kilobytes. */
const SHORT = 'application/vnd.npm.install-v1+json';

/** `none`: this is the newest. `unknown`: the registry did not answer, or not so that it could be understood. */
export type Found = { readonly kind: 'newer'; readonly version: string } | { readonly kind: 'none' | 'unknown' };

interface Parts {
  readonly network: Pick<Network, 'fetch'>;
  readonly files: Pick<Files, 'read' | 'stat'>;
  readonly environment: Pick<Environment, 'get' | 'home'>;
  readonly clock: Pick<Clock, 'after'>;
}

/** Asks the registry once whether there is a newer release than `own`. Says nothing of whoever asks; never rejects. */
export async function askRegistry(parts: Parts, own: string): Promise<Found> {
  const stop = new AbortController();
  const late = parts.clock.after(LIMIT_MS, () => stop.abort());
  try {
    const registry = await registryOf(parts);
    const answer = await parts.network.fetch(`${registry}/${PACKAGE}`, {
      headers: { accept: SHORT },
      redirect: 'error',
      signal: stop.signal,
    });
    // Nothing of the name there: nothing newer either.
    if (answer.status === 404) return { kind: 'none' };
    if (!answer.ok) return { kind: 'unknown' };
    const version = newerRelease(JSON.parse(await readSome(answer)), own);
    return version === null ? { kind: 'none' } : { kind: 'newer', version };
  } catch {
    return { kind: 'unknown' };
  } finally {
    late();
    stop.abort();
  }
}

async function readSome(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw new Error('too long');
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** Where the package manager looks too: its variable, then what the person's `.npmrc` says, then the public one. */
async function registryOf({ environment, files }: Parts): Promise<string> {
  const named = environment.get('npm_config_registry') ?? environment.get('NPM_CONFIG_REGISTRY') ?? (await ofNpmrc());
  return isAddress(named) ? named.replace(/\/+$/, '') : PUBLIC;

  async function ofNpmrc(): Promise<string | null> {
    if (environment.home === null) return null;
    const file = `${environment.home}/.npmrc`;
    const stat = await files.stat(file).catch(() => null);
    if (stat?.kind !== 'file') return null;
    const text = new TextDecoder().decode(await files.read(file, MOST_NPMRC));
    return /^\s*registry\s*=\s*(\S+)\s*$/m.exec(text)?.[1] ?? null;
  }
}

function isAddress(text: string | null): text is string {
  return text !== null && /^https?:\/\//.test(text) && URL.canParse(text);
}
