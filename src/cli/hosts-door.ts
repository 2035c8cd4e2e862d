import { done, type Outcome, refuse } from '../base/refusal.ts';
import type { HostsDoor } from '../front/tui/hosts-door.ts';
import type { System } from '../system/system.ts';
import type { SessionRequest } from './session-request.ts';

/** Loaded when used: a start needs none of it. */
const hostFiles = () => import('../link/host-files.ts');
const reaching = () => import('./reach-session.ts');

/** The sessions that run beside the one in this window, as its screen may show, stop and start them. */
export function runningSessions(parts: {
  readonly system: System;
  readonly state: string;
  readonly request: SessionRequest;
  /** False where this window's session runs in this very process. */
  readonly hosted: boolean;
  readonly idleSeconds: number | null;
  /** The session this window showed before. */
  readonly previous: string | null;
  /** Opens it beside the one shown; the refusal in words when that failed. */
  readonly open: (request: SessionRequest) => Promise<string | null>;
}): HostsDoor {
  const { system, state, request } = parts;

  async function hosts() {
    const { openHostFiles } = await hostFiles();
    return (await openHostFiles(system, state)).list();
  }

  async function end(session: string, how: 'stop' | 'restart'): Promise<Outcome<null>> {
    const all = await hosts();
    const host = all.find((one) => one.session === session);
    if (host === undefined) return refuse('no-such-host', 'That session runs in no host');
    if (host.state === 'stopped') {
      const { openHostFiles } = await hostFiles();
      await (await openHostFiles(system, state)).remove(host.host);
      return done(null);
    }
    const { end } = await import('./hosts.ts');
    return end(system, host, how);
  }

  return {
    async list() {
      const { fingerprint } = await import('./build.ts');
      const ours = fingerprint();
      return (await hosts()).map(({ session, title, folder, state, attached, unseen, updated, fingerprint }) => ({
        ...{ session, title, folder, state, attached, unseen, updated },
        old: state !== 'stopped' && fingerprint !== ours,
        here: session === request.session,
      }));
    },
    async show(name) {
      const wanted = name === '-' ? parts.previous : name;
      if (wanted === null) return 'This window showed no other session before';
      const { reachSession, plainRequest } = await reaching();
      const reached = await reachSession(system, state, wanted, request.folder);
      if (!reached.ok) return reached.refusal.message;
      const { value } = reached;
      if (value.kind === 'start') return parts.open(value.request);
      if (value.host.session === request.session) return 'This window shows it already';
      const { folder, session } = value.host;
      return parts.open(plainRequest({ folder, session, open: 'resume' }));
    },
    stop: (session) =>
      session === request.session && !parts.hosted ? Promise.resolve(inThisWindow()) : end(session, 'stop'),
    restart: () => (parts.hosted ? end(request.session, 'restart') : Promise.resolve(inThisWindow())),
    async start(prompt) {
      const { openHosted } = await import('./host-link.ts');
      const session = system.ids.uuid();
      const wanted: SessionRequest = { ...request, session, open: 'new', forkOf: null, demo: false };
      const client = `start-${system.ids.hex(4)}`;
      const linked = await openHosted(system, state, wanted, client, parts.idleSeconds);
      if (!linked.ok) return linked;
      const say = { type: 'say', ref: system.ids.uuid(), text: prompt, attachments: [], delivery: 'queue' } as const;
      const sent = await linked.value.send(say, client);
      await linked.value.close();
      return sent.accepted ? done(session) : { ok: false, refusal: sent.refusal };
    },
  };
}

function inThisWindow(): Outcome<never> {
  return refuse(
    'no-such-host',
    'This session runs in this very window: leave it, and houston --resume goes on with it',
  );
}
