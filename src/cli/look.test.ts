import { expect, test } from 'bun:test';
import { loadSettings, settingsLayers } from '../core/settings/load.ts';
import { createDefaultsSaver } from '../core/settings/save-defaults.ts';
import { createMemoryClock } from '../system/memory/clock.ts';
import { createMemoryFiles } from '../system/memory/files.ts';
import { lookOf, readLook } from './look.ts';

async function filesWith(settings: string) {
  const files = createMemoryFiles(createMemoryClock());
  await files.makeFolder('/config', 0o700);
  await files.writeAtomic('/config/settings.json', new TextEncoder().encode(settings), { mode: 0o600, flush: true });
  return files;
}

const LAYERS = { config: '/config', project: '/project', argument: null };

test('editor.mode says which editing the box has, in any case; an unknown word is the ordinary one (VI-1)', async () => {
  for (const [word, vi] of [
    ['vim', true],
    ['VIM', true],
    ['Vi', true],
    ['emacs', false],
    ['Emacs', false],
    ['ed', false],
  ] as const) {
    const files = await filesWith(`{"editor": {"mode": "${word}"}}`);
    const { settings, problems } = await loadSettings(files, settingsLayers(LAYERS));
    expect(problems).toEqual([]);
    expect(lookOf(settings, null).vi).toBe(vi);
  }
  expect((await readLook(await filesWith('{}'), LAYERS, null))?.vi).toBe(false);
});

test('what /config chose goes before the setting, both ways, and is kept for every session (VI-1)', async () => {
  const files = await filesWith('{"editor": {"mode": "vim"}}');
  const save = createDefaultsSaver(files, '/config', async (_, work) => work());
  expect(await save({ editorChoice: 'ordinary' })).toBe(true);
  expect((await readLook(files, LAYERS, null))?.vi).toBe(false);
  expect(await save({ editorMode: 'emacs', editorChoice: 'vi' })).toBe(true);
  expect((await readLook(files, LAYERS, null))?.vi).toBe(true);
});
