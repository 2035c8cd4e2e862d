import { describe, expect, test } from 'bun:test';
import { createMemorySystem } from '../../system/memory/system.ts';
import { createBubblewrap } from './bubblewrap.ts';
import { gitPlaces } from './git-places.ts';
import { loanOf } from './hidden-places.ts';
import { accessTo, type Confinement, inOrder, type Place } from './sandbox.ts';
import { seatbeltProfile } from './seatbelt.ts';

const folder = (path: string, access: Place['access']): Place => ({ path, kind: 'folder', access });
const PLACES: readonly Place[] = [
  folder('/home/me/.ssh', 'none'),
  { path: '/home/me/.ssh/config', kind: 'file', access: 'read' },
  folder('/home/me/yard', 'write'),
  folder('/tmp', 'write'),
  folder('/home/me/yard/.git/hooks', 'read'),
  { path: '/home/me/.npmrc', kind: 'file', access: 'none' },
];
const CONFINEMENT: Confinement = { folder: '/home/me/yard', places: PLACES, network: 'open' };

describe('places', () => {
  test('the deepest decides, and of two rules on one place the stricter', () => {
    expect(accessTo('/home/me/yard/src/a.ts', PLACES)).toBe('write');
    expect(accessTo('/home/me/yard/.git/hooks/pre-push', PLACES)).toBe('read');
    expect(accessTo('/home/me/.ssh/id', PLACES)).toBe('none');
    expect(accessTo('/home/me/.ssh/config', PLACES)).toBe('read');
    expect(accessTo('/home/me/yardshop', PLACES)).toBeNull();
    for (const twice of [
      ['write', 'none'],
      ['none', 'write'],
      ['read', 'private'],
    ] as const)
      expect(inOrder(twice.map((access) => folder('/a', access)))).toHaveLength(1);
    expect(accessTo('/a/b', [folder('/a', 'none'), folder('/a', 'write')])).toBe('none');
  });
});

describe('bubblewrap argv', () => {
  const argv = createBubblewrap('/usr/bin/bwrap', false).wrap(['bash', '-c', 'ls'], CONFINEMENT, '/s/left');
  const text = argv.join(' ');

  test('reads the machine, and mounts places shallow before deep', () => {
    const at = (part: string): number => text.indexOf(` ${part} `);
    expect(argv[0]).toBe('/usr/bin/bwrap');
    expect(at('--ro-bind / /')).toBeGreaterThan(0);
    expect(at('--bind /home/me/yard /home/me/yard')).toBeGreaterThan(at('--ro-bind / /'));
    expect(at('--ro-bind /home/me/yard/.git/hooks /home/me/yard/.git/hooks')).toBeGreaterThan(
      at('--bind /home/me/yard /home/me/yard'),
    );
    expect(at('--ro-bind /home/me/.ssh/config /home/me/.ssh/config')).toBeGreaterThan(at('--tmpfs /home/me/.ssh'));
    expect(text).toContain('--ro-bind /dev/null /home/me/.npmrc');
    expect(text).toContain(' --chdir /home/me/yard -- ');
    expect(argv.slice(-4)).toEqual(['/s/left', 'bash', '-c', 'ls']);
  });

  test('keeps processes apart, without a terminal, and gives no right to change a mount', () => {
    for (const flag of ['--unshare-pid', '--die-with-parent', '--new-session', '--proc']) expect(argv).toContain(flag);
    expect(text).toContain('--cap-drop ALL');
    expect(argv).not.toContain('--cap-add');
    const asRoot = createBubblewrap('/usr/bin/bwrap', true).wrap(['x'], CONFINEMENT, null);
    expect(asRoot).toContain('CAP_CHOWN');
    for (const right of ['CAP_SYS_ADMIN', 'CAP_SYS_PTRACE', 'CAP_MKNOD', 'CAP_NET_ADMIN', 'CAP_SYS_CHROOT'])
      expect(asRoot).not.toContain(right);
  });

  test('SBX-5: a closed network is a namespace without one', () => {
    expect(argv).not.toContain('--unshare-net');
    const closed = createBubblewrap('bwrap', false).wrap(['x'], { ...CONFINEMENT, network: 'closed' }, null);
    expect(closed).toContain('--unshare-net');
  });
});

