import path from 'node:path';
import type { Json } from '../../base/json.ts';
import { type Files, SystemError } from '../../system/files.ts';
import { SETTINGS, type SettingName } from './schema.ts';

/** Null for a value takes the setting out of the file. */
export type Defaults = Readonly<Partial<Record<SettingName, Json>>>;
export type SaveDefaults = (values: Defaults) => Promise<boolean>;

const MOST_BYTES = 64 * 1024;

/** Puts a provider into the settings in place of one with the same id. */
export type SaveProvider = (id: string, provider: Json) => Promise<boolean>;

type SettingsFiles = Pick<Files, 'read' | 'stat' | 'realPath' | 'makeFolder' | 'writeAtomic'>;
/** Runs `work` while no other process writes what `file` holds; null where its turn did not come. */
export type LockFile = <T>(file: string, work: () => Promise<T>) => Promise<T | null>;
/** A place in the file, and what will stand there. */
export interface SettingsModes {
  readonly folder: number;
  readonly file: number;
}
export type SettingsFileEdit = readonly [path: readonly string[], value: Json | undefined];
type Edit = SettingsFileEdit;

export function createDefaultsSaver(files: SettingsFiles, config: string, lock: LockFile): SaveDefaults {
  const write = createSettingsWriter(files, config, lock);
  return (values) =>
    write(
      Object.entries(values).map(([name, value]) => [SETTINGS[name as SettingName].key.split('.'), value ?? undefined]),
    );
}

export function createProviderSaver(files: SettingsFiles, config: string, lock: LockFile): SaveProvider {
  const write = createSettingsWriter(files, config, lock);
  return (id, provider) => write([[[SETTINGS.providers.key, id], provider]]);
}

/** A level for one model, by its name, and that model as the default of new sessions; null takes the level away. */
export function createEffortSaver(
  files: SettingsFiles,
  config: string,
  lock: LockFile,
): (model: string, effort: string | null) => Promise<boolean> {
  const write = createSettingsWriter(files, config, lock);
  return (model, effort) =>
    write([
      [[SETTINGS.efforts.key, model], effort ?? undefined],
      [[SETTINGS.model.key], model],
    ]);
}

/** Whether an MCP server is on in each new conversation, in the person's `mcp.json`. */
export function createMcpDefaultSaver(
  files: SettingsFiles,
  config: string,
  lock: LockFile,
): (server: string, enabled: boolean) => Promise<boolean> {
  const write = createSettingsWriter(files, config, lock, 'mcp.json');
  return (server, enabled) => write([[['mcpServers', server, 'enabled'], enabled]]);
}

/**
 * Writes choices into a settings file, by default the person's own; comments and order stay. False when it cannot be done, also
 * for a file that is not understood: then it is as it was. It is read under the lock, so that two sessions never lose each
 * other's choices.
 */
export function createSettingsWriter(
  files: SettingsFiles,
  config: string,
  lock: LockFile,
  name = 'settings.json',
  modes: SettingsModes = { folder: 0o700, file: 0o600 },
): (edits: readonly Edit[]) => Promise<boolean> {
  /** What the file will hold; `undefined` where that is what it holds, null where it is not understood. */
  const edited = async (file: string, edits: readonly Edit[]): Promise<string | null | undefined> => {
    const stat = await files.stat(file);
    const before = stat === null ? '{}\n' : new TextDecoder().decode(await files.read(file, MOST_BYTES));
    const after = await withEdits(before, edits);
    return after === before ? undefined : after;
  };
  const save = async (edits: readonly Edit[]): Promise<boolean> => {
    const named = path.join(config, name);
    try {
      // A link stays one: what it leads to is written.
      const file = (await files.realPath(named)) ?? named;
      // Nothing to write: also where nothing can be written.
      const wanted = await edited(file, edits);
      if (typeof wanted !== 'string') return wanted === undefined;
      await files.makeFolder(config, modes.folder);
      const saved = await lock(file, async () => {
        const after = await edited(file, edits);
        if (typeof after !== 'string') return after === undefined;
        await files.writeAtomic(file, new TextEncoder().encode(after), { mode: modes.file, flush: true });
        return true;
      });
      return saved ?? false;
    } catch (error) {
      if (error instanceof SystemError) return false;
      throw error;
    }
  };
  return (edits) => {
    const folders = writing.get(files) ?? new Map<string, Promise<unknown>>();
    writing.set(files, folders);
    const saved = (folders.get(config) ?? Promise.resolve()).then(() => save(edits));
    folders.set(
      config,
      saved.catch(() => undefined),
    );
    return saved;
  };
}

/** One file, however many kinds of choices are written into it: each begins with what the one before it left. */
const writing = new WeakMap<SettingsFiles, Map<string, Promise<unknown>>>();

async function withEdits(text: string, edits: readonly Edit[]): Promise<string | null> {
  // Loaded when first needed: most sessions change no default.
  const { applyEdits, modify, parseTree } = await import('jsonc-parser');
  const errors: { readonly error: number }[] = [];
  const root = parseTree(text, errors as never, { allowTrailingComma: true });
  if (errors.length > 0 || root?.type !== 'object') return null;
  let changed = text;
  for (const [at, value] of edits) {
    const options = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } };
    changed = applyEdits(changed, modify(changed, [...at], value, options));
  }
  return changed;
}
