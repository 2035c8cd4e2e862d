import type { Files } from '../../system/files.ts';

/** What a sign-in left behind, enough to renew it. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string | null;
  /** Milliseconds since the epoch; null where the service did not say. */
  readonly expires: number | null;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly tokenUrl: string;
}

/** Sign-ins by the address of their server, for their owner alone: `mcp-tokens.json` in the state folder. */
export interface TokenFile {
  load(url: string): Promise<Tokens | null>;
  /** Null forgets it; false when that could not be written. */
  keep(url: string, tokens: Tokens | null): Promise<boolean>;
  /** Runs `work` while no other process does: a token can be renewed once only. */
  alone<T>(work: () => Promise<T>): Promise<T | null>;
}

const MOST_BYTES = 1024 * 1024;

export function openTokenFile(
  files: Pick<Files, 'open' | 'writeAtomic'>,
  file: string,
  lock: <T>(work: () => Promise<T>) => Promise<T | null>,
): TokenFile {
  /** One that others can read, or that is a link, is as good as none. */
  const all = async (): Promise<Readonly<Record<string, unknown>>> => {
    try {
      const open = await files.open(file, { write: false, follow: false });
      try {
        const { kind, mode } = await open.stat();
        if (kind !== 'file' || (mode & 0o077) !== 0) return {};
        const value: unknown = JSON.parse(new TextDecoder().decode(await open.readAll(MOST_BYTES)));
        return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
      } finally {
        await open.close();
      }
    } catch {
      return {};
    }
  };
  return {
    load: async (url) => {
      const there = await all();
      return Object.hasOwn(there, url) ? readTokens(there[url]) : null;
    },
    keep: async (url, tokens) => {
      const { [url]: _, ...others } = await all();
      const next = tokens === null ? others : { ...others, [url]: tokens };
      try {
        const bytes = new TextEncoder().encode(`${JSON.stringify(next, null, 1)}\n`);
        await files.writeAtomic(file, bytes, { mode: 0o600, flush: true });
        return true;
      } catch {
        return false;
      }
    },
    alone: lock,
  };
}

function readTokens(value: unknown): Tokens | null {
  if (typeof value !== 'object' || value === null) return null;
  const { access, refresh, expires, clientId, clientSecret, tokenUrl } = value as Partial<Tokens>;
  const texts = [access, clientId, tokenUrl].every((text) => typeof text === 'string');
  const maybes = [refresh, clientSecret].every((text) => text === null || typeof text === 'string');
  return texts && maybes && (expires === null || typeof expires === 'number') ? (value as Tokens) : null;
}
