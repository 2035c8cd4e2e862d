// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are words of a shell
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseLine } from './shell-command.ts';

const words = (line: string) => parseLine(line).commands.map((command) => command.words);
const refusal = (line: string) => parseLine(line).unparsed;

describe('reading a shell line', () => {
  test('RULE-3: what goes on in the middle of a word on the next line is not known: bash joins it first', () => {
    for (const line of ["$\\\n$'\\x61a'", 'cat <\\\n(rm x)', 'gi\\\nt log'])
      expect(parseLine(line).unparsed).not.toBeNull();
    expect(parseLine('git log \\\n  --oneline').unparsed).toBeNull();
  });

  test('words, quotes and escapes', () => {
    expect(words('cat ./.en""v')).toEqual([['cat', './.env']]);
    expect(words(`grep -n 'a && b' f`)).toEqual([['grep', '-n', 'a && b', 'f']]);
    expect(words(`echo "a 'b' \\"c\\" \\n" x\\ y ''`)).toEqual([['echo', `a 'b' "c" \\n`, 'x y', '']]);
  });

  test('chains and pipes give each command', () => {
    expect(words('git status && touch X1')).toEqual([
      ['git', 'status'],
      ['touch', 'X1'],
    ]);
    expect(words('cd . ; touch X2;')).toEqual([
      ['cd', '.'],
      ['touch', 'X2'],
    ]);
    expect(words('a|b||c')).toEqual([['a'], ['b'], ['c']]);
  });

  test('assignments and redirections', () => {
    const parsed = parseLine('A="" B=1 npm test >out.txt 2>&1 < in');
    expect(parsed.commands[0]).toMatchObject({
      words: ['npm', 'test'],
      assignments: ['A=', 'B=1'],
      redirections: [
        { operator: '>', target: 'out.txt' },
        { operator: '2>&', target: '1' },
        { operator: '<', target: 'in' },
      ],
    });
    expect(parseLine('echo 2 >x').commands[0]!.words).toEqual(['echo', '2']);
    expect(parseLine('echo x2>y').commands[0]).toMatchObject({
      words: ['echo', 'x2'],
      redirections: [{ operator: '>', target: 'y' }],
    });
  });

  test('what the shell would still expand is marked', () => {
    expect(parseLine('cat .e*v').commands[0]!.expands).toBe(true);
    expect(parseLine(`cat '.e*v'`).commands[0]!.expands).toBe(false);
    expect(parseLine('cat ~/x').commands[0]!.expands).toBe(true);
    expect(parseLine('find . -name x -exec rm {} +').commands[0]!.expands).toBe(false);
    expect(parseLine('cat {a,b}').commands[0]!.expands).toBe(true);
  });

  test.each([
    ['f=.env && cat "$f"', ['$f'], [[], ['cat', '$f']]],
    ['echo $(id)', ['$(id)'], [['id'], ['echo', '$(id)']]],
    ['echo `id`', ['`id`'], [['id'], ['echo', '`id`']]],
    [
      'echo ${x:-$(rm y)}',
      ['${x:-$(rm y)}'],
      [
        ['rm', 'y'],
        ['echo', '${x:-$(rm y)}'],
      ],
    ],
    ['echo $((1 + $(id)))', ['$((1 + $(id)))'], [['id'], ['echo', '$((1 + $(id)))']]],
    [
      'git status & touch X5',
      ['&'],
      [
        ['git', 'status'],
        ['touch', 'X5'],
      ],
    ],
    ['sleep 1 &', ['&'], [['sleep', '1']]],
    ['cat <<X > f\n$(id)\nX', ['$(id)'], [['id'], ['cat']]],
    ['cat <<< "$x"', ['$x'], [['cat']]],
    ['diff <(a) >(b)', ['<(a)', '>(b)'], [['a'], ['b'], ['diff', '<(a)', '>(b)']]],
    [
      'eval "ls $x"',
      ['$x'],
      [
        ['eval', 'ls $x'],
        ['ls', '$x'],
      ],
    ],
    ['. ./x.sh', ['.'], [['.', './x.sh']]],
    ['source x.sh', ['source'], [['source', 'x.sh']]],
    ['alias ls=rm', ['alias'], [['alias', 'ls=rm']]],
    ['ls() { rm x; }', ['a function'], [['rm', 'x']]],
    ['function ls { rm x; }; ls', ['a function'], [['rm', 'x'], ['ls']]],
    ['*x y', ['*x'], [['*x', 'y']]],
    ['$x y', ['$x'], [['$x', 'y']]],
    ['{rm,-rf,x}', ['{rm,-rf,x}'], [['{rm,-rf,x}']]],
    [
      'env r? x',
      ['a pattern as program name'],
      [
        ['env', 'r?', 'x'],
        ['r?', 'x'],
      ],
    ],
    ['xargs rm', ['what xargs is given'], [['xargs', 'rm'], ['rm']]],
    [
      'find . -exec rm {} +',
      ['what find finds'],
      [
        ['find', '.', '-exec', 'rm', '{}', '+'],
        ['rm', '{}'],
      ],
    ],
    ['echo rm x | sh', ['what sh is given'], [['echo', 'rm', 'x'], ['sh']]],
    ["bash <<'E'\nrm x\nE", ['what bash is given'], [['bash'], ['rm', 'x']]],
    [
      'trap "rm x" EXIT',
      ['trap'],
      [
        ['trap', 'rm x', 'EXIT'],
        ['rm', 'x'],
      ],
    ],
    ['coproc rm x', ['coproc'], [['rm', 'x']]],
    ['((i++))', ['((…))', 'no command'], []],
    ['read PATH', ['read'], [['read', 'PATH']]],
    ['printf -v PATH x', ['printf -v'], [['printf', '-v', 'PATH', 'x']]],
    ['echo x > $HOME', ['> $HOME'], [['echo', 'x']]],
    ['cat > *.txt', ['> *.txt'], [['cat']]],
    ['[[ 1 -eq $x ]]', ['$x', '-eq'], [['[[', '1', '-eq', '$x', ']]']]],
  ])('names what is known only when it runs: %j', (line, unclear, commands) => {
    const parsed = parseLine(line);
    expect(new Set(parsed.unclear)).toEqual(new Set(unclear));
    expect(parsed.unparsed).not.toBeNull();
    expect(parsed.commands.map((command) => command.words)).toEqual(commands);
  });

  test.each([
    'touch UP_EVIL #\r\x1b[2Kls -la',
    `echo 'open`,
    'echo "open',
    'ls |',
    '&& ls',
    'ls ;; ls',
    'echo x >',
    'if true; then ls',
    'ls )',
    'cat <<X',
    '',
    '   ',
  ])('names what it cannot read: %j', (line) => {
    expect(refusal(line)).not.toBeNull();
  });

  test.each([
    [
      'git status\ntouch X4',
      [
        ['git', 'status'],
        ['touch', 'X4'],
      ],
    ],
    ['(cd x; ls)', [['cd', 'x'], ['ls']]],
    ['{ ls; }', [['ls']]],
    ['if a; then b; elif c; then d; else e; fi', [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['while a; do b; done', [['a'], ['b']]],
    ['for i in 1 2; do ls; done', [[], ['ls']]],
    ['case x in a|b) c;; *) d;; esac', [['c'], ['d']]],
    ['! ls', [['ls']]],
    ['time -p ls', [['ls']]],
    ['ls # hidden', [['ls']]],
    ['ls |& cat', [['ls'], ['cat']]],
    ['set -euo pipefail; ls', [['set', '-euo', 'pipefail'], ['ls']]],
    ['eval ls', [['eval', 'ls'], ['ls']]],
    ["bash -lc 'a && b'", [['bash', '-lc', 'a && b'], ['a'], ['b']]],
    [
      'env X=1 nice -n 5 timeout -k 1 5 rm w',
      [
        ['env', 'X=1', 'nice', '-n', '5', 'timeout', '-k', '1', '5', 'rm', 'w'],
        ['nice', '-n', '5', 'timeout', '-k', '1', '5', 'rm', 'w'],
        ['timeout', '-k', '1', '5', 'rm', 'w'],
        ['rm', 'w'],
      ],
    ],
    [
      'sudo -u root rm x',
      [
        ['sudo', '-u', 'root', 'rm', 'x'],
        ['rm', 'x'],
      ],
    ],
    ['command -v rm', [['command', '-v', 'rm']]],
  ])('finds every command, also those inside others: %j', (line, commands) => {
    expect(refusal(line)).toBeNull();
    expect(words(line)).toEqual(commands);
  });

  test('assignments that other commands carry count as assignments', () => {
    for (const line of [
      'env PATH=/x ls',
      'export PATH=/x',
      'declare "PATH=/x"',
      'builtin export PATH=/x',
      'for PATH in /x; do ls; done',
    ])
      expect(
        parseLine(line)
          .commands.flatMap(({ assignments }) => assignments)
          .join(' '),
      ).toStartWith('PATH=');
  });

  test('never throws, and a line without a named doubt has a command', () => {
    const unit = fc.constantFrom(...`ab '"\\|&;<>(){}$\`*?~#=!\n\t12`.split(''));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (line) => {
        const parsed = parseLine(line);
        expect(parsed.unparsed === null).toBe(parsed.unclear.length === 0);
        if (parsed.unparsed === null) expect(parsed.commands.length).toBeGreaterThan(0);
      }),
    );
  });
});
