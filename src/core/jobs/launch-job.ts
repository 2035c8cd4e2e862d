import { join } from 'node:path';
import { SystemError } from '../../system/files.ts';
import type { Child, TerminalChild } from '../../system/processes.ts';
import { callMark } from './child-environment.ts';
import { EXIT, type JobRecord, writeRecord } from './job-record.ts';
import type { JobsParts } from './jobs.ts';
import type { LineOrder } from './line.ts';
import { type LineParts, notStarted, type PreparedLine, prepareLine } from './run-line.ts';
import { logWriter, type Started } from './running-job.ts';
import { outputName } from './saved-output.ts';
import { USUAL_SIZE } from './screen-text.ts';
import { supervise } from './supervise.ts';

export interface Launch {
  readonly id: string;
  readonly place: string;
  readonly order: LineOrder;
  readonly by: 'model' | 'person';
  readonly signal: AbortSignal;
}

/**
 * Starts a line under its supervisor, its record on the disk before it. Null where nothing can be written: then it has not
 * been started. Throws a `SystemError` where it cannot be started as it should be; nothing is left of it then.
 */
export async function launchJob(parts: JobsParts, lines: LineParts, launch: Launch): Promise<Started | null> {
  const { files, processes, clock } = parts;
  const { id, place, order, by, signal } = launch;
  const log = parts.outputs === null ? join(place, 'log') : join(parts.outputs, outputName(order.call));
  let record: JobRecord = {
    command: order.line,
    purpose: order.purpose ?? '',
    folder: order.folder,
    session: parts.session,
    mark: callMark({ session: parts.session, call: order.call }),
    by,
    call: order.call,
    reads: order.reads ?? 'text',
    log,
    scratch: parts.scratch ?? null,
    // A terminal is held by this process and ends with it.
    lifetime: order.terminal === true && parts.lifetime === 'detached' ? 'session' : parts.lifetime,
    background: order.background === true,
    terminal: order.terminal === true,
    holdsTree: false,
    started: clock.now(),
    pid: null,
    startTime: null,
    stopped: false,
    told: [],
  };
  try {
    await files.makeFolder(place, 0o700);
    if (parts.outputs !== null) await files.makeFolder(parts.outputs, 0o700);
    await writeRecord(files, place, record);
    await (await files.openAppend(log, 0o600)).close();
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    await files.remove(place, { recursive: true }).catch(() => undefined);
    return null;
  }
  let prepared: PreparedLine;
  let child: Child;
  let terminal: TerminalChild | null = null;
  let written: (() => Promise<void>) | undefined;
  try {
    prepared = await prepareLine(lines, order, signal);
    const { environment, confined } = prepared;
    const argv = supervise(confined.argv, join(place, EXIT), environment);
    const common = { argv, folder: order.folder, environment };
    if (order.terminal === true) {
      const writer = logWriter(await files.openAppend(log, 0o600));
      ({ written } = writer);
      terminal = await processes.spawnTerminal({ ...common, ...USUAL_SIZE, onOutput: writer.push });
      child = terminal;
    } else {
      const input = order.input ?? null;
      child = await processes.spawn({ ...common, input, output: { file: log }, detached: true });
    }
  } catch (error) {
    await written?.();
    await files.remove(place, { recursive: true }).catch(() => undefined);
    throw notStarted(error);
  }
  const { pid } = child;
  const startTime = (await processes.facts(pid))?.startTime ?? null;
  record = { ...record, pid, startTime, holdsTree: prepared.confined.holdsTree };
  await writeRecord(files, place, record).catch(() => undefined);
  return {
    id,
    place,
    record,
    child,
    terminal,
    prepared,
    adopted: false,
    ...(written === undefined ? {} : { written }),
  };
}
