import type { Json } from '../../../base/json.ts';
import type { Target } from '../frame/painter.ts';
import { chordOf, type InputEvent } from '../input/event.ts';
import type { SettingRow } from '../settings-door.ts';
import type { SettingsDoing, SettingsMeant, SettingsState } from './settings.ts';
import {
  draftKey,
  ENABLED_MODELS,
  editsOf,
  enabledModels,
  firstRow,
  held,
  offeredModels,
  rowOf,
  shownRows,
  whyFixed,
} from './settings-rows.ts';

type KeyEvent = Extract<InputEvent, { type: 'key' }>;

const ROWS: SettingsDoing = { at: 'rows' };

export function settingsKey(state: SettingsState, event: KeyEvent): SettingsMeant {
  const chord = chordOf(event.key);
  const calm: SettingsState = state.said === null ? state : { ...state, said: null };
  switch (state.doing.at) {
    case 'saving':
      return { state };
    case 'leaving':
      if (chord === 'escape' || chord === 'ctrl-c') return { state: null };
      return rowsKey({ ...calm, doing: ROWS }, chord);
    case 'field':
      return fieldKey(calm, state.doing, event, chord);
    case 'picker':
      return pickerKey(calm, state.doing, event, chord);
    case 'rows':
      return rowsKey(calm, chord);
  }
}

function rowsKey(state: SettingsState, chord: string): SettingsMeant {
  const rows = shownRows(state);
  const shown = rows[state.cursor];
  const to = (cursor: number): SettingsMeant => ({
    state: { ...state, cursor: Math.max(0, Math.min(rows.length - 1, cursor)) },
  });
  switch (chord) {
    case 'escape':
    case 'ctrl-c':
      return state.drafts.size === 0 ? { state: null } : { state: { ...state, doing: { at: 'leaving' } } };
    case 'tab':
      return { state: turned(state, 1) };
    case 'shift-tab':
      return { state: turned(state, -1) };
    case 'ctrl-g':
      return { state: { ...state, scope: state.scope === 'person' ? 'project' : 'person' } };
    case 'ctrl-s':
      return saving(state);
    case 'up':
    case 'ctrl-p':
      return to(state.cursor - 1);
    case 'down':
    case 'ctrl-n':
      return to(state.cursor + 1);
    // The button is reached by single steps alone (SE-4).
    case 'pageup':
      return to(Math.max(firstRow(state), state.cursor - 10));
    case 'pagedown':
      return to(state.cursor + 10);
    case 'home':
      return to(firstRow(state));
    case 'end':
      return to(rows.length - 1);
    default:
      break;
  }
  if (shown === undefined) return { state };
  if (shown.kind === 'refresh') return chord === 'enter' ? refreshing(state) : { state };
  if (shown.kind === 'model')
    return { state: chord === 'enter' || chord === 'space' ? ticked(state, shown.model.value) : state };
  const { row } = shown;
  switch (chord) {
    case 'enter':
    case 'space':
      return { state: opened(state, row) };
    case 'right':
      return { state: stepped(state, row, 1) };
    case 'left':
      return { state: stepped(state, row, -1) };
    case 'delete':
    case 'backspace':
      return { state: drafted(state, row, null) };
    default:
      return { state };
  }
}

function turned(state: SettingsState, by: 1 | -1): SettingsState {
  const { tabs } = state.facts;
  const tab = tabs[(tabs.indexOf(state.tab) + by + tabs.length) % tabs.length] ?? state.tab;
  return { ...state, tab, cursor: firstRow({ tab }) };
}

function saving(state: SettingsState): SettingsMeant {
  const edits = editsOf(state);
  if (edits.length === 0) return { state: saying(state, 'info', 'Nothing was changed') };
  return { state: { ...state, doing: { at: 'saving', edits } }, does: { kind: 'save', edits } };
}

function refreshing(state: SettingsState): SettingsMeant {
  if (state.refreshing) return { state };
  return { state: { ...state, refreshing: true }, does: { kind: 'refresh' } };
}

function saying(state: SettingsState, level: 'info' | 'warning' | 'error', text: string): SettingsState {
  return { ...state, said: { level, text } };
}

