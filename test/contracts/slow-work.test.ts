// Commands that take their time, through the door: the same over every link.
import { describe, expect, test } from 'bun:test';
import type { View } from '../../src/protocol/view.ts';
import type { ProgramRun } from '../../src/system/memory/processes.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { CTRL_C, type HouseOptions, scriptedLine, transcriptOf } from '../support/controller.ts';
import { notesOf } from '../support/jobs-house.ts';
import { LINKS, type LinkedSeat, type LinkKind, openLinked } from '../support/linked-house.ts';
import { gate, type ScriptEntry, scriptedModel } from '../support/script.ts';
import { flashes } from '../support/what-was-said.ts';

const LISTED = ['', '/side', '/other'].map((at) => `worktree /yard${at}\0branch refs/heads/b${at.slice(1)}`);

/** A repository with two more worktrees; `slow` plays what removes one or merges. */
async function yard(
  kind: LinkKind,
  script: readonly ScriptEntry[],
  slow: (run: ProgramRun) => Promise<number>,
  more: Partial<HouseOptions> = {},
) {
  const system = createMemorySystem();
  for (const name of ['side', 'other']) system.files.seed(`/yard/${name}/a.txt`, '');
  system.processes.script(
    (argv) => argv[0] === 'git',
    async (run) => {
      const line = run.argv.join(' ');
      if (line.includes('--show-toplevel')) run.write('/yard\n');
      else if (line.includes('worktree list')) run.write(`${LISTED.join('\0\0')}\0\0`);
      else if (line.includes('rev-list')) run.write('0\n');
      else if (line.includes('worktree remove')) return slow(run);
      return 0;
    },
  );
  const model = scriptedModel(script);
  const linked = await openLinked(kind, { script: model, system, runOwnLine: scriptedLine(system.clock), ...more });
  const seat = await linked.sit('one');
  await linked.idle();
  return { system, model, linked, seat };
}

const phases = (seat: LinkedSeat): string[] =>
  seat.changes.flatMap((change) => (change.type === 'activity' ? [change.activity.phase] : []));
const works = ({ activity }: View): boolean => activity.phase === 'command';

