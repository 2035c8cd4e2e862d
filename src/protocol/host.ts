import type { Outcome } from '../base/refusal.ts';
import type { Session } from './session.ts';

/** A place where sessions run: this process, a host process on this machine, or one reached over a byte stream. */
export interface Host {
  list(): Promise<readonly HostedSession[]>;
  open(options: OpenOptions): Promise<Outcome<Session & { close(): Promise<void> }>>;
  /** Calls back on every change of the list. */
  watch(listener: (sessions: readonly HostedSession[]) => void): { close(): void };
}

export interface HostedSession {
  readonly host: string;
  readonly session: string;
  readonly pid: number;
  readonly folder: string;
  readonly title: string;
  readonly model: string;
  readonly state: 'starting' | 'idle' | 'working' | 'asking' | 'stopped';
  readonly started: number;
  readonly updated: number;
  readonly attached: number;
  readonly unseen: boolean;
  readonly protocol: number;
  readonly build: string;
}

export interface OpenOptions {
  readonly session: string | null;
  readonly folder: string;
}
