import { expect, test } from 'bun:test';
import { loadSettings, settingsLayers } from '../core/settings/load.ts';
import { NO_STACK, type PanelStack } from '../front/tui/panels/stack.ts';
import { createMemorySystem } from '../system/memory/system.ts';
import { keptPanels } from './kept-panels.ts';

const CONFIG = '/home/pat/.config/houston';
const FILE = `${CONFIG}/settings.json`;

async function house(before: string) {
  const system = createMemorySystem();
  await system.files.makeFolder(CONFIG, 0o700);
  await system.files.writeAtomic(FILE, new TextEncoder().encode(before), { mode: 0o600, flush: true });
  const settings = async () =>
    (await loadSettings(system.files, settingsLayers({ config: CONFIG, project: '/project', argument: null })))
      .settings;
  return { system, settings, text: async () => new TextDecoder().decode(await system.files.read(FILE)) };
}

test('how the panels stand goes into the person’s own settings and opens the next window; the focus does not (LA-23)', async () => {
  const { system, settings, text } = await house('{\n  // mine\n  "effort": "high",\n}\n');
  const panels = keptPanels(system, await settings(), CONFIG);
  expect(panels.options().panels).toBeUndefined();
  const pinned: PanelStack = { open: ['summary', 'tree'], pinned: true, unpinCloses: true };
  panels.options().savePanels!({ open: ['summary'], pinned: false, unpinCloses: false });
  panels.options().savePanels!(pinned);
  panels.focused('tree');
  await panels.written();
  expect(await text()).toContain('// mine');
  expect(await text()).toContain('"effort": "high"');
  expect((await settings()).panelLayout).toEqual({ ...pinned, open: [...pinned.open] });
  const later = keptPanels(system, await settings(), CONFIG);
  expect(later.options()).toMatchObject({ panels: pinned, panelFocus: null });
  // The last one closed is written down like any other choice.
  later.options().savePanels!(NO_STACK);
  await later.written();
  expect(keptPanels(system, await settings(), CONFIG).options().panels).toEqual(NO_STACK);
});

test('the next session of the same window has the panels and the focus they had; nothing is written where nothing may be', async () => {
  const { system, settings, text } = await house('{}\n');
  const panels = keptPanels(system, await settings(), null);
  const stack: PanelStack = { open: ['files'], pinned: true, unpinCloses: false };
  panels.options().savePanels!(stack);
  panels.focused('files');
  await panels.written();
  expect(panels.options()).toMatchObject({ panels: stack, panelFocus: 'files' });
  expect(await text()).toBe('{}\n');
});

test('a project’s settings open no panels, and a layout that is none is as if it were not there', async () => {
  const { system, settings } = await house('{"interface": {"tui": {"panelLayout": {"open": "all"}}}}');
  await system.files.makeFolder('/project/.houston', 0o700);
  const own = '{"interface": {"tui": {"panelLayout": {"open": ["tree"]}}}}';
  await system.files.writeAtomic('/project/.houston/settings.json', new TextEncoder().encode(own), {
    mode: 0o600,
    flush: true,
  });
  expect(keptPanels(system, await settings(), CONFIG).options().panels).toBeUndefined();
});
