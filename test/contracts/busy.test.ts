// What holds the session and what waits for it, through the door: the same over every link.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Model } from '../../src/core/models/model.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { busy } from '../support/busy-session.ts';
import { CTRL_C, ESCAPE, scriptedLine, transcriptOf } from '../support/controller.ts';
import { LINKS, type LinkKind, openLinked } from '../support/linked-house.ts';
import { gate, type ScriptReply, scriptedModel } from '../support/script.ts';
import { saidIn } from '../support/what-was-said.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

const texts = (view: View): string[] => view.queue.rows.map((row) => row.text);
const running = (view: View): boolean =>
  view.transcript.items.some((item) => item.kind === 'call' && item.state === 'running');
const LONG = 'first '.repeat(3000);
const SMALL = { facts: { contextWindow: 100_000 } };

const promptsOf = (view: View): string[] => transcriptOf(view).filter((line) => line.startsWith('prompt'));

/** One turn of a long answer behind it, then `replies`. */
async function grown(kind: LinkKind, replies: readonly ScriptReply[]) {
  const model = scriptedModel([LONG, ...replies], SMALL);
  const linked = await openLinked(kind, { script: model });
  const seat = await linked.sit('one');
  await seat.say('a');
  await linked.idle();
  return { model, linked, seat };
}

