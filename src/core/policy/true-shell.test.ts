// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are words of a shell
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseLine } from './shell-command.ts';

// Whatever bash itself runs must be among the commands that were found, or the line must be said to hold something
// unknown. Bash is given lines of random pieces; programs do not exist, and a handler notes what would have been started.
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'houston-shell-'));
  // Lines write and match files where they run (`>&2*`): never those that hold what was noted.
  mkdirSync(join(folder, 'here'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SEPARATOR = '\u0001';

/** The words of every command bash tried to start, for each of `lines`. */
function started(lines: readonly string[]): string[][][] {
  const script = [
    // One write a command: members of a pipeline speak at once.
    'command_not_found_handle() { local IFS=$\'\\001\'; printf "%s\\001\\002" "$*" >&9; return 0; }',
    'n=0',
    'while IFS= read -r -d "" line; do',
    '  exec 9>"$OUT/$n"; n=$((n + 1))',
    '  ( ulimit -t 2; eval "$line" ) </dev/null >/dev/null 2>&1',
    'done',
  ].join('\n');
  spawnSync(Bun.which('bash') ?? '/bin/bash', ['--norc', '--noprofile', '-c', script], {
    input: `${lines.join('\0')}\0`,
    cwd: join(folder, 'here'),
    env: { PATH: '/nowhere', OUT: folder, LC_ALL: 'C.UTF-8' },
    timeout: 30_000,
  });
  return lines.map((_, at) => {
    const said = readFileSync(join(folder, String(at)), 'utf8');
    return said
      .split('\u0002')
      .filter((one) => one !== '')
      .map((one) => one.split(SEPARATOR).slice(0, -1));
  });
}

const RUNS = 3000;
const MOST = 150;

test('RULE-3: what bash starts is what was found, or the line is said to be not all known', () => {
  const piece = fc.constantFrom(
    ...['aa', 'bb', 'cc x', "'d d'", '"e"', 'f\\ f', '$v', '${v}', '$(aa)', '`bb`', '\\', "'", '"', '\\"', "\\'"],
    ...[' ', ' ', ' ', ' ', '\t', '\n', '\\\n', ';', '&&', '||', '|', '|&', '&', '(', ')', '{ ', ' }', '!', '#', ' # '],
    ...[
      '<<E\nbb\nE\n',
      "<<'E'\n$(aa)\nE\n",
      '<<<',
      '> /dev/null',
      '2>&1',
      '>&2',
      '<',
      '=',
      'v=',
      'v=aa',
      '$',
      '*',
      '~',
    ],
    ...['if ', 'then ', 'fi', 'for i in ', 'do ', 'done', 'case x in ', 'x)', ';;', 'esac', '[[ ', ' ]]', '((', '))'],
    ...[
      'eval ',
      'command ',
      'exec ',
      'time ',
      '{aa,bb}',
      "$'\\x61a'",
      '$"aa"',
      'env ',
      "bash -c 'bb'",
      'f() ',
      'coproc ',
    ],
  );
  const line = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(''));
  const claimed = fc.sample(line, { numRuns: RUNS }).filter((text) => parseLine(text).unparsed === null);
  const lines = [...new Set(claimed)].slice(0, MOST);
  let judged = 0;
  started(lines).forEach((ran, at) => {
    const text = lines[at]!;
    const parsed = parseLine(text);
    const found = parsed.commands.map(({ words }) => words.join(SEPARATOR));
    for (const words of ran) {
      judged++;
      const known = found.includes(words.join(SEPARATOR)) || parsed.commands.some(({ expands }) => expands);
      expect(known ? '' : `${JSON.stringify(text)} started ${words.join(' ')}, found ${found.join(' / ')}`).toBe('');
    }
  });
  expect(judged).toBeGreaterThan(40);
}, 30_000);
