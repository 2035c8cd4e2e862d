// Who may import whom. The table is docs/architecture.md's; a new arrow is a decision, made here on purpose.
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dir, '..');
const SOURCE = path.join(ROOT, 'src');

/** For each room: the rooms it may import. A file's room is the longest prefix listed. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  system: ['base', 'protocol'],
  'system/bun': ['base', 'system'],
  'system/memory': ['base', 'system'],
  protocol: ['base'],
  'core/values': ['base', 'protocol'],
  'core/settings': ['base', 'system', 'protocol', 'core/values'],
  'core/journal': ['base', 'system', 'protocol', 'core/values', 'core/models/model'],
  'core/models': ['base', 'system', 'protocol', 'core/values'],
  'core/policy': ['base', 'system', 'protocol', 'core/values'],
  'core/sandbox': ['base', 'system', 'protocol', 'core/values', 'core/policy'],
  'core/jobs': ['base', 'system', 'protocol', 'core/values'],
  'core/changes': ['base', 'system', 'protocol', 'core/values'],
  'core/tools': ['base', 'system', 'protocol', 'core/values', 'core/jobs', 'core/changes'],
  'core/mcp': ['base', 'system', 'protocol', 'core/values', 'core/tools'],
  'core/updates': ['base', 'system'],
  'core/extensions': ['base', 'system', 'protocol', 'core/values', 'core/tools'],
  'core/runtime': [
    'base',
    'system',
    'protocol',
    'core/values',
    'core/settings',
    'core/journal',
    'core/models',
    'core/policy',
    'core/sandbox',
    'core/jobs',
    'core/changes',
    'core/tools',
    'core/mcp',
    'core/extensions',
  ],
  'core/session': ['base', 'system', 'protocol', 'core'],
  link: ['base', 'system', 'protocol'],
  'front/commands': ['base', 'protocol'],
  'front/print': ['base', 'protocol', 'front/commands'],
  'front/line': ['base', 'protocol', 'front/commands'],
  'front/acp': ['base', 'protocol', 'front/commands'],
  'front/tui': ['base', 'protocol', 'front/commands'],
  cli: ['base', 'system', 'protocol', 'core', 'link', 'front'],
};

/** Front ends see the system's interfaces for terminal, clock and processes in these files alone. */
const FRONT_SYSTEM_FILES = ['front/tui/effects.ts', 'front/tui/app.ts'];

