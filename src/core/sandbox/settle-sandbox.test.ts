import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createBunSystem } from '../../system/bun/system.ts';
import type { LineResult } from '../jobs/line.ts';
import { createLineRunner } from '../jobs/run-line.ts';
import { type SandboxWish, type SettledSandbox, settleSandbox } from './settle-sandbox.ts';

// Only tests may reach from here into jobs: what matters is what a real line can do.
const system = createBunSystem();
const hasBubblewrap = (await system.processes.find('bwrap', process.env.PATH ?? '')) !== null;
let top = '';
let calls = 0;

beforeAll(() => {
  // Not below the temporary folder, which commands may write.
  top = realpathSync(mkdtempSync('/var/tmp/houston-settle-'));
  for (const folder of [
    'home/ws/.git/hooks',
    'home/ws/.houston',
    'home/.ssh',
    'home/.aws',
    'home/.npm',
    'scratch',
    'state',
    'bin',
  ])
    mkdirSync(join(top, folder), { recursive: true });
  writeFileSync(join(top, 'home/.ssh/id_ed25519'), 'canary-key');
  writeFileSync(join(top, 'home/.ssh/known_hosts'), 'canary-host');
  writeFileSync(join(top, 'home/.aws/credentials'), 'canary-aws');
  writeFileSync(join(top, 'state/journal'), 'canary-state');
  writeFileSync(join(top, 'home/notes'), 'canary-notes');
  writeFileSync(join(top, 'bin/aws'), '#!/bin/sh\ncat "$HOME/.aws/credentials"\n', { mode: 0o755 });
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const environment = (): Record<string, string> => ({
  PATH: `${top}/bin:/usr/bin:/bin`,
  HOME: join(top, 'home'),
  SSH_AUTH_SOCK: join(top, 'agent.sock'),
});

function settle(wish: Partial<SandboxWish>, from = system, workspace = join(top, 'home/ws')): Promise<SettledSandbox> {
  return settleSandbox(
    from,
    { mode: 'standard', asked: null, network: 'open', ...wish },
    {
      workspace,
      roots: [],
      own: [join(top, 'state')],
      home: join(top, 'home'),
      temp: '/tmp',
      scratch: join(top, 'scratch'),
      environment: environment(),
      userId: process.getuid!(),
    },
  );
}

async function run(
  sandbox: SettledSandbox,
  line: string,
  options: { ms?: number; signal?: AbortSignal } = {},
): Promise<LineResult> {
  const runner = createLineRunner({
    ...system,
    environment: environment(),
    session: `settle-${process.pid}`,
    outputs: null,
    confine: sandbox.confine,
    scratch: join(top, 'scratch'),
  });
  const order = { call: `c${++calls}`, line, folder: join(top, 'home/ws'), timeoutMs: options.ms ?? 20_000 };
  return runner(order, options.signal ?? new AbortController().signal, () => {});
}

describe('what a confined line can do', () => {
  test.skipIf(!hasBubblewrap)(
    'SBX-3: standard writes workspace, scratch, temp and caches, and sees no keys (bubblewrap)',
    async () => {
      const sandbox = await settle({});
      expect(sandbox.state).toBe('enforced');
      const wrote = await run(
        sandbox,
        'echo 1 > made; echo 1 > ~/.npm/made; echo 1 > "$HOUSTON_SCRATCH/made"; t=$(mktemp) && rm "$t" && echo temp-ok; ' +
          'echo 1 > ~/made; echo 1 > .git/hooks/pre-commit; echo 1 > .houston/settings.json; echo 1 > ~/.aws/made; true',
      );
      expect(wrote.head).toContain('temp-ok');
      const there = (name: string): boolean => existsSync(join(top, name));
      expect(['home/ws/made', 'home/.npm/made', 'scratch/made'].map(there)).toEqual([true, true, true]);
      expect(
        ['home/made', 'home/ws/.git/hooks/pre-commit', 'home/ws/.houston/settings.json', 'home/.aws/made'].map(there),
      ).toEqual([false, false, false, false]);
      const read = await run(
        sandbox,
        'cat ~/.ssh/* ~/.aws/* ../../state/* ~/notes; ls -A ~/.ssh; echo "agent:$SSH_AUTH_SOCK"',
      );
      expect(read.head).not.toMatch(/canary-(key|aws|state)/);
      expect(read.head).toContain('canary-notes');
      expect(read.head).toContain('canary-host');
      expect(read.head).toContain('agent:\n');
    },
    20_000,
  );

  test.skipIf(!hasBubblewrap)(
    'SBX-3: a program is lent its own keys, alone on its line and not from where commands write (bubblewrap)',
    async () => {
      const sandbox = await settle({});
      expect((await run(sandbox, 'aws s3 ls')).head).toContain('canary-aws');
      expect((await run(sandbox, 'aws s3 ls; cat ~/.aws/credentials')).head).not.toContain('canary-aws');
      expect((await run(sandbox, 'aws "$(cat ~/.aws/credentials)"')).head).not.toContain('canary-aws');
      const inner = await settleSandbox(
        system,
        { mode: 'standard', asked: null, network: 'open' },
        {
          workspace: join(top, 'bin'),
          roots: [],
          own: [],
          home: join(top, 'home'),
          temp: '/tmp',
          scratch: null,
          environment: environment(),
          userId: process.getuid!(),
        },
      );
      expect((await run(inner, 'aws s3 ls')).head).not.toContain('canary-aws');
    },
    20_000,
  );

  test.skipIf(!hasBubblewrap)(
    'SBX-2: strict hides the home, has no network and a temporary folder of its own (bubblewrap)',
    async () => {
      const sandbox = await settle({ mode: 'strict' });
      const name = `houston-strict-${process.pid}`;
      const { head } = await run(
        sandbox,
        `cat ~/notes; echo 1 > strict-made; echo 1 > /tmp/${name}; ls /tmp; echo 1 > ~/.npm/strict; grep -c : /proc/net/dev`,
      );
      expect(head).not.toContain('canary');
      expect(head).toContain(name);
      expect(head.trimEnd().endsWith('\n1')).toBe(true);
      expect(existsSync(`/tmp/${name}`)).toBe(false);
      expect(existsSync(join(top, 'home/.npm/strict'))).toBe(false);
      expect(existsSync(join(top, 'home/ws/strict-made'))).toBe(true);
    },
    20_000,
  );

  test.skipIf(!hasBubblewrap)(
    'SBX-5: a closed network reaches nothing, not even this machine (bubblewrap)',
    async () => {
      const server = createServer((socket) => socket.end('reached\n'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const knock = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
      expect((await run(await settle({}), knock)).head).toContain('reached');
      expect((await run(await settle({ network: 'closed' }), knock)).head).not.toContain('reached');
      server.close();
    },
    20_000,
  );

  test.skipIf(!hasBubblewrap)(
    'UP-39: Esc ends servers, re-parented, detached and deaf ones within five seconds (bubblewrap)',
    async () => {
      const sandbox = await settle({});
      const controller = new AbortController();
      const port = 20_000 + (process.pid % 20_000);
      const server = `python3 -m http.server ${port} --bind 127.0.0.1`;
      const running = run(
        sandbox,
        `${server} & (trap "" TERM; while :; do sleep 0.3; done) & setsid sleep 77.7 & (setsid sh -c 'sleep 77.8 & sleep 77.9' &); env -i sleep 76.6 & echo up; wait`,
        { signal: controller.signal },
      );
      const mine = () =>
        Bun.spawnSync([
          'sh',
          '-c',
          `ps -eo args | grep -E '^sleep (77\\.[789]|76\\.6)|http.server ${port}' | grep -v grep`,
        ]).stdout.toString();
      for (let tries = 0; tries < 100 && !/77\.8[\s\S]*http|http[\s\S]*77\.8/.test(mine()); tries++)
        await Bun.sleep(50);
      expect(mine()).toContain('sleep 76.6');
      const begun = performance.now();
      controller.abort('stopped');
      const result = await running;
      expect(performance.now() - begun).toBeLessThan(5_000);
      expect(mine()).toBe('');
      expect(result).toMatchObject({ endedBy: 'stopped' });
      expect(result.head).toContain('up\n');
      expect(result.ended.join('\n')).toContain('sleep 77.7');
      const knock = Bun.spawnSync(['bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`]);
      expect(knock.exitCode).not.toBe(0);
    },
    30_000,
  );

  test.skipIf(!hasBubblewrap)(
    'UP-39: what a line leaves behind is asked to end, then ended, and named (bubblewrap)',
    async () => {
      const sandbox = await settle({});
      const result = await run(
        sandbox,
        '(trap "echo bye > farewell; exit" TERM; while :; do sleep 0.1; done) & setsid sleep 66.6 & echo done; exit 4',
      );
      expect(result).toMatchObject({ exit: 4, endedBy: 'exit' });
      expect(result.head).toStartWith('done\n');
      expect(result.ended.join('\n')).toContain('sleep 66.6');
      expect(readFileSync(join(top, 'home/ws/farewell'), 'utf8')).toBe('bye\n');
    },
    20_000,
  );

  test.skipIf(!hasBubblewrap)(
    'UP-40: there is no terminal to draw on or to ask at (bubblewrap)',
    async () => {
      const sandbox = await settle({});
      const terminal = await run(sandbox, 'echo X > /dev/tty; read -p "name? " x; echo "got:$x"; ps -o tty= -p $$');
      expect(terminal.head).toContain('got:\n');
      expect(terminal.head).toMatch(/\/dev\/tty/);
      expect(terminal.head.trimEnd().endsWith('?')).toBe(true);
    },
    20_000,
  );

  test.skipIf(!hasBubblewrap)(
    'a signal that ends the shell is its exit code, and nothing is added to what it said (bubblewrap)',
    async () => {
      const result = await run(await settle({}), 'echo out; echo err >&2; kill -9 $$');
      expect(result.exit).toBe(137);
      expect(result.head.split('\n').sort()).toEqual(['', 'err', 'out']);
    },
  );
});

describe('what cannot be confined', () => {
  const without = { ...system, processes: { ...system.processes, find: async () => null } };
  const broken = {
    ...system,
    processes: { ...system.processes, find: async (name: string) => (name === 'bwrap' ? '/bin/false' : null) },
  };
  const order = { line: 'true', folder: '/tmp' };

  test('SBX-4: asked for, it does not run; asked for by nobody, it runs and that is said', async () => {
    const nobody = await settle({}, without);
    expect(nobody.state).toBe('off');
    expect(nobody.description).toMatch(/^off: .+/);
    expect((await nobody.confine(['x'], order, null)).argv).toEqual(['x']);
    for (const wish of [
      { asked: '--sandbox' },
      { network: 'closed' },
      { mode: 'strict', asked: 'settings.json' },
    ] as const) {
      const refused = await settle(wish, without);
      expect(refused.state).toBe('refused');
      await expect(refused.confine(['x'], order, null)).rejects.toMatchObject({ code: 'EPERM' });
    }
  });

  test('SBX-4: a sandbox that does not really confine, and a workspace that is everything, count as none', async () => {
    expect((await settle({ asked: '--sandbox' }, broken)).state).toBe('refused');
    expect((await settle({}, broken)).state).toBe('off');
    expect((await settle({ asked: '--sandbox' }, system, '/')).state).toBe('refused');
    expect((await settle({ asked: '--sandbox' }, system, '/nowhere/at/all')).state).toBe('refused');
  });

  test('SBX-5: off cannot close the network, so nothing runs', async () => {
    const refused = await settle({ mode: 'off', asked: '--sandbox', network: 'closed' });
    await expect(refused.confine(['x'], order, null)).rejects.toMatchObject({ code: 'EPERM' });
    expect((await settle({ mode: 'off' })).description).toBe('off');
  });
});
