import path from 'node:path';
import { findNodeAtLocation, getNodeValue, parseTree } from 'jsonc-parser/lib/esm/impl/parser.js';
import type { Json } from '../base/json.ts';
import { loadSettings, problemText, settingsLayers } from '../core/settings/load.ts';
import { isRecord } from '../core/settings/record.ts';
import { createSettingsWriter, type SettingsFileEdit } from '../core/settings/save-defaults.ts';
import { SETTINGS, type Setting, type SettingName } from '../core/settings/schema.ts';
import { SETTING_TABS, tabOf } from '../core/settings/tabs.ts';
import type {
  SettingRow,
  SettingsDoor,
  SettingsEdit,
  SettingsFacts,
  SettingsScope,
} from '../front/tui/settings-door.ts';
import type { System } from '../system/system.ts';
import { lockSettings } from './save-settings.ts';
import { isLive } from './settings-again.ts';

/** What a window reads again by itself (`look.ts`). */
const OF_THE_LOOK: ReadonlySet<SettingName> = new Set<SettingName>([
  ...(['reducedMotion', 'editorRows', 'wheelRows', 'sendMode', 'keybindings', 'theme'] as const),
]);

type Layers = Parameters<typeof settingsLayers>[0];
type DoorSystem = Pick<System, 'files' | 'clock' | 'ids' | 'processes'>;

/** The settings of this machine for `/settings`, made of the one table there is. */
export function createSettingsDoor(system: DoorSystem, layers: Layers): SettingsDoor {
  const files: SettingsFacts['files'] = {
    person: layers.config === null ? null : path.join(layers.config, 'settings.json'),
    project: layers.project === null ? null : path.join(layers.project, '.houston', 'settings.json'),
  };
  return { read: () => readFacts(system, layers, files), save: (edits) => save(system, layers, edits) };
}

async function readFacts(system: DoorSystem, layers: Layers, files: SettingsFacts['files']): Promise<SettingsFacts> {
  const loaded = await loadSettings(system.files, settingsLayers(layers));
  const treeOf = (file: string | null) => parseTree((file === null ? null : loaded.texts.get(file)) || '{}', [], JSONC);
  const trees = { person: treeOf(files.person), project: treeOf(files.project) };
  const rows = (Object.keys(SETTINGS) as SettingName[]).map((name): SettingRow => {
    const setting = SETTINGS[name] as Setting<unknown>;
    const written = (scope: SettingsScope): Json | undefined => {
      const tree = trees[scope];
      const node = tree === undefined ? undefined : findNodeAtLocation(tree, setting.key.split('.'));
      return node === undefined ? undefined : (getNodeValue(node) as Json);
    };
    const source = loaded.sources.get(name);
    const decides = source !== undefined && source !== files.person && source !== files.project;
    return {
      key: setting.key,
      tab: tabOf(setting.key),
      description: setting.description,
      ...shapeOf(setting),
      initial: (setting.initial ?? null) as Json,
      person: written('person'),
      project: written('project'),
      projectMay: setting.scope === 'project' ? 'any' : (setting.projectMay ?? 'nothing'),
      decidedBy: decides ? source : null,
      live: isLive(name) || OF_THE_LOOK.has(name),
    };
  });
  return { tabs: SETTING_TABS, rows, files, problems: loaded.problems.map(problemText) };
}

const JSONC = { allowTrailingComma: true };

/** How a value is typed, by its schema. */
function shapeOf({ key, schema }: Setting<unknown>): Pick<SettingRow, 'kind' | 'choices' | 'least' | 'most' | 'whole'> {
  const plain = { choices: [], least: null, most: null, whole: false };
  if (!isRecord(schema)) return { ...plain, kind: 'json' };
  if (Array.isArray(schema.enum)) return { ...plain, kind: 'choice', choices: schema.enum.map(String) };
  // A number, or one of a few words.
  const parts = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isRecord) : [schema];
  const words = parts.flatMap((part) => (typeof part.const === 'string' ? [part.const] : []));
  const number = parts.find((part) => part.type === 'integer' || part.type === 'number');
  if (number !== undefined) {
    const bound = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);
    const bounds = { least: bound(number.minimum), most: bound(number.maximum) };
    return { kind: 'number', choices: words, ...bounds, whole: number.type === 'integer' };
  }
  if (schema.type === 'boolean') return { ...plain, kind: 'flag' };
  if (schema.type !== 'string') return { ...plain, kind: 'json' };
  return { ...plain, kind: /(^|\.)(model|\w+Model)$/.test(key) ? 'model' : 'text' };
}

async function save(system: DoorSystem, layers: Layers, edits: readonly SettingsEdit[]): Promise<string | null> {
  for (const { scope, key, value } of edits) {
    const problem = unfitting(scope, key, value);
    if (problem !== null) return problem;
  }
  for (const scope of ['person', 'project'] as const) {
    const own = edits.filter((edit) => edit.scope === scope);
    if (own.length === 0) continue;
    const folder = await folderOf(system, layers, scope);
    if (folder === null) return `Not saved: the settings of a project must lie in it`;
    const write = createSettingsWriter(system.files, folder, lockSettings(system), 'settings.json', MODES[scope]);
    const saved = await write(own.map(({ key, value }): SettingsFileEdit => [key.split('.'), value ?? undefined]));
    if (!saved) return `Not saved: ${path.join(folder, 'settings.json')} can not be written, or is not understood`;
  }
  return null;
}

/** Your own settings are for you alone; those of a project are for whoever works on it. */
const MODES = { person: { folder: 0o700, file: 0o600 }, project: { folder: 0o755, file: 0o644 } };

function unfitting(scope: SettingsScope, key: string, value: Json): string | null {
  const setting = Object.values(SETTINGS).find((one) => one.key === key) as Setting<unknown> | undefined;
  if (setting === undefined) return `Not saved: there is no setting ${key}`;
  if (value === null) return null;
  if (setting.read(value) === undefined) return `Not saved: ${key} has no usable value`;
  const [fault] = setting.faults?.(value) ?? [];
  if (fault !== undefined) return `Not saved: ${fault}`;
  const may = scope === 'person' || setting.scope === 'project' || (setting.projectMay?.includes(value) ?? false);
  return may ? null : `Not saved: a project can not set ${key} to that`;
}

/** Null where a link leads out of the project: then the file would be somebody else's, such as the person's own. */
async function folderOf({ files }: DoorSystem, layers: Layers, scope: SettingsScope): Promise<string | null> {
  if (scope === 'person') return layers.config;
  if (layers.project === null) return null;
  const folder = path.join(layers.project, '.houston');
  const project = (await files.realPath(layers.project)) ?? layers.project;
  for (const named of [folder, path.join(folder, 'settings.json')]) {
    const real = await files.realPath(named);
    if (real !== null && !real.startsWith(`${project}${path.sep}`)) return null;
  }
  return folder;
}
