import { done, type Outcome } from '../base/refusal.ts';
import { modelRefText } from '../core/models/model-ref.ts';
import type { TrustDecision } from '../core/policy/live-trust.ts';
import { loadSettings, settingsLayers } from '../core/settings/load.ts';
import { places } from '../core/settings/paths.ts';
import type { Inherited, SideService } from '../link/side-session.ts';
import type { System } from '../system/system.ts';
import { openSession } from './open-session.ts';
import type { SessionRequest } from './session-request.ts';

/** Opens a side conversation of the session `request` asked for: in the same folder, under the same rules, and new. */
export async function openSide(
  system: System,
  request: SessionRequest,
  trust: TrustDecision | null,
  inherited: Inherited,
): Promise<Outcome<SideService>> {
  const { config } = places(system.environment);
  const layers = settingsLayers({ config, project: request.folder, argument: request.settings });
  const { settings } = await loadSettings(system.files, layers);
  const now = inherited.model === null ? null : modelRefText(inherited.model);
  const opened = await openSession(system, {
    ...request,
    session: system.ids.uuid(),
    open: 'new',
    forkOf: null,
    side: true,
    // The same folder was asked about a moment ago.
    ...(trust?.requests === undefined ? {} : { trusted: { trusted: trust.trusted, requests: trust.requests } }),
    demo: false,
    model: settings.sideModel ?? now ?? request.model,
    effort: inherited.effort === 'default' ? null : inherited.effort,
  });
  if (!opened.ok) return opened;
  const { session, close } = opened.value;
  return done({ session, clientLost: session.clientLost, close });
}
