import { MOSTLY_WAITS } from '../base/engine-options.ts';
import type { JsonObject } from '../base/json.ts';
import { done, type Outcome, refuse } from '../base/refusal.ts';
import { SystemError } from '../system/files.ts';
import type { Connection } from '../system/network.ts';
import type { Child, Exit } from '../system/processes.ts';
import type { System } from '../system/system.ts';
import type { HostFiles } from './host-files.ts';

export interface StartHostOptions {
  readonly system: System;
  readonly files: HostFiles;
  /** argv that runs a host; it reads its options (JSON) from its input. */
  readonly command: readonly string[];
  /** The host's working directory. */
  readonly folder: string;
  /** Whatever the host needs to open its session; it travels over a pipe, not in argv. */
  readonly options: JsonObject;
  /** How long it may take until its socket answers. Default 10 s. */
  readonly startMs?: number;
}

export interface StartedHost {
  readonly host: string;
  readonly pid: number;
  readonly socket: string;
  /** Already open; the host has not been greeted on it. */
  readonly connection: Connection;
}

const START_MS = 10_000;
/** No host is loaded sooner: asking before would only take time from whoever draws the first frames. */
const LOADING_MS = 40;
const FIRST_TRY_MS = 5;
const LONGEST_TRY_MS = 15;
const LOG_END_BYTES = 4_096;
/** How a host ends that finds no room on the disk: it may be that not even its log says so. */
export const NO_ROOM_EXIT = 28;

/**
 * Starts a host in a process and OS session of its own, with our environment, and waits until its socket answers.
 * Refusals: `not-private`, `host-failed` (with the last line of its log), `host-not-answering`.
 */
export async function startHost(options: StartHostOptions): Promise<Outcome<StartedHost>> {
  const { system, files } = options;
  const prepared = await files.prepare();
  if (!prepared.ok) return prepared;
  const host = system.ids.hex(4);
  const log = files.logOf(host);
  let child: Child;
  try {
    child = await system.processes.spawn({
      argv: options.command,
      folder: options.folder,
      environment: { ...system.environment.all(), ...MOSTLY_WAITS },
      input: new TextEncoder().encode(JSON.stringify({ ...options.options, host })),
      output: { file: log },
      ownGroup: true,
      detached: true,
    });
  } catch (error) {
    if (error instanceof SystemError) return refuse('host-failed', `the host cannot be started: ${error.message}`);
    throw error;
  }
  const socket = files.socketOf(host);
  const connection = await firstConnection(system, socket, child, options.startMs ?? START_MS);
  if (connection.ok) return done({ host, pid: child.pid, socket, connection: connection.value });
  if (connection.refusal.identifier === 'host-not-answering') await endGroup(system, child);
  await files.remove(host);
  const said = await lastLine(system, log);
  return said === null ? connection : refuse(connection.refusal.identifier, `${connection.refusal.message}: ${said}`);
}

/** Tries until somebody answers, the host is gone, or time is up. */
async function firstConnection(system: System, socket: string, child: Child, ms: number): Promise<Outcome<Connection>> {
  const { clock, network } = system;
  const gone = new AbortController();
  let exit: Exit | null = null;
  void child.exited.then((how) => {
    exit = how;
    gone.abort();
  });
  const until = clock.ticks() + ms;
  await clock.sleep(LOADING_MS, gone.signal);
  for (let wait = FIRST_TRY_MS; ; wait = Math.min(wait * 2, LONGEST_TRY_MS)) {
    try {
      const connection = await network.connect(socket);
      child.release();
      return done(connection);
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
    }
    if (exit !== null) return refuse('host-failed', `the host ended while starting${describe(exit)}`);
    if (clock.ticks() >= until) return refuse('host-not-answering', `the host did not answer within ${ms / 1000} s`);
    await clock.sleep(wait, gone.signal);
  }
}

async function endGroup(system: System, child: Child): Promise<void> {
  child.signal('TERM');
  const gone = new AbortController();
  void child.exited.then(() => gone.abort());
  await system.clock.sleep(1_000, gone.signal);
  if (!gone.signal.aborted) child.signal('KILL');
  child.release();
}

function describe({ code, signal }: Exit): string {
  if (code === NO_ROOM_EXIT) return ': no room is left on the disk';
  return code === null ? ` (signal ${signal ?? 'unknown'})` : ` (exit ${code})`;
}

/** What Bun writes below whatever ended it, and how a line begins that says what that was. */
const SIGNATURE = /^Bun v\d/;
const WHY = /^(?:houston|error|[A-Z]\w*Error): /;

async function lastLine(system: System, log: string): Promise<string | null> {
  try {
    const stat = await system.files.stat(log);
    if (stat === null) return null;
    const from = Math.max(0, stat.size - LOG_END_BYTES);
    const end = new TextDecoder().decode(await system.files.readRange(log, from, LOG_END_BYTES));
    const lines = end
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !SIGNATURE.test(line));
    return lines.findLast((line) => WHY.test(line)) ?? lines.at(-1) ?? null;
  } catch (error) {
    if (error instanceof SystemError) return null;
    throw error;
  }
}

/** The host's side of `options`: what its input holds. Refuses with `bad-host-options`. */
export function readHostOptions(text: string): Outcome<JsonObject & { readonly host: string }> {
  try {
    const options: unknown = JSON.parse(text);
    const host = (options as { host?: unknown } | null)?.host;
    if (typeof host === 'string' && /^[0-9a-f]+$/.test(host)) return done(options as JsonObject & { host: string });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return refuse('bad-host-options', 'a host is started by houston itself and reads its options from its input');
}