/** A draft that says what its file says already is none. */
function drafted(state: SettingsState, row: SettingRow, value: Json): SettingsState {
  const fixed = whyFixed(state, row);
  if (fixed !== null) return saying(state, 'warning', fixed);
  const { projectMay } = row;
  if (state.scope === 'project' && value !== null && Array.isArray(projectMay) && !projectMay.includes(value))
    return saying(state, 'warning', `A project can set ${row.key} to ${projectMay.map(String).join(' or ')} only`);
  const drafts = new Map(state.drafts);
  const written = row[state.scope] ?? null;
  if (JSON.stringify(written) === JSON.stringify(value)) drafts.delete(draftKey(state.scope, row.key));
  else drafts.set(draftKey(state.scope, row.key), value);
  return { ...state, drafts };
}

/** Enter on a setting: what has two values turns, what has few goes on to the next, what is a model is picked, the rest is typed. */
function opened(state: SettingsState, row: SettingRow): SettingsState {
  if (row.kind === 'flag' || row.kind === 'choice') return stepped(state, row, 1);
  const fixed = whyFixed(state, row);
  if (fixed !== null) return saying(state, 'warning', fixed);
  if (row.kind === 'model') return { ...state, doing: { at: 'picker', key: row.key, filter: '', cursor: 0 } };
  const { value } = held(state, row, state.scope);
  const text = row.kind === 'json' ? JSON.stringify(value) : value === null ? '' : String(value);
  return { ...state, doing: { at: 'field', key: row.key, text } };
}

function stepped(state: SettingsState, row: SettingRow, by: 1 | -1): SettingsState {
  const { value } = held(state, row, state.scope);
  if (row.kind === 'flag') return drafted(state, row, value !== true);
  if (row.kind !== 'choice') return state;
  const may = state.scope === 'project' && Array.isArray(row.projectMay) ? row.projectMay.map(String) : row.choices;
  const at = may.indexOf(String(value));
  const next = at < 0 ? 0 : (at + by + may.length) % may.length;
  return drafted(state, row, may[next] ?? value);
}

/** A model is offered, or is not any more; with none chosen all are. */
function ticked(state: SettingsState, model: string): SettingsState {
  const row = rowOf(state, ENABLED_MODELS);
  if (row === null) return state;
  const now = enabledModels(state);
  const next = now.includes(model) ? now.filter((one) => one !== model) : [...now, model];
  return drafted({ ...state, scope: 'person' }, row, next.length === 0 ? null : next);
}

function fieldKey(
  state: SettingsState,
  doing: Extract<SettingsDoing, { at: 'field' }>,
  event: KeyEvent,
  chord: string,
): SettingsMeant {
  const typed = (text: string): SettingsMeant => ({ state: { ...state, doing: { ...doing, text } } });
  switch (chord) {
    case 'escape':
    case 'ctrl-c':
      return { state: { ...state, doing: ROWS } };
    case 'enter':
      return { state: accepted(state, doing) };
    case 'tab':
    case 'shift-tab':
    case 'ctrl-g':
    case 'ctrl-s': {
      // What was typed is taken first; what can not be stays to be mended.
      const taken = accepted(state, doing);
      return taken.doing.at === 'rows' ? rowsKey(taken, chord) : { state: taken };
    }
    case 'backspace':
      return typed([...doing.text].slice(0, -1).join(''));
    case 'ctrl-u':
      return typed('');
    default: {
      const { text, ctrl, alt } = event.key;
      return text === null || ctrl || alt ? { state } : typed(doing.text + text);
    }
  }
}

function accepted(state: SettingsState, { key, text }: Extract<SettingsDoing, { at: 'field' }>): SettingsState {
  const row = rowOf(state, key);
  if (row === null) return { ...state, doing: ROWS };
  const read = typedValue(row, text.trim());
  if (!read.ok) return saying(state, 'error', read.why);
  return drafted({ ...state, doing: ROWS }, row, read.value);
}

type Read = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly why: string };

/** What a typed line is as a value of this setting; an empty one takes it out of the file. */
function typedValue(row: SettingRow, text: string): Read {
  if (text === '') return { ok: true, value: null };
  if (row.kind === 'number') return numberOf(row, text);
  if (row.kind !== 'json') return { ok: true, value: text };
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch {
    return { ok: false, why: `${row.key} is written as JSON, such as ["one", "two"] or {"name": "value"}` };
  }
}

