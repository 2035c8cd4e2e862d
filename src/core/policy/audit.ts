import type { JsonObject } from '../../base/json.ts';
import type { Effect } from '../../protocol/effect.ts';
import type { DecidedBy } from '../../protocol/entry.ts';
import type { Label } from '../../protocol/label.ts';
import type { PermissionMode } from '../../protocol/message.ts';
import type { PersonEvent } from './audit-entries.ts';
import type { Decision } from './policy.ts';

/** One decision for the trail: who decided what about which place. Never content (AUD-2). */
export type AuditEvent =
  | PersonEvent
  /** What held when the session was opened: how commands are confined, and how many rules there were. */
  | {
      readonly event: 'session';
      readonly sandbox: string;
      readonly deny: number;
      readonly ask: number;
      readonly allow: number;
    }
  | {
      readonly event: 'decision';
      readonly call: string;
      readonly verdict: Decision['verdict'];
      readonly by: DecidedBy | null;
      readonly mode: PermissionMode;
      /** Identifiers only: the sentences may name what was asked for. */
      readonly reasons: readonly string[];
      readonly effects: readonly AuditedEffect[];
    }
  | {
      readonly event: 'answer';
      readonly call: string;
      readonly choice: string;
      readonly output: 'text' | 'ref' | null;
    }
  | { readonly event: 'present'; readonly call: string; readonly label: Label; readonly ref: string | null }
  /** A read path taken from a planner whose arguments are no longer trusted (SEC-11). */
  | { readonly event: 'promote'; readonly call: string; readonly path: string }
  /** Quarantined bytes went to one of the places they may go to (SEC-16). */
  | {
      readonly event: 'release';
      readonly call: string;
      readonly ref: string;
      readonly to: 'file' | 'program' | 'model';
      /** Where to a file; null elsewhere. */
      readonly path: string | null;
    }
  /** A processor read these slots; `document` is the slot of what it made. */
  | {
      readonly event: 'processor';
      readonly call: string;
      readonly refs: readonly string[];
      readonly document: string | null;
    }
  /** The person moved a running command to the background, or stopped it there. */
  | { readonly event: 'job'; readonly call: string; readonly job: string; readonly did: 'moved' | 'stopped' }
  /** The word of a check, never its sentence (SEC-30). */
  | { readonly event: 'check'; readonly call: string; readonly ref: string | null; readonly verdict: string }
  /** Earlier messages gave way to a summary; `round` is 0 where the person asked for it, `focus` the length of their wish. */
  | {
      readonly event: 'compaction';
      readonly round: number;
      readonly summarised: number;
      readonly kept: number;
      /** US dollars; null where unknown. */
      readonly cost: number | null;
      readonly focus: number;
    }
  | { readonly event: 'trust'; readonly path: string; readonly trusted: boolean; readonly by: string };

export interface AuditedEffect {
  readonly kind: Effect['kind'];
  /** The path, host, server or program it is about; null where there is none. */
  readonly target: string | null;
  readonly label: Label;
}

export type AuditLine = AuditEvent & { readonly time: number; readonly delegate?: string };

/** Writes each event down with its time; `sink` appends it to the trail. `delegate` names who acted, when it was one. */
export type Audit = (event: AuditEvent, delegate?: string) => void;

export function createAudit(sink: (line: AuditLine) => void, now: () => number): Audit {
  return (event, delegate) => sink({ time: now(), ...event, ...(delegate === undefined ? {} : { delegate }) });
}

export function auditDecision(
  call: string,
  effects: readonly Effect[],
  decision: Decision,
  mode: PermissionMode,
): AuditEvent {
  return {
    event: 'decision',
    call,
    verdict: decision.verdict,
    by: decision.verdict === 'allow' ? decision.by : null,
    mode,
    reasons: decision.reasons.map((reason) => reason.identifier),
    effects: effects.map((effect) => ({ kind: effect.kind, target: targetOf(effect), label: effect.label })),
  };
}

/** A trail line as plain JSON, for the journal's `record` entries and the file on disk. */
export function auditJson(line: AuditLine): JsonObject {
  return JSON.parse(JSON.stringify(line)) as JsonObject;
}

function targetOf(effect: Effect): string | null {
  switch (effect.kind) {
    case 'walk':
      return effect.path;
    case 'read':
    case 'write':
      // A name out of an untrusted listing is content too.
      return effect.ref ?? effect.path;
    case 'run':
      // The program alone: arguments are content.
      return /^\s*([\w./+-]+)(?=\s|$)/.exec(effect.line)?.[1] ?? null;
    case 'network':
      return effect.host;
    case 'external':
      return `${effect.server}:${effect.tool}`;
    case 'delegate':
      return effect.agent;
    case 'release':
      return effect.ref;
    case 'service':
      return effect.language;
    case 'question':
      return null;
    case 'session':
      return effect.what;
  }
}
