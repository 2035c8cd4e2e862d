// What every implementation of `Processes` promises. The real one runs shell lines; the one in memory plays the same
// programs from a script. What only a real system can show comes after.
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnChild } from '../../src/system/bun/children.ts';
import { createBunProcesses } from '../../src/system/bun/processes.ts';
import type { Behaviour } from '../../src/system/memory/processes.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import type { Child, Processes, SpawnOptions } from '../../src/system/processes.ts';

const PATH = '/usr/bin:/bin';
const folder = mkdtempSync(join(tmpdir(), 'processes-contract-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Each line for a real shell, and the program that stands for it in memory. */
const LINES: Readonly<Record<string, Behaviour>> = {
  'echo out; echo err >&2; exit 3': { out: 'out\n', err: 'err\n', exit: 3 },
  'exec sleep 60': { duration: Number.POSITIVE_INFINITY },
  'echo "$A:$HOME"; pwd': (run) => {
    run.write(`${run.environment.A ?? ''}:${run.environment.HOME ?? ''}\n${run.folder}\n`);
    return 0;
  },
  cat: async (run) => {
    for (let piece = await run.read(); piece; piece = await run.read()) run.write(piece);
    return 0;
  },
  'trap "echo caught; exit 7" TERM; echo ready; while :; do sleep 0.01; done': (run) =>
    new Promise((resolve) => {
      run.onSignal((name) => {
        if (name !== 'TERM') return false;
        run.write('caught\n');
        resolve(7);
        return true;
      });
      run.write('ready\n');
    }),
};

const SYSTEMS: readonly [string, () => { processes: Processes; folder: string; readLog(path: string): string }][] = [
  ['bun', () => ({ processes: createBunProcesses(), folder, readLog: (path) => readFileSync(path, 'utf8') })],
  [
    'memory',
    () => {
      const { processes, files } = createMemorySystem();
      for (const [line, behaviour] of Object.entries(LINES)) processes.script(line, behaviour);
      processes.install('sh');
      return { processes, folder: '/yard', readLog: (path) => files.textOf(path) };
    },
  ],
];

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fine',
    (error) => error.code,
  );

for (const [name, make] of SYSTEMS) {
  describe(`processes: ${name}`, () => {
    const { processes, folder: here, readLog } = make();
    const start = async (line: string, options: Partial<SpawnOptions> = {}) => {
      const heard = { out: '', err: '' };
      const waiting: (() => void)[] = [];
      const child = await processes.spawn({
        argv: ['sh', '-c', line],
        folder: here,
        environment: { PATH },
        input: null,
        output: 'pieces',
        onOutput(bytes, stream) {
          heard[stream] += new TextDecoder().decode(bytes);
          for (const wake of waiting.splice(0)) wake();
        },
        ...options,
      });
      const hears = async (wanted: string) => {
        while (!heard.out.includes(wanted)) await new Promise<void>((resolve) => waiting.push(resolve));
      };
      return { child, heard, hears };
    };

    test('both streams and the exit code arrive, all output before the exit', async () => {
      const { child, heard } = await start('echo out; echo err >&2; exit 3');
      expect(await child.exited).toEqual({ code: 3, signal: null });
      expect(heard).toEqual({ out: 'out\n', err: 'err\n' });
    });

    test('the child sees exactly the given environment and folder', async () => {
      const { child, heard } = await start('echo "$A:$HOME"; pwd', { environment: { PATH, A: 'given' } });
      await child.exited;
      expect(heard.out).toBe(`given:\n${here}\n`);
    });

    test('input: bytes are given whole and end; a pipe is written to until it is closed', async () => {
      const whole = await start('cat', { input: new TextEncoder().encode('all of it') });
      await whole.child.exited;
      expect(whole.heard.out).toBe('all of it');
      const { child, heard, hears } = await start('cat', { input: 'pipe' });
      await child.write(new TextEncoder().encode('one '));
      await hears('one ');
      await child.write(new TextEncoder().encode('two'));
      child.closeInput();
      expect(await child.exited).toEqual({ code: 0, signal: null });
      expect(heard.out).toBe('one two');
    });

    test('without input the child reads an end at once', async () => {
      const { child, heard } = await start('cat');
      expect(await child.exited).toEqual({ code: 0, signal: null });
      expect(heard.out).toBe('');
    });

    test('output to a file is appended, both streams', async () => {
      const log = join(here, 'log');
      for (const _ of [1, 2]) {
        const { child } = await start('echo out; echo err >&2; exit 3', { output: { file: log } });
        expect((await child.exited).code).toBe(3);
      }
      expect(readLog(log)).toBe('out\nerr\nout\nerr\n');
    });

    test('a signal ends it and is the exit; afterwards there is nothing to signal', async () => {
      const { child } = await start('exec sleep 60');
      expect(processes.isAlive(child.pid)).toBe(true);
      expect(child.signal('TERM')).toBe(true);
      expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' });
      expect(child.signal('KILL')).toBe(false);
      expect(processes.isAlive(child.pid)).toBe(false);
      expect(await processes.facts(child.pid)).toBeNull();
    });

    test('without a group of its own it is signalled alone, and stays in ours', async () => {
      const { child } = await start('exec sleep 60', { ownGroup: false });
      const own = await processes.facts(processes.ownPid);
      expect((await processes.facts(child.pid))?.group).toBe(own?.group as number);
      expect(child.signal('KILL')).toBe(true);
      expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
      expect(child.signal('KILL')).toBe(false);
    });

    test('a program may handle a signal', async () => {
      const { child, heard, hears } = await start(
        'trap "echo caught; exit 7" TERM; echo ready; while :; do sleep 0.01; done',
      );
      await hears('ready');
      child.signal('TERM');
      expect(await child.exited).toEqual({ code: 7, signal: null });
      expect(heard.out).toBe('ready\ncaught\n');
    });

    test('facts name a child for good: its own group and session, and when it started', async () => {
      const { child } = await start('exec sleep 60', { environment: { PATH, HOUSTON_TEST_MARK: `${here}-facts` } });
      const facts = await processes.facts(child.pid);
      expect(facts).toMatchObject({ pid: child.pid, group: child.pid, session: child.pid, parent: processes.ownPid });
      expect((await processes.facts(child.pid))?.startTime).toBe(facts?.startTime as string);
      expect(facts?.startTime).not.toBe('');
      const marked = await processes.findMarked('HOUSTON_TEST_MARK', `${here}-facts`);
      expect(marked.map((one) => one.pid)).toEqual([child.pid]);
      expect(await processes.findMarked('HOUSTON_TEST_MARK', `${here}-fact`)).toEqual([]);
      expect(processes.signalGroup(facts?.group ?? 0, 'KILL')).toBe(true);
      expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
    });

    test('we are there ourselves; nobody else is asked about', async () => {
      expect(processes.isAlive(processes.ownPid)).toBe(true);
      expect((await processes.facts(processes.ownPid))?.pid).toBe(processes.ownPid);
      expect(processes.isAlive(4_000_000)).toBe(false);
      expect(processes.signalGroup(4_000_000, 'TERM')).toBe(false);
    });

    test('what cannot start says why', async () => {
      const options = { folder: here, environment: { PATH }, input: null, output: 'ignore' } as const;
      expect(await codeOf(processes.spawn({ ...options, argv: ['no-such-program-here'] }))).toBe('ENOENT');
      expect(await codeOf(processes.spawn({ ...options, argv: ['/no/such/program'] }))).toBe('ENOENT');
      const missing = join(here, 'missing');
      const error = await processes
        .spawn({ ...options, argv: ['sh', '-c', 'cat'], folder: missing })
        .catch((failure) => failure);
      expect(error).toMatchObject({ code: 'ENOENT', path: missing });
    });

    test('programs are found on the given path alone', async () => {
      expect(await processes.find('sh', PATH)).toMatch(/^\/(usr\/)?bin\/sh$/);
      expect(await processes.find('sh', '/nowhere:relative::')).toBeNull();
      expect(await processes.find('no-such-program-here', PATH)).toBeNull();
      expect(await processes.find('', PATH)).toBeNull();
    });
  });
}

describe('processes: the real system only', () => {
  const processes = createBunProcesses();
  const options = { folder, environment: { PATH }, input: null, output: 'pieces' } as const;
  const run = async (line: string, more: Partial<SpawnOptions> = {}): Promise<{ child: Child; out(): string }> => {
    let out = '';
    const onOutput = (bytes: Uint8Array) => {
      out += new TextDecoder().decode(bytes);
    };
    const child = await processes.spawn({ ...options, argv: ['bash', '-c', line], onOutput, ...more });
    return { child, out: () => out };
  };

  test('a signal reaches everything in the group, also after its leader has ended', async () => {
    const mark = `${folder}-group`;
    const environment = { PATH, HOUSTON_TEST_MARK: mark };
    const { child } = await run('sleep 60 & (sleep 61 &) ; exit 5', { environment });
    expect((await child.exited).code).toBe(5);
    const left = await processes.findMarked('HOUSTON_TEST_MARK', mark);
    expect(left.length).toBe(2);
    expect(child.signal('KILL')).toBe(true);
    while ((await processes.findMarked('HOUSTON_TEST_MARK', mark)).length > 0) await Bun.sleep(1);
  });

  test('a grandchild that keeps the output open does not hold up the exit, and is still heard', async () => {
    const { child, out } = await run('(sleep 0.2; echo late) & echo early');
    expect((await child.exited).code).toBe(0);
    expect(out()).toBe('early\n');
    while (out() !== 'early\nlate\n') await Bun.sleep(5);
  });

  test('output can be opened by its name, as shell lines do', async () => {
    const { child, out } = await run('echo one > /dev/stderr; echo two | tee /dev/stderr > /dev/null; echo three');
    await child.exited;
    expect(out().split('\n').sort()).toEqual(['', 'one', 'three', 'two']);
  });

  test('input that nobody reads does no harm, before and after the end', async () => {
    const { child } = await run('exec true', { input: new Uint8Array(1_000_000) });
    expect((await child.exited).code).toBe(0);
    const piped = await run('exec true', { input: 'pipe' });
    await piped.child.exited;
    await piped.child.write(new Uint8Array(1_000_000));
    piped.child.closeInput();
  });

  test('large output arrives whole; a slow listener holds the program up', async () => {
    let total = 0;
    let inside = 0;
    const child = await processes.spawn({
      ...options,
      argv: ['head', '-c', '3000000', '/dev/zero'],
      async onOutput(bytes) {
        expect(++inside).toBe(1);
        await Bun.sleep(1);
        total += bytes.length;
        inside--;
      },
    });
    await child.exited;
    expect(total).toBe(3_000_000);
  });

  test('without pipes of our own the output comes all the same, whole and in time', async () => {
    const heard = { out: 0, err: '' };
    const child = await spawnChild(
      '/bin/sh',
      {
        ...options,
        argv: ['sh', '-c', 'sleep 0.2 & head -c 2000000 /dev/zero; echo err >&2; exit 6'],
        async onOutput(bytes, stream) {
          await Promise.resolve();
          if (stream === 'out') heard.out += bytes.length;
          else heard.err += new TextDecoder().decode(bytes);
        },
      },
      () => null,
    );
    expect(await child.exited).toEqual({ code: 6, signal: null });
    expect(heard).toEqual({ out: 2_000_000, err: 'err\n' });
  });

  test('nothing is left: no descriptor, no zombie', async () => {
    const count = () => readdirSync('/proc/self/fd').length;
    const once = async () => {
      const { child } = await run('echo x; echo y >&2', { input: 'pipe' });
      child.closeInput();
      await child.exited;
      const logged = await processes.spawn({ ...options, argv: ['true'], output: { file: join(folder, 'fds') } });
      await logged.exited;
      await codeOf(processes.spawn({ ...options, argv: [join(folder, 'none')] }));
    };
    await once();
    await Bun.sleep(20);
    const before = count();
    for (let turn = 0; turn < 20; turn++) await once();
    await Bun.sleep(20);
    expect(count()).toBeLessThanOrEqual(before);
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    const zombies = children.filter((pid) => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
    expect(zombies).toEqual([]);
  });

  test('the child holds nothing of ours open and has no controlling terminal', async () => {
    const { child, out } = await run('ls /proc/self/fd | tr "\\n" " "; ps -o tty= -p $$');
    await child.exited;
    expect(out().replace(/\s+/g, ' ').trim()).toBe('0 1 2 3 ?');
  });

  test('children end with us, detached ones go on', async () => {
    const mark = `${folder}-exit`;
    const module = join(import.meta.dir, '../../src/system/bun/processes.ts');
    const program = `
      import { createBunProcesses } from ${JSON.stringify(module)};
      const processes = createBunProcesses();
      const options = { folder: '/', environment: { PATH: '${PATH}', HOUSTON_TEST_MARK: ${JSON.stringify(mark)} }, input: null, output: 'ignore' };
      await processes.spawn({ ...options, argv: ['sleep', '61'], detached: true });
      await processes.spawn({ ...options, argv: ['sh', '-c', 'sleep 62 & sleep 63'] });
      const bound = await processes.spawn({ ...options, argv: ['sleep', '64'] });
      bound.release();
      process.exit(0);`;
    await Bun.spawn([process.execPath, '-e', program], { stdout: 'inherit', stderr: 'inherit' }).exited;
    const left = async () => (await processes.findMarked('HOUSTON_TEST_MARK', mark)).map((one) => one.command);
    while ((await left()).length > 1) await Bun.sleep(5);
    expect(await left()).toEqual(['sleep 61']);
    for (const one of await processes.findMarked('HOUSTON_TEST_MARK', mark)) processes.signalGroup(one.group, 'KILL');
  });

  test('a detached or released child does not keep us', async () => {
    const module = join(import.meta.dir, '../../src/system/bun/processes.ts');
    const program = `
      import { createBunProcesses } from ${JSON.stringify(module)};
      const options = { folder: '/', environment: { PATH: '${PATH}' }, input: null };
      await createBunProcesses().spawn({ ...options, argv: ['sleep', '0.5'], output: 'ignore', detached: true });
      (await createBunProcesses().spawn({ ...options, argv: ['sleep', '60'], output: 'pieces' })).release();`;
    const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'inherit', stderr: 'inherit' });
    expect(await child.exited).toBe(0);
  });

  test('a file without permission to run is EACCES, a folder is no program', async () => {
    const plain = join(folder, 'plain');
    writeFileSync(plain, 'x', { mode: 0o644 });
    expect(await codeOf(processes.spawn({ ...options, argv: [plain] }))).toBe('EACCES');
    expect(await processes.find('plain', folder)).toBeNull();
    expect(await processes.find('tmp', '/')).toBeNull();
    writeFileSync(join(folder, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
    expect(await processes.find('tool', `relative::${folder}:${PATH}`)).toBe(join(folder, 'tool'));
  });

  test('a program keeps the name it was called by', async () => {
    const { child, out } = await run('echo $0', { argv: ['sh', '-c', 'tr "\\0" " " < /proc/$$/cmdline'] });
    await child.exited;
    expect(out()).toStartWith('sh -c ');
  });
});

describe('terminals of children', () => {
  const processes = createBunProcesses();
  const start = async (line: string, argv: readonly string[] = ['bash', '-c', line]) => {
    let out = '';
    const child = await processes.spawnTerminal({
      argv,
      folder,
      environment: { PATH, TERM: 'xterm-256color', A: 'given' },
      columns: 100,
      rows: 30,
      onOutput(bytes) {
        out += new TextDecoder().decode(bytes);
      },
    });
    const hears = async (wanted: string) => {
      while (!out.includes(wanted)) await Bun.sleep(1);
    };
    return { child, hears, out: () => out };
  };
  const bytes = (text: string) => new TextEncoder().encode(text);

  test('size, input, echo, resize and exit code', async () => {
    const { child, hears, out } = await start(
      'trap "stty size" WINCH; stty size; test -t 0 && test -t 1 && test -t 2 && echo all; read x; echo "got $x $A"; while read -t 5 y; [ "$y" != end ]; do :; done; exit 3',
    );
    await hears('30 100');
    await hears('all');
    await child.write(bytes('hello\n'));
    await hears('got hello given');
    child.resize(60, 12);
    await hears('12 60');
    await child.write(bytes('end\n'));
    expect(await child.exited).toEqual({ code: 3, signal: null });
    expect(out()).toContain('hello\r\n');
  });

  test('it leads a session that owns the terminal: Ctrl-C reaches it', async () => {
    const { child, hears } = await start('echo x > /dev/tty && echo owned; exec sleep 60');
    await hears('owned');
    const facts = await processes.facts(child.pid);
    expect([facts?.group, facts?.session]).toEqual([child.pid, child.pid]);
    await child.write(bytes('\x03'));
    expect(await child.exited).toEqual({ code: null, signal: 'SIGINT' });
  });

  test('the terminal is its own even for a program that never opens it, and nothing is added to its environment', async () => {
    const cat = await start('', ['cat']);
    await cat.child.write(bytes('up\n'));
    await cat.hears('up\r\nup\r\n');
    await cat.child.write(bytes('\x03'));
    expect(await cat.child.exited).toEqual({ code: null, signal: 'SIGINT' });
    const env = await start('', ['env']);
    await env.child.exited;
    expect(env.out().trim().split('\r\n').sort()).toEqual(['A=given', `PATH=${PATH}`, 'TERM=xterm-256color']);
  });

  test('all output is there before the exit; afterwards nothing throws', async () => {
    const { child, out } = await start('head -c 200000 /dev/zero | tr "\\0" a');
    await child.exited;
    expect(out().length).toBe(200_000);
    await child.write(bytes('late'));
    child.resize(1, 1);
    child.closeInput();
    expect(child.signal('KILL')).toBe(false);
  });

  test('a program that is not there says so and leaves no terminal open', async () => {
    const count = () => readdirSync('/proc/self/fd').length;
    const before = count();
    const options = { folder, environment: { PATH }, columns: 10, rows: 10 };
    for (let turn = 0; turn < 5; turn++) {
      expect(await codeOf(processes.spawnTerminal({ ...options, argv: [join(folder, 'none')] }))).toBe('ENOENT');
    }
    expect(count()).toBeLessThanOrEqual(before);
  });
});
