import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseLine } from './shell-command.ts';

const words = (line: string) => parseLine(line).commands.map((command) => command.words);
const refusal = (line: string) => parseLine(line).unparsed;

describe('reading a shell line', () => {
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
    'f=.env && cat "$f"',
    'echo $(id)',
    'echo `id`',
    'git status\ntouch X4',
    'git status & touch X5',
    'sleep 1 &',
    'cat <<X > f',
    'cat <<< x',
    'diff <(a) <(b)',
    '(cd x; ls)',
    '{ ls; }',
    'if true; then ls; fi',
    'for i in 1 2; do ls; done',
    '! ls',
    'eval ls',
    '. ./x.sh',
    'source x.sh',
    'export PATH=/x',
    'alias ls=rm',
    'ls() { rm x; }',
    'touch UP_EVIL #\r\x1b[2Kls -la',
    'ls # hidden',
    `echo 'open`,
    'echo "open',
    'ls |',
    '&& ls',
    'ls ;; ls',
    'ls |& cat',
    'echo x >',
    'echo x > $HOME',
    'cat > *.txt',
    '*x y',
    'ls \\',
    '',
    '   ',
  ])('names what it cannot read: %j', (line) => {
    expect(refusal(line)).not.toBeNull();
    expect(words(line)).toEqual([]);
  });

  test('never throws, and an unread line yields no commands', () => {
    const unit = fc.constantFrom(...`ab '"\\|&;<>(){}$\`*?~#=!\n\t12`.split(''));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (line) => {
        const parsed = parseLine(line);
        expect(parsed.unparsed === null).toBe(parsed.commands.length > 0);
      }),
    );
  });
});
