// What a controller promises of what waits, through the door: the same over every link.
import { describe, expect, test } from 'bun:test';
import type { Model } from '../../src/core/models/model.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { busy } from '../support/busy-session.ts';
import { CTRL_C, ESCAPE, lookTool, scriptedLine, transcriptOf } from '../support/controller.ts';
import { LINKS, openLinked } from '../support/linked-house.ts';
import { gate, scriptedModel } from '../support/script.ts';
import { entriesOf, saidIn } from '../support/what-was-said.ts';

const texts = (view: View): string[] => view.queue.rows.map((row) => row.text);
const live = (view: View): boolean => view.live !== null;
const running = (view: View): boolean =>
  view.transcript.items.some((item) => item.kind === 'call' && item.state === 'running');

for (const kind of LINKS) {
  describe(`the queue ${kind}`, () => {
    test('one turn at a time, whoever speaks; all see the same in the same order (SC-1.2, SC-1.3, INV-25)', async () => {
      let open = 0;
      let most = 0;
      const inner = scriptedModel(['answer'], { repeatLast: true });
      const model: Model = {
        ...inner,
        async *stream(request, signal) {
          most = Math.max(most, ++open);
          try {
            yield* inner.stream(request, signal);
          } finally {
            open--;
          }
        },
      };
      const linked = await openLinked(kind, { script: model });
      const [one, two] = [await linked.sit('one'), await linked.sit('two')];
      await Promise.all([one.say('a', 'queue'), two.say('b', 'queue'), one.say('c', 'queue'), two.say('d', 'queue')]);
      await linked.idle();
      expect(most).toBe(1);
      expect(inner.requests).toHaveLength(4);
      expect(transcriptOf(one.view)).toEqual(transcriptOf(two.view));
      expect(transcriptOf(one.view).filter((line) => line === 'end: done')).toHaveLength(4);
    });

    test('queue waits for the turn and runs in order; a shell line keeps its place and rides the next request (SC-7.3, SC-7.5)', async () => {
      const { held, model, linked, seat } = await busy(kind, ['b answered']);
      void seat.say('ls', 'shell');
      void seat.say('b', 'queue');
      await linked.settle();
      expect(texts(seat.view)).toEqual(['ls', 'b']);
      held.open();
      await linked.idle();
      expect(saidIn(model.requests[1]).join('\n')).toContain('$ ls\nls ran');
      expect(transcriptOf(seat.view).slice(3)).toEqual([
        'shell: ls',
        'call ls: ok',
        'prompt: b',
        'model: b answered',
        'end: done',
      ]);
    });

    test('steering is shown where it waits, moves into the transcript once it is delivered, and its owner is told (QUE-18, INV-21, SC-43.6)', async () => {
      const system = createMemorySystem();
      const model = scriptedModel([[{ tool: 'look', input: { at: 'x', ms: 500 } }], 'done']);
      const linked = await openLinked(kind, { system, script: model });
      await linked.idle();
      const seat = await linked.sit('one');
      void seat.say('start');
      await seat.until(running);
      await seat.say('blue');
      await linked.settle();
      expect(texts(seat.view)).toEqual(['blue']);
      expect(transcriptOf(seat.view).join()).not.toContain('blue');
      await linked.idle();
      expect(texts(seat.view)).toEqual([]);
      expect(transcriptOf(seat.view).filter((line) => line.includes('blue'))).toEqual(['steering: blue']);
      expect(seat.states(2)).toEqual(['waiting', 'started', 'done']);
      expect(seat.outcome(2)?.turn).toBe(1);
    });

    test('steering no turn took becomes the next turn (SC-7.1)', async () => {
      const { held, model, linked, seat } = await busy(kind, ['b answered']);
      await seat.say('b', 'steering');
      held.open();
      await linked.idle();
      expect(transcriptOf(seat.view).slice(3)).toEqual(['prompt: b', 'model: b answered', 'end: done']);
      expect(model.requests).toHaveLength(2);
    });

    test('what is said into a turn carries words: a picture is named and not sent (QUE-12)', async () => {
      const system = createMemorySystem();
      const model = scriptedModel([[{ tool: 'look', input: { at: 'x', ms: 500 } }], 'done']);
      const linked = await openLinked(kind, { system, script: model });
      await linked.idle();
      const seat = await linked.sit('one');
      void seat.say('start');
      await seat.until(running);
      const picture = { kind: 'image', name: 'tall.png', mediaType: 'image/png', base64: 'aGVsbG8=' } as const;
      await seat.send({ type: 'say', ref: 'p', text: 'like this', attachments: [picture], delivery: 'steering' });
      await linked.idle();
      expect(JSON.stringify(model.requests[1]!.messages)).not.toContain('aGVsbG8=');
      expect(saidIn(model.requests[1]).at(-1)).toBe(
        'like this\n[a picture came with this, "tall.png"; it cannot be seen here]',
      );
      expect(seat.view.transcript.items.find((item) => item.kind === 'user' && item.as === 'steering')).toMatchObject({
        attachments: [{ name: 'tall.png' }],
      });
    });

    test('an interruption ends the turn once and goes next; with nothing running it is an ordinary prompt (INV-6, SC-7.4, SC-7.13)', async () => {
      const { model, linked, seat } = await busy(kind, ['now answered', 'later answered', 'calm']);
      await seat.say('later', 'queue');
      await seat.say('now', 'interrupt');
      await linked.idle();
      expect(transcriptOf(seat.view).filter((line) => !line.startsWith('model'))).toEqual([
        'prompt: start',
        'end: interrupted',
        'prompt: now',
        'end: done',
        'prompt: later',
        'end: done',
      ]);
      await seat.say('alone', 'interrupt');
      await linked.idle();
      expect(model.requests).toHaveLength(4);
      expect(transcriptOf(seat.view).at(-1)).toBe('end: done');
    });

    test('an interruption ends a running line of the person too; steering beside one becomes a turn (SC-7.12)', async () => {
      const system = createMemorySystem();
      const model = scriptedModel(['steered', 'interrupted']);
      const linked = await openLinked(kind, { system, script: model, runOwnLine: scriptedLine(system.clock) });
      await linked.idle();
      const seat = await linked.sit('one');
      void seat.say('sleep 5', 'shell');
      await seat.until(running);
      await seat.say('beside');
      await linked.idle();
      expect(transcriptOf(seat.view).slice(0, 3)).toEqual(['shell: sleep 5', 'call sleep 5: ok', 'prompt: beside']);
      void seat.say('sleep 500', 'shell');
      await seat.until(running);
      await seat.say('enough', 'interrupt');
      await linked.idle();
      expect(transcriptOf(seat.view)).toContain('call sleep 500: stopped');
      expect(transcriptOf(seat.view).at(-1)).toBe('end: done');
      expect(system.clock.ticks()).toBeLessThan(100_000);
    });

    test('a line that was stopped or did not start is not told to the model, and its owner is told so (SC-11.2, SC-11.6)', async () => {
      const system = createMemorySystem();
      const model = scriptedModel(['hello', 'again']);
      const runOwn = scriptedLine(system.clock);
      const linked = await openLinked(kind, {
        system,
        script: model,
        runOwnLine: (order, signal, onOutput) =>
          order.line === 'broken' ? Promise.reject(new Error('no such shell')) : runOwn(order, signal, onOutput),
      });
      await linked.idle();
      const seat = await linked.sit('one');
      void seat.say('sleep 500', 'shell');
      await seat.until(running);
      await seat.send(ESCAPE);
      await seat.say('hi');
      await linked.idle();
      expect(saidIn(model.requests[0])).toEqual(['hi']);
      expect(seat.outcome(1)).toMatchObject({
        state: 'stopped',
        messages: [{ level: 'warning', identifier: 'not-told' }],
      });
      expect(transcriptOf(seat.view)).toContain('call sleep 500: stopped');
      void seat.say('broken', 'shell');
      void seat.say('behind', 'queue');
      await linked.idle();
      expect(seat.outcome(3)?.state).toBe('failed');
      expect(seat.view.queue.paused?.because).toBe('failed');
      await seat.send({ type: 'queue-resume' });
      await linked.idle();
      expect(saidIn(model.requests[1])).toEqual(['hi', 'behind']);
      expect(seat.view.activity.phase).toBe('idle');
    });

    test('Ctrl-Enter: all that waits goes out as one turn in the order typed, up to the first command; what comes later is its own (QUE-13)', async () => {
      const { model, linked, seat } = await busy(kind, ['all three', 'then that', 'and this']);
      await seat.say('a', 'steering');
      await seat.say('b', 'queue');
      await seat.say('c', 'interrupt', { together: true });
      await seat.say('ls', 'shell');
      await seat.say('after', 'queue');
      await linked.idle();
      expect(transcriptOf(seat.view).slice(2)).toEqual([
        'end: interrupted',
        'prompt: a',
        'prompt: b',
        'prompt: c',
        'model: all three',
        'end: done',
        'shell: ls',
        'call ls: ok',
        'prompt: after',
        'model: then that',
        'end: done',
      ]);
      expect(saidIn(model.requests[1]).slice(-3)).toEqual(['a', 'b', 'c']);
      expect([2, 3, 4].map((n) => seat.outcome(n)?.turn)).toEqual([2, 2, 2]);
      // Also where no command stands in between.
      const more = await busy(kind, ['both', 'its own']);
      const other = await more.linked.sit('two');
      await more.seat.say('a', 'steering');
      await Promise.all([more.seat.say('b', 'interrupt', { together: true }), other.say('late', 'queue')]);
      await more.linked.idle();
      expect(more.model.requests.slice(1).map((request) => saidIn(request).slice(1))).toEqual([
        ['a', 'b'],
        ['a', 'b', 'late'],
      ]);
    });

    test('Ctrl-Enter during a compaction stops nothing and queues (QUE-14)', async () => {
      const summary = gate();
      const model = scriptedModel(['first '.repeat(3000), { gate: summary.opened, parts: ['the summary'] }, 'second'], {
        facts: { contextWindow: 100_000 },
      });
      const linked = await openLinked(kind, { script: model });
      const seat = await linked.sit('one');
      await seat.say('a');
      await linked.idle();
      await seat.command('compact');
      await seat.until((view) => view.activity.phase === 'compacting');
      await seat.say('b', 'interrupt', { together: true });
      await linked.settle();
      expect(texts(seat.view)).toEqual(['b']);
      summary.open();
      await linked.idle();
      expect(seat.outcome(2)?.state).not.toBe('stopped');
      expect(seat.outcome(3)?.state).toBe('done');
    });

    test('during a compaction no command is immediate but one that only shows; /effort waits behind a waiting line of any kind (QUE-6, QUE-8, QUE-9)', async () => {
      const summary = gate();
      const turn = gate();
      const model = scriptedModel(
        [
          'first '.repeat(3000),
          { gate: summary.opened, parts: ['the summary'] },
          { gate: turn.opened, parts: ['x done'] },
        ],
        {
          facts: { contextWindow: 100_000 },
        },
      );
      const linked = await openLinked(kind, { script: model });
      const seat = await linked.sit('one');
      await seat.say('a');
      await linked.idle();
      await seat.command('compact');
      await seat.until((view) => view.activity.phase === 'compacting');
      await seat.say('x', 'queue');
      await seat.command('autocompact', 'off');
      await seat.command('rename', 'later');
      await seat.command('status');
      await linked.settle();
      expect(texts(seat.view)).toEqual(['x', '/autocompact off', '/rename later']);
      expect(seat.outcome(6)?.state).toBe('done');
      summary.open();
      await seat.until((view) => view.activity.phase === 'waiting');
      // At once beside a turn, but never past a line of its own.
      await seat.command('autocompact', 'on');
      await linked.settle();
      expect(texts(seat.view)).toEqual(['/autocompact off', '/rename later', '/autocompact on']);
      turn.open();
      await linked.idle();
      expect(seat.view.head.title).toBe('later');
      const { held, linked: other, seat: mid } = await busy(kind, ['b done']);
      await mid.command('effort', 'low');
      expect(mid.view.queue.rows).toEqual([]);
      await mid.say('b', 'queue');
      await mid.command('effort', 'high');
      await mid.command('effort', 'medium');
      await other.settle();
      expect(texts(mid.view)).toEqual(['b', '/effort high', '/effort medium']);
      held.open();
      await other.idle();
      expect(mid.view.head.effort).toBe('medium');
    });

    test('help of a running turn: model, effort and status work beside it, in the order sent (SC-5.1, SC-6.2)', async () => {
      const other = scriptedModel(['new'], { ref: { provider: 'script', model: 'two' } });
      const { held, model, linked, seat } = await busy(kind, [], { others: [other] });
      await Promise.all([seat.command('model', 'script:two'), seat.command('effort', 'high'), seat.command('status')]);
      await linked.settle();
      expect([2, 3, 4].map((n) => seat.outcome(n)?.state)).toEqual(['done', 'done', 'done']);
      expect(seat.view.head).toMatchObject({ model: model.ref, pendingModel: other.ref });
      await seat.say('b', 'queue');
      held.open();
      await linked.idle();
      expect(seat.view.head).toMatchObject({ model: other.ref, pendingModel: null, effort: 'high' });
      expect([model.requests.length, other.requests.length]).toEqual([1, 1]);
      expect(other.requests[0]!.effort).toBe('high');
    });

    test('a command the terminal runs keeps its place; while it is under way nothing starts, and it ends with its terminal (SC-5.9, SC-4.9, INV-27, SC-43.11)', async () => {
      const { held, model, linked, seat } = await busy(kind, ['b done', 'c done']);
      const other = await linked.sit('two');
      await seat.command('theme', 'dark', true);
      await seat.say('b', 'queue');
      held.open();
      await seat.until(() => seat.changes.some((change) => change.type === 'your-turn'));
      await other.say('c', 'queue');
      await other.command('status');
      await linked.settle();
      expect(other.outcome(2)?.state).toBe('done');
      expect(seat.changes.find((change) => change.type === 'your-turn')).toMatchObject({
        name: 'theme',
        argument: 'dark',
      });
      expect(other.changes.some((change) => change.type === 'your-turn' && change.client === 'two')).toBe(false);
      expect(seat.outcome(2)?.state).toBe('your-turn');
      expect(texts(seat.view)).toEqual(['b', 'c']);
      expect(await other.send({ type: 'command-done', ref: 'one-2' })).toMatchObject({
        refusal: { identifier: 'not-your-turn' },
      });
      expect(model.requests).toHaveLength(1);
      // A clear opens nothing while it is under way.
      await other.send({ type: 'queue-discard', inputs: 'all' });
      for (const text of ['b again', 'c again']) await other.say(text, 'queue');
      await linked.settle();
      expect(seat.outcome(2)?.state).toBe('your-turn');
      expect(texts(seat.view)).toEqual(['b again', 'c again']);
      expect(model.requests).toHaveLength(1);
      await seat.send({ type: 'command-done', ref: 'one-2' });
      await linked.idle();
      expect(seat.outcome(2)?.state).toBe('done');
      expect(model.requests).toHaveLength(3);
      await seat.command('theme', 'light', true);
      await seat.until(() => seat.outcome(4)?.state === 'your-turn');
      await other.say('d', 'queue');
      await seat.send(ESCAPE);
      await linked.idle();
      expect(seat.outcome(4)?.state).toBe('stopped');
    });

    test('before the session is ready everything waits in order and is run in it; what only shows works (SC-5.4, INV-18, QU-4, QU-8)', async () => {
      const opened = gate();
      const system = createMemorySystem();
      const model = scriptedModel([[{ tool: 'look', input: { at: 'x' } }], 'a done', 'b done']);
      const slow = { ...system, processes: { ...system.processes, find: () => opened.opened.then(() => null) } };
      const linked = await openLinked(kind, { system: slow as never, script: model });
      const seat = await linked.sit('one');
      // Nothing waits yet, and beside a turn it would run at once.
      await seat.command('label', 'here');
      await linked.settle();
      expect(texts(seat.view)).toEqual(['/label here']);
      await seat.say('a');
      await seat.say('b');
      await seat.command('rename', 'first');
      await seat.command('rename', 'second');
      await seat.command('status');
      await linked.settle();
      expect(seat.view.head.ready).toBe(false);
      expect(texts(seat.view)).toEqual(['/label here', 'a', 'b', '/rename first', '/rename second']);
      expect(seat.outcome(6)?.state).toBe('done');
      opened.open();
      await linked.idle();
      // Each prompt its own turn: none of them steers the first.
      expect(transcriptOf(seat.view).filter((line) => line.startsWith('prompt'))).toEqual(['prompt: a', 'prompt: b']);
      const names = (await entriesOf(linked.house)).flatMap((entry) =>
        entry.kind === 'name' && entry.by === 'person' ? [entry.name] : [],
      );
      expect(names).toEqual(['first', 'second']);
    });

    test('what was decided before the session is ready counts: the prompt taken back never runs, the other once (QU-3, QU-5)', async () => {
      const opened = gate();
      const system = createMemorySystem();
      const model = scriptedModel(['kept done']);
      const slow = { ...system, processes: { ...system.processes, find: () => opened.opened.then(() => null) } };
      const linked = await openLinked(kind, { system: slow as never, script: model });
      const seat = await linked.sit('one');
      await seat.send({ type: 'draft', draft: { text: 'half', caret: 4, folded: [], shell: false } });
      await seat.say('gone');
      await linked.settle();
      const [row] = seat.view.queue.rows;
      // Both on their way as everything else comes to be ready.
      const said = seat.say('kept');
      const recalled = seat.send({ type: 'recall', inputs: [row!.id] });
      opened.open();
      expect(await recalled).toMatchObject({ value: { drafts: [{ text: 'gone' }] } });
      expect((await said).accepted).toBe(true);
      await linked.idle();
      expect(model.requests.map(saidIn)).toEqual([['kept']]);
      expect(seat.states(1)).toEqual(['waiting', 'dropped']);
      const again = await linked.sit('one');
      const snapshot = again.changes.find((change) => change.type === 'snapshot');
      expect(snapshot?.type === 'snapshot' && snapshot.draft?.text).toBe('half');
    });

    test('after a failed start only ways out and what shows run; a prompt waits, and a model that works takes it up (SC-5.5, SC-43.1, SC-43.18)', async () => {
      const model = scriptedModel(['hello']);
      const problem = { identifier: 'no-credential', message: 'No key' };
      const linked = await openLinked(kind, { script: model, problem });
      await linked.idle();
      const seat = await linked.sit('one');
      await seat.say('hi');
      expect(await seat.command('rename', 'x')).toMatchObject({
        refusal: { identifier: 'no-credential', message: expect.stringContaining('/model') },
      });
      await seat.command('compact');
      await linked.idle();
      expect(seat.view.activity.phase).toBe('idle');
      expect((await seat.command('status')).accepted).toBe(true);
      expect((await seat.command('model', 'script:one')).accepted).toBe(true);
      await linked.idle();
      expect(transcriptOf(seat.view)).toContain('model: hello');
      expect(seat.view.queue.rows).toEqual([]);
    });

    test('arguments are checked as they are written; names are told apart by case, blanks are not (SC-5.10, SC-43.12)', async () => {
      const linked = await openLinked(kind, { script: scriptedModel([]) });
      await linked.idle();
      const seat = await linked.sit('one');
      expect(await seat.command('effort', 'Low')).toMatchObject({
        refusal: { message: 'Usage: /effort low|medium|high|xhigh|max|default' },
      });
      expect(await seat.command('status', 'now')).toMatchObject({ refusal: { message: 'Usage: /status' } });
      expect(await seat.command('Effort', 'low')).toMatchObject({ refusal: { identifier: 'unknown-command' } });
      expect((await seat.command('effort', '  low ')).accepted).toBe(true);
      expect(seat.view.head.effort).toBe('low');
    });

    test('each command is told of once: carried out, refused, taken back, cleared (SC-5.12, SC-5.13, INV-17, SC-43.13)', async () => {
      const { held, linked, seat } = await busy(kind, ['b done']);
      await seat.command('compact', 'one');
      await seat.command('compact', 'two');
      await seat.command('redo');
      await seat.say('b', 'queue');
      await linked.settle();
      const [first, second] = seat.view.queue.rows;
      await seat.send({ type: 'recall', inputs: [first!.id] });
      await seat.send({ type: 'queue-discard', inputs: [second!.id] });
      held.open();
      await linked.idle();
      expect(seat.states(2)).toEqual(['waiting', 'dropped']);
      expect(seat.states(3)).toEqual(['waiting', 'dropped']);
      expect(seat.states(4)).toEqual(['waiting', 'started', 'refused']);
      expect(seat.states(5)).toEqual(['waiting', 'started', 'done']);
    });

    test('a failed turn holds commands and prompts alike and drops none (INV-6, SC-43.8, SC-5.17)', async () => {
      const failed = gate();
      const model = scriptedModel([
        { gate: failed.opened, failure: { category: 'server-error', message: 'it broke' } },
        'b done',
      ]);
      const linked = await openLinked(kind, { script: model });
      await linked.idle();
      const seat = await linked.sit('one');
      await seat.say('a');
      await seat.command('rename', 'now');
      await seat.say('b', 'queue');
      await seat.command('rename', 'kept');
      failed.open();
      await linked.idle();
      expect(texts(seat.view)).toEqual(['b', '/rename kept']);
      expect(seat.view.queue).toMatchObject({ paused: { because: 'failed', message: 'it broke' } });
      expect(seat.view.queue.rows.every((row) => row.held)).toBe(true);
      await seat.send({ type: 'queue-resume' });
      await linked.idle();
      expect(seat.view.head.title).toBe('kept');
    });

    test('/resend sent while idle asks again ahead of a prompt sent right behind it, with no new message (INV-11, SC-14.6, SC-7.6, SC-43.10)', async () => {
      const model = scriptedModel([{ failure: { category: 'server-error', message: 'it broke' } }, 'again', 'b done']);
      const linked = await openLinked(kind, { script: model });
      const seat = await linked.sit('one');
      await seat.say('a');
      await linked.idle();
      await Promise.all([seat.command('resend'), seat.say('b', 'queue')]);
      await linked.idle();
      expect(transcriptOf(seat.view).slice(2)).toEqual([
        'resend: a',
        'model: again',
        'end: done',
        'prompt: b',
        'model: b done',
        'end: done',
      ]);
      expect(saidIn(model.requests[1])).toEqual(['a']);
      // With the last turn answered there is nothing to try again; asking for another answer is /resend's.
      expect(await seat.send({ type: 'retry' })).toMatchObject({ refusal: { identifier: 'nothing-to-retry' } });
    });

    test('what is put ahead keeps the order of the rest; of two alike the one that was meant goes (SC-3.3, SC-43.7)', async () => {
      const { held, model, linked, seat } = await busy(kind, ['x', 'x', 'x', 'x']);
      for (const text of ['same', 'b', 'same', 'c']) await seat.say(text, 'queue');
      const [first] = seat.view.queue.rows;
      await seat.send({ type: 'queue-discard', inputs: [first!.id] });
      await seat.say('ahead', 'interrupt');
      await linked.settle();
      held.open();
      await linked.idle();
      expect(model.requests.slice(1).map((request) => saidIn(request).at(-1))).toEqual(['ahead', 'b', 'same', 'c']);
    });

    test('a prompt that cannot be put on the disk as it starts waits on in its place, held, with the reason (SC-3.4)', async () => {
      const { held, model, linked, seat, system } = await busy(kind, ['b done', 'c done']);
      await seat.say('b', 'queue');
      await seat.say('c', 'queue');
      held.open();
      const emptied = system.files.fail({ operation: 'append', code: 'ENOSPC', after: 2 });
      await linked.settle();
      emptied();
      await system.clock.advance(60_000);
      await linked.idle();
      expect(texts(seat.view)).toEqual(['b', 'c']);
      expect(seat.view.queue.paused?.message).toContain('Could not start');
      expect(model.requests).toHaveLength(1);
      await seat.send({ type: 'queue-resume' });
      await linked.idle();
      expect(model.requests.map((request) => saidIn(request).at(-1))).toEqual(['start', 'b', 'c']);
    });

    test('pressed again and again Ctrl-C ends one turn once; with nothing running it changes nothing (SC-8.2, SC-8.3, SC-43.22)', async () => {
      const { linked, seat } = await busy(kind, ['b done']);
      for (let press = 0; press < 4; press++) void seat.send(CTRL_C);
      await linked.idle();
      expect(transcriptOf(seat.view).filter((line) => line.startsWith('end'))).toEqual(['end: stopped']);
      const before = (await entriesOf(linked.house)).length;
      expect((await seat.send(CTRL_C)).accepted).toBe(true);
      await linked.idle();
      expect((await entriesOf(linked.house)).length).toBe(before);
      expect(seat.view.activity.phase).toBe('idle');
      expect((await seat.command('compact')).accepted).toBe(true);
    });

    test('stopped before its first instruction a prompt still settles: stopped, nothing asked, nothing run; the loop goes on (SC-6.8, INV-22)', async () => {
      let ran = 0;
      const own = scriptedLine();
      const model = scriptedModel(['b done']);
      const linked = await openLinked(kind, {
        script: model,
        runOwnLine: (order, signal, onOutput) => {
          ran++;
          return own(order, signal, onOutput);
        },
      });
      await linked.idle();
      const seat = await linked.sit('one');
      void seat.say('a');
      void seat.send(ESCAPE);
      await linked.idle();
      expect(seat.states(1)).toEqual(['waiting', 'started', 'stopped']);
      void seat.say('ls', 'shell');
      void seat.send(ESCAPE);
      await linked.idle();
      expect([model.requests.length, ran]).toEqual([0, 0]);
      await seat.say('b');
      await linked.idle();
      expect(seat.outcome(3)?.state).toBe('done');
    });

    test('a bug in a run fails that turn alone, and its stream is closed on every way out (SC-6.9, SC-10.9)', async () => {
      const closed: string[] = [];
      const inner = scriptedModel([
        () => {
          throw new Error('a bug');
        },
        { parts: ['...', { wait: new Promise(() => {}) }] },
        'fine',
      ]);
      const model: Model = {
        ...inner,
        async *stream(request, signal) {
          const name = saidIn(request).at(-1)!;
          try {
            yield* inner.stream(request, signal);
          } finally {
            closed.push(name);
          }
        },
      };
      const linked = await openLinked(kind, { script: model });
      const seat = await linked.sit('one');
      await seat.say('a');
      await linked.idle();
      expect(seat.outcome(1)?.state).toBe('failed');
      void seat.say('b');
      await seat.until(live);
      await seat.send(ESCAPE);
      await linked.idle();
      await seat.say('c');
      await linked.idle();
      expect(seat.outcome(3)?.state).toBe('done');
      expect(closed).toEqual(['a', 'b', 'c']);
      // Also one that is not the model's: before anything is asked of it.
      let broken = true;
      const tool: Tool<never> = {
        ...(lookTool as Tool<never>),
        get description(): string {
          if (broken) throw new Error('another bug');
          return 'Looks.';
        },
      };
      const other = await openLinked(kind, { script: scriptedModel(['fine again']), tools: [tool] });
      const two = await other.sit('two');
      await two.say('d');
      await other.idle();
      expect(two.states(1)).toEqual(['waiting', 'started', 'failed']);
      expect(transcriptOf(two.view)).toEqual(['prompt: d', 'note internal', 'end: failed']);
      broken = false;
      await two.say('e');
      await other.idle();
      expect(two.outcome(2)?.state).toBe('done');
    });

    test('a line of the person and a compaction leave what the last turn came to as it was (SC-6.11)', async () => {
      const model = scriptedModel([{ failure: { category: 'server-error', message: 'it broke' } }, 'summary', 'again']);
      const linked = await openLinked(kind, { script: model });
      const seat = await linked.sit('one');
      await seat.say('a');
      await linked.idle();
      await seat.say('ls', 'shell');
      await seat.command('compact');
      await linked.idle();
      expect((await seat.send({ type: 'retry' })).accepted).toBe(true);
      await linked.idle();
      expect(transcriptOf(seat.view).slice(-3)).toEqual(['resend: a', 'model: again', 'end: done']);
    });

    test('a prompt back in its box leaves the conversation; one that something followed stays, marked stopped (STOP-6)', async () => {
      const model = scriptedModel([
        { parts: [{ wait: new Promise(() => {}) }] },
        'fresh',
        { parts: ['seen', { wait: new Promise(() => {}) }] },
      ]);
      const linked = await openLinked(kind, { script: model });
      await linked.idle();
      const seat = await linked.sit('one');
      void seat.say('too early');
      await seat.until((view) => view.activity.phase === 'waiting');
      await seat.send(ESCAPE);
      await linked.idle();
      expect(transcriptOf(seat.view)).toEqual(['prompt: too early (stopped)', 'end: stopped']);
      expect(await seat.send({ type: 'withdraw', ref: 'one-1' })).toEqual({ accepted: true, value: null });
      await linked.idle();
      expect(transcriptOf(seat.view)).toEqual([]);
      await seat.say('better');
      await linked.idle();
      expect(saidIn(model.requests.at(-1))).toEqual(['better']);
      void seat.say('third');
      await seat.until(live);
      await seat.send(ESCAPE);
      await linked.idle();
      expect(await seat.send({ type: 'withdraw', ref: 'one-3' })).toMatchObject({
        refusal: { identifier: 'not-withdrawn' },
      });
      expect(transcriptOf(seat.view)).toContain('prompt: third (stopped)');
    });

    test('closing is nobody’s stop: the turn ends interrupted, what waits runs at the next start, all are told of the end (SC-1.7, SC-43.5, SC-43.19)', async () => {
      const { system, linked, seat } = await busy(kind, []);
      await seat.say('b', 'queue');
      await seat.send({ type: 'end' });
      await system.clock.runUntil(linked.house.session.ended);
      await linked.settle();
      expect(transcriptOf(seat.view)).toEqual(['prompt: start', 'model: ...', 'end: interrupted']);
      expect(seat.outcome(1)?.messages.map((message) => message.identifier)).not.toContain('offered-back');
      expect(seat.changes.at(-1)).toEqual({ type: 'closed', why: 'ended' });
      const model = scriptedModel(['b done']);
      const again = await openLinked(kind, { system, script: model });
      const back = await again.sit('one');
      await again.idle();
      expect(back.view.queue.rows.map((row) => row.text).concat(model.requests.flatMap(saidIn))).toContain('b');
    });

    test('a name that could not be saved is not shown (SC-43.20)', async () => {
      const system = createMemorySystem();
      const linked = await openLinked(kind, { system, script: scriptedModel([]) });
      await linked.idle();
      const seat = await linked.sit('one');
      await seat.command('rename', 'good');
      const emptied = system.files.fail({ operation: 'append', code: 'ENOSPC' });
      expect(await seat.command('rename', 'bad')).toMatchObject({ refusal: { identifier: 'not-saved' } });
      expect(seat.view.head.title).toBe('good');
      emptied();
    });
  });
}