/** What has side effects: allowed in these rooms only. */
const EFFECT_ROOMS = ['system/bun', 'cli'];
const EFFECTS: readonly RegExp[] = [
  /from '(bun|bun:[a-z]+)'/,
  /from 'node:(?!path'|util\/types')/,
  // Hashing is as pure as node:crypto's, which takes a quarter of a host's start to load.
  /\bBun\.(?!CryptoHasher\b)/,
  /(?<![\w.'"`#-])process\.(?!s\b)/,
  /(?<![\w.'"`])fetch\(/,
  /(?<![\w.'"`])set(Timeout|Interval|Immediate)\(/,
  /\bDate\.now\(/,
  /\bnew Date\(\)/,
  /\bMath\.random\(/,
  /\bperformance\.now\(/,
];

interface SourceFile {
  readonly name: string;
  readonly text: string;
  readonly imports: readonly { readonly to: string; readonly typeOnly: boolean }[];
}

function sourceFiles(): SourceFile[] {
  const files: SourceFile[] = [];
  for (const entry of readdirSync(SOURCE, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.name.endsWith('.d.ts')) continue;
    const full = path.join(entry.parentPath, entry.name);
    const name = path.relative(SOURCE, full);
    if (name.endsWith('.test.ts')) continue;
    const text = readFileSync(full, 'utf8');
    const imports = [
      ...text.matchAll(
        /(?:import|export)\s+(type\s+)?[^;'"]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)|import\s+'(\.[^']+)'/g,
      ),
    ].map((match) => {
      const target = match[2] ?? match[3] ?? match[4] ?? '';
      return { to: path.relative(SOURCE, path.resolve(path.dirname(full), target)), typeOnly: match[1] !== undefined };
    });
    files.push({ name, text, imports });
  }
  return files;
}

function roomOf(name: string): string | null {
  const rooms = Object.keys(MAY_IMPORT).filter((room) => name.startsWith(`${room}/`));
  return rooms.sort((a, b) => b.length - a.length)[0] ?? null;
}

const FILES = sourceFiles();

test('every source file stands in a room', () => {
  expect(FILES.filter((file) => roomOf(file.name) === null).map((file) => file.name)).toEqual([]);
});

test('imports go down only, and only where the table allows', () => {
  const wrong: string[] = [];
  for (const file of FILES) {
    const room = roomOf(file.name);
    if (room === null) continue;
    for (const { to } of file.imports) {
      const target = roomOf(to);
      if (target === null || target === room) {
        if (target === null && !to.endsWith('.md') && !to.endsWith('.json')) wrong.push(`${file.name} → ${to}`);
        continue;
      }
      const allowed = MAY_IMPORT[room]!.some((prefix) => to === `${prefix}.ts` || to.startsWith(`${prefix}/`));
      const interfaceOnly =
        room.startsWith('front/') && FRONT_SYSTEM_FILES.includes(file.name) && /^system\/[a-z-]+\.ts$/.test(to);
      const realSystem = to.startsWith('system/bun/') || to.startsWith('system/memory/');
      if ((!allowed && !interfaceOnly) || (realSystem && room !== 'cli')) wrong.push(`${file.name} → ${to}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('there is no cycle, types included', () => {
  const edges = new Map(FILES.map((file) => [file.name, file.imports.map((entry) => entry.to)]));
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (name: string, trail: readonly string[]): void => {
    if (state.get(name) === 'done') return;
    if (state.get(name) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(name)), name].join(' → '));
      return;
    }
    state.set(name, 'open');
    for (const to of edges.get(name) ?? []) if (edges.has(to)) visit(to, [...trail, name]);
    state.set(name, 'done');
  };
  for (const name of edges.keys()) visit(name, []);
  expect(cycles).toEqual([]);
});

test('side effects lie in system/bun and cli alone', () => {
  const wrong: string[] = [];
  for (const file of FILES) {
    if (EFFECT_ROOMS.some((room) => file.name.startsWith(`${room}/`))) continue;
    file.text.split('\n').forEach((line, index) => {
      const code = line.replace(/^\s*(\/\/|\*|\/\*).*/, '').replace(/\s\/\/ .*$/, '');
      for (const effect of EFFECTS) if (effect.test(code)) wrong.push(`${file.name}:${index + 1}: ${code.trim()}`);
    });
  }
  expect(wrong).toEqual([]);
});

test('the opener of sealed values is claimed in one place only', () => {
  const users = FILES.filter((file) => file.name !== 'core/values/sealed.ts' && /\bclaimOpener\b/.test(file.text)).map(
    (file) => file.name,
  );
  expect(users.every((name) => name === 'core/policy/opener.ts')).toBe(true);
});

test('no barrels, no default exports, no words that name nothing', () => {
  const wrong: string[] = [];
  for (const file of FILES) {
    if (/\/index\.ts$/.test(file.name)) wrong.push(`${file.name}: barrel`);
    if (/^export \* from/m.test(file.text)) wrong.push(`${file.name}: export *`);
    if (/^export default\b/m.test(file.text)) wrong.push(`${file.name}: default export`);
    if (/(^|[/-])(utils?|helpers?|managers?|services?|misc|common)([/.-]|$)/.test(file.name))
      wrong.push(`${file.name}: name`);
    if (/[A-Z_ ]/.test(path.basename(file.name))) wrong.push(`${file.name}: not kebab-case`);
  }
  expect(wrong).toEqual([]);
});
