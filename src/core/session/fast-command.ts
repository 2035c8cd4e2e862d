import type { Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { Model } from '../models/model.ts';
import { ended } from './command-end.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';
import type { CommandEnd } from './turn-loop.ts';

const USAGE = '/fast takes on, off or status; alone it switches.';

/** What is answered at once, also beside a turn: the state, and words it does not know (FA-1). Null for what changes it. */
export function fastAtOnce(parts: SessionParts, argument: string, client: ClientId): Sent | null {
  if (argument === 'status') {
    parts.publisher.publish({
      type: 'flash',
      client,
      level: 'info',
      text: stateText(parts.fast.on, parts.model.model),
    });
    return accepted();
  }
  if (argument !== '' && argument !== 'on' && argument !== 'off') return refused('argument-unknown', USAGE);
  const { model } = parts.model;
  const switchesOn = argument === 'on' || (argument === '' && !parts.fast.on);
  if (switchesOn && model !== null && model.facts.fast !== true) return refused('not-offered', NOT_OFFERED);
  return null;
}

const NOT_OFFERED = 'The service of this model does not offer it: nothing was changed.';

/** The disk first: what holds here follows only once it is kept (FA-2). Everything else waits its turn meanwhile (FA-3). */
export async function chooseFast(parts: SessionParts, argument: string): Promise<CommandEnd> {
  const on = argument === '' ? !parts.fast.on : argument === 'on';
  const { model } = parts.model;
  if (on && model !== null && model.facts.fast !== true) return ended('refused', 'warning', 'not-offered', NOT_OFFERED);
  if (!(await parts.saveDefaults({ fast: on })))
    return ended('refused', 'error', 'not-saved', 'The choice could not be saved, so nothing was changed.');
  parts.fast.on = on;
  parts.model.show();
  return ended('done', 'info', 'fast', stateText(on, model));
}

function stateText(on: boolean, model: Model | null): string {
  if (!on) return 'Fast mode is off.';
  if (model === null || model.facts.fast === true)
    return 'Fast mode is on: the service answers faster and charges more.';
  return 'Fast mode is on, but the service of this model does not offer it.';
}
