// What a person sees of hooks, and of what they told the model.
import { expect, test } from 'bun:test';
import { lookOf } from '../../src/cli/look.ts';
import { loadSettings } from '../../src/core/settings/load.ts';
import type { HooksShown } from '../../src/front/tui/blocks/row.ts';
import { TRUSTED_PRIVATE } from '../../src/protocol/label.ts';
import type { HookRow, Item } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { type Driver, drive } from '../support/driver.ts';
import { sampleCall, sampleItem } from '../support/sample-view.ts';

/** What a window is given by these settings. */
async function hooksBy(hooks: Readonly<Record<string, unknown>>): Promise<HooksShown> {
  const { files } = createMemorySystem();
  files.seed('/s.json', JSON.stringify({ automation: { hooks } }));
  const { settings, problems } = await loadSettings(files, [{ source: '/s.json', from: 'person' }]);
  expect(problems).toEqual([]);
  return lookOf(settings, null).hooks!;
}

async function show(hooks: HooksShown, items: Item[]): Promise<Driver> {
  const driver = await drive({ options: { hooks } });
  const view = structuredClone(driver.session.view);
  const transcript = { total: items.length, first: 0, items, generation: view.transcript.generation };
  await driver.publish({ type: 'branch', view: { ...view, transcript } });
  return driver;
}

const row = (label: string, status: HookRow['status'], phase = 'before_tool'): HookRow => ({
  hook: `h-${label}`,
  ...{ phase, label, status, text: '', duration: status === 'running' ? null : 5 },
});

test('with show_in_tui each hook has a row under its tool: phase, label, tool and how it stands; else it has none (HK-1, CF-6)', async () => {
  const hooks = [row('lint\u001b[2J', 'running'), row('format', 'ok'), row('tests', 'failed', 'after_tool')];
  const call = { ...sampleCall({ title: 'Read src/a.ts', tool: 'read_file', call: 'c9' }), hooks } as Item;
  const hidden = await show(await hooksBy({}), [call]);
  expect(hidden.screenText()).not.toContain('before_tool');
  const shown = await show(await hooksBy({ show_in_tui: true }), [call]);
  const lines = shown.screenText().split('\n');
  const at = lines.findIndex((line) => line.includes('Read src/a.ts'));
  const below = lines.slice(at + 1);
  expect(below.find((line) => line.includes('before_tool lint␛[2J read_file'))).toBeDefined();
  expect(below.find((line) => line.includes('● before_tool format read_file'))).toBeDefined();
  expect(below.find((line) => line.includes('✗ after_tool tests read_file'))).toBeDefined();
  // It runs, and then it does not any more.
  const entry = { id: 'e9', parent: null, time: 0, kind: 'hook', turn: 1, tool: 'read_file', call: 'c9' } as const;
  const { duration, ...over } = row('lint\u001b[2J', 'ok');
  await shown.publish({
    type: 'entry',
    entry: { ...entry, ...over, status: 'ok', duration: duration ?? 0, injected: null },
  });
  expect(shown.screenText()).toContain('● before_tool lint␛[2J read_file');
});

test('one that fails warns though nothing is shown of hooks', async () => {
  const driver = await show(await hooksBy({}), [sampleCall({ call: 'c9' })]);
  const entry = { id: 'e9', parent: null, time: 0, kind: 'hook', turn: 1, tool: 'read_file', call: 'c9' } as const;
  const ran = {
    hook: 'h',
    phase: 'after_tool',
    label: 'tests',
    status: 'failed',
    duration: 1,
    text: 'exit 1',
  } as const;
  await driver.publish({ type: 'entry', entry: { ...entry, ...ran, injected: null } });
  expect(driver.screenText()).toContain('▲ The hook “tests” (after_tool, read_file) failed: exit 1');
});

test('what hooks told the model has rows of its own where it is wanted: its words, cut until unfolded, or figures alone (HK-2, HK-4, CF-6)', async () => {
  const text = Array.from({ length: 9 }, (_, at) => `word ${at}`).join('\n\n');
  const told = sampleItem({
    ...{ kind: 'hook', turn: 1, phase: 'after_tool', label: 'speaks', tool: 'read_file', call: 'c9', status: 'ok' },
    injected: { text, ref: null, label: TRUSTED_PRIVATE, items: 3, bytes: 2048 },
  });
  const items = [sampleCall({ call: 'c9' }), told];
  const look = async (injected_content: Readonly<Record<string, unknown>>) =>
    (await show(await hooksBy({ injected_content }), items)).screenText();
  for (const none of [{}, { style: 'content' }, { show_in_activity_tree: true }]) {
    const screen = await look(none);
    expect(screen).not.toContain('speaks');
    expect(screen).not.toContain('word 0');
  }
  const content = await look({ show_in_transcript: true });
  expect(content).toContain('hook speaks told the model');
  expect(content).toContain('word 0');
  expect(content).not.toContain('word 8');
  const metadata = await look({ show_in_transcript: true, style: 'metadata' });
  expect(metadata).toMatch(/hook speaks told the model .*ok • 3 items • 2 KB/);
  expect(metadata).not.toContain('word 0');
});
