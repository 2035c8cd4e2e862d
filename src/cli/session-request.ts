import type { Json, JsonObject } from '../base/json.ts';
import type { Effort, PermissionMode } from '../protocol/message.ts';

/** Everything that decides which session is opened and how; plain JSON, since it travels to a host process. */
export interface SessionRequest {
  readonly folder: string;
  readonly session: string;
  /** `fork`: `session` is made as a copy of `forkOf`. */
  readonly open: 'new' | 'resume' | 'fork';
  readonly forkOf: string | null;
  readonly save: boolean;
  readonly model: string | null;
  readonly effort: Effort | null;
  readonly mode: PermissionMode | null;
  /** Bypass was asked for on the command line once; whether it is in force is the session's to know. */
  readonly mayBypass?: true;
  readonly settings: string | null;
  readonly sandbox: 'standard' | 'strict' | 'off' | null;
  readonly addFolders: readonly string[];
  readonly allow: readonly string[];
  readonly canAsk: boolean;
  readonly roundLimit: number | null;
  readonly demo: boolean;
  /** A side conversation: it lies apart, and no selection offers it (SI-7). */
  readonly side?: true;
  /** Of a side conversation: what was answered about the workspace in the session it stands beside. */
  readonly trusted?: { readonly trusted: boolean; readonly requests: string };
}

/** Whether bypass may be chosen: asked for now, or for the session this one goes on with. */
export function offersBypass({ mode, mayBypass }: Pick<SessionRequest, 'mode' | 'mayBypass'>): boolean {
  return mode === 'bypass' || mayBypass === true;
}

/** The same session gone on with by another process, as its journal has it: what was chosen in it since counts. */
export function asItWas(request: SessionRequest): SessionRequest {
  const bypass = offersBypass(request) ? ({ mayBypass: true } as const) : {};
  return { ...request, open: 'resume', forkOf: null, model: null, effort: null, mode: null, ...bypass };
}

export function requestToJson(request: SessionRequest): JsonObject {
  return { ...request } as unknown as JsonObject;
}

/** Only ever written by Houston itself, over a private pipe. */
export function requestFromJson(value: { readonly [key: string]: Json }): SessionRequest {
  return value as unknown as SessionRequest;
}
