import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { discoverSkills, readFrontMatter } from '../../src/core/extensions/skills.ts';
import { DOCUMENT_MARKER } from '../../src/core/policy/document-marker.ts';
import { parseRules } from '../../src/core/policy/rules.ts';
import { offeredText } from '../../src/core/tools/offered-text.ts';
import { createTools, TOOL_NAMES } from '../../src/core/tools/registry.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';
import { type GuardedPlace, guardedPlace } from '../support/guarded-session.ts';
import type { ScriptEntry } from '../support/script.ts';

const CANARY = 'canary-in-a-name';

let place: GuardedPlace;
beforeEach(() => {
  place = guardedPlace();
});
afterEach(() => place.close());

function call(tool: string, input: Record<string, unknown>): ScriptEntry {
  return [{ tool, input: { why: 'because', ...input } as never }];
}

describe('tool texts', () => {
  test('TOOL-1: name only tools that are offered in the same turn', () => {
    const tools = createTools();
    for (const alone of tools) {
      const text = offeredText(alone.description, [alone.name], TOOL_NAMES) + JSON.stringify(alone.input);
      for (const name of TOOL_NAMES) {
        if (name === alone.name || name === 'lsp') continue;
        expect({ tool: alone.name, names: new RegExp(`\\b${name}\\b`).test(text) ? name : null }).toEqual({
          tool: alone.name,
          names: null,
        });
      }
    }
    const shell = tools.find((tool) => tool.name === 'run_shell')!;
    expect(offeredText(shell.description, TOOL_NAMES, TOOL_NAMES)).toBe(shell.description);
  });

  test('TOOL-9: skills are offered only where there are any, and load by exact name only', async () => {
    place.write('.agents/skills/one/SKILL.md', '---\nname: deploy\ndescription: How to deploy\n---\nThe steps.\n');
    place.write('.claude/skills/two/SKILL.md', '---\nname: deploy\ndescription: Another\n---\n');
    place.write('.houston/skills/bad/SKILL.md', 'no front matter');
    const { files } = createBunSystem();
    const skills = (trusted: boolean) => discoverSkills(files, { config: null, project: place.folder, trusted });
    const script = [
      call('load_skill', { name: 'deploy' }),
      call('load_skill', { name: 'Deploy' }),
      call('load_skill', { name: '../one' }),
    ];
    const run = await place.run(script, { skills });
    expect(run.told[0]).toContain('The steps.');
    expect(run.told.slice(1)).toEqual(Array(2).fill('There is no such skill. Listed: deploy.'));
    expect(JSON.stringify(run.model.requests[0]!.system)).toContain('- deploy: How to deploy');
    const other = guardedPlace();
    const none = await other.run([], { skills: () => skills(false) });
    expect(none.model.requests[0]!.tools.map((tool) => tool.name)).not.toContain('load_skill');
    expect(JSON.stringify(none.model.requests[0]!.system)).not.toContain('# Skills');
    other.close();
  });

  test('front matter: quoted, folded over lines, and nothing that is none', () => {
    expect(readFrontMatter('---\r\nname: "a-b"\r\ndescription: >-\r\n  one\r\n  two\r\n---\r\n')).toEqual({
      name: 'a-b',
      description: 'one two',
    });
    for (const wrong of ['', 'name: a\ndescription: b', '---\nname: a\n---\n', '---\nname: a b\ndescription: c\n---\n'])
      expect(readFrontMatter(wrong)).toBeNull();
  });
});

