import type { Outcome } from '../../base/refusal.ts';
import type { HostsDoor } from './hosts-door.ts';
import { runningRows } from './modals/running.ts';
import type { ScreenEffect, ScreenEvent } from './screen-event.ts';

type HostEffect = Extract<
  ScreenEffect,
  { kind: 'read-hosts' | 'switch' | 'start-session' | 'stop-session' | 'restart-host' }
>;

interface Parts {
  readonly hosts?: HostsDoor | undefined;
  readonly clock: { now(): number };
  readonly dispatch: (event: ScreenEvent) => void;
  readonly leave: (how: 'switch') => void;
}

const NOWHERE = 'Other sessions cannot be reached from here';

/** What is done about this window's host and the ones beside it. */
export function performHostEffect(parts: Parts, effect: HostEffect): void {
  carryOut(parts, effect).catch((error: unknown) =>
    parts.dispatch({ type: 'note', level: 'error', text: error instanceof Error ? error.message : String(error) }),
  );
}

async function carryOut(parts: Parts, effect: HostEffect): Promise<void> {
  const { hosts, dispatch } = parts;
  const note = (level: 'info' | 'warning' | 'error', text: string): void => dispatch({ type: 'note', level, text });
  const say = <T>(outcome: Outcome<T>, text: (value: T) => string): void =>
    outcome.ok ? note('info', text(outcome.value)) : note('error', outcome.refusal.message);
  if (hosts === undefined) {
    if (effect.kind === 'read-hosts') dispatch({ type: 'list-failed', of: 'running', message: NOWHERE });
    else note('warning', NOWHERE);
    return;
  }
  switch (effect.kind) {
    case 'read-hosts':
      dispatch({ type: 'list-rows', of: 'running', rows: runningRows(await hosts.list(), parts.clock.now()) });
      return;
    case 'switch': {
      const problem = await hosts.show(effect.to);
      if (problem === null) parts.leave('switch');
      else note('warning', problem);
      return;
    }
    case 'start-session':
      note('info', 'Starting it');
      say(await hosts.start(effect.prompt), (session) => `It works in the background: /switch ${session.slice(0, 13)}`);
      return;
    case 'stop-session':
      say(
        await hosts.stop(effect.session),
        () => `Stopped; houston --resume ${effect.session.slice(0, 13)} goes on with it`,
      );
      return;
    case 'restart-host':
      note('info', 'Restarting');
      say(await hosts.restart(), () => 'Restarted on the installed code');
      return;
  }
}
