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
