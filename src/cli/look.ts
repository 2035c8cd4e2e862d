import { loadSettings, settingsLayers } from '../core/settings/load.ts';
import type { Settings } from '../core/settings/schema.ts';
import type { Look } from '../front/tui/app.ts';
import { isVi } from '../front/tui/editing.ts';
import type { Files } from '../system/files.ts';

/** What of the settings is a window's own; `theme`: as named on the command line. */
export function lookOf(settings: Settings, theme: string | null): Look {
  return {
    reducedMotion: settings.reducedMotion,
    maxPromptRows: settings.editorRows ?? 10,
    wheelRows: settings.wheelRows ?? 3,
    ...(settings.subagentCardRows === null ? {} : { delegateRows: settings.subagentCardRows }),
    sendMode: settings.sendMode === 'queue' ? 'queue' : 'steering',
    keybindings: settings.keybindings,
    hooks: {
      rows: settings.hooksInTui,
      injected: settings.injectedInTranscript ? settings.injectedStyle : 'hidden',
      ...(settings.injectedInTree ? { inTree: settings.injectedStyle } : {}),
    },
    vi: isVi(settings.editorChoice ?? settings.editorMode ?? ''),
    ...themeOf(theme ?? settings.theme),
  };
}

function themeOf(theme: string | null): Pick<Look, 'theme'> {
  return theme === 'dark' || theme === 'light' || theme === 'auto' ? { theme } : {};
}

/** The same as it is now; null where a file can not be read: half of it is no choice of anybody's. */
export async function readLook(
  files: Files,
  layers: Parameters<typeof settingsLayers>[0],
  theme: string | null,
): Promise<Look | null> {
  const { settings, problems } = await loadSettings(files, settingsLayers(layers));
  return problems.some(({ severity }) => severity === 'unreadable') ? null : lookOf(settings, theme);
}
