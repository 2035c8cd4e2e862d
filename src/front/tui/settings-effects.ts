import type { ClientId, Session } from '../../protocol/session.ts';
import type { ScreenEffect, ScreenEvent, SettingsNews } from './screen-event.ts';
import type { SettingsDoor } from './settings-door.ts';

export interface SettingsEffectParts {
  readonly session: Session;
  readonly client: ClientId;
  readonly settings?: SettingsDoor | undefined;
  readonly dispatch: (event: ScreenEvent) => void;
}

type SettingsEffect = Extract<
  ScreenEffect,
  { readonly kind: 'open-settings' | 'save-settings' | 'read-settings-models' }
>;

const NOT_READ = { models: null, reached: false };
const UNREACHED = 'The settings of a session elsewhere are changed where it runs';

/** What `/settings` wants done; its part is loaded by the first opening. */
export function performSettingsEffect(parts: SettingsEffectParts, effect: SettingsEffect): void {
  const { settings, session, client, dispatch } = parts;
  const tell = (news: SettingsNews): void => dispatch({ type: 'settings', news });
  const failed = (text: string): ScreenEvent => ({ type: 'settings-failed', text });
  if (effect.kind === 'read-settings-models') {
    const { refresh } = effect;
    session.read({ type: 'models', refresh }, client).then(
      (answer) => tell({ kind: 'models', refresh, ...(answer.ok ? answer.value : NOT_READ) }),
      () => tell({ kind: 'models', refresh, ...NOT_READ }),
    );
    return;
  }
  if (settings === undefined) {
    dispatch(failed(UNREACHED));
    return;
  }
  if (effect.kind === 'open-settings') {
    Promise.all([import('./modals/settings-part.ts'), settings.read()]).then(
      ([{ settingsPart }, facts]) => tell({ kind: 'opened', part: settingsPart, facts }),
      (error: unknown) => dispatch(failed(`The settings cannot be shown: ${words(error)}`)),
    );
    return;
  }
  const saved = settings.save(effect.edits).catch((error: unknown) => `Not saved: ${words(error)}`);
  void saved.then(async (problem) => {
    const facts = await settings.read().catch(() => null);
    tell({ kind: 'saved', problem, facts });
  });
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
