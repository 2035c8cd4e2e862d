import type { Json } from '../../../base/json.ts';
import type { SettingRow, SettingsEdit, SettingsScope } from '../settings-door.ts';
import type { ModelChoice, SettingsState } from './settings.ts';

/** The list of models that are offered, where it stands: its rows are ticked rather than typed. */
export const ENABLED_MODELS = 'models.enabled';
export const MODELS_TAB = 'Models';

export type ShownRow =
  | { readonly kind: 'refresh' }
  | { readonly kind: 'setting'; readonly row: SettingRow }
  | { readonly kind: 'model'; readonly model: ModelChoice };

/** The rows of the tab one is in: in Models the button first, the catalogue last (SE-4). */
export function shownRows({ facts, tab, models }: SettingsState): readonly ShownRow[] {
  const settings = facts.rows.filter((row) => row.tab === tab).map((row): ShownRow => ({ kind: 'setting', row }));
  if (tab !== MODELS_TAB) return settings;
  const catalogue = (models ?? []).map((model): ShownRow => ({ kind: 'model', model }));
  return [{ kind: 'refresh' }, ...settings, ...catalogue];
}

/** Where a tab begins: never on the button, which is only reached on purpose. */
export function firstRow({ tab }: Pick<SettingsState, 'tab'>): number {
  return tab === MODELS_TAB ? 1 : 0;
}

export function rowOf({ facts }: Pick<SettingsState, 'facts'>, key: string): SettingRow | null {
  return facts.rows.find((row) => row.key === key) ?? null;
}

export function draftKey(scope: SettingsScope, key: string): string {
  return `${scope} ${key}`;
}

/** Where the value comes from that holds in a scope. */
export interface Held {
  readonly value: Json;
  readonly from: 'draft' | SettingsScope | 'initial';
}

export function held({ drafts }: Pick<SettingsState, 'drafts'>, row: SettingRow, scope: SettingsScope): Held {
  const draft = drafts.get(draftKey(scope, row.key));
  if (draft !== undefined && draft !== null) return { value: draft, from: 'draft' };
  const written = draft === null ? undefined : row[scope];
  if (written !== undefined) return { value: written, from: scope };
  if (scope === 'project') {
    const { value, from } = held({ drafts }, row, 'person');
    return { value, from: from === 'draft' ? 'person' : from };
  }
  return { value: row.initial, from: 'initial' };
}

/** Null where this scope may say it; else one line why not. */
export function whyFixed({ facts, scope }: Pick<SettingsState, 'facts' | 'scope'>, row: SettingRow): string | null {
  if (facts.files[scope] === null)
    return scope === 'person' ? 'There is no home to keep settings in' : 'There is no project here to keep settings in';
  if (scope === 'project' && row.projectMay === 'nothing') return `${row.key} can be set by you only, not by a project`;
  return null;
}

/** The drafts as they would be written. */
export function editsOf({ drafts }: Pick<SettingsState, 'drafts'>): readonly SettingsEdit[] {
  return [...drafts].map(([name, value]) => {
    const at = name.indexOf(' ');
    return { scope: name.slice(0, at) as SettingsScope, key: name.slice(at + 1), value };
  });
}

/** The models a list names, what is not saved yet included; none named: all are offered. */
export function enabledModels(state: SettingsState): readonly string[] {
  const row = rowOf(state, ENABLED_MODELS);
  const value = row === null ? [] : held(state, row, 'person').value;
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

/** What the picker of a setting offers (SE-6). */
export function offeredModels(state: SettingsState, filter: string): readonly ModelChoice[] {
  const enabled = enabledModels(state);
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return (state.models ?? []).filter(({ value, description }) => {
    if (enabled.length > 0 && !enabled.includes(value)) return false;
    const text = `${value} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function valueText(value: Json): string {
  if (value === null) return 'unset';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
