import { expect, test } from 'bun:test';
import { LINKS, openLinked } from '../../../test/support/linked-house.ts';
import { gate, scriptedModel } from '../../../test/support/script.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { slashCommands } from '../commands/slash.ts';
import { runPrintCommand } from './print-command.ts';

for (const kind of LINKS)
  test(`slow work of a caller without a window is waited for and prints its lines, and nothing of a row, ${kind} (SC-2.8, SC-16.3)`, async () => {
    const held = gate();
    const system = createMemorySystem();
    for (const name of ['side', 'other']) system.files.seed(`/yard/${name}/a.txt`, '');
    const listed = ['', '/side', '/other'].map((at) => `worktree /yard${at}\0branch refs/heads/b${at.slice(1)}`);
    system.processes.script(
      (argv) => argv[0] === 'git',
      async (run) => {
        const line = run.argv.join(' ');
        if (line.includes('--show-toplevel')) run.write('/yard\n');
        else if (line.includes('worktree list')) run.write(`${listed.join('\0\0')}\0\0`);
        else if (line.includes('rev-list')) run.write('0\n');
        else if (line.includes('worktree remove')) await held.opened;
        return 0;
      },
    );
    const linked = await openLinked(kind, { script: scriptedModel([]), system });
    const seat = await linked.sit('watcher');
    await linked.idle();
    const said: string[] = [];
    let ended = false;
    const run = async (argument: string) => {
      const command = slashCommands(seat.view.head.commands).find(({ name }) => name === 'worktree')!;
      const code = await runPrintCommand({
        session: linked.house.session,
        client: 'caller',
        ref: argument,
        command,
        argument,
        err: (text) => void said.push(text),
        interrupted: new AbortController().signal,
      });
      ended = true;
      return code;
    };
    const clean = run('clean');
    await linked.settle();
    expect(seat.view.activity.detail).toBe('/worktree clean');
    expect([ended, said]).toEqual([false, []]);
    held.open();
    expect(await clean).toBe(0);
    expect(said).toEqual(['houston: worktree: Removed /yard/side\n', 'houston: worktree: Removed /yard/other\n']);
    // One that comes to nothing says why, and ends so.
    said.length = 0;
    expect(await run('merge')).toBe(1);
    expect(said).toHaveLength(1);
    expect(said[0]).toStartWith('houston: not-a-worktree: ');
  });

for (const kind of LINKS)
  test(`a command's caller waits for what it began, fails where it was refused, thrown away or warned of, and leaves nothing behind a turn, ${kind} (SC-28.5.4)`, async () => {
    const held = gate();
    const summary = gate();
    const model = scriptedModel([
      `a first reply ${'word '.repeat(1_000)}`,
      [{ wait: summary.opened }, 'what was said, in short'],
      [{ wait: held.opened }, 'done'],
    ]);
    const linked = await openLinked(kind, { script: model });
    const seat = await linked.sit('window');
    await linked.idle();
    await seat.say('begin');
    await linked.idle();
    const said: string[] = [];
    let calls = 0;
    const run = (name: string, argument = '') =>
      runPrintCommand({
        session: linked.house.session,
        client: 'caller',
        ref: `c${++calls}`,
        command: slashCommands(seat.view.head.commands).find((one) => one.name === name)!,
        argument,
        err: (text) => void said.push(text),
        interrupted: new AbortController().signal,
      });
    let code: number | null = null;
    const compacting = run('compact').then((ended) => {
      code = ended;
    });
    await seat.until((view) => view.activity.phase === 'compacting');
    await linked.settle();
    expect([code, said]).toEqual([null, []] as never);
    summary.open();
    await compacting;
    expect([code, said]).toEqual([0, []] as never);
    // What is not understood, and what only a window can show.
    expect(await run('autocompact', 'sideways')).not.toBe(0);
    expect(await run('theme')).toBe(2);
    expect(said.join('')).toContain('needs-a-window');
    void seat.say('go on');
    await seat.until((view) => view.activity.phase !== 'idle');
    const dropped = run('compact');
    await seat.until((view) => view.queue.rows.length === 1);
    await seat.send({ type: 'queue-discard', inputs: 'all' });
    expect(await dropped).not.toBe(0);
    held.open();
    await linked.idle();
    expect(await run('quit')).toBe(0);
  });
