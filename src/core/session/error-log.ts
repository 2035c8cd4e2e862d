import nodePath from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { type Aside, isRunningAside } from '../../protocol/aside.ts';
import type { Entry, EntryBody } from '../../protocol/entry.ts';
import type { Failure } from '../../protocol/failure.ts';
import type { ModelRef } from '../../protocol/message.ts';
import type { System } from '../../system/system.ts';
import type { Recorder } from '../runtime/runtime.ts';
import { ASIDE } from './aside-record.ts';

export const ERRORS_FILE = 'errors.log';
/** Names the entry that holds one of them. */
export const ERROR_RECORD = 'error';
/** Then the file becomes `errors.log.1`, in place of the one before. */
const MOST_BYTES = 1024 * 1024;
const MOST_FRAMES = 12;
const LONGEST_TEXT = 4_000;

export type ErrorOf = 'turn' | 'command' | 'aside' | 'intent' | 'mcp';

/** Remembers what failed, for whoever looks into it later; nothing where the session is not saved. */
export interface ErrorLog {
  /** Settles to where it was written; null when it was not. `name` is what failed, such as a command. */
  record(of: ErrorOf, name: string, error: unknown): Promise<string | null>;
  /** Turns and questions beside the conversation that failed, by what was written of them. */
  see(entry: Entry): void;
  /** Where a person finds what failed: the file, or the session's folder where it could not be written. */
  readonly place: string | null;
  /** Settles once everything so far is in the file. */
  settle(): Promise<void>;
}

export interface ErrorLogParts {
  readonly system: Pick<System, 'files' | 'clock' | 'ids'>;
  /** The session's folder; null when nothing is saved. */
  readonly folder: string | null;
  readonly recorder: Pick<Recorder, 'write'>;
  /** Told what a person can do about a failure, where it says that itself. */
  readonly advise: (text: string) => void;
  /** Whether other code is installed by now than the code that runs. */
  readonly codeChanged: () => boolean;
  readonly redact: (text: string) => string;
  readonly version: string;
  /** What requests go to now. */
  readonly model: () => ModelRef | null;
  /** The address a provider was given in settings or environment; null where it has its vendor's. */
  readonly addressOf: (provider: string) => string | null;
}

export function createErrorLog(parts: ErrorLogParts): ErrorLog {
  const { system, folder, recorder, redact } = parts;
  const { files, clock, ids } = system;
  const file = folder === null ? null : nodePath.join(folder, ERRORS_FILE);
  let before: Promise<unknown> = Promise.resolve();
  let unwritten = false;
  let toldOfCode = false;

  const append = async (path: string, line: string): Promise<boolean> => {
    try {
      const stat = await files.stat(path);
      if (stat !== null && stat.size + line.length > MOST_BYTES) await files.rename(path, `${path}.1`);
      const open = await files.openAppend(path, 0o600);
      try {
        await open.append(new TextEncoder().encode(line));
      } finally {
        await open.close();
      }
      return true;
    } catch {
      // A full disk: what failed was said already, and nothing depends on this.
      return false;
    }
  };

  const keep = (
    of: ErrorOf,
    name: string,
    facts: JsonObject,
    model: ModelRef | null = parts.model(),
  ): Promise<string | null> => {
    if (file === null) return Promise.resolve(null);
    const address = model === null ? null : plainAddress(parts.addressOf(model.provider));
    const data = redacted(
      {
        run: of === 'mcp' ? `mcp:${name}` : `${of}-${ids.hex(4)}`,
        of,
        name,
        ...facts,
        provider: model?.provider ?? null,
        model: model?.model ?? null,
        ...(address === null ? {} : { address }),
        version: parts.version,
      },
      redact,
    );
    const body: EntryBody = { kind: 'record', name: ERROR_RECORD, data };
    const line = `${JSON.stringify({ time: new Date(clock.now()).toISOString(), ...data })}\n`;
    const written = before.then(async () => {
      await recorder.write([body], { onFailure: 'keep' });
      unwritten = !(await append(file, line));
      return unwritten ? null : file;
    });
    before = written.catch(() => undefined);
    return written.catch(() => null);
  };

  return {
    get place() {
      return unwritten ? folder : file;
    },
    record: (of, name, error) => keep(of, name, factsOf(error)),
    see: (entry) => {
      if (entry.kind === 'turn-end' && (entry.reason === 'failed' || entry.reason === 'repeating'))
        void keep('turn', `turn ${entry.turn}`, {
          message: entry.message ?? '',
          ...(entry.failure === null ? {} : failureFacts(entry.failure)),
        });
      if (entry.kind === 'turn-end' && entry.reason === 'failed' && !toldOfCode && parts.codeChanged()) {
        toldOfCode = true;
        void recorder.write([NEW_CODE], { onFailure: 'keep' });
      }
      const advice = entry.kind === 'turn-end' && entry.failure !== null ? adviceFor(entry.failure.category) : null;
      if (advice !== null) parts.advise(advice);
      if (entry.kind !== 'record' || entry.name !== ASIDE) return;
      const aside = entry.data as unknown as Aside;
      const exchange = aside.exchanges.at(-1);
      if (exchange?.state !== 'failed' || isRunningAside(aside)) return;
      const { question, state: status, message } = exchange;
      // It may have been asked of another model than the conversation's.
      void keep(
        'aside',
        `#${aside.id}`,
        { message: message ?? '', question, status, effort: aside.effort },
        aside.model,
      );
    },
    settle: async () => {
      await before;
    },
  };
}

const NEW_CODE = {
  kind: 'note',
  level: 'warning',
  identifier: 'code-changed',
  text: 'Houston was updated while this session ran, and that may be why: /restart goes on with it on the new code.',
} as const;

function factsOf(error: unknown): JsonObject {
  if (!(error instanceof Error)) return { message: String(error) };
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => line.trim().startsWith('at '))
    .slice(0, MOST_FRAMES)
    .map((line) => line.trim());
  return { kind: error.name, message: error.message, frames };
}

function failureFacts({ category, status, requestId, detail, attempts }: Failure): JsonObject {
  const advice = adviceFor(category);
  return { category, status, requestId, detail, attempts, ...(advice === null ? {} : { advice }) };
}

/** What a person can do about it, where the failure itself says it; null for everything else. */
export function adviceFor(category: Failure['category']): string | null {
  switch (category) {
    case 'quota-exhausted':
      return 'Add credit to the account, or go on with another model: /model. Then try the turn again.';
    case 'rate-limited':
      return 'Wait until the service allows more, or go on with another model: /model. /usage says what is left.';
    default:
      return null;
  }
}

/** Without a name, a password, a query or a fragment: any of them can be a secret. */
export function plainAddress(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

function redacted(value: JsonObject, redact: (text: string) => string): JsonObject {
  const clean = (one: unknown): unknown => {
    if (typeof one === 'string') return redact(one.slice(0, LONGEST_TEXT).toWellFormed());
    if (Array.isArray(one)) return one.map(clean);
    return one;
  };
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, clean(one)])) as JsonObject;
}

/** What is said of a bug: that it is one, what it said, and where more of it lies. */
export function failedText(name: string, error: unknown, file: string | null): string {
  const message = error instanceof Error ? error.message : String(error);
  const stale = /Cannot find (?:module|package)|Failed to load/i.test(message)
    ? ' Houston was probably updated while this session ran: leave and resume it.'
    : '';
  return `${name} failed: ${message}.${stale}${file === null ? '' : ` More in ${file}`}`.replace('..', '.');
}
