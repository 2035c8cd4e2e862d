// Scenes of a session with commands that run on, through the door: the same over every link.
import { describe, expect, test } from 'bun:test';
import type { ModelRequest } from '../../src/core/models/model.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { CTRL_C, ESCAPE, transcriptOf } from '../support/controller.ts';
import { callsOf, type JobsHouseOptions, notesOf, openJobsHouse, program } from '../support/jobs-house.ts';
import { LINKS, type LinkedSeat, type LinkKind, linkHouse, openLinked } from '../support/linked-house.ts';
import { gate, type ScriptEntry, scriptedModel } from '../support/script.ts';

/** All the model was told in a request: results and texts of the person, in order. */
function told(request: ModelRequest | undefined): string {
  return (request?.messages ?? [])
    .flatMap((message) =>
      message.role === 'results'
        ? message.results.map(({ text }) => text)
        : message.role === 'user'
          ? message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
          : [],
    )
    .join('\n');
}

const shell = (command: string, more: Readonly<Record<string, string | number | boolean>> = {}) => [
  { tool: 'run_shell', input: { command, why: command, ...more } },
];

/** A line that runs for so long and ends with a status. */
function line(system: MemorySystem, text: string, seconds: number, exit = 0): void {
  program(system, text, async ({ write, clock, ended }) => {
    write(`${text} began\n`);
    await clock.sleep(seconds * 1000, ended);
    write(`${text} ended\n`);
    return exit;
  });
}

async function opened(kind: LinkKind, script: readonly ScriptEntry[], options: JobsHouseOptions = {}) {
  const system = options.system ?? createMemorySystem();
  const made = await openJobsHouse(script, { ...options, system });
  const linked = linkHouse(kind, made.house);
  return { ...made, system, linked, seat: await linked.sit('one') };
}

const NEVER = new Promise<void>(() => {});
const awaited = ({ jobs }: View): boolean => jobs.some(({ state, background }) => state === 'running' && !background);
const ends = (count: number) => (view: View) =>
  view.transcript.items.filter(({ kind }) => kind === 'turn-end').length >= count;
const saysModel = (text: string) => (view: View) =>
  view.transcript.items.some((item) => item.kind === 'assistant' && item.text === text);
const at = (view: View, text: string): number => transcriptOf(view).indexOf(text);
/** Lines that run now, oldest first. */
const running = (system: MemorySystem): string[] =>
  system.processes.running.map(({ command }) => command.trim().split(' ').at(-1) ?? '');

/** The line of the session is awaited by the turn that `go` began. */
async function begun(seat: LinkedSeat): Promise<void> {
  await seat.say('go');
  await seat.until(awaited);
}

