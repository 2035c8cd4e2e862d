import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createToolBench, type ToolBench } from '../../../test/support/call-tool.ts';
import { parseRules } from '../policy/rules.ts';
import { createTools } from './registry.ts';

let bench: ToolBench;
beforeAll(async () => {
  bench = await createToolBench();
  put('src/a.ts', 'const needle = 1;\nconst hay = 2;\n');
  put('src/b.ts', 'needle(needle)\n');
  put('src/deep/c.md', '# needle\n');
  put('.env', 'TOKEN=up-secret-7 needle\n');
  put('.gitignore', 'built/\n');
  put('built/out.ts', 'needle\n');
  put('.git/config', '[core]\n# needle\n');
});
afterAll(() => bench.close());

function put(name: string, content: string | Uint8Array): void {
  const path = join(bench.folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
}

describe('every tool', () => {
  test('TOOL-1: asks for a why, has a text for the model and complains about what it does not know', async () => {
    for (const tool of createTools()) {
      expect(tool.description.length).toBeGreaterThan(80);
      expect(tool.input.required).toContain('why');
      expect(tool.title(null)).not.toBe('');
      const said = await bench.plan(tool.name, { nonsense: true });
      expect(said).toMatchObject({ ok: false, message: expect.stringContaining('unknown argument "nonsense"') });
    }
  });
});

describe('read_file', () => {
  test('TOOL-2: gives lines as they are, then the range and the next offset', async () => {
    put('long.txt', Array.from({ length: 1200 }, (_, index) => `line ${index + 1}\n`).join(''));
    const first = await bench.call('read_file', { path: 'long.txt' });
    expect(first.split('\n').slice(0, 2)).toEqual(['line 1', 'line 2']);
    expect(first).toEndWith('line 500\n[lines 1-500 of 1200; continue with offset 501]');
    expect(await bench.call('read_file', { path: 'long.txt', offset: 1199, limit: 5 })).toBe(
      'line 1199\nline 1200\n[lines 1199-1200 of 1200]',
    );
    expect(await bench.call('read_file', { path: 'long.txt', offset: 1201 })).toContain('has only 1200 lines');
    put('wide.txt', `${'x'.repeat(2_500)}\n`);
    expect(await bench.call('read_file', { path: 'wide.txt' })).toBe(
      `${'x'.repeat(2_000)} [... 500 more characters in this line]`,
    );
  });

  test('says what the lines do not: endings, missing newline, encoding, emptiness, binary', async () => {
    put('crlf.txt', 'a\r\nb');
    expect(await bench.call('read_file', { path: 'crlf.txt' })).toBe(
      'a\nb\n[CRLF line endings; no newline at the end]',
    );
    put('latin.txt', Buffer.from('caf\xe9\n', 'latin1'));
    expect(await bench.call('read_file', { path: 'latin.txt' })).toStartWith('café\n[not UTF-8: shown as Latin-1');
    put('empty.txt', '');
    expect(await bench.call('read_file', { path: 'empty.txt' })).toBe('[the file is empty]');
    put('image.png', Uint8Array.of(137, 80, 0, 1));
    expect(await bench.call('read_file', { path: 'image.png' })).toBe('[binary file, 4 bytes: not shown]');
    expect(await bench.call('read_file', { path: 'src' })).toContain('is a folder');
    expect(await bench.call('read_file', { path: 'nowhere' })).toContain('no such file');
  });

  test('cuts a line that is too long between characters', async () => {
    put('wide.txt', `${'x'.repeat(1_999)}🚀🚀\n`);
    const said = await bench.call('read_file', { path: 'wide.txt' });
    expect(said).toBe(`${'x'.repeat(1_999)} [... 4 more characters in this line]`);
  });

  test('reads a file of many megabytes by range', async () => {
    const line = `${'0123456789'.repeat(10)}\n`;
    put('large.log', `${line.repeat(100_000)}FATAL 42\n`);
    expect(await bench.call('read_file', { path: 'large.log', offset: 100_000 })).toBe(
      `${line}FATAL 42\n[lines 100000-100001 of 100001]`,
    );
  });

  test('remembers what was seen, so that an overwrite of something newer is refused', async () => {
    put('seen.txt', 'one\n');
    await bench.call('read_file', { path: 'seen.txt' });
    put('seen.txt', 'two\n');
    expect(await bench.call('write_file', { path: 'seen.txt', contents: 'three\n' })).toContain(
      'changed since you last saw it',
    );
    await bench.call('read_file', { path: 'seen.txt' });
    expect(await bench.call('write_file', { path: 'seen.txt', contents: 'three\n' })).toStartWith('Overwrote seen.txt');
  });
});

describe('write_file', () => {
  test('makes a file and its folders, exactly as given', async () => {
    expect(await bench.call('write_file', { path: 'new/deep/file.txt', contents: 'no newline 🚀' })).toStartWith(
      'Created',
    );
    expect(readFileSync(join(bench.folder, 'new/deep/file.txt'), 'utf8')).toBe('no newline 🚀');
  });

  test('does not replace a file that appeared meanwhile', async () => {
    const between = () => put('late.txt', 'theirs');
    expect(await bench.call('write_file', { path: 'late.txt', contents: 'mine' }, { between })).toStartWith(
      'Nothing was written.',
    );
    expect(readFileSync(join(bench.folder, 'late.txt'), 'utf8')).toBe('theirs');
  });

  test('does not follow a link that was put there after the yes', async () => {
    put('victim.txt', 'safe');
    const between = () => symlinkSync('victim.txt', join(bench.folder, 'trap.txt'));
    expect(await bench.call('write_file', { path: 'trap.txt', contents: 'mine' }, { between })).toContain('EPERM');
    expect(readFileSync(join(bench.folder, 'victim.txt'), 'utf8')).toBe('safe');
  });
});

describe('looking for files', () => {
  test('TOOL-4: lists folders first and names what is not entered', async () => {
    const said = await bench.call('list_files', { directory: '.', depth: 2 });
    expect(said).toContain('.git/ [not listed]');
    expect(said).toContain('src/\n  deep/\n  a.ts\n  b.ts');
  });

  test('a name with a line end is one entry', async () => {
    put('names/evil\nsrc/fake.ts', 'spoofed\n');
    expect(await bench.call('list_files', { directory: 'names' })).toBe('"evil\\nsrc"/');
  });

  test('finds by glob, sorted, without ignored files and without the inside of the repository', async () => {
    expect(await bench.call('find_files', { pattern: '*.ts', directory: '.' })).toBe(
      '"names/evil\\nsrc/fake.ts"\nsrc/a.ts\nsrc/b.ts',
    );
    expect(await bench.call('find_files', { pattern: 'o*.ts', ignored: true })).toBe('built/out.ts');
    expect(await bench.call('find_files', { pattern: 'src/**/*.md' })).toBe('src/deep/c.md');
    expect(await bench.call('find_files', { pattern: '*.zig' })).toContain('no file below . matches');
  });
});

describe('search_text', () => {
  test('TOOL-5: groups matches by file in path order', async () => {
    expect(await bench.call('search_text', { pattern: 'needle', directory: 'src' })).toBe(
      'a.ts\n1: const needle = 1;\nb.ts\n1: needle(needle)\ndeep/c.md\n1: # needle',
    );
    expect(await bench.call('search_text', { pattern: 'hay', directory: 'src/a.ts', context: 1 })).toBe(
      'a.ts\n1- const needle = 1;\n2: const hay = 2;',
    );
  });

  test('TOOL-5: a wrong expression, no matches and no files are three different answers', async () => {
    expect(await bench.call('search_text', { pattern: 'needle(' })).toStartWith('The search could not be made: ');
    expect(await bench.call('search_text', { pattern: 'needle(', literal: true, directory: 'src' })).toBe(
      'b.ts\n1: needle(needle)',
    );
    expect(await bench.call('search_text', { pattern: 'zzz', directory: 'src' })).toBe('[no matches in src]');
    expect(await bench.call('search_text', { pattern: 'needle', include: '*.zig' })).toContain('no files selected');
  });

  test('UP-49: never shows what a rule forbids to read', async () => {
    const { rules } = parseRules({ deny: ['Read(.env*)'] }, 'test');
    const said = await bench.call('search_text', { pattern: 'needle' }, { rules });
    expect(said).toContain('src/a.ts');
    expect(said).not.toContain('up-secret-7');
    expect(await bench.call('read_file', { path: '.env' }, { rules })).toStartWith('Not permitted (rule-deny)');
    expect(await bench.call('list_files', {}, { rules })).not.toContain('.env');
  });

  test('a name with a line end is not taken for another file', async () => {
    expect(await bench.call('search_text', { pattern: 'spoofed' })).toBe('"names/evil\\nsrc/fake.ts"\n1: spoofed');
  });

  test('gives long results in pages', async () => {
    put('many.txt', 'match\n'.repeat(450));
    const first = await bench.call('search_text', { pattern: 'match', directory: 'many.txt' });
    expect(first).toEndWith('200: match\n[continue with offset 200]');
    const last = await bench.call('search_text', { pattern: 'match', directory: 'many.txt', offset: 400 });
    expect(last).toStartWith('many.txt\n401: match');
    expect(last).toEndWith('450: match');
  });
});

describe('run_shell', () => {
  test('UP-29: the error at the end survives, and the whole is read by range without a question', async () => {
    const said = await bench.call('run_shell', { command: 'seq 50000; echo FATAL 42; exit 7' });
    expect(said).toContain('\nFATAL 42\n[exit 7]');
    const [, name] = /the whole is in (output:\S+?):/.exec(said)!;
    const read = await bench.call('read_file', { path: name!, offset: 49_999 }, { mode: 'ask' });
    expect(read).toBe('49999\n50000\nFATAL 42\n[lines 49999-50001 of 50001]');
    expect(
      await bench.call('read_file', { path: `output:../../../${basename(bench.folder)}/.env` }, { mode: 'ask' }),
    ).toContain('no such file');
  });

  test('the exit code of a piped command is the pipe’s (SC-29.7)', async () => {
    expect(await bench.call('run_shell', { command: 'false | echo on' })).toBe('on\n[exit 0]');
    expect(await bench.call('run_shell', { command: 'echo in | (cat >/dev/null; exit 3)' })).toBe(
      '[no output, exit 3]',
    );
  });

  test('says how it ended', async () => {
    expect(await bench.call('run_shell', { command: 'true' })).toBe('[no output, exit 0]');
    expect(await bench.call('run_shell', { command: 'echo begun; sleep 30', timeout_seconds: 1 })).toBe(
      'begun\n[ended after 1 seconds, its deadline]',
    );
    expect(await bench.call('run_shell', { command: 'read -p "name? " x; echo got:$x' })).toContain(
      'input was not available',
    );
  }, 10_000);
});
