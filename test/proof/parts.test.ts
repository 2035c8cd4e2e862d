// The package's files of one program (scripts/parts.ts): what loads when, and that every module is there once.
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildParts } from '../../scripts/parts.ts';

const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'houston-parts-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SOURCES: Readonly<Record<string, string>> = {
  'main.ts': [
    `import { said } from './first.ts';`,
    `import { late, LIMIT } from './late/rows.ts';`,
    `import { wait } from './late/constant.ts';`,
    'export const before = (): readonly string[] => [...said];',
    'export const call = (): string => late(2);',
    'export const callAsync = (): Promise<string> => wait();',
    `export const far = async (): Promise<string> => (await import('./far.ts')).far();`,
    'export const limit = LIMIT;',
  ].join('\n'),
  'first.ts': `export const said: string[] = ['first'];\nexport class Kept {}\n`,
  'late/rows.ts': `import { said } from '../first.ts';\nsaid.push('rows');\nexport const LIMIT = 3;\nexport function late(n: number): string { return 'late ' + n; }\n`,
  'late/constant.ts': [
    `import { Kept, said } from '../first.ts';`,
    `import { near } from './near.ts';`,
    `said.push('constant');`,
    `export async function wait(): Promise<string> { return near() + String(new Kept() instanceof Kept); }`,
  ].join('\n'),
  'late/near.ts': `export function near(): string { return 'near '; }\n`,
  'far.ts': `import { said } from './first.ts';\nsaid.push('far');\nexport function far(): string { return said.join(' '); }\n`,
};

test('a call loads the file it leads to, what is no function is there from the beginning, and a module is there once', async () => {
  mkdirSync(path.join(root, 'late'));
  for (const [file, source] of Object.entries(SOURCES)) writeFileSync(path.join(root, file), source);
  const before = process.cwd();
  process.chdir(root);
  const parts = await buildParts({
    ...{ root, entry: 'main.ts', name: 'main', atOnce: [], later: ['late/'], apart: { far: ['far.ts'] } },
    ...{ beside: () => null, external: [] },
    config: { outdir: path.join(root, 'dist'), target: 'bun', format: 'cjs', minify: true },
  }).finally(() => process.chdir(before));
  expect(parts.map(({ file, modules }) => [file, [...modules].sort()])).toEqual([
    ['main.js', ['first.ts', 'late/rows.ts', 'main.ts']],
    ['main-far.js', ['far.ts']],
    ['main-later.js', ['late/constant.ts', 'late/near.ts']],
  ]);
  const main = require(path.join(root, 'dist', 'main.js')) as {
    limit: number;
    before: () => readonly string[];
    call: () => string;
    callAsync: () => Promise<string>;
    far: () => Promise<string>;
  };
  expect([main.limit, main.call()]).toEqual([3, 'late 2']);
  expect(main.before()).toEqual(['first', 'rows']);
  expect(await main.callAsync()).toBe('near true');
  expect(main.before()).toEqual(['first', 'rows', 'constant']);
  expect(await main.far()).toBe('first rows constant far');
});
