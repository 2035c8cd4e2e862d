import type { Json } from '../../../base/json.ts';
import type { Painter, Target } from '../frame/painter.ts';
import type { Rect } from '../frame/rect.ts';
import type { InputEvent } from '../input/event.ts';
import type { SettingsEdit, SettingsFacts, SettingsScope } from '../settings-door.ts';
import type { Theme } from '../theme.ts';

/** `/settings`: what is shown and what it does comes with its first opening (`settings-part.ts`). */
export interface SettingsModal {
  readonly kind: 'settings';
  readonly open: { readonly part: SettingsPart; readonly state: SettingsState } | null;
}

export interface ModelChoice {
  readonly value: string;
  readonly description: string;
}

/** Null where the session was out of reach. `refresh`: the catalogue was asked first; `reached`: it answered. */
export interface ModelsRead {
  readonly models: readonly ModelChoice[] | null;
  readonly refresh: boolean;
  readonly reached: boolean;
}

export interface SettingsState {
  readonly facts: SettingsFacts;
  /** What the catalogue holds; null while it is on its way. */
  readonly models: readonly ModelChoice[] | null;
  readonly tab: string;
  readonly scope: SettingsScope;
  readonly cursor: number;
  /** What Ctrl-S would write, by scope and key; null takes the setting out of the file. */
  readonly drafts: ReadonlyMap<string, Json>;
  readonly doing: SettingsDoing;
  readonly refreshing: boolean;
  readonly said: { readonly level: 'info' | 'warning' | 'error'; readonly text: string } | null;
}

export type SettingsDoing =
  | { readonly at: 'rows' }
  /** Something is typed for one setting. */
  | { readonly at: 'field'; readonly key: string; readonly text: string }
  /** A model is chosen for one setting. */
  | { readonly at: 'picker'; readonly key: string; readonly filter: string; readonly cursor: number }
  | { readonly at: 'saving'; readonly edits: readonly SettingsEdit[] }
  /** Esc was pressed over what is not saved. */
  | { readonly at: 'leaving' };

/** What an event comes to: the next state, null once it is closed, and what is to be done. */
export interface SettingsMeant {
  readonly state: SettingsState | null;
  readonly does?: { readonly kind: 'save'; readonly edits: readonly SettingsEdit[] } | { readonly kind: 'refresh' };
}

export interface SettingsPart {
  readonly opened: (facts: SettingsFacts) => SettingsState;
  readonly key: (state: SettingsState, event: Extract<InputEvent, { type: 'key' }>) => SettingsMeant;
  readonly paste: (state: SettingsState, text: string) => SettingsState;
  readonly wheel: (state: SettingsState, rows: number) => SettingsState;
  readonly click: (state: SettingsState, target: Target) => SettingsMeant;
  /** `facts`: as they are now; null where they can not be read. */
  readonly saved: (state: SettingsState, problem: string | null, facts: SettingsFacts | null) => SettingsState;
  readonly modelsArrived: (state: SettingsState, read: ModelsRead) => SettingsState;
  readonly draw: (painter: Painter, theme: Theme, area: Rect, state: SettingsState) => void;
}