for (const kind of LINKS) {
  describe(`a turn that waits for a command, ${kind}`, () => {
    test('steering lets the wait go: the next request has it at once, the command runs on under its id (SC-7.2, SC-44.2)', async () => {
      const system = createMemorySystem();
      line(system, 'build', 200);
      const asked = gate();
      const script = [
        shell('build', { timeout_seconds: 600 }),
        () => {
          asked.open();
          return 'I see';
        },
      ];
      const { linked, seat, model } = await opened(kind, script, { system, jobsWake: false });
      await begun(seat);
      const from = system.clock.now();
      await seat.say('also the docs');
      await system.clock.runUntil(asked.opened);
      expect(system.clock.now() - from).toBeLessThan(100);
      expect(told(model.requests[1])).toContain('goes on in the background as j1');
      expect(told(model.requests[1])).toContain('also the docs');
      await seat.until(ends(1));
      await linked.settle();
      expect(seat.view.jobs).toMatchObject([{ id: 'j1', state: 'running', background: true }]);
      expect(running(system)).toEqual(['build']);
      // It was in line before the wait was let go: no turn of its own was needed.
      expect(transcriptOf(seat.view)).not.toContain('prompt: also the docs');
    });

    test('an interruption leaves the command running and begins a new turn; it alone is next (SC-44.3, SC-8.4)', async () => {
      const system = createMemorySystem();
      line(system, 'build', 200);
      const { linked, seat, model } = await opened(kind, [shell('build'), 'instead', 'later'], {
        system,
        jobsWake: false,
      });
      await begun(seat);
      await seat.say('waits', 'queue');
      await seat.say('do this instead', 'interrupt');
      await seat.until(saysModel('instead'));
      expect(running(system)).toEqual(['build']);
      expect(seat.view.jobs).toMatchObject([{ id: 'j1', state: 'running', background: true }]);
      expect(told(model.requests[1])).toContain('do this instead');
      expect(told(model.requests[1])).not.toContain('waits');
      await linked.settle();
    });

    test('a prompt that names a skill goes as it is sent, like any other: it lets the wait go, interrupts, or with a model of its own queues (SC-43.9)', async () => {
      const list = [{ name: 'review', description: 'reads a change', path: '/skills/review/SKILL.md' }];
      const skills = async () => ({ list, load: async () => 'how to' });
      const start = async (script: readonly ScriptEntry[]) => {
        const system = createMemorySystem();
        line(system, 'build', 200);
        const made = await opened(kind, [shell('build', { timeout_seconds: 600 }), ...script], {
          system,
          jobsWake: false,
          skills,
        });
        await begun(made.seat);
        return { ...made, from: system.clock.now() };
      };
      const steering = await start(['I see']);
      await steering.seat.say('$review this');
      await steering.seat.until(saysModel('I see'));
      expect(steering.system.clock.now() - steering.from).toBeLessThan(1000);
      expect(told(steering.model.requests[1])).toContain('$review this');
      expect(running(steering.system)).toEqual(['build']);

      const interrupting = await start(['instead', 'later']);
      await interrupting.seat.say('waits', 'queue');
      await interrupting.seat.say('$review that', 'interrupt');
      await interrupting.seat.until(saysModel('instead'));
      expect(told(interrupting.model.requests[1])).toContain('$review that');
      expect(told(interrupting.model.requests[1])).not.toContain('waits');

      const aimed = await start(['done', 'reviewed']);
      await aimed.seat.say('$script:one $review all', 'steering');
      await aimed.linked.settle();
      expect(aimed.seat.view.queue.rows).toMatchObject([{ text: '$review all', delivery: 'queue' }]);
      // It is not for the turn under way, which goes on waiting.
      expect(awaited(aimed.seat.view)).toBe(true);
    });

    test('Ctrl-C ends the awaited command; what was put in the background lives and is listed (SC-44.4, SC-8.5, SC-8.7)', async () => {
      const system = createMemorySystem();
      for (const text of ['serve', 'watch', 'proxy', 'tail']) line(system, text, 9_000);
      line(system, 'build', 200);
      const names = ['serve', 'watch', 'proxy', 'tail'];
      const behind = names.flatMap((text) => shell(text, { background: true, why: `the ${text}` }));
      const { seat } = await opened(kind, [behind, shell('build')], { system });
      await begun(seat);
      await seat.send(CTRL_C);
      await seat.until((view) => notesOf(view, 'still-running').length > 0);
      expect(running(system)).toEqual(names);
      expect(notesOf(seat.view, 'still-running')).toEqual([
        '4 commands still run: j1 the serve, j2 the watch, j3 the proxy and 1 more. /jobs shows and stops them.',
      ]);
      expect(callsOf(seat.view).at(-1)).toMatchObject({ title: '$ build', state: 'stopped' });
    });

    test('an interrupted turn leaves what was put in the background alone too, and a whole one says nothing of it (SC-8.5, SC-8.7)', async () => {
      const system = createMemorySystem();
      line(system, 'serve', 9_000);
      line(system, 'build', 200);
      const script = [[...shell('serve', { background: true })], shell('build'), 'instead', 'done'];
      const { seat, linked } = await opened(kind, script, { system, jobsWake: false });
      await begun(seat);
      await seat.say('this instead', 'interrupt');
      await seat.until(saysModel('instead'));
      await seat.say('well');
      await seat.until(ends(3));
      await linked.settle();
      expect(running(system)).toEqual(['serve', 'build']);
      // Nobody stopped anything.
      expect(notesOf(seat.view, 'still-running')).toEqual([]);
    });

    test('after any end of a turn a command is left alone again: nothing of a stop stays (INV-14, SC-43.3, SC-8.4)', async () => {
      const system = createMemorySystem();
      line(system, 'build', 200);
      const script = [shell('build'), shell('build'), 'instead'];
      const { seat } = await opened(kind, script, { system, jobsWake: false });
      // Pressed while nothing runs, then at a line of the person's, then at a turn before its first request.
      await seat.send(CTRL_C);
      await seat.say('build', 'shell');
      await seat.until(awaited);
      await seat.send(ESCAPE);
      await seat.until(({ activity }) => activity.phase === 'idle');
      await Promise.all([seat.say('never'), seat.send(ESCAPE)]);
      await seat.until(ends(1));
      // A turn that is stopped takes its command with it …
      await begun(seat);
      await seat.send(ESCAPE);
      await seat.until(ends(2));
      expect(running(system)).toEqual([]);
      // … and the next one, interrupted, does not.
      await begun(seat);
      await seat.say('this instead', 'interrupt');
      await seat.until(saysModel('instead'));
      expect(running(system)).toEqual(['build']);
    });
  });

  describe(`the end of a job, ${kind}`, () => {
    test('it begins a turn within a second, as the system; the notice is the one a prompt would have carried (SC-44.5, SC-7.7, INV-21)', async () => {
      const noticed: string[] = [];
      for (const jobsWake of [true, false]) {
        const system = createMemorySystem();
        line(system, 'build', 20, 3);
        const script = [shell('build', { background: true, why: 'the build' }), 'started', 'heard'];
        const { seat, linked, model } = await opened(kind, script, { system, jobsWake });
        await seat.say('go');
        await seat.until(ends(1));
        await seat.until(({ jobs }) => jobs[0]?.state === 'ended');
        const over = system.clock.now();
        if (jobsWake) {
          await seat.until(saysModel('heard'));
          expect(system.clock.now() - over).toBeLessThanOrEqual(1000);
          const woken = seat.view.transcript.items.find((item) => item.kind === 'user' && item.as === 'wake');
          expect(woken).toBeDefined();
          expect(transcriptOf(seat.view).filter((text) => text.startsWith('prompt:'))).toEqual(['prompt: go']);
        } else {
          await system.clock.advance(60_000);
          await linked.idle();
          expect(model.requests).toHaveLength(2);
          await seat.say('and now?');
          await seat.until(saysModel('heard'));
        }
        await linked.idle();
        const [notice] = /\[Job j1[\s\S]*?build ended/.exec(told(model.requests[2])) ?? [];
        noticed.push(notice ?? 'nothing');
      }
      expect(noticed[0]).toContain('exit 3');
      expect(noticed[1]).toBe(noticed[0]!);
    });

    test('each is told of once to people and at most once to the model: in the turn, collected, stopped, idle (INV-15, SC-10.7, SC-10.11)', async () => {
      const system = createMemorySystem();
      line(system, 'early', 2);
      line(system, 'fetched', 10);
      line(system, 'halted', 9_000);
      line(system, 'late', 60);
      line(system, 'sleep 5', 5);
      const started = ['early', 'fetched', 'halted', 'late'].flatMap((text) => shell(text, { background: true }));
      const collect = [{ tool: 'job', input: { action: 'wait', job: 'j2', why: 'to know' } }];
      const script = [started, shell('sleep 5'), collect, 'all begun', 'heard of the last', 'ok'];
      const { seat, linked, model } = await opened(kind, script, { system });
      await seat.say('go');
      await seat.until(ends(1));
      // Collected, it is told where it was collected, before the last word, and by nothing else.
      const collected = seat.view.transcript.items.filter((item) => JSON.stringify(item).includes('[j2 · exit 0'));
      expect(collected).toHaveLength(1);
      expect(seat.view.transcript.items.indexOf(collected[0]!)).toBeLessThan(at(seat.view, 'model: all begun'));
      await seat.command('jobs', 'stop j3');
      await seat.until(saysModel('heard of the last'));
      await linked.idle();
      await seat.say('and?');
      await linked.idle();
      const notes = notesOf(seat.view, 'job-ended');
      expect(notes.map((text) => text.split(' ')[0])).toEqual(['j1', 'j4']);
      const notices = told(model.requests.at(-1)).match(/\[Job j\d/g) ?? [];
      expect([...notices].sort()).toEqual(['[Job j1', '[Job j3', '[Job j4']);
      // One turn was begun by itself, for the last.
      expect(model.requests).toHaveLength(6);
    });

    test('it begins a turn only when nothing runs, and never for one that was stopped or is the person’s (INV-16)', async () => {
      const system = createMemorySystem();
      line(system, 'build', 5);
      line(system, 'serve', 9_000);
      const held = gate();
      const both = [...shell('build', { background: true }), ...shell('serve', { background: true })];
      const script = [both, { parts: ['...', { wait: held.opened }] }, 'heard'];
      const { seat, linked, model } = await opened(kind, script, { system });
      await seat.say('go');
      await seat.until(({ jobs }) => jobs[0]?.state === 'ended');
      await system.clock.advance(30_000);
      await linked.settle();
      expect(model.requests).toHaveLength(2);
      expect(seat.view.activity.turn).toBe(1);
      expect(seat.view.queue.rows).toEqual([]);
      held.open();
      await seat.until(saysModel('heard'));
      await linked.idle();
      await seat.command('jobs', 'stop j2');
      await seat.until(({ jobs }) => jobs[1]?.state === 'stopped');
      await system.clock.advance(30_000);
      await linked.idle();
      expect(model.requests).toHaveLength(3);
      line(system, 'deploy', 5);
      await seat.say('deploy', 'shell');
      await seat.until(awaited);
      await seat.send({ type: 'job', job: 'j3', action: 'background' });
      await seat.until(({ jobs }) => jobs[2]?.state === 'ended');
      await system.clock.advance(30_000);
      await linked.idle();
      expect(model.requests).toHaveLength(3);
    });

    test('while a prompt is held it begins none, and does as soon as nothing waits; where that is switched off it never does (INV-16)', async () => {
      for (const jobsWake of [true, false]) {
        const system = createMemorySystem();
        line(system, 'build', 20);
        const script = [shell('build', { background: true }), 'started', { parts: ['...', { wait: NEVER }] }, 'heard'];
        const { seat, linked, model } = await opened(kind, script, { system, jobsWake });
        await seat.say('go');
        await seat.until(ends(1));
        await seat.say('work');
        await seat.until(({ live }) => live !== null);
        await seat.say('waits', 'queue');
        await seat.send(CTRL_C);
        await seat.until(({ jobs }) => jobs[0]?.state === 'ended');
        await system.clock.advance(30_000);
        await linked.idle();
        expect(model.requests).toHaveLength(3);
        await seat.send({ type: 'queue-discard', inputs: 'all' });
        await system.clock.advance(30_000);
        await linked.idle();
        expect(model.requests).toHaveLength(jobsWake ? 4 : 3);
      }
    });

    test('one that was taken over from a session that is gone wakes nobody (INV-16)', async () => {
      const system = createMemorySystem();
      const { promise: end, resolve: finish } = Promise.withResolvers<number>();
      program(system, 'build', () => end);
      const first = await opened(kind, [shell('build', { background: true }), 'started'], { system, pid: 501 });
      await first.seat.say('go');
      await first.seat.until(ends(1));
      first.die();
      const second = await openJobsHouse(['never'], { system, pid: 502 });
      const seat = await linkHouse(kind, second.house).sit('two');
      await seat.until(({ jobs }) => jobs.some(({ adopted }) => adopted));
      finish(1);
      await seat.until(({ jobs }) => jobs[0]?.state === 'ended');
      await system.clock.advance(30_000);
      await second.house.settle();
      expect(second.model.requests).toEqual([]);
    });
  });

  describe(`what a turn goes through, ${kind}`, () => {
    test('in this order: taken, waiting, what streams, its end, its outcome, rest, then the jobs that ended (SC-10.1)', async () => {
      const system = createMemorySystem();
      line(system, 'build', 1);
      line(system, 'sleep 5', 5);
      const script = [shell('build', { background: true }), shell('sleep 5'), 'done'];
      const { seat, linked } = await opened(kind, script, { system });
      const from = seat.changes.length;
      await seat.say('go');
      await seat.until((view) => notesOf(view, 'job-ended').length > 0);
      await linked.settle();
      const steps = seat.changes.slice(from).flatMap((change): string[] => {
        if (change.type === 'entry')
          return change.entry.kind === 'note' ? [`note ${change.entry.identifier}`] : [change.entry.kind];
        if (change.type === 'activity') return [change.activity.phase];
        if (change.type === 'outcome') return [change.outcome.state];
        return [];
      });
      // `waiting` is also what becomes of the prompt first.
      const waiting = steps.indexOf('waiting', steps.indexOf('taken'));
      const last = ['assistant', 'turn-end', 'done', 'idle', 'note job-ended'].map((one) => steps.lastIndexOf(one));
      const places = [steps.indexOf('taken'), waiting, ...last];
      expect(places).not.toContain(-1);
      expect(places).toEqual([...places].sort((a, b) => a - b));
    });

    test('a word of effort makes a steering prompt a turn of its own; the conversation keeps its own level (SC-44.7)', async () => {
      const held = gate();
      const model = scriptedModel([{ parts: ['...', { wait: held.opened }] }, 'fixed', 'plain']);
      const linked = await openLinked(kind, { script: model });
      const seat = await linked.sit('one');
      await linked.idle();
      await seat.say('start');
      await seat.until(({ live }) => live !== null);
      const level = seat.view.head.effort;
      await seat.say('+high fix it', 'steering');
      expect(seat.view.queue.rows).toMatchObject([{ text: 'fix it', delivery: 'queue' }]);
      held.open();
      await linked.idle();
      await seat.say('and on');
      await linked.idle();
      expect(model.requests.map(({ effort }) => effort)).toEqual([level, 'high', level]);
      expect(transcriptOf(seat.view)).toContain('prompt: fix it');
      expect(seat.view.head.effort).toBe(level);
    });
  });
}
