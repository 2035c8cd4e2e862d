import path from 'node:path';
import { done, type Outcome, type Refusal } from '../base/refusal.ts';
import type { Session } from '../protocol/session.ts';
import { PROTOCOL_VERSION } from '../protocol/version.ts';
import { SystemError } from '../system/files.ts';
import type { System } from '../system/system.ts';
import type { HostEntry, HostFiles } from './host-files.ts';
import { type HostLock, lockForHost } from './host-lock.ts';
import { NO_ROOM_EXIT } from './host-process.ts';
import { watchState } from './host-state.ts';
import { createLateSession } from './late-session.ts';
import { serveSession } from './socket-server.ts';
import type { ClosedWhy } from './wire.ts';

/** A session as a host runs it. */
export interface HostedService {
  readonly session: Session;
  /** What was asked of this client alone resolves to nothing. */
  readonly clientLost?: (client: string) => void;
  /** Work the View does not show; asked before ending for idleness. */
  readonly isBusy?: () => boolean;
  /** Stops what runs and brings everything to disk. */
  close(): Promise<void>;
  /** What is under way and must not be cut: waited for however long closing takes. */
  readonly uncut?: () => Promise<void>;
}

export interface RunHostOptions {
  readonly system: System;
  readonly files: HostFiles;
  readonly host: string;
  readonly folder: string;
  readonly build: string;
  readonly fingerprint: string;
  /** Known when a session is resumed: it then has one host at most. */
  readonly session: string | null;
  /** Milliseconds without client and work until it ends by itself; null: never. */
  readonly idleMs: number | null;
  readonly token?: string;
  /** See `ClientOwner`; 0 where left out. */
  readonly gatherMs?: number;
  /** Called once clients can already connect. */
  readonly open: () => Promise<Outcome<HostedService>>;
  /** The process was asked to end; taking it over is the caller's part. HUP is heard and ignored. */
  readonly onSignal: (listener: (name: 'TERM' | 'HUP' | 'INT' | 'CONT') => void) => () => void;
  readonly log: (line: string) => void;
  /** Called once after each stretch of work, opening too, when nothing has run for a while: the time to tidy up. */
  readonly onRest?: () => void;
}

export const IDLE_MS = 15_000;
/** Later than a session writes what it will open by the next time. */
const REST_MS = 8_000;
/** A session that does not close in this time is left to the next start's repair. */
const CLOSE_MS = 10_000;
/** After a failed start: time for whoever started us to connect and hear why. */
const TELL_MS = 2_000;

/**
 * The host side: listens first, so that clients can connect and what they send waits, then opens the session and serves
 * it until it is told to end or nobody needs it. Answers the exit code: 0, or 1 after a failure, which is in the log.
 */
