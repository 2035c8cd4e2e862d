import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createToolBench, type ToolBench } from '../../../test/support/call-tool.ts';
import { replaceText } from './replace-text.ts';
import { decodeText, encodeText } from './text-encoding.ts';

let bench: ToolBench;
beforeAll(async () => {
  bench = await createToolBench();
});
afterAll(() => bench.close());

function put(name: string, content: string | Uint8Array): string {
  const path = join(bench.folder, name);
  writeFileSync(path, content);
  return path;
}

function edit(path: string, old_text: string, new_text: string, more: { replace_all?: boolean } = {}): Promise<string> {
  return bench.call('edit_file', { path, edits: [{ old_text, new_text, ...more }] });
}

describe('edit_file', () => {
  test('UP-42: changes exactly what was shown, byte for byte', async () => {
    const path = put('mixed.txt', 'a = 1;\r\nb = 2;\nc = 3;\r\nlast');
    const edits = [{ old_text: 'a = 1;\nb = 2;', new_text: 'a = $$ + $& + $1;\nb = \\n\\t\\0;' }];
    const plan = await bench.plan('edit_file', { path: 'mixed.txt', edits });
    expect(plan.ok && plan.diffs[0]!.hunks[0]!.lines).toEqual([
      '-a = 1;\r',
      '-b = 2;',
      '+a = $$ + $& + $1;\r',
      '+b = \\n\\t\\0;',
      ' c = 3;\r',
      ' last',
      '\\ No newline at end of file',
    ]);
    await bench.call('edit_file', { path: 'mixed.txt', edits });
    expect(readFileSync(path, 'latin1')).toBe('a = $$ + $& + $1;\r\nb = \\n\\t\\0;\nc = 3;\r\nlast');
  });

  test('UP-43: leaves a file that is not UTF-8 alone and names its encoding', async () => {
    const bytes = Buffer.from('const x = 1;\n// caf\xe9 \xa9 note\n', 'latin1');
    const path = put('latin.js', bytes);
    expect(await edit('latin.js', 'const x = 1;', 'const x = 2;')).toContain('Latin-1');
    expect(readFileSync(path)).toEqual(bytes);
  });

  test('keeps a byte order mark, UTF-16, the mode and a link', async () => {
    put('bom.txt', '\ufeffone\n');
    await edit('bom.txt', 'one', 'two');
    expect(readFileSync(join(bench.folder, 'bom.txt'), 'utf8')).toBe('\ufefftwo\n');

    put('wide.txt', Buffer.concat([Uint8Array.of(0xff, 0xfe), Buffer.from('eins 🚀\r\n', 'utf16le')]));
    await edit('wide.txt', 'eins', 'zwei');
    expect(readFileSync(join(bench.folder, 'wide.txt')).subarray(2).toString('utf16le')).toBe('zwei 🚀\r\n');

    const script = put('run.sh', 'echo 1\n');
    chmodSync(script, 0o751);
    symlinkSync('run.sh', join(bench.folder, 'link.sh'));
    await edit('link.sh', '1', '2');
    expect(readFileSync(script, 'utf8')).toBe('echo 2\n');
    expect(statSync(script).mode & 0o777).toBe(0o751);
    expect(lstatSync(join(bench.folder, 'link.sh')).isSymbolicLink()).toBe(true);
  });

  test('UP-45: a touched file and other changes do not matter, a changed target does', async () => {
    const path = put('f.txt', 'one\ntwo\nthree\n');
    await bench.call('read_file', { path: 'f.txt' });
    utimesSync(path, 1, 1);
    expect(await edit('f.txt', 'one', 'ONE')).toStartWith('Edited');
    appendFileSync(path, 'four\n');
    expect(await edit('f.txt', 'two', 'TWO')).toStartWith('Edited');
    writeFileSync(path, 'ONE\nTWO\ndrei\nfour\n');
    const refused = await edit('f.txt', 'three', 'THREE');
    expect(refused).toContain('changed since you last saw it');
    expect(refused).toContain('ONE\nTWO\ndrei\nfour\n');
    expect(await edit('f.txt', 'drei', 'DREI')).toStartWith('Edited');
    expect(readFileSync(path, 'utf8')).toBe('ONE\nTWO\nDREI\nfour\n');
  });

  test('refuses when the file changes between the yes and the write', async () => {
    const path = put('race.txt', 'one\n');
    const edits = [{ old_text: 'one', new_text: 'two' }];
    const said = await bench.call(
      'edit_file',
      { path: 'race.txt', edits },
      { between: () => writeFileSync(path, 'one\nmore\n') },
    );
    expect(said).toStartWith('Nothing was changed.');
    expect(readFileSync(path, 'utf8')).toBe('one\nmore\n');
  });

  test('makes several edits together or none', async () => {
    const path = put('many.txt', 'a\nb\nb\nc\n');
    const both = {
      path: 'many.txt',
      edits: [
        { old_text: 'a', new_text: 'A' },
        { old_text: 'b', new_text: 'B' },
      ],
    };
    expect(await bench.call('edit_file', both)).toContain('old_text of edit 2 occurs 2 times (lines 2, 3)');
    expect(readFileSync(path, 'utf8')).toBe('a\nb\nb\nc\n');
    const all = {
      path: 'many.txt',
      edits: [
        { old_text: 'a', new_text: 'A' },
        { old_text: 'b', new_text: 'B', replace_all: true },
      ],
    };
    expect(await bench.call('edit_file', all)).toContain('3 replacements');
    expect(readFileSync(path, 'utf8')).toBe('A\nB\nB\nc\n');
  });

  test('shows nothing of a file that may not be read', async () => {
    const outside = join(bench.folder, '..', 'outside.txt');
    writeFileSync(outside, 'canary-77');
    const said = await bench.call(
      'edit_file',
      { path: outside, edits: [{ old_text: 'guess', new_text: 'x' }] },
      { mode: 'edits' },
    );
    expect(said).toStartWith('Not permitted (cannot-ask)');
    expect(said).not.toContain('canary-77');
  });

  test('names the argument that is wrong', async () => {
    expect(await bench.call('edit_file', { path: 'x', edits: [{ old_text: 'a' }] })).toBe(
      'Wrong arguments: "edits" item 1: "new_text" is missing.',
    );
    expect(await bench.call('edit_file', { path: 'x', edits: [], why: 3 })).toBe(
      'Wrong arguments: "edits" must have at least 1 item.',
    );
    expect(await bench.call('read_file', { file: 'x' })).toContain('unknown argument "file"');
    expect(await bench.call('read_file', { path: 'x', limit: 501 })).toBe(
      'Wrong arguments: "limit" must be at most 500.',
    );
  });
});