describe('Seatbelt profile', () => {
  test('SBX-3: denies writing, then allows places shallow before deep', () => {
    const profile = seatbeltProfile(CONFINEMENT);
    const lines = profile.split('\n');
    const at = (line: string): number => lines.indexOf(line);
    expect(lines[0]).toBe('(version 1)');
    expect(at('(deny file-write*)')).toBeLessThan(at('(allow file-read* file-write* (subpath "/home/me/yard"))'));
    expect(at('(allow file-read* file-write* (subpath "/home/me/yard"))')).toBeLessThan(
      at('(deny file-write* (subpath "/home/me/yard/.git/hooks"))'),
    );
    expect(at('(deny file-read* file-write* network-outbound (subpath "/home/me/.ssh"))')).toBeLessThan(
      at('(allow file-read* (literal "/home/me/.ssh/config"))'),
    );
    expect(at('(deny file-read* file-write* network-outbound (literal "/home/me/.npmrc"))')).toBeGreaterThan(0);
    expect(profile).not.toContain('(deny network*)');
    expect(seatbeltProfile({ ...CONFINEMENT, network: 'closed' })).toContain('(deny network*)');
  });

  test('a name cannot end its quotes', () => {
    const places = [folder('/a"))(allow default)("\\', 'none')];
    expect(seatbeltProfile({ ...CONFINEMENT, places })).toContain('(subpath "/a\\"))(allow default)(\\"\\\\")');
  });
});

describe('what a line is lent', () => {
  test.each([
    ['aws s3 ls', 'aws'],
    ['  kubectl get pods -n prod ', 'kubectl'],
    ['gh pr create --title \'A title\' --body "two words"', 'gh'],
    ['git push origin main', 'git'],
    ['git pull --rebase', 'git'],
  ])('%p: its own keys', (line, program) => expect(loanOf(line)?.program).toBe(program));

  test.each([
    'aws s3 ls; cat x',
    'aws s3 ls | tee x',
    'aws s3 ls && x',
    'aws s3 ls > x',
    'aws $(x)',
    'aws `x`',
    'aws "$(x)"',
    'aws\nx',
    'aws & x',
    'AWS_PROFILE=x aws s3 ls',
    './aws s3 ls',
    '/tmp/aws s3 ls',
    'git status',
    'git -c core.sshCommand=x push',
    'env aws s3 ls',
    'npm publish',
    'constructor',
    'aws {a,b}',
    'aws "a\\" x"',
    'aws ~/x',
  ])('%p: nothing', (line) => expect(loanOf(line)).toBeNull());
});

describe('repositories', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

  test('hooks stay as they are; strict keeps the settings of the repository too', async () => {
    const { files } = createMemorySystem();
    await files.makeFolder('/w/.git', 0o755);
    expect(await gitPlaces(files, '/w', false)).toEqual([{ path: '/w/.git/hooks', access: 'read' }]);
    expect(await gitPlaces(files, '/w', true)).toContainEqual({ path: '/w/.git/config', access: 'read' });
    expect(await gitPlaces(files, '/elsewhere', false)).toEqual([]);
  });

  test('a linked worktree may write where its commits go, but a file that only claims to be one opens nothing', async () => {
    const { files } = createMemorySystem();
    await files.makeFolder('/main/.git/worktrees/wt', 0o755);
    await files.makeFolder('/wt', 0o755);
    await files.makeFolder('/home/me', 0o755);
    await files.createNew('/wt/.git', bytes('gitdir: /main/.git/worktrees/wt\n'), 0o644);
    await files.createNew('/main/.git/worktrees/wt/gitdir', bytes('/wt/.git\n'), 0o644);
    await files.createNew('/main/.git/worktrees/wt/commondir', bytes('../..\n'), 0o644);
    expect(await gitPlaces(files, '/wt', false)).toEqual([
      { path: '/main/.git', access: 'write' },
      { path: '/main/.git/worktrees/wt', access: 'write' },
      { path: '/main/.git/hooks', access: 'read' },
    ]);
    await files.makeFolder('/evil', 0o755);
    await files.createNew('/evil/.git', bytes('gitdir: /main/.git/worktrees/wt\n'), 0o644);
    expect(await gitPlaces(files, '/evil', false)).toEqual([]);
    await files.makeFolder('/sly', 0o755);
    await files.createNew('/sly/.git', bytes('gitdir: /home/me\n'), 0o644);
    expect(await gitPlaces(files, '/sly', false)).toEqual([]);
  });
});
