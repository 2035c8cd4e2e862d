import type { Json } from '../../base/json.ts';

/** Whose file: the person's own, or the one of the project. */
export type SettingsScope = 'person' | 'project';

/** One setting as its table describes it, with what the two files say of it. */
export interface SettingRow {
  readonly key: string;
  readonly tab: string;
  readonly description: string;
  readonly kind: 'flag' | 'choice' | 'number' | 'text' | 'model' | 'json';
  readonly choices: readonly string[];
  /** Of a number: null where nothing bounds it. */
  readonly least: number | null;
  readonly most: number | null;
  readonly whole: boolean;
  readonly initial: Json;
  /** As written; undefined where the file does not say. */
  readonly person: Json | undefined;
  readonly project: Json | undefined;
  /** What a project may say: anything, nothing, or these values. */
  readonly projectMay: 'any' | 'nothing' | readonly Json[];
  /** The stronger file that decides instead of both; null where none does. */
  readonly decidedBy: string | null;
  /** False: only sessions to come have it. */
  readonly live: boolean;
}

export interface SettingsFacts {
  readonly tabs: readonly string[];
  readonly rows: readonly SettingRow[];
  /** Where each scope is written; null where it can not be. */
  readonly files: Readonly<Record<SettingsScope, string | null>>;
  /** What can not be read now, one line each. */
  readonly problems: readonly string[];
}

export interface SettingsEdit {
  readonly scope: SettingsScope;
  readonly key: string;
  /** Null takes the setting out of the file. */
  readonly value: Json;
}

/** The settings of this window and of its session, where both lie on this machine. */
export interface SettingsDoor {
  readonly read: () => Promise<SettingsFacts>;
  /** All of them, or none of one file; null when they are written, else one line why not. */
  readonly save: (edits: readonly SettingsEdit[]) => Promise<string | null>;
}
