// All of `/settings` but its name: loaded with its first opening.
import type { SettingsFacts } from '../settings-door.ts';
import type { ModelsRead, SettingsPart, SettingsState } from './settings.ts';
import { drawSettings } from './settings-draw.ts';
import { settingsClick, settingsKey, settingsPaste, settingsWheel } from './settings-keys.ts';
import { firstRow } from './settings-rows.ts';

export const settingsPart: SettingsPart = {
  opened,
  key: settingsKey,
  paste: settingsPaste,
  wheel: settingsWheel,
  click: settingsClick,
  saved,
  modelsArrived,
  draw: drawSettings,
};

function opened(facts: SettingsFacts): SettingsState {
  const tab = facts.tabs[0] ?? '';
  const [problem] = facts.problems;
  return {
    ...{ facts, tab, models: null, scope: 'person', cursor: firstRow({ tab }), drafts: new Map() },
    ...{ doing: { at: 'rows' }, refreshing: false },
    said: problem === undefined ? null : { level: 'warning', text: problem },
  };
}

/** What could not be written stays a draft. */
function saved(state: SettingsState, problem: string | null, facts: SettingsFacts | null): SettingsState {
  if (state.doing.at !== 'saving') return state;
  const { edits } = state.doing;
  const known: SettingsState = { ...state, facts: facts ?? state.facts, doing: { at: 'rows' } };
  if (problem !== null) return { ...known, said: { level: 'error', text: problem } };
  const later = known.facts.rows.filter((row) => !row.live && edits.some(({ key }) => key === row.key));
  const text =
    later.length === 0 ? 'Saved' : `Saved • for sessions opened from now on: ${later.map(({ key }) => key).join(', ')}`;
  return { ...known, drafts: new Map(), said: { level: 'info', text } };
}

function modelsArrived(state: SettingsState, { models, refresh, reached }: ModelsRead): SettingsState {
  const known: SettingsState = { ...state, models: models ?? state.models ?? [] };
  if (!refresh) return known;
  const said = reached
    ? ({ level: 'info', text: 'The catalog is fresh' } as const)
    : ({ level: 'error', text: 'The catalog could not be reached: what was known of models stays' } as const);
  return { ...known, refreshing: false, said };
}
