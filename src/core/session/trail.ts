import type { TrailRow } from '../../protocol/query.ts';
import type { Clock } from '../../system/clock.ts';
import type { AppendFile, Files } from '../../system/files.ts';
import { type Audit, type AuditLine, auditJson, createAudit } from '../policy/audit.ts';
import { auditText, isRefusal } from '../policy/audit-text.ts';

/** The trail of one session: every decision, in its file and for whoever looks at it. */
export interface Trail {
  readonly audit: Audit;
  /** Lines `from`..`from+count-1`, oldest first; a `from` of null: the last `count`. Lines of earlier runs count too. */
  read(from: number | null, count: number): Promise<{ total: number; from: number; lines: AuditLine[] }>;
  /** Settles once every line so far is in the file. */
  close(): Promise<void>;
}

export interface TrailParts {
  readonly files: Pick<Files, 'openAppend' | 'read' | 'stat'>;
  readonly clock: Pick<Clock, 'now'>;
  /** `audit.jsonl` of the session; null when nothing is saved: then the trail is gone with the session. */
  readonly file: string | null;
  /** Told of each line as well (`--trace`). */
  readonly onLine?: (line: AuditLine) => void;
}

const MOST_BYTES = 64 * 1024 * 1024;

/** A trail that cannot be written stops nothing: the decisions it tells of were made, and the next line tries again. */
export function createTrail({ files, clock, file, onLine }: TrailParts): Trail {
  const lines: AuditLine[] = [];
  const encoder = new TextEncoder();
  let open: AppendFile | null = null;
  let waiting: AuditLine[] = [];
  let writing: Promise<void> | null = null;
  let earlier: Promise<AuditLine[]> | null = null;
  let closed = false;

  const release = async (): Promise<void> => {
    const file = open;
    open = null;
    await file?.close().catch(() => undefined);
  };
  const readEarlier = (path: string): Promise<AuditLine[]> => readTrail(files, path).catch(() => []);
  const write = async (path: string): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        // What was there before this run is read before it grows.
        earlier ??= readEarlier(path);
        await earlier;
        open ??= await files.openAppend(path, 0o600);
        await open.append(encoder.encode(batch.map((line) => `${JSON.stringify(auditJson(line))}\n`).join('')));
      } catch {
        waiting = [...batch, ...waiting];
        break;
      } finally {
        // What a session says in ending is written like all else, and holds no file open.
        if (closed) await release();
      }
    }
    writing = null;
  };
  const sink = (line: AuditLine): void => {
    lines.push(line);
    onLine?.(line);
    if (file === null) return;
    waiting.push(line);
    writing ??= write(file);
  };

  return {
    audit: createAudit(sink, clock.now),
    read: async (from, count) => {
      if (file !== null) earlier ??= readEarlier(file);
      const all = [...((await earlier) ?? []), ...lines];
      const first = Math.max(0, from ?? all.length - count);
      return { total: all.length, from: first, lines: all.slice(first, first + count) };
    },
    close: async () => {
      closed = true;
      await writing;
      await release();
    },
  };
}

export function trailRow(line: AuditLine): TrailRow {
  return {
    time: line.time,
    event: line.event,
    text: auditText(line),
    refused: isRefusal(line),
    call: 'call' in line ? line.call : null,
    delegate: line.delegate ?? null,
  };
}

/** Lines of a trail as it lies on the disk; a torn or foreign one costs itself. */
export async function readTrail(files: Pick<Files, 'read' | 'stat'>, path: string): Promise<AuditLine[]> {
  if ((await files.stat(path)) === null) return [];
  const text = new TextDecoder().decode(await files.read(path, MOST_BYTES));
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      const found = value as Partial<AuditLine> | null;
      return typeof found?.event === 'string' && typeof found.time === 'number' ? [value as AuditLine] : [];
    } catch {
      return [];
    }
  });
}
