// What holds back what waits, and what becomes of it when it is let go, dropped or cut off: the same over every link.
import { describe, expect, test } from 'bun:test';
import { createModels } from '../../src/core/models/catalog.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { CTRL_C, FOLDER, scriptedLine, transcriptOf } from '../support/controller.ts';
import { LINKS, type LinkedSeat, openLinked } from '../support/linked-house.ts';
import { gate, scriptedModel } from '../support/script.ts';

const texts = (view: View): string[] => view.queue.rows.map((row) => row.text);
const NO_KEY = { identifier: 'no-credential', message: 'No key' };

/** A command of the terminal, the `n`-th thing this seat sends, has the session. */
async function holdingSession(seat: LinkedSeat, n: number): Promise<void> {
  await seat.command('theme', 'light', true);
  await seat.until(() => seat.outcome(n)?.state === 'your-turn');
}

for (const kind of LINKS) {
  describe(`what holds back what waits, ${kind}`, () => {
    test('a prompt starts when everything is open at the same moment, whatever closed again while it waited for the rest (SC-43.17)', async () => {
      const model = scriptedModel(['went']);
      const linked = await openLinked(kind, { script: model, problem: NO_KEY });
      await linked.idle();
      const seat = await linked.sit('one');
      await seat.say('go', 'queue');
      await linked.settle();
      const waits = async (held: boolean): Promise<void> => {
        await linked.settle();
        expect(seat.view.queue.rows.filter(({ text }) => text === 'go').map((row) => row.held === true)).toEqual([
          held,
        ]);
        expect(model.requests).toHaveLength(0);
      };
      // No model, then held as well, then let go while there is still none.
      await waits(false);
      await seat.send(CTRL_C);
      await waits(true);
      await seat.send({ type: 'queue-resume' });
      await waits(false);
      // The model comes, and it is held again meanwhile.
      await seat.send(CTRL_C);
      await seat.send({ type: 'set-model', model: model.ref, effort: null });
      await waits(true);
      expect(seat.view.head.startupProblem).toBeNull();
      // Let go, while a command has the session; and held once more as that ends.
      await holdingSession(seat, 2);
      await seat.send({ type: 'queue-resume' });
      await waits(false);
      await seat.send(CTRL_C);
      await linked.idle();
      expect(seat.outcome(2)?.state).toBe('stopped');
      await waits(true);
      await seat.send({ type: 'queue-resume' });
      await linked.idle();
      expect(transcriptOf(seat.view)).toContain('model: went');
      expect(seat.view.queue.rows).toEqual([]);
    });

    test('three wait and the first for what has the session; stopped all are held, dropped all are told, three are named, and the model hears nothing (SC-44.1)', async () => {
      const model = scriptedModel(['d done']);
      const linked = await openLinked(kind, { script: model });
      await linked.idle();
      const seat = await linked.sit('one');
      await holdingSession(seat, 1);
      for (const text of ['a', 'b', 'c']) await seat.say(text, 'queue');
      await linked.settle();
      await seat.send(CTRL_C);
      await linked.idle();
      expect(seat.outcome(1)?.state).toBe('stopped');
      expect(seat.view.queue.rows.map(({ text, held }) => [text, held])).toEqual([
        ['a', true],
        ['b', true],
        ['c', true],
      ]);
      const dropped = await seat.send({ type: 'queue-discard', inputs: 'all' });
      expect(dropped).toMatchObject({ value: { kind: 'discarded', count: 3 } });
      await linked.idle();
      for (const n of [2, 3, 4]) expect(seat.states(n)).toEqual(['waiting', 'dropped']);
      expect(seat.view.queue).toEqual({ paused: null, rows: [] });
      expect(model.requests).toHaveLength(0);
      await seat.say('d');
      await linked.idle();
      expect(seat.view.transcript.items.flatMap((item) => (item.kind === 'user' ? [item.text] : []))).toEqual(['d']);
    });

    test('commands that were cleared are never carried out and each is told of once; what only shows is in no line to be cleared from (SC-8.11)', async () => {
      const held = gate();
      const model = scriptedModel([{ parts: ['...', { wait: held.opened }] }, 'b done']);
      const linked = await openLinked(kind, { script: model });
      await linked.idle();
      const seat = await linked.sit('one');
      await seat.say('a');
      await seat.until((view) => view.live !== null);
      await seat.command('compact');
      await seat.command('undo');
      await seat.command('theme', 'light', true);
      await seat.say('b', 'queue');
      await seat.command('rename', 'never');
      await linked.settle();
      expect(texts(seat.view)).toEqual(['/compact', '/undo', '/theme light', 'b', '/rename never']);
      const cleared = seat.send({ type: 'queue-discard', inputs: 'all' });
      const shown = seat.command('status');
      expect(await cleared).toMatchObject({ value: { count: 5 } });
      expect((await shown).accepted).toBe(true);
      await linked.settle();
      for (const n of [2, 3, 4, 5, 6]) expect(seat.states(n)).toEqual(['waiting', 'dropped']);
      expect(seat.states(7)).toEqual(['done']);
      held.open();
      await linked.idle();
      await seat.say('b');
      await linked.idle();
      // The answer of the one that shows stands behind the turn.
      expect(transcriptOf(seat.view).filter((line) => line !== 'note answer')).toEqual([
        'prompt: a',
        'model: ...',
        'end: done',
        'prompt: b',
        'model: b done',
        'end: done',
      ]);
      expect(seat.view.head.title).toBe('a');
      expect(seat.changes.some(({ type }) => type === 'your-turn')).toBe(false);
      for (const n of [2, 3, 4, 5, 6]) expect(seat.states(n)).toEqual(['waiting', 'dropped']);
    });

    for (const canAsk of [true, false])
      test(`where the start failed a prompt ${canAsk ? 'waits' : 'is dropped with the reason, since nobody can choose a model'}, nothing seems to run, and a model that works serves what comes then (SC-6.6)`, async () => {
        const model = scriptedModel(['served'], { repeatLast: true });
        const linked = await openLinked(kind, { script: model, problem: NO_KEY, canAsk });
        await linked.idle();
        const seat = await linked.sit('one');
        await seat.say('early');
        await seat.say('second', 'queue');
        await linked.idle();
        expect(seat.view.activity.phase).toBe('idle');
        expect(seat.view.head.startupProblem).toEqual(NO_KEY);
        const waits = canAsk ? ['waiting'] : ['waiting', 'failed'];
        for (const n of [1, 2]) expect(seat.states(n)).toEqual(waits as never);
        if (!canAsk) expect(seat.outcome(1)?.messages).toMatchObject([{ identifier: 'no-credential', text: 'No key' }]);
        expect(texts(seat.view)).toEqual(canAsk ? ['early', 'second'] : []);
        expect(model.requests).toHaveLength(0);
        expect((await seat.command('model', 'script:one')).accepted).toBe(true);
        await seat.say('late', 'queue');
        await linked.idle();
        const said = seat.view.transcript.items.flatMap((item) => (item.kind === 'user' ? [item.text] : []));
        expect(said).toEqual(canAsk ? ['early', 'second', 'late'] : ['late']);
        expect(seat.outcome(4)?.state).toBe('done');
      });

    test('where no model was chosen the pilot answers, and that is a turn like any; a line of the person runs, and asking again is tried (SC-6.7)', async () => {
      const system = createMemorySystem();
      const models = createModels({
        environment: system.environment,
        network: system.network,
        clock: system.clock,
        images: system.images,
        settings: { model: null, providers: {} },
      });
      const runOwnLine = scriptedLine(system.clock);
      const linked = await openLinked(kind, { script: scriptedModel([]), system, models, runOwnLine });
      await linked.idle();
      const seat = await linked.sit('one');
      expect(seat.view.head).toMatchObject({ ready: true, model: { provider: 'demo', model: 'pilot' } });
      await seat.say('what can you do?');
      await linked.idle();
      expect(seat.states(1)).toEqual(['waiting', 'started', 'done']);
      const replies = () => transcriptOf(seat.view).filter((line) => line.startsWith('model: '));
      expect(replies()).toHaveLength(1);
      await seat.say('ls', 'shell');
      await linked.idle();
      expect(seat.states(2)).toEqual(['waiting', 'started', 'done']);
      await seat.say('and again?');
      await linked.idle();
      await seat.command('resend');
      await linked.idle();
      expect(seat.outcome(4)?.state).toBe('done');
      expect(transcriptOf(seat.view).at(-1)).toBe('end: done');
    });

    test('a command that throws takes all it wanted with it: neither the next command nor the next turn carries it out (SC-43.16)', async () => {
      let throws = true;
      const saved: unknown[] = [];
      const saveDefaults = async (values: unknown): Promise<boolean> => {
        if (throws) throw new Error('the disk bit');
        saved.push(values);
        return true;
      };
      const facts = { contextWindow: 100_000, fast: true };
      const model = scriptedModel(['b done'], { facts });
      const linked = await openLinked(kind, { script: model, saveDefaults });
      await linked.idle();
      const seat = await linked.sit('one');
      await seat.command('fast', 'on');
      await seat.say('b', 'queue');
      await linked.idle();
      expect(seat.outcome(1)?.state).toBe('failed');
      expect(seat.view.head.fast?.on).toBe(false);
      // It failed: what waits is held with the reason, and goes on when the person says so.
      expect(seat.view.queue.paused?.because).toBe('failed');
      throws = false;
      await seat.command('rename', 'unrelated');
      await seat.send({ type: 'queue-resume' });
      await linked.idle();
      expect(saved).toEqual([]);
      expect(seat.view.head.fast?.on).toBe(false);
      await seat.command('fast', 'status');
      expect(seat.changes.flatMap((one) => (one.type === 'flash' ? [one.text] : []))).toContain('Fast mode is off.');
      expect(model.requests).toHaveLength(1);
      // Asked for anew it is done, once.
      await seat.command('fast', 'on');
      await linked.idle();
      expect(saved).toEqual([{ fast: true }]);
      expect(seat.view.head.fast?.on).toBe(true);
    });

    test('what was sent before a failure and is not in line yet is held with what is; an interruption goes on (INV-6, SC-8.6)', async () => {
      for (const delivery of ['queue', 'interrupt'] as const) {
        const model = scriptedModel(['went']);
        const runOwnLine = () => Promise.reject(new Error('no such shell'));
        const linked = await openLinked(kind, { script: model, runOwnLine });
        await linked.idle();
        const seat = await linked.sit('one');
        // All are on their way as the line fails: each of a client waits for the one before to be written down.
        void seat.say('broken', 'shell');
        void seat.say('behind', 'queue');
        void seat.command('undo');
        void seat.say('last', delivery);
        await linked.idle();
        expect(seat.outcome(1)?.state).toBe('failed');
        const held = seat.view.queue.rows.filter((row) => row.held).map(({ text }) => text);
        const rest = delivery === 'queue' ? ['last'] : [];
        expect(held).toEqual(['behind', '/undo', ...rest]);
        expect(seat.view.queue.paused).toMatchObject({ because: 'failed', message: expect.stringContaining('shell') });
        expect(model.requests).toHaveLength(delivery === 'queue' ? 0 : 1);
      }
    });

    test('a session as a client sees it: starting with its conversation shown, ready, over; or not started, with the reason, and cured (SC-2.1)', async () => {
      const system = createMemorySystem();
      const first = await openLinked(kind, { system, script: scriptedModel(['hello']) });
      await first.idle();
      const one = await first.sit('one');
      await one.say('hi');
      await first.idle();
      await system.clock.runUntil(first.house.session.close());
      expect(one.changes.some(({ type }) => type === 'closed')).toBe(true);
      expect(await one.say('too late')).toMatchObject({ accepted: false });

      // Gone on with: the conversation is there before anything can run.
      const opened = gate();
      const slow = { ...system, processes: { ...system.processes, find: () => opened.opened.then(() => null) } };
      const next = await openLinked(kind, { system: slow as never, script: scriptedModel(['again']) });
      const two = await next.sit('two');
      expect(two.view.head).toMatchObject({ ready: false, startupProblem: null });
      expect(two.view.activity.phase).toBe('starting');
      expect(transcriptOf(two.view)).toEqual(['prompt: hi', 'model: hello', 'end: done']);
      // What needs the rest of it waits; what only shows does not.
      await two.say('on');
      await two.command('status');
      expect(two.outcome(2)?.state).toBe('done');
      await next.settle();
      expect(texts(two.view)).toEqual(['on']);
      opened.open();
      await next.idle();
      expect(two.view.head).toMatchObject({ ready: true, startupProblem: null });
      expect(transcriptOf(two.view).slice(3)).toEqual(['prompt: on', 'model: again', 'end: done']);

      const failed = await openLinked(kind, { script: scriptedModel([]), problem: NO_KEY });
      await failed.idle();
      const three = await failed.sit('three');
      expect(three.view.head).toMatchObject({ ready: false, startupProblem: NO_KEY });
      await three.command('model', 'script:one');
      await failed.idle();
      expect(three.view.head).toMatchObject({ ready: true, startupProblem: null });
    });

    test('a session says which it is: its model and the one chosen for later, its folder, its id, and whether it is saved (SC-2.2)', async () => {
      const held = gate();
      const later = scriptedModel([], { ref: { provider: 'script', model: 'two' } });
      const model = scriptedModel([{ parts: ['...', { wait: held.opened }] }]);
      const linked = await openLinked(kind, { script: model, others: [later] });
      await linked.idle();
      const seat = await linked.sit('one');
      expect(seat.view.head).toMatchObject({ session: 's1', folder: FOLDER, notSaved: null, pendingModel: null });
      await seat.say('a');
      await seat.until((view) => view.live !== null);
      await seat.command('model', 'script:two');
      await linked.settle();
      expect(seat.view.head).toMatchObject({ model: model.ref, pendingModel: later.ref });
      held.open();
      await linked.idle();
      expect(seat.view.head).toMatchObject({ model: later.ref, pendingModel: null, session: 's1' });
      const unsaved = await openLinked(kind, { script: scriptedModel([]), notSaved: 'Nothing is saved' });
      await unsaved.idle();
      expect((await unsaved.sit('two')).view.head.notSaved).toBe('Nothing is saved');
    });
  });
}
