import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keep } from './keeper.ts';

const shell = Bun.which('bash') ?? '/bin/bash';
const bwrap = Bun.which('bwrap');

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly left: string;
}

/** Runs a line as the sandbox does: among processes of its own, so that "what is left" is what the line left. */
function run(line: string): Ran {
  const folder = mkdtempSync(join(tmpdir(), "houston-keeper-it's-"));
  const left = join(folder, 'left');
  const argv = keep([shell, '-c', line], left);
  const sandbox = ['--bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-pid', '--die-with-parent', '--'];
  const ended = spawnSync(bwrap!, [...sandbox, ...argv], { encoding: 'utf8' });
  const named = spawnSync('cat', [left], { encoding: 'utf8' }).stdout;
  rmSync(folder, { recursive: true });
  return { code: ended.status, out: ended.stdout, err: ended.stderr, left: named };
}

const plain = (line: string) => spawnSync(shell, ['-c', line], { encoding: 'utf8' });

describe.skipIf(bwrap === null)('what keeps a line', () => {
  test.each([
    'echo out; echo err >&2; exit 7',
    'false',
    'printf "%s|" "$#" "$1" "it\'s" $\'a\\tb\' "back\\\\slash"',
    '\n\necho $LINENO; no-such-program-here',
    'cat <<END\none $((1+1))\nEND\necho after',
    'set -eu; IFS=x; false; echo never',
    'shopt -s nullglob; set -f; echo *',
    '(exit 3); echo $?',
    'echo $(echo a; echo b) | tr a-z A-Z',
    'f() { return 4; }; f',
    'trap "echo bye" EXIT; echo hi',
    'exec echo replaced',
  ])('does not change what it does: %p', (line) => {
    const here = run(line);
    const there = plain(line);
    expect([here.code, here.out, here.err]).toEqual([there.status, there.stdout, there.stderr]);
    expect(here.left).toBe('');
  });

  test.each([
    ['sleep 61.25 & echo started', 0],
    ['set -efu; IFS=0; PATH=; /bin/sleep 61.25 & exit 5', 5],
    ['trap : USR1; sleep 61.25 &', 0],
    ['(setsid sleep 61.25 &)', 0],
  ] as const)('names what is left and ends it: %p', (line, code) => {
    const { left, ...ended } = run(line);
    expect(left).toContain('sleep 61.25');
    expect(ended.code).toBe(code);
    expect(ended.err).toBe('');
  });

  test('a shell ended by a signal says so by its exit code', () => {
    expect(run('kill -9 $$').code).toBe(137);
    expect(run('kill -TERM $$').code).toBe(143);
  });

  test('a shell that only runs a line is not put into a second one', () => {
    expect(keep(['/usr/bin/bash', '-c', 'ls'], '/x')[0]).toBe('/usr/bin/bash');
    expect(keep(['/usr/bin/bash', '-c', 'exec ls'], '/x')[0]).toBe('/bin/sh');
    expect(keep(['/usr/bin/rg', 'x'], '/x')[0]).toBe('/bin/sh');
  });
});