for (const kind of LINKS) {
  describe(`a session that has something to do, ${kind}`, () => {
    test('a clear ends what was sent before it, prompts and commands, of everybody; each owner is told, and how many; what comes after runs (SC-3.2, SC-3.5)', async () => {
      const { held, model, linked, seat } = await busy(kind, ['after done']);
      const other = await linked.sit('two');
      await seat.say('a', 'queue');
      await other.say('b', 'queue');
      await seat.command('compact');
      const cleared = seat.send({ type: 'queue-discard', inputs: 'all' });
      const after = seat.say('after', 'queue');
      expect(await cleared).toMatchObject({ accepted: true, value: { kind: 'discarded', count: 3 } });
      await after;
      await linked.settle();
      expect(texts(seat.view)).toEqual(['after']);
      expect(await seat.send({ type: 'queue-discard', inputs: ['gone'] })).toMatchObject({ value: { count: 0 } });
      held.open();
      await linked.idle();
      expect(promptsOf(seat.view)).toEqual(['prompt: start', 'prompt: after']);
      expect(model.requests).toHaveLength(2);
      expect([seat.states(2), other.states(1), seat.states(3)]).toEqual(Array(3).fill(['waiting', 'dropped']));
      expect(seat.states(4)).toEqual(['waiting', 'started', 'done']);
    });

    test('a turn takes what steers it, in order and all of it; what has the same words and waits for its own turn stays, what was taken back is gone (SC-3.7, SC-7.3, INV-2)', async () => {
      const system = createMemorySystem();
      const second = gate();
      const model = scriptedModel([
        [{ tool: 'look', input: { at: 'x', ms: 500 } }],
        { gate: second.opened, parts: ['done'] },
        'same done',
        'other done',
      ]);
      const linked = await openLinked(kind, { system, script: model });
      await linked.idle();
      const seat = await linked.sit('one');
      void seat.say('start');
      await seat.until(running);
      await seat.say('same', 'queue');
      await seat.say('same', 'steering');
      await seat.say('gone', 'steering');
      await seat.say('other', 'queue');
      await seat.say('blue', 'steering');
      await linked.settle();
      const gone = seat.view.queue.rows.find((row) => row.text === 'gone');
      await seat.send({ type: 'recall', inputs: [gone!.id] });
      await seat.until((view) => transcriptOf(view).includes('steering: blue'));
      expect(seat.view.queue.rows.map(({ text, delivery }) => `${delivery} ${text}`)).toEqual([
        'queue same',
        'queue other',
      ]);
      second.open();
      await linked.idle();
      expect(saidIn(model.requests[1]).slice(1)).toEqual(['same', 'blue']);
      expect(seat.outcome(3)?.turn).toBe(1);
      expect(promptsOf(seat.view)).toEqual(['prompt: start', 'prompt: same', 'prompt: other']);
      expect(JSON.stringify(model.requests)).not.toContain('gone');
    });

    test('cleared in the very moment it was to start: it never runs and its owner is told, or it runs; never both (SC-3.8, SC-6.1)', async () => {
      const seen = new Set<string>();
      for (let steps = 0; steps < 60; steps++) {
        const { held, model, linked, seat } = await busy(kind, ['b done']);
        await seat.say('b', 'queue');
        await linked.settle();
        held.open();
        for (let step = 0; step < steps; step++) await Promise.resolve();
        void seat.send({ type: 'queue-discard', inputs: 'all' });
        await linked.idle();
        const states = seat.states(2).join(' ');
        seen.add(states);
        const began = states === 'waiting started done';
        expect([began, states === 'waiting dropped']).toContain(true);
        expect(model.requests).toHaveLength(began ? 2 : 1);
        expect(promptsOf(seat.view).includes('prompt: b')).toBe(began);
        await seat.leave();
        await linked.house.session.close();
      }
      expect([...seen].sort()).toEqual(['waiting dropped', 'waiting started done']);
    });

    test('Enter on /compact or /resend and Ctrl-C right behind it: it is ended, though it had not begun, and the draft stays (SC-4.2, SC-2.5)', async () => {
      const { model, linked, seat } = await grown(kind, [{ failure: { category: 'server-error', message: 'broke' } }]);
      const draft = { text: 'half', caret: 4, folded: [], shell: false } as const;
      await seat.send({ type: 'draft', draft });
      await Promise.all([seat.command('compact'), seat.send(CTRL_C)]);
      await linked.idle();
      expect(seat.outcome(2)?.state).toBe('stopped');
      expect(model.requests).toHaveLength(1);
      await seat.say('b');
      await linked.idle();
      expect(model.requests).toHaveLength(2);
      await Promise.all([seat.command('resend'), seat.send(CTRL_C)]);
      await linked.idle();
      expect(seat.outcome(4)?.state).toBe('stopped');
      expect(model.requests).toHaveLength(2);
      expect(seat.view.queue).toMatchObject({ rows: [], paused: null });
      await seat.leave();
      const again = await linked.sit('one');
      const snapshot = again.changes.find((change) => change.type === 'snapshot');
      expect(snapshot?.type === 'snapshot' && snapshot.draft).toMatchObject({ text: 'half' });
    });

    test('a prompt never passes a command sent before it: at rest, or before the session is ready; one that is discarded holds nothing (SC-4.4)', async () => {
      const other = scriptedModel(['two done', 'two again'], { ref: { provider: 'script', model: 'two' } });
      const model = scriptedModel(['one done']);
      const opened = gate();
      const system = createMemorySystem();
      const slow = { ...system, processes: { ...system.processes, find: () => opened.opened.then(() => null) } };
      const linked = await openLinked(kind, { system: slow as never, script: model, others: [other] });
      const seat = await linked.sit('one');
      await seat.say('a');
      await seat.command('model', 'script:two');
      await seat.command('effort', 'high');
      await seat.say('b');
      await linked.settle();
      const effort = seat.view.queue.rows.find((row) => row.text === '/effort high');
      await seat.send({ type: 'queue-discard', inputs: [effort!.id] });
      opened.open();
      await linked.idle();
      expect([model.requests, other.requests].map((all) => all.map((one) => saidIn(one).at(-1)))).toEqual([
        ['a'],
        ['b'],
      ]);
      expect(other.requests[0]?.effort).toBe('default');
      await Promise.all([seat.command('effort', 'low'), seat.say('c')]);
      await linked.idle();
      expect(other.requests[1]?.effort).toBe('low');
    });

    for (const end of ['done', 'failed', 'stopped'] as const)
      test(`a compaction that runs holds prompts; once it is ${end} they go on, after a failure when the person says so (SC-4.5, SC-2.4)`, async () => {
        const summary = gate();
        const reply: ScriptReply =
          end === 'failed'
            ? { gate: summary.opened, failure: { category: 'request-rejected', message: 'no summary' } }
            : { gate: summary.opened, parts: ['the summary'] };
        const { model, linked, seat } = await grown(kind, [reply, 'b done', 'b done']);
        await seat.command('compact');
        await seat.until((view) => view.activity.phase === 'compacting');
        await seat.say('b', 'queue');
        await linked.settle();
        expect(texts(seat.view)).toEqual(['b']);
        expect(promptsOf(seat.view)).toEqual(['prompt: a']);
        if (end === 'stopped') await seat.send(ESCAPE);
        else summary.open();
        await linked.idle();
        expect(seat.outcome(2)?.state).toBe(end);
        if (end === 'failed') {
          expect(texts(seat.view)).toEqual(['b']);
          await seat.send({ type: 'queue-resume' });
          await linked.idle();
        }
        expect(seat.outcome(3)?.state).toBe('done');
        expect(saidIn(model.requests.at(-1)).at(-1)).toBe('b');
      });

    test('a turn, a line of the person, a compaction, a command: each alone has the session, shows it, ends with Esc, and what is said meanwhile waits (SC-2.3)', async () => {
      const never = gate();
      const system = createMemorySystem();
      const summary: ScriptReply = { gate: never.opened, parts: ['s'] };
      const model = scriptedModel(
        [LONG, { gate: never.opened, parts: ['t'] }, 'x done', 'x done', summary, 'x done', 'x done'],
        SMALL,
      );
      const runOwnLine = scriptedLine(system.clock);
      const linked = await openLinked(kind, { system, script: model, runOwnLine });
      const seat = await linked.sit('one');
      await seat.say('a');
      await linked.idle();
      let said = 1;
      const holds = async (start: () => Promise<unknown>, held: (view: View) => boolean): Promise<void> => {
        void start();
        const own = ++said;
        await seat.until(held);
        expect(seat.view.activity.phase).not.toBe('idle');
        await seat.say('x', 'queue');
        said++;
        await linked.settle();
        expect(texts(seat.view)).toEqual(['x']);
        await seat.send(ESCAPE);
        await linked.idle();
        expect(seat.outcome(own)?.state).toBe('stopped');
        expect(seat.outcome(said)?.state).toBe('done');
        expect(seat.view.activity.phase).toBe('idle');
      };
      await holds(
        () => seat.say('turn'),
        () => model.requests.length === 2,
      );
      await holds(() => seat.say('sleep 500', 'shell'), running);
      await holds(
        () => seat.command('compact'),
        (view) => view.activity.phase === 'compacting',
      );
      await holds(
        () => seat.command('theme', 'dark', true),
        () => seat.changes.some((change) => change.type === 'your-turn'),
      );
    });

    test('questions beside the conversation, a title that is being made and a slow look at something hold nothing; a turn and what steers it go on (SC-4.7)', async () => {
      const [aside, title, look] = [gate(), gate(), gate()];
      const system = createMemorySystem();
      const inner = scriptedModel([[{ tool: 'look', input: { at: 'x', ms: 500 } }], 'done', 'b done']);
      const model: Model = {
        ...inner,
        stream: (request, signal) => {
          if (saidIn(request).at(-1)?.includes('beside?'))
            return scriptedModel([{ gate: aside.opened, parts: ['y'] }]).stream(request, signal);
          if (request.tools.length === 0)
            return scriptedModel([{ gate: title.opened, parts: ['t'] }]).stream(request, signal);
          return inner.stream(request, signal);
        },
      };
      const runHelper = async () => {
        await look.opened;
        return { code: 0, out: new Uint8Array(), err: '', cut: null };
      };
      const linked = await openLinked(kind, { system, script: model, naming: true, runHelper: runHelper as never });
      await linked.idle();
      const seat = await linked.sit('one');
      void seat.say('start');
      await seat.until(running);
      await seat.command('btw', 'beside?');
      void seat.command('worktree', 'list');
      const other = await linked.sit('two');
      await other.say('blue', 'steering');
      await other.say('b', 'queue');
      await other.until(() => other.outcome(2)?.state === 'done');
      expect(saidIn(inner.requests[1]).at(-1)).toBe('blue');
      expect(other.outcome(1)?.turn).toBe(1);
      expect(seat.view.asides.map(({ exchanges }) => exchanges[0]?.state)).toEqual(['running']);
      for (const one of [aside, title, look]) one.open();
      await linked.idle();
    });

    test('while anything that was sent waits or is carried out the session is seen to be busy, between one command and the next too (SC-4.8, INV-20)', async () => {
      const { linked, seat } = await grown(kind, ['the summary', 'b done']);
      const from = seat.changes.length;
      await Promise.all([
        seat.command('compact'),
        seat.command('undo', 'conversation'),
        seat.command('theme', 'dark', true),
        seat.command('resend'),
        seat.say('b', 'queue'),
      ]);
      await seat.until(() => seat.outcome(4)?.state === 'your-turn');
      expect(seat.view.activity).toMatchObject({ detail: '/theme' });
      await seat.send({ type: 'command-done', ref: 'one-4' });
      await linked.idle();
      const phases = seat.changes.slice(from).flatMap((one) => (one.type === 'activity' ? [one.activity.phase] : []));
      expect(phases.filter((phase) => phase === 'idle')).toHaveLength(1);
      expect(phases.at(-1)).toBe('idle');
      const details = seat.changes.flatMap((one) =>
        one.type === 'activity' && one.activity.turn === null ? [one.activity.detail] : [],
      );
      for (const name of ['/compact', '/undo', '/theme', '/resend']) expect(details).toContain(name);
      // A stop that finds nothing to stop leaves it at rest.
      await seat.send(ESCAPE);
      await linked.settle();
      expect(seat.view.activity.phase).toBe('idle');
    });

    test('what was chosen meanwhile is in force, the row is gone and the owner told, in this order, before anything is asked of the model (SC-6.5)', async () => {
      const other = scriptedModel(['b done'], { ref: { provider: 'script', model: 'two' } });
      const { held, linked, seat } = await busy(kind, [], { others: [other] });
      await seat.command('model', 'script:two');
      await seat.say('b', 'queue');
      await linked.settle();
      const row = seat.view.queue.rows[0]!.id;
      const from = seat.changes.length;
      held.open();
      await linked.idle();
      const changes = seat.changes.slice(from);
      const at = [
        changes.findIndex((one) => one.type === 'head' && one.head.model?.model === 'two'),
        changes.findIndex((one) => one.type === 'entry' && one.entry.kind === 'taken' && one.entry.input === row),
        changes.findIndex(
          (one) => one.type === 'outcome' && one.outcome.ref === 'one-3' && one.outcome.state === 'started',
        ),
        changes.findIndex((one) => one.type === 'live-start'),
      ];
      expect(at).not.toContain(-1);
      expect(at).toEqual([...at].sort((a, b) => a - b));
      expect(other.requests).toHaveLength(1);
    });

    test('whoever is told that a turn is over finds all settled: what waits is held with the reason, the next model in force (SC-6.10)', async () => {
      const failed = gate();
      const model = scriptedModel([
        { gate: failed.opened, failure: { category: 'server-error', message: 'it broke' } },
      ]);
      const other = scriptedModel([], { ref: { provider: 'script', model: 'two' } });
      const linked = await openLinked(kind, { script: model, others: [other] });
      await linked.idle();
      const seat = await linked.sit('one');
      await seat.say('a');
      await seat.command('model', 'script:two');
      await seat.say('b', 'queue');
      failed.open();
      await seat.until(() => seat.outcome(1)?.state === 'failed');
      await linked.idle();
      const told = seat.changes.findIndex((one) => one.type === 'outcome' && one.outcome.state === 'failed');
      const held = seat.changes.findIndex(
        (one) => one.type === 'entry' && one.entry.kind === 'queue' && one.entry.paused !== null,
      );
      const adopted = seat.changes.findIndex((one) => one.type === 'head' && one.head.model?.model === 'two');
      const ended = seat.changes.findIndex((one) => one.type === 'entry' && one.entry.kind === 'turn-end');
      expect([ended, held, adopted]).not.toContain(-1);
      expect(ended).toBeLessThan(held);
      expect(held).toBeLessThan(adopted);
      expect(adopted).toBeLessThan(told);
    });

    test('a line, run or stopped, a compaction and a command leave standing how the last turn ended: it can be tried again, or there is nothing to try (SC-6.11)', async () => {
      const system = createMemorySystem();
      const model = scriptedModel(
        [LONG, { failure: { category: 'server-error', message: 'it broke' } }, 'the summary', 'b done'],
        SMALL,
      );
      const linked = await openLinked(kind, { system, script: model, runOwnLine: scriptedLine(system.clock) });
      const seat = await linked.sit('one');
      await seat.say('a');
      await linked.idle();
      const beside = async (): Promise<void> => {
        await seat.say('ls', 'shell');
        await linked.idle();
        void seat.say('sleep 500', 'shell');
        await seat.until(running);
        await seat.send(ESCAPE);
        await linked.idle();
      };
      await beside();
      expect(await seat.send({ type: 'retry' })).toMatchObject({ refusal: { identifier: 'nothing-to-retry' } });
      await seat.say('b');
      await linked.idle();
      await beside();
      await seat.command('compact');
      await linked.idle();
      expect(seat.outcome(7)?.state).toBe('done');
      expect((await seat.send({ type: 'retry' })).accepted).toBe(true);
      await linked.idle();
      expect(transcriptOf(seat.view).at(-2)).toBe('model: b done');
    });

    test('a command sent at rest runs at once: it never waits for itself (SC-5.6)', async () => {
      const { linked, seat } = await grown(kind, [
        'the summary',
        { failure: { category: 'server-error', message: 'x' } },
        'again',
      ]);
      const alone = async (n: number, name: string, argument = ''): Promise<void> => {
        await seat.command(name, argument);
        await linked.idle();
        expect([name, seat.outcome(n)?.state]).toEqual([name, 'done']);
      };
      await alone(2, 'compact');
      await seat.say('b');
      await linked.idle();
      await alone(4, 'resend');
      const place = seat.view.transcript.items.findLast((item) => item.kind === 'user')!;
      await alone(5, 'tree', place.entry);
    });

    test('a command that failed or was stopped is over: none that comes later carries it out again, nor does the next run (SC-5.20)', async () => {
      const never = gate();
      const { model, linked, seat } = await grown(kind, [
        { failure: { category: 'request-rejected', message: 'no summary' } },
        { gate: never.opened, parts: ['s'] },
        'b done',
      ]);
      await seat.command('compact');
      await linked.idle();
      expect(seat.outcome(2)?.state).toBe('failed');
      await seat.command('rename', 'x');
      await linked.idle();
      expect(model.requests).toHaveLength(2);
      await seat.command('compact');
      await seat.until((view) => view.activity.phase === 'compacting');
      await seat.send(ESCAPE);
      await linked.idle();
      await seat.command('rename', 'y');
      await seat.say('b');
      await linked.idle();
      expect(model.requests).toHaveLength(4);
      await linked.house.session.close();
      const script = scriptedModel([]);
      const next = await openLinked(kind, { system: linked.house.system, script });
      await next.idle();
      expect(script.requests).toHaveLength(0);
      expect((await next.sit('one')).view.queue.rows).toEqual([]);
    });
  });
}