function numberOf({ key, least, most, whole, choices }: SettingRow, text: string): Read {
  if (choices.includes(text)) return { ok: true, value: text };
  const value = Number(text);
  const fits = Number.isFinite(value) && (!whole || Number.isInteger(value));
  if (fits && (least === null || value >= least) && (most === null || value <= most)) return { ok: true, value };
  const words = choices.map((word) => ` or ${word}`).join('');
  const range = least === null ? '' : most === null ? `, ${least} or more` : `, ${least} to ${most}`;
  return { ok: false, why: `${key} is a ${whole ? 'whole ' : ''}number${range}${words}` };
}

function pickerKey(
  state: SettingsState,
  doing: Extract<SettingsDoing, { at: 'picker' }>,
  event: KeyEvent,
  chord: string,
): SettingsMeant {
  const found = offeredModels(state, doing.filter);
  const at = (cursor: number, filter = doing.filter): SettingsMeant => ({
    state: { ...state, doing: { ...doing, filter, cursor: Math.max(0, Math.min(found.length - 1, cursor)) } },
  });
  switch (chord) {
    case 'escape':
    case 'ctrl-c':
      return { state: { ...state, doing: ROWS } };
    // The choice is not taken; then the key does what it does elsewhere here (SE-7).
    case 'tab':
    case 'shift-tab':
    case 'ctrl-g':
      return rowsKey({ ...state, doing: ROWS }, chord);
    case 'up':
    case 'ctrl-p':
      return at(doing.cursor - 1);
    case 'down':
    case 'ctrl-n':
      return at(doing.cursor + 1);
    case 'pageup':
      return at(doing.cursor - 10);
    case 'pagedown':
      return at(doing.cursor + 10);
    case 'enter':
      return { state: picked(state, doing, doing.cursor) };
    case 'backspace':
      return at(0, [...doing.filter].slice(0, -1).join(''));
    case 'ctrl-u':
      return at(0, '');
    default: {
      const { text, ctrl, alt } = event.key;
      return text === null || ctrl || alt ? { state } : at(0, doing.filter + text);
    }
  }
}

function picked(state: SettingsState, doing: Extract<SettingsDoing, { at: 'picker' }>, cursor: number): SettingsState {
  const model = offeredModels(state, doing.filter)[cursor];
  const row = rowOf(state, doing.key);
  if (model === undefined || row === null) return state;
  return drafted({ ...state, doing: ROWS }, row, model.value);
}

export function settingsPaste(state: SettingsState, pasted: string): SettingsState {
  const { doing } = state;
  const text = pasted.replace(/\s+/g, ' ');
  if (doing.at === 'field') return { ...state, doing: { ...doing, text: doing.text + text } };
  if (doing.at === 'picker') return { ...state, doing: { ...doing, filter: doing.filter + text, cursor: 0 } };
  return state;
}

export function settingsWheel(state: SettingsState, by: number): SettingsState {
  const { doing } = state;
  const step = Math.sign(by);
  if (doing.at === 'picker') {
    const last = Math.max(0, offeredModels(state, doing.filter).length - 1);
    return { ...state, doing: { ...doing, cursor: Math.max(0, Math.min(last, doing.cursor + step)) } };
  }
  if (doing.at !== 'rows') return state;
  const last = shownRows(state).length - 1;
  return { ...state, cursor: Math.max(firstRow(state), Math.min(last, state.cursor + step)) };
}

/** A click does what Enter there would; the first one on a row that is not chosen only chooses it. */
export function settingsClick(state: SettingsState, { action, item }: Target): SettingsMeant {
  if (item === undefined || state.doing.at === 'saving') return { state };
  if (action === 'pick')
    return { state: state.doing.at === 'picker' ? picked(state, state.doing, Number(item)) : state };
  // Elsewhere: what was half chosen or half typed is left as by Esc.
  const rested: SettingsState = { ...state, doing: ROWS, said: null };
  if (action === 'tab') return { state: { ...rested, tab: item, cursor: firstRow({ tab: item }) } };
  if (action === 'scope') return { state: { ...rested, scope: item === 'project' ? 'project' : 'person' } };
  const cursor = Number(item);
  const shown = shownRows(rested)[cursor];
  if (shown === undefined) return { state: rested };
  const there: SettingsState = { ...rested, cursor };
  if (shown.kind === 'refresh') return refreshing(there);
  if (cursor !== state.cursor || state.doing.at !== 'rows') return { state: there };
  return { state: shown.kind === 'model' ? ticked(there, shown.model.value) : opened(there, shown.row) };
}
