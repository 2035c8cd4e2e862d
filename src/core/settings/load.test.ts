import { expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createBunFiles } from '../../system/bun/files.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { loadSettings, settingsLayers } from './load.ts';
import { projectRequests } from './project-requests.ts';
import { settingsSchema } from './schema.ts';

async function withFolder<T>(
  run: (folder: string, write: (name: string, text: string) => Promise<string>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'houston-settings-'));
  try {
    return await run(folder, async (name, text) => {
      const file = path.join(folder, name);
      await Bun.write(file, text);
      return file;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
const files = createBunFiles();

test('layers join by their own rule: strongest, by name, together (SET-1, KEY-3)', async () => {
  await withFolder(async (folder, write) => {
    await write(
      'config/settings.json',
      '{"model": "a:b", "keybindings": {"editor": "ctrl-e", "stash": "ctrl-k"}, "permissions": {"deny": ["Read(.env*)"]}}',
    );
    await write(
      'project/.houston/settings.json',
      '{"keybindings": {"editor": "alt-e"}, "permissions": {"deny": ["Bash(rm *)"]}}',
    );
    const { settings, problems } = await loadSettings(
      files,
      settingsLayers({ config: path.join(folder, 'config'), project: path.join(folder, 'project'), argument: null }),
    );
    expect(problems).toEqual([]);
    expect(settings.model).toBe('a:b');
    expect(settings.keybindings).toEqual({ editor: 'alt-e', stash: 'ctrl-k' });
    expect(settings.deny).toEqual(['Read(.env*)', 'Bash(rm *)']);
  });
});

test('a project cannot widen: its allow rules are requests, its model is ignored and named (SET-3, RULE-7)', async () => {
  await withFolder(async (folder, write) => {
    await write(
      '.houston/settings.json',
      '{\n"model": "evil:model",\n"permissions": {"allow": ["Bash(*)"], "deny": ["Bash(curl *)"]}}',
    );
    const loaded = await loadSettings(files, settingsLayers({ config: null, project: folder, argument: null }));
    expect(loaded.settings.model).toBeNull();
    expect(loaded.settings.allow).toEqual([]);
    expect(loaded.settings.deny).toEqual(['Bash(curl *)']);
    expect(loaded.requests.map((request) => request.key)).toEqual(['permissions.allow']);
    expect(loaded.problems).toMatchObject([{ line: 2, severity: 'ignored' }]);
  });
});

test('broken configuration never opens the gate (UP-37)', async () => {
  await withFolder(async (_folder, write) => {
    const file = await write(
      'settings.json',
      '{"permissions": {"deny": ["Bash(touch DENIED*)"], "allow": ["Bash(touch *)"]}}',
    );
    const layers = [{ source: file, from: 'person' as const }];
    const good = await loadSettings(files, layers);
    expect(good.settings.allow).toEqual(['Bash(touch *)']);

    await writeFile(file, '{\n"permissions": {"deny": ["Bash(touch DENIED*)"],\n "allow": ["Bash(touch *)"]');
    const kept = await loadSettings(files, layers, good.texts);
    expect(kept.settings.deny).toEqual(['Bash(touch DENIED*)']);
    expect(kept.problems).toMatchObject([{ source: file, line: 3, severity: 'unreadable' }]);
    const fresh = await loadSettings(files, layers);
    expect(fresh.settings.allow).toEqual([]);

    await writeFile(file, '{"permissions": {"deny": ["Bash(touch DENIED*)", 7], "allow": []}}');
    const partly = await loadSettings(files, layers, good.texts);
    expect(partly.settings.deny).toEqual(['Bash(touch DENIED*)']);
    expect(partly.problems).toMatchObject([{ severity: 'ignored' }]);

    await writeFile(file, '// mine\n{"permissions": {"deny": ["Bash(touch DENIED*)",],}, "surprise": 1,}');
    const commented = await loadSettings(files, layers, good.texts);
    expect(commented.settings.deny).toEqual(['Bash(touch DENIED*)']);
    expect(commented.problems).toMatchObject([{ line: 2, severity: 'unknown' }]);
  });
});

test('values out of range act as absent, and are named (SET-5)', async () => {
  await withFolder(async (_folder, write) => {
    const file = await write(
      's.json',
      '{"interface": {"tui": {"subagentCardRows": 51, "wheelRows": 7}}, "editor": {"maxRows": "many"}}',
    );
    const { settings, problems } = await loadSettings(files, [{ source: file, from: 'person' }]);
    expect(settings.subagentCardRows).toBe(16);
    expect(settings.wheelRows).toBe(7);
    expect(settings.editorRows).toBe(10);
    expect(problems.map((problem) => problem.message)).toEqual([
      'interface.tui.subagentCardRows has no usable value',
      'editor.maxRows has no usable value',
    ]);
  });
});

test('fast mode is chosen by the person; a project that asks for it is not heard (FA-10)', async () => {
  await withFolder(async (_folder, write) => {
    const own = await write('own.json', '{"agent": {"fast": {"enabled": true}}}');
    const theirs = await write('project.json', '{"agent": {"fast": {"enabled": true}}}');
    const person = await loadSettings(files, [{ source: own, from: 'person' }]);
    expect(person.settings.fast).toBe(true);
    const project = await loadSettings(files, [{ source: theirs, from: 'project' }]);
    expect(project.settings.fast).toBe(false);
    expect(project.problems).toMatchObject([{ severity: 'ignored', message: expect.stringContaining('agent.fast') }]);
  });
});

test('a provider that cannot be used is left out and named, with what is wrong; the others count (SET-5)', async () => {
  await withFolder(async (_folder, write) => {
    const providers = { a: { api: 'telepathy' }, b: { baseUrl: 'http://x' }, c: 'x', d: { api: 'google' } };
    const file = await write('s.json', JSON.stringify({ providers }));
    const { settings, problems } = await loadSettings(files, [{ source: file, from: 'person' }]);
    expect(Object.keys(settings.providers)).toEqual(['d']);
    const apis = 'anthropic, openai-responses, openai-chat, google or claude-cli';
    expect(problems.map(({ severity, message }) => [severity, message])).toEqual([
      ['ignored', `providers.a.api is not ${apis}, but "telepathy"`],
      ['ignored', `providers.b.api is missing: ${apis}`],
      ['ignored', 'providers.c is not an object'],
    ]);
  });
});

test('a file named on the command line must exist (SET-4)', async () => {
  const { problems } = await loadSettings(files, [{ source: '/nowhere/settings.json', from: 'argument' }]);
  expect(problems).toMatchObject([{ severity: 'unreadable', message: 'no such file' }]);
});

test('the schema names every setting where it stands in a file', () => {
  const schema = settingsSchema() as {
    properties: { permissions: { properties: object }; interface: { properties: { tui: { properties: object } } } };
  };
  expect(Object.keys(schema.properties.permissions.properties)).toContain('deny');
  expect(Object.keys(schema.properties.interface.properties.tui.properties)).toContain('wheelRows');
});

test('SBX-2, SBX-5: a checkout may ask for strict and for no network, and for nothing looser', async () => {
  await withFolder(async (folder, write) => {
    await write('config/settings.json', '{"sandbox": {"mode": "standard"}}');
    const layers = settingsLayers({ config: path.join(folder, 'config'), project: folder, argument: null });
    await write('.houston/settings.json', '{"sandbox": {"mode": "off"}, "run": {"network": "open"}}');
    const looser = await loadSettings(files, layers);
    expect(looser.settings).toMatchObject({ sandbox: 'standard', network: 'open' });
    expect(looser.problems.map((problem) => problem.severity)).toEqual(['ignored', 'ignored']);
    await write('.houston/settings.json', '{"sandbox": {"mode": "strict"}, "run": {"network": "closed"}}');
    const stricter = await loadSettings(files, layers);
    expect(stricter.settings).toMatchObject({ sandbox: 'strict', network: 'closed' });
    expect(stricter.problems).toEqual([]);
    await write('.houston/settings.json', '{"sandbox": {"mode": "standard"}}');
    await write('config/settings.json', '{"sandbox": {"mode": "strict"}}');
    expect((await loadSettings(files, layers)).settings.sandbox).toBe('strict');
  });
});

test('RULE-7: each layer keeps its own rules with their lines; what a project allows is a request alone', async () => {
  await withFolder(async (folder, write) => {
    const home = await write(
      'config/settings.json',
      '{"permissions": {\n"allow": ["Bash(ls *)",\n 7, "Edit(/x)"], "deny": ["Read(.env)"]}}',
    );
    const own = await write(
      'project/.houston/settings.json',
      '{"permissions": {"allow": ["Bash(evil *)"], "deny": ["Bash(rm *)"], "additionalDirectories": ["../y"], "readsStayInWorkspace": true}}',
    );
    const given = await write(
      'given.json',
      '{"permissions": {"allow": ["Bash(make)"], "readsStayInWorkspace": false}}',
    );
    const layers = settingsLayers({
      config: path.join(folder, 'config'),
      project: path.join(folder, 'project'),
      argument: given,
    });
    const loaded = await loadSettings(files, layers);
    const texts = loaded.rules.map(({ source, verdict, entries }) => [
      source,
      verdict,
      entries.map(({ text, line }) => `${line}: ${text}`),
    ]);
    expect(texts).toEqual([
      [home, 'deny', ['3: Read(.env)']],
      [home, 'allow', ['2: Bash(ls *)', '3: Edit(/x)']],
      [own, 'deny', ['1: Bash(rm *)']],
      [given, 'allow', ['1: Bash(make)']],
    ]);
    // The strictest layer wins, not the strongest.
    expect(loaded.settings.readsStayInWorkspace).toBe(true);
    const asked = projectRequests(loaded, path.join(folder, 'project'))!;
    expect(asked.lines).toEqual([
      '.houston/settings.json: permissions.allow ["Bash(evil *)"]',
      '.houston/settings.json: permissions.additionalDirectories ["../y"]',
    ]);
    expect(asked.allow).toEqual([{ source: own, text: 'Bash(evil *)' }]);
    expect(asked.folders).toEqual([{ source: own, folder: '../y' }]);
    await write('project/.houston/settings.json', '{"permissions": {"allow": ["Bash(worse *)"]}}');
    const edited = projectRequests(await loadSettings(files, layers), path.join(folder, 'project'))!;
    expect(edited.digest).not.toBe(asked.digest);
    expect(projectRequests({ requests: [] }, folder)).toBeNull();
  });
});

test('UP-37: with a file that cannot be read no permission in advance is left, in no layer', async () => {
  await withFolder(async (folder, write) => {
    await write('config/settings.json', '{"permissions": {"deny": ["Bash(touch DENIED*)"]');
    const given = await write('given.json', '{"permissions": {"allow": ["Bash(touch *)"], "deny": ["Read(x)"]}}');
    const layers = settingsLayers({ config: path.join(folder, 'config'), project: null, argument: given });
    const loaded = await loadSettings(files, layers);
    expect(loaded.closed).toBe(true);
    expect(loaded.rules.map(({ verdict }) => verdict)).toEqual(['deny']);
    expect(loaded.settings.allow).toEqual([]);
    await write('config/settings.json', '{"permissions": {"deny": ["Bash(touch DENIED*)",] /* kept */}}');
    expect((await loadSettings(files, layers)).closed).toBe(false);
  });
});

test('of what an administrator writes only what it denies counts, above every other file (DSH-2)', async () => {
  const { files } = createMemorySystem();
  files.seed(
    '/etc/houston/settings.json',
    '{"permissions": {"deny": ["Bash(shutdown *)"], "allow": ["Bash"]}, "model": "a:b"}',
  );
  const loaded = await loadSettings(files, settingsLayers({ config: null, project: null, argument: null }));
  expect(loaded.rules).toEqual([
    { source: '/etc/houston/settings.json', verdict: 'deny', entries: [{ text: 'Bash(shutdown *)', line: 1 }] },
  ]);
  expect(loaded.settings.model).toBe(null);
  expect(loaded.problems.map(({ message }) => message)).toEqual([
    'model has no effect here: only permissions.deny does',
    'allow has no effect here: only permissions.deny does',
  ]);
});