describe('replace text', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '🚀', '$', '\\', '&', '\r'), maxLength: 6 });
  const ending = fc.constantFrom('\n', '\r\n');

  test('UP-42: bytes outside the edit never change, whatever the encoding and line endings', () => {
    const texts = fc.array(fc.tuple(line, ending), { minLength: 1, maxLength: 12 });
    const encodings = fc.constantFrom(
      'UTF-8' as const,
      'UTF-8 with BOM' as const,
      'UTF-16LE' as const,
      'UTF-16BE' as const,
    );
    fc.assert(
      fc.property(texts, texts, line, encodings, (before, after, newText, encoding) => {
        const join = (lines: readonly (readonly [string, string])[]) => lines.map((parts) => parts.join('')).join('');
        const [head, tail] = [join(before), join(after)];
        const bytes = encodeText(`${head}<TARGET>${tail}`, encoding);
        const decoded = decodeText(bytes);
        if (decoded.kind !== 'text') throw new Error('well-formed text must decode');
        const replaced = replaceText(decoded.text, [{ oldText: '<TARGET>', newText, all: false }]);
        if (!replaced.ok) throw new Error(replaced.problem);
        expect(encodeText(replaced.text, encoding)).toEqual(encodeText(`${head}${newText}${tail}`, encoding));
      }),
    );
  });

  test('what decodes gives the same bytes back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const decoded = decodeText(bytes);
        if (decoded.kind === 'text') expect([...encodeText(decoded.text, decoded.encoding)]).toEqual([...bytes]);
      }),
    );
  });

  test('a line feed matches whatever ending stands there, and the replacement takes it over', () => {
    const replace = (text: string, oldText: string, newText: string) => {
      const replaced = replaceText(text, [{ oldText, newText, all: false }]);
      return replaced.ok ? replaced.text : replaced.problem;
    };
    expect(replace('a\r\nb\r\n', 'a\nb', 'x\ny\nz')).toBe('x\r\ny\r\nz\r\n');
    expect(replace('a\nb\r\n', 'b', 'x\ny')).toBe('a\nx\r\ny\r\n');
    expect(replace('a\r\nb', 'b', 'x\ny')).toBe('a\r\nx\r\ny');
    expect(replace('a\r\nb\r\n', 'a\r\nb', 'c')).toBe('c\r\n');
    expect(replace('a\r\nb\r\n', '\nb', '\nc')).toBe('a\r\nc\r\n');
    expect(replace('aa', 'a', 'b')).toBe('ambiguous');
    expect(replace('a', 'a', 'a')).toBe('same');
  });

  test('overlapping edits are refused', () => {
    const edits = [
      { oldText: 'abc', newText: 'x', all: false },
      { oldText: 'cde', newText: 'y', all: false },
    ];
    expect(replaceText('abcde', edits)).toMatchObject({ ok: false, at: 1, problem: 'overlap' });
  });
});