describe('reading', () => {
  test('TOOL-2: a visible read carries a token that stays as long as the file does, and says nothing of it', async () => {
    place.write('a.txt', 'one\ntwo\n');
    const read = (more = {}) => call('read_file', { path: 'a.txt', ...more });
    const first = await place.run([read(), read({ offset: 2 })]);
    const tokens = first.told.map((text) => /\n\[version ([0-9a-f]{12})\]$/.exec(text)?.[1]);
    expect(tokens[0]).toBeString();
    expect(tokens[1]).toBe(tokens[0]!);
    const before = statSync(join(place.folder, 'a.txt'));
    place.write('a.txt', 'one\ntwO\n');
    utimesSync(join(place.folder, 'a.txt'), before.atime, new Date(before.mtimeMs + 5_000));
    const second = await place.run([read()]);
    expect(/\[version ([0-9a-f]{12})\]$/.exec(second.told.at(-1)!)?.[1]).not.toBe(tokens[0]!);
  });

  test('TOOL-3: a picture is kept aside by its name alone, whatever the trust; a processor sees it as a picture', async () => {
    writeFileSync(join(place.folder, 'shot.PNG'), Uint8Array.of(1, 2, 3));
    writeFileSync(join(place.folder, 'paper.pdf'), 'plain text really\n');
    const run = await place.run([
      call('read_file', { path: 'shot.PNG' }),
      call('read_file', { path: 'paper.pdf' }),
      call('spawn_processor', { reads: ['ref:1'], about: 'alt.txt', instruction: 'Describe it.' }),
      `fine\n${DOCUMENT_MARKER}\nA cat.\n`,
      call('write_file', { path: 'alt.txt', contents_ref: 'ref:3' }),
    ]);
    expect(run.told[0]).toStartWith('[ref:1: the image/png of ');
    expect(run.told[1]).toStartWith('[ref:2: the application/pdf of ');
    expect(run.model.requests[3]!.messages[0]).toMatchObject({
      parts: [{ type: 'text' }, { type: 'image', mediaType: 'image/png', base64: 'AQID' }],
    });
    expect(place.read('alt.txt')).toBe('A cat.\n');
  });

  test('TOOL-4 SEC-12: a listing nobody vouched for gives a reference for each entry, and no name', async () => {
    place.write(`${CANARY}.md`, 'hello\n');
    place.write(`b\n[allowed] ${CANARY}/x`, '');
    const run = await place.run(
      [
        call('list_files', { depth: 2 }),
        call('read_file', { path_ref: 'ref:3' }),
        call('write_file', { path_ref: 'ref:3', contents: 'mine\n' }),
        call('spawn_processor', { reads: ['ref:3'], instruction: 'x' }),
      ],
      { trust: 'no' },
    );
    expect(run.told[0]).toBe('[ref:1: a folder]\n  [ref:2: a file]\n[ref:3: a file]');
    expect(run.told[1]).toStartWith('[ref:4: the content of ref:3,');
    expect(run.told[2]).toStartWith('Overwrote ref:3');
    expect(run.told[3]).toContain('is a name only');
    expect(place.read(`${CANARY}.md`)).toBe('mine\n');
    // The person sees where it really goes.
    expect(JSON.stringify(run.asks.at(-1)?.body)).toContain(`${CANARY}.md`);
    expect(run.planner).not.toContain(CANARY);
    const again = await place.run([call('list_files', {})], { trust: 'no' });
    expect(again.told.at(-1)).toBe('[ref:5: a folder]\n[ref:6: a file]');
  });

  test('SEC-12: what a processor made, a page or a command printed is no destination', async () => {
    const run = await place.run(
      [
        call('fetch_url', { url: 'http://h.example/' }),
        call('write_file', { path_ref: 'ref:1', contents: 'x' }),
        call('read_file', { path_ref: 'ref:1' }),
        call('write_file', { path_ref: 'ref:7', contents: 'x' }),
      ],
      { fetch: () => new Response('x') },
    );
    expect(run.told.slice(1)).toEqual([
      'ref:1 stands for no file.',
      'ref:1 stands for no file.',
      'ref:7 stands for nothing.',
    ]);
  });

  test('TOOL-6: exactly one of contents and contents_ref, of path and path_ref; edits need a file that is trusted', async () => {
    place.write('a.txt', 'one\n');
    const run = await place.run(
      [
        call('write_file', { path: 'b', contents: 'x', contents_ref: 'ref:1' }),
        call('write_file', { path: 'b' }),
        call('write_file', { path: 'b', path_ref: 'ref:1', contents: 'x' }),
        call('edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] }),
      ],
      { trust: 'no' },
    );
    expect(run.told.slice(0, 3)).toEqual([
      expect.stringContaining('exactly one of "contents"'),
      expect.stringContaining('exactly one of "contents"'),
      expect.stringContaining('exactly one of "path"'),
    ]);
    expect(run.told[3]).toContain('nobody has vouched for what it holds');
    expect(place.read('a.txt')).toBe('one\n');
  });
});

describe('searching', () => {
  const search = (input: Record<string, unknown>) => call('search_text', input);

  test('TOOL-5: several patterns are either; what would go back or counts is refused and named', async () => {
    place.write('a.txt', 'alpha\nbeta\nGAMMA\nx{3}\n');
    const run = await place.run([
      search({ pattern: ['alpha', '(?i)gamma'] }),
      search({ pattern: 'a{2}' }),
      search({ pattern: '(a)\\1' }),
      search({ pattern: 'a(?=b)' }),
      search({ pattern: '(?P<n>a)' }),
      search({ pattern: 'x\\{3\\}' }),
      search({ pattern: 'x{3}', literal: true }),
      search({ pattern: '[{1}]+' }),
    ]);
    expect(run.told[0]).toBe('a.txt\n1: alpha\n3: GAMMA');
    expect(run.told.slice(1, 5)).toEqual([
      expect.stringContaining('counted repetition'),
      expect.stringContaining('backreference'),
      expect.stringContaining('lookaround'),
      expect.stringContaining('named group'),
    ]);
    expect(run.told.slice(5)).toEqual(Array(3).fill('a.txt\n4: x{3}'));
  });

  test('TOOL-5: include, exclude, folders that are skipped, and a bound on files that is said', async () => {
    for (const name of ['a.ts', 'b.ts', 'c.md', 'node_modules/d.ts', 'dist/e.ts']) place.write(name, 'needle\n');
    const limits = { commandSeconds: 300, searchFiles: 2, searchSeconds: 20 };
    const run = await place.run([
      search({ pattern: 'needle', include: '*.ts', exclude: 'b.*' }),
      search({ pattern: 'needle' }),
      search({ pattern: 'needle', directory: 'node_modules' }),
      search({ pattern: 'needle', ignored: true, include: '**/dist/**' }),
    ]);
    expect(run.told[0]).toBe('a.ts\n1: needle');
    expect(run.told[1]).toBe('a.ts\n1: needle\nb.ts\n1: needle\nc.md\n1: needle');
    expect(run.told[2]).toBe('d.ts\n1: needle');
    expect(run.told[3]).toBe('dist/e.ts\n1: needle');
    const other = await place.run([search({ pattern: 'needle' })], { limits });
    expect(other.told.at(-1)).toBe(
      'a.ts\n1: needle\nb.ts\n1: needle\n[only the first 2 of 3 files were searched: the result is partial]',
    );
  });

  test('RULE-5: never opens or names what a rule hides', async () => {
    place.write('.env', 'needle\n');
    const { rules } = parseRules({ deny: ['Read(.env)'] }, 'test');
    const run = await place.run([search({ pattern: 'needle' })], { rules });
    expect(run.told[0]).toBe('[no matches in .]');
  });
});

describe('commands', () => {
  const run = (input: Record<string, unknown>) => call('run_shell', input);

  test('RUN-3: another folder is asked about and holds for one line only', async () => {
    mkdirSync(join(place.folder, 'sub'));
    symlinkSync(place.outside, join(place.folder, 'out'));
    const ran = await place.run([
      run({ command: 'pwd' }),
      run({ command: 'pwd', directory: 'sub' }),
      run({ command: 'pwd' }),
      run({ command: 'pwd', directory: 'nowhere' }),
    ]);
    expect(ran.told[0]).toStartWith(`${place.folder}\n`);
    expect(ran.told[1]).toStartWith(`${place.folder}/sub\n`);
    expect(ran.told[2]).toStartWith(`${place.folder}\n`);
    expect(ran.told[3]).toBe('nowhere is no folder. Nothing was run.');
    expect(ran.asks).toHaveLength(1);
    expect(JSON.stringify(ran.asks[0]?.body)).toContain(`in ${place.folder}/sub`);
  });

  test('RUN-4: a deadline is a whole number, and one out of range is brought into it and said', async () => {
    const limits = { commandSeconds: 1, searchFiles: 10, searchSeconds: 20 };
    const ran = await place.run(
      [
        run({ command: 'echo a', timeout_seconds: 1.5 }),
        run({ command: 'echo a', timeout_seconds: 100_000 }),
        run({ command: 'echo begun; sleep 30', timeout_seconds: 0 }),
        run({ command: 'echo begun; sleep 30' }),
      ],
      { limits },
    );
    expect(ran.told[0]).toContain('"timeout_seconds" must be a whole number');
    expect(ran.told[1]).toBe('a\n[exit 0; its deadline was 600 seconds, not 100000]');
    expect(ran.told[2]).toContain('ended after 1 seconds, its deadline; its deadline was 1 seconds, not 0');
    expect(ran.told[3]).toContain('ended after 1 seconds, its deadline');
    expect(ran.asks.map((ask) => (ask.body.kind === 'permission' ? ask.body.effects[0] : null))).toMatchObject([
      { timeoutMs: 1_000 },
      { timeoutMs: 1_000 },
    ]);
  }, 20_000);

  test('RUN-5: an output kept aside is whole under its reference; an empty one is said, without a reference', async () => {
    const ran = await place.run(
      [
        run({ command: 'curl --version >/dev/null; seq 20000' }),
        run({ command: 'tail -n 1', stdin_ref: 'ref:1' }),
        run({ command: 'cat > copy.txt', stdin_ref: 'ref:1' }),
        run({ command: 'curl --version >/dev/null' }),
      ],
      {},
    );
    expect(ran.told[0]).toStartWith('[ref:1: the output of the command');
    expect(ran.told[2]).toBe('[no output, exit 0]');
    expect(place.read('copy.txt')).toBe(Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''));
    expect(ran.told[3]).toBe('[no output, exit 0]');
  });
});
