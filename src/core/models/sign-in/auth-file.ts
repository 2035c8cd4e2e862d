import path from 'node:path';
import { done, type Outcome, refuse } from '../../../base/refusal.ts';
import type { Clock } from '../../../system/clock.ts';
import type { Environment } from '../../../system/environment.ts';
import { type Files, type OpenFile, SystemError } from '../../../system/files.ts';

/** What a sign-in left behind. `expires` is in milliseconds since the epoch. */
export interface OAuthRecord {
  readonly type: 'oauth';
  readonly access: string;
  readonly refresh: string;
  readonly expires: number;
  readonly account: string;
  readonly email: string | null;
}

/** A key the person put there; we never write one. */
export interface KeyRecord {
  readonly type: 'api-key';
  readonly key: string;
}

export type AuthRecord = OAuthRecord | KeyRecord;

/**
 * `auth.json`: credentials by provider, readable by their owner alone. One that others could read, or that is a link, is
 * refused before a byte of it is looked at (PRV-5).
 */
export interface AuthFile {
  /** Null where nothing is kept. */
  readonly path: string | null;
  /** As of the last `load`; what cannot be read counts as nothing. */
  has(provider: string): boolean;
  record(provider: string): AuthRecord | null;
  providers(): readonly string[];
  /** Reads it anew. Refuses with `auth-file-unsafe` or `auth-file-unreadable`. */
  load(): Promise<Outcome<null>>;
  /** Keeps a record, or with null forgets it; on the disk before it resolves. */
  keep(provider: string, record: AuthRecord | null): Promise<Outcome<null>>;
  /** Runs `work` while no other process does: a refresh token can be used once only. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export interface AuthFileParts {
  readonly files: Files;
  readonly clock: Clock;
  readonly environment: Pick<Environment, 'userId'>;
  /** Folder of Houston's state; null: nothing is kept. */
  readonly state: string | null;
}

const MOST_BYTES = 256 * 1024;
/** A lock older than this belongs to a process that is gone; nobody holds one longer than a request may take. */
const LOCK_STALE_MS = 60_000;
const LOCK_STEP_MS = 50;

export function createAuthFile({ files, clock, environment, state }: AuthFileParts): AuthFile {
  const file = state === null ? null : path.join(state, 'auth.json');
  let records: Readonly<Record<string, AuthRecord>> = {};
  /** Everything in the file, also what another version put there. */
  let whole: Readonly<Record<string, unknown>> = {};
  let before: Promise<unknown> = Promise.resolve();

  const read = async (): Promise<Outcome<null>> => {
    if (file === null) return done(null);
    records = {};
    whole = {};
    let open: OpenFile;
    try {
      open = await files.open(file, { write: false, follow: false });
    } catch (error) {
      const code = error instanceof SystemError ? error.code : '';
      if (code === 'ENOENT') return done(null);
      if (code === 'ELOOP' || code === 'EMLINK') return unsafe(`${file} is a link: put the file itself there`);
      return refuse('auth-file-unreadable', `${file} cannot be read (${code})`);
    }
    try {
      const { mode, owner, kind } = await open.stat();
      if (kind !== 'file') return unsafe(`${file} is not a file`);
      if ((mode & 0o077) !== 0) return unsafe(`${file} can be read by others: chmod 600 ${file}`);
      if (owner !== environment.userId) return unsafe(`${file} belongs to somebody else`);
      const found: unknown = JSON.parse(new TextDecoder().decode(await open.readAll(MOST_BYTES)));
      if (!isRecord(found))
        return refuse('auth-file-unreadable', `${file} holds no records: remove it and sign in again`);
      whole = found;
      records = Object.fromEntries(
        Object.entries(found).flatMap(([provider, value]) => {
          const record = readRecord(value);
          return record === null ? [] : [[provider, record] as const];
        }),
      );
      return done(null);
    } catch {
      // What JSON.parse says would quote the file.
      return refuse('auth-file-unreadable', `${file} cannot be understood: remove it and sign in again`);
    } finally {
      await open.close().catch(() => {});
    }
  };

  const keep = async (provider: string, record: AuthRecord | null): Promise<Outcome<null>> => {
    if (file === null || state === null)
      return refuse('not-saved', 'A sign-in is kept in a file, and neither HOME nor HOUSTON_HOME is set');
    const loaded = await read();
    if (!loaded.ok) return loaded;
    const { [provider]: _, ...others } = whole;
    const next = record === null ? others : { ...others, [provider]: record };
    try {
      await files.makeFolder(state, 0o700);
      const bytes = new TextEncoder().encode(`${JSON.stringify(next, null, 2)}\n`);
      await files.writeAtomic(file, bytes, { mode: 0o600, flush: true });
    } catch (error) {
      const code = error instanceof SystemError ? error.code : 'unknown';
      // It serves as long as we run: a token that was renewed cannot be renewed a second time.
      if (record !== null) records = { ...records, [provider]: record };
      return refuse('not-saved', `${file} cannot be written (${code})`);
    }
    return read();
  };

  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    if (file === null || state === null) return work();
    const lock = `${file}.lock`;
    let held = false;
    try {
      held = await takeLock(lock);
      return await work();
    } finally {
      if (held) await files.remove(lock).catch(() => {});
    }
  };

  /** False where no lock can be made at all: then we go on without. */
  const takeLock = async (lock: string): Promise<boolean> => {
    for (;;) {
      try {
        await files.createNew(lock, new Uint8Array(), 0o600);
        return true;
      } catch (error) {
        if (!(error instanceof SystemError) || error.code !== 'EEXIST') return false;
      }
      const stat = await files.linkStat(lock);
      const age = stat === null ? 0 : clock.now() - stat.modifiedMs;
      if (age > LOCK_STALE_MS) await files.remove(lock).catch(() => {});
      else await clock.sleep(LOCK_STEP_MS);
    }
  };

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = before.then(work);
    before = result.catch(() => undefined);
    return result;
  };

  return {
    path: file,
    has: (provider) => Object.hasOwn(records, provider),
    record: (provider) => (Object.hasOwn(records, provider) ? (records[provider] ?? null) : null),
    providers: () => Object.keys(records),
    load: () => inTurn(read),
    keep: (provider, record) => inTurn(() => keep(provider, record)),
    alone,
  };
}

function unsafe(message: string): ReturnType<typeof refuse> {
  return refuse('auth-file-unsafe', message);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readRecord(value: unknown): AuthRecord | null {
  if (!isRecord(value)) return null;
  if (value.type === 'api-key') return isText(value.key) ? { type: 'api-key', key: value.key.trim() } : null;
  const { type, access, refresh, expires, account, email } = value;
  if (type !== 'oauth' || !isText(access) || !isText(refresh) || typeof expires !== 'number') return null;
  const named = typeof account === 'string' ? account : '';
  return { type, access, refresh, expires, account: named, email: typeof email === 'string' ? email : null };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