export async function runHost(options: RunHostOptions): Promise<number> {
  const { system, files, host, log } = options;
  let lock: HostLock | null = null;
  try {
    const prepared = await files.prepare();
    if (!prepared.ok) return failed(log, prepared.refusal);
    if (options.session !== null) {
      const locked = await lockForHost(system, path.join(files.locks, options.session), host);
      if (!locked.ok) return failed(log, locked.refusal);
      lock = locked.value;
    }
    return await serve(options, lock);
  } catch (error) {
    log(`houston: internal: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    await files.remove(host);
    return error instanceof SystemError && (error.code === 'ENOSPC' || error.code === 'EDQUOT') ? NO_ROOM_EXIT : 1;
  } finally {
    await lock?.release();
  }
}

async function serve(options: RunHostOptions, lock: HostLock | null): Promise<number> {
  const { system, files, host, log } = options;
  const { clock, network, processes } = system;
  const ending = Promise.withResolvers<{ readonly why: ClosedWhy; readonly refusal?: Refusal }>();
  const opening = Promise.withResolvers<Outcome<Session>>();
  const session = createLateSession(opening.promise);
  const socket = files.socketOf(host);
  const started = clock.now();
  const startTime = (await processes.facts(processes.ownPid))?.startTime ?? null;
  let service: HostedService | null = null;
  let unseen = false;
  let wasBusy = false;
  let written = '';
  let writing: Promise<void> = Promise.resolve();
  let stopIdling: (() => void) | null = null;
  let stopResting: (() => void) | null = null;
  let tidied = false;
  let over = false;
  const greeted = new AbortController();

  const state = watchState(session, `host-${host}`, changed);
  const server = serveSession({
    session,
    clock,
    build: options.build,
    report: log,
    sessionId: () => (state.session === '' ? (options.session ?? '') : state.session),
    ...(options.token === undefined ? {} : { token: options.token }),
    ...(options.gatherMs === undefined ? {} : { gatherMs: options.gatherMs }),
    onClientLost: (client) => service?.clientLost?.(client),
    onStop: (why) => ending.resolve({ why: why === 'restart' ? 'restarting' : 'ended' }),
    onEnded: () => ending.resolve({ why: 'ended' }),
    onChange: changed,
  });

  function entry(stopped: boolean): HostEntry {
    return {
      host,
      session: state.session === '' ? (options.session ?? '') : state.session,
      pid: processes.ownPid,
      startTime,
      folder: options.folder,
      title: state.title,
      model: state.model,
      state: stopped ? 'stopped' : service === null ? 'starting' : state.state,
      started,
      updated: clock.now(),
      attached: server.attached,
      unseen,
      protocol: PROTOCOL_VERSION,
      build: options.build,
      fingerprint: options.fingerprint,
      socket,
      log: files.logOf(host),
      turnsEnded: state.turnsEnded,
    };
  }

  function changed(): void {
    if (server.greeted > 0) greeted.abort();
    if (wasBusy && !state.busy && server.attached === 0) unseen = true;
    if (server.attached > 0) unseen = false;
    wasBusy = state.busy;
    writeEntry(entry(false));
    idleOrNot();
    restOrNot();
  }

  function writeEntry(now: HostEntry): void {
    const same = JSON.stringify({ ...now, updated: 0 });
    if (same === written) return;
    written = same;
    writing = writing
      .then(() => files.write(now))
      .catch((error: unknown) => log(`houston: the host's entry cannot be written: ${String(error)}`));
  }

  /** Counts down only while nobody is there and nothing runs; costs nothing otherwise. */
  function idleOrNot(): void {
    const { idleMs } = options;
    if (over || idleMs === null || server.connections > 0 || state.busy) {
      stopIdling?.();
      stopIdling = null;
    } else if (stopIdling === null) {
      stopIdling = clock.after(idleMs, () => {
        stopIdling = null;
        if (service?.isBusy?.() === true) idleOrNot();
        else ending.resolve({ why: 'idle' });
      });
    }
  }

  /** Once for each stretch of work: what comes and goes without any leaves nothing to tidy up. */
  function restOrNot(): void {
    if (state.busy) tidied = false;
    if (over || service === null || state.busy || tidied) {
      stopResting?.();
      stopResting = null;
    } else if (stopResting === null) {
      stopResting = clock.after(REST_MS, () => {
        stopResting = null;
        tidied = true;
        options.onRest?.();
      });
    }
  }

  writeEntry(entry(false));
  await writing;
  const listener = await network.listen(socket, (connection) => server.accept(connection));
  const stopSignals = options.onSignal((name) => {
    if (name === 'TERM' || name === 'INT') ending.resolve({ why: 'ended' });
  });
  const opened = options.open().then((outcome) => {
    if (outcome.ok) {
      service = outcome.value;
      if (options.session !== null) void files.forget(options.session).catch((error: unknown) => log(String(error)));
    }
    if (!outcome.ok) ending.resolve({ why: 'crashed', refusal: outcome.refusal });
    opening.resolve(outcome.ok ? done(outcome.value.session) : outcome);
    changed();
  });
  opened.catch((error: unknown) => {
    ending.resolve({ why: 'crashed', refusal: { identifier: 'internal', message: String(error) } });
  });
  void state.ended.then(() => ending.resolve({ why: 'ended' }));
  idleOrNot();

  const { why, refusal } = await ending.promise;
  over = true;
  idleOrNot();
  restOrNot();
  if (refusal !== undefined) await clock.sleep(TELL_MS, greeted.signal);
  await server.close(why, refusal);
  state.close();
  // It may still be opening; what it opens must be closed as well.
  const closed = await within(
    system,
    CLOSE_MS,
    opened.catch(() => {}).then(() => service?.close()),
    log,
  );
  if (!closed) await (service as HostedService | null)?.uncut?.();
  stopSignals();
  await writing;
  const keep = why === 'idle' && unseen;
  await files.remove(host);
  if (keep) await files.write(entry(true));
  await lock?.release();
  // Last: who asked us to stop learns by this that all is done.
  server.dismiss();
  await listener.close();
  if (refusal !== undefined) return failed(log, refusal);
  if (!closed) return 1;
  await system.files.remove(files.logOf(host));
  return 0;
}

async function within(
  system: System,
  ms: number,
  work: Promise<unknown>,
  log: (line: string) => void,
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const giveUp = system.clock.after(ms, () => {
    log(`houston: the session did not close within ${ms / 1000} s`);
    late.resolve(false);
  });
  const closed = work.then(
    () => true,
    (error: unknown) => {
      log(`houston: closing the session failed: ${String(error)}`);
      return false;
    },
  );
  const result = await Promise.race([closed, late.promise]);
  giveUp();
  return result;
}

function failed(log: (line: string) => void, refusal: Refusal): number {
  log(`houston: ${refusal.identifier}: ${refusal.message}`);
  return 1;
}
