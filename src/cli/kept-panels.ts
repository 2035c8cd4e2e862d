import type { Settings } from '../core/settings/schema.ts';
import type { MissionControlOptions } from '../front/tui/app.ts';
import { type PanelName, type PanelStack, readStack } from '../front/tui/panels/stack.ts';
import type { TerminalSystem } from '../system/system.ts';

/** The panels of a window: as they were left, for the next session in it (LA-22) and for the next window (LA-23). */
export interface KeptPanels {
  readonly options: () => Pick<MissionControlOptions, 'panels' | 'panelFocus' | 'savePanels'>;
  /** Which panel had the focus when a session was left. */
  readonly focused: (name: PanelName | null) => void;
  /** Once the last choice is written down, or could not be. */
  readonly written: () => Promise<void>;
}

/** `config`: where the person's own settings lie; null writes nothing down. */
export function keptPanels(
  system: Pick<TerminalSystem, 'files' | 'clock' | 'ids' | 'processes'>,
  settings: Pick<Settings, 'panelLayout'>,
  config: string | null,
): KeptPanels {
  let stack = readStack(settings.panelLayout) ?? undefined;
  let focus: PanelName | null = null;
  let writing: Promise<void> | null = null;
  let waits: PanelStack | null = null;
  const write = async (folder: string): Promise<void> => {
    const { settingsSavers } = await import('./save-settings.ts');
    const { saveDefaults } = settingsSavers(system, folder);
    // Of several choices made while one is written, the last one counts.
    for (let next = waits; next !== null; next = waits) {
      waits = null;
      const { open, pinned, unpinCloses } = next;
      await saveDefaults({ panelLayout: { open: [...open], pinned, unpinCloses } }).catch(() => false);
    }
    writing = null;
  };
  return {
    options: () => ({
      ...(stack === undefined ? {} : { panels: stack, panelFocus: focus }),
      savePanels: (next) => {
        stack = next;
        if (config === null) return;
        waits = next;
        writing ??= write(config);
      },
    }),
    focused: (name) => {
      focus = name;
    },
    written: async () => {
      await writing;
    },
  };
}