for (const kind of LINKS) {
  describe(`slow command work ${kind}`, () => {
    test('it is shown before it works, ends done, and says what came of it as one note (SC-16.1, SC-16.5, SC-16.4)', async () => {
      const held = gate();
      let shown = false;
      const { linked, seat } = await yard(kind, [], async () => {
        shown = works(seat.view);
        await held.opened;
        return 0;
      });
      const from = seat.changes.length;
      await seat.command('worktree', 'clean');
      await seat.until(works);
      await linked.settle();
      expect(seat.view.activity).toMatchObject({ phase: 'command', detail: '/worktree clean', turn: null });
      expect(seat.states(1)).toEqual(['started']);
      held.open();
      await seat.until(({ activity }) => activity.phase === 'idle');
      await linked.settle();
      expect(shown).toBe(true);
      expect(seat.states(1)).toEqual(['started', 'done']);
      expect(notesOf(seat.view, 'worktree')).toEqual(['Removed /yard/side\nRemoved /yard/other']);
      const notes = seat.changes.slice(from).filter(({ type }) => type === 'entry' || type === 'flash');
      expect(notes).toHaveLength(1);
      // A refusal is no bug: an ordinary warning, and the row has failed.
      await seat.command('worktree', 'merge');
      await linked.settle();
      expect(seat.states(2)).toEqual(['started', 'failed']);
      const refused = seat.view.transcript.items.filter((item) => item.kind === 'note' && item.level === 'warning');
      expect(refused).toMatchObject([{ identifier: 'not-a-worktree' }]);
      // What needs the session to itself is shown at work as well.
      for (const name of ['finish', 'remove']) {
        const before = seat.changes.length;
        await seat.command('worktree', name);
        await linked.idle();
        const details = seat.changes
          .slice(before)
          .flatMap((change) => (change.type === 'activity' ? [change.activity.detail] : []));
        expect(details).toEqual(['/worktree', '']);
      }
    });

    test('a bug in it fails the command alone, and nothing is shown as running for good (SC-16.1, SC-16.5)', async () => {
      const isOpenElsewhere = async (): Promise<boolean> => {
        throw new Error('no such thing');
      };
      const { linked, seat } = await yard(kind, ['still here'], async () => 0, { isOpenElsewhere });
      await seat.command('worktree', 'clean');
      await linked.idle();
      expect(seat.states(1)).toEqual(['started', 'failed']);
      expect(notesOf(seat.view, 'internal').join('')).toContain('/worktree clean failed: no such thing.');
      expect(seat.view.activity.phase).toBe('idle');
      await seat.say('there?');
      await linked.idle();
      expect(transcriptOf(seat.view)).toContain('model: still here');
    });

    test('beside a turn it leaves the turn’s row alone and says that it goes on (SC-16.2, SC-43.4)', async () => {
      const [held, turn] = [gate(), gate()];
      const { linked, seat } = await yard(kind, [{ parts: ['...', { wait: turn.opened }] }], async () => {
        await held.opened;
        return 0;
      });
      await seat.say('go');
      await seat.until(({ live }) => live !== null);
      const from = seat.changes.length;
      await seat.command('worktree', 'clean');
      await linked.settle();
      expect(flashes(seat)).toEqual(['/worktree clean goes on beside what runs.']);
      held.open();
      await linked.settle();
      expect(seat.states(2)).toEqual(['started', 'done']);
      // Its end says nothing of the turn, which still runs.
      expect(seat.changes.slice(from).filter(({ type }) => type === 'activity')).toEqual([]);
      expect(seat.view.activity.turn).toBe(1);
      turn.open();
      await linked.idle();
      expect(seat.view.activity.phase).toBe('idle');
    });

    test('a turn and a line of the person that end beside it give its row back; the prompt had not to wait (SC-43.4, SC-43.15)', async () => {
      const held = gate();
      const { linked, seat } = await yard(kind, ['answered'], async () => {
        await held.opened;
        return 0;
      });
      await seat.command('worktree', 'clean');
      await seat.until(works);
      await seat.say('go');
      await linked.idle();
      expect(transcriptOf(seat.view)).toContain('model: answered');
      expect(seat.view.activity).toMatchObject({ phase: 'command', detail: '/worktree clean' });
      await seat.say('true', 'shell');
      await linked.idle();
      expect(phases(seat)).toContain('shell');
      expect(seat.view.activity).toMatchObject({ phase: 'command', detail: '/worktree clean' });
      held.open();
      await linked.idle();
      expect(seat.view.activity.phase).toBe('idle');
      expect(seat.states(1)).toEqual(['started', 'done']);
    });

    test('Ctrl-C stops it, and it is shown as stopping until it has ended; one at a turn leaves it alone (SC-43.14)', async () => {
      const [turn, told] = [gate(), gate()];
      let removals = 0;
      const { linked, seat } = await yard(kind, [{ parts: ['...', { wait: turn.opened }] }], async () => {
        removals++;
        await told.opened;
        return 1;
      });
      await seat.command('worktree', 'clean');
      await seat.until(works);
      await seat.say('go');
      await seat.until(({ live }) => live !== null);
      await seat.send(CTRL_C);
      await linked.idle();
      expect(transcriptOf(seat.view)).toContain('end: stopped');
      expect(seat.states(1)).toEqual(['started']);
      await seat.send(CTRL_C);
      await linked.settle();
      // Nothing says it is over before it is.
      expect(seat.view.activity.phase).toBe('stopping');
      told.open();
      await linked.settle();
      expect(seat.states(1)).toEqual(['started', 'stopped']);
      expect(seat.view.activity.phase).toBe('idle');
      expect(removals).toBe(1);
      expect(notesOf(seat.view, 'worktree').join('')).toContain('Stopped: the rest was not looked at.');
    });
  });
}
