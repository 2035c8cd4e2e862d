// Commands beside turns and between them, and what a client may send at all; the same over every link.
import { describe, expect, test } from 'bun:test';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { CTRL_C, ESCAPE, scriptedLine, transcriptOf } from '../support/controller.ts';
import { LINKS, openLinked } from '../support/linked-house.ts';
import { gate, scriptedModel } from '../support/script.ts';

const texts = (view: View): string[] => view.queue.rows.map((row) => row.text);
const notes = (view: View) => view.transcript.items.flatMap((item) => (item.kind === 'note' ? [item.text] : []));

for (const kind of LINKS) {
  describe(`commands and what is sent, ${kind}`, () => {
    test('what a command answers beside a turn is seen at once, below it, and stands behind that turn once it is over; what waits does not move (QUE-7)', async () => {
      const held = gate();
      const model = scriptedModel([{ parts: ['...', { wait: held.opened }] }, 'b done', 'c done']);
      const linked = await openLinked(kind, { script: model });
      const seat = await linked.sit('one');
      const other = await linked.sit('two');
      await seat.say('start');
      await seat.until((view) => view.live !== null);
      await seat.say('b', 'queue');
      await seat.command('loop');
      await seat.command('watch');
      await linked.settle();
      const flashes = seat.changes.flatMap((one) => (one.type === 'flash' ? [one.text] : []));
      expect(flashes[0]).toContain('There is no loop.');
      expect(flashes).toHaveLength(2);
      expect(notes(seat.view)).toEqual([]);
      expect(texts(seat.view)).toEqual(['b']);
      held.open();
      await linked.idle();
      const lines = transcriptOf(seat.view);
      expect(lines.slice(0, 6)).toEqual([
        'prompt: start',
        'model: ...',
        'end: done',
        'note answer',
        'note answer',
        'prompt: b',
      ]);
      expect(notes(seat.view)).toEqual([`/loop: ${flashes[0]}`, `/watch: ${flashes[1]}`]);
      expect(notes(other.view)).toEqual(notes(seat.view));
      expect(JSON.stringify(model.requests)).not.toContain('There is no loop');
      // At rest it is only shown.
      await seat.command('loop');
      await seat.say('c');
      await linked.idle();
      expect(notes(seat.view)).toHaveLength(2);
    });

    test('two sessions of one process have nothing in common, and all a client is told is plain data (SC-1.1)', async () => {
      const held = gate();
      const one = await openLinked(kind, { script: scriptedModel([{ parts: ['...', { wait: held.opened }] }, 'x']) });
      const two = await openLinked(kind, { script: scriptedModel(['yes']) });
      const [first, second] = [await one.sit('me'), await two.sit('me')];
      await first.say('start');
      await first.until((view) => view.live !== null);
      await first.say('waits', 'queue');
      await first.command('rename', 'mine');
      await second.say('here');
      await two.idle();
      expect(second.view.activity.phase).toBe('idle');
      expect(second.view.queue.rows).toEqual([]);
      expect(transcriptOf(second.view)).toEqual(['prompt: here', 'model: yes', 'end: done']);
      expect(second.view.head.title).toBe('here');
      expect(first.view.live).not.toBeNull();
      expect(second.outcome(1)?.state).toBe('done');
      await second.send(CTRL_C);
      expect(first.view.activity.phase).not.toBe('stopping');
      for (const change of [...first.changes, ...second.changes])
        expect(JSON.parse(JSON.stringify(change))).toEqual(change as never);
      held.open();
      await one.idle();
    });

    test('whatever waits says its words, how it goes, and whose it is: of two that name theirs alike each hears of its own (SC-1.5)', async () => {
      const held = gate();
      const model = scriptedModel([{ parts: ['...', { wait: held.opened }] }, 'done']);
      const linked = await openLinked(kind, { script: model });
      const [one, two] = [await linked.sit('one'), await linked.sit('two')];
      await one.say('start');
      await one.until((view) => view.live !== null);
      const say = { type: 'say', ref: 'same', text: 'same', attachments: [], delivery: 'queue' } as const;
      await one.send(say);
      await two.send(say);
      await two.send({ type: 'command', ref: 'compact', name: 'compact', argument: 'all' });
      await linked.settle();
      expect(one.view.queue.rows.map(({ text, delivery, client, ref }) => [text, delivery, client, ref])).toEqual([
        ['same', 'queue', 'one', 'same'],
        ['same', 'queue', 'two', 'same'],
        ['/compact all', 'command', 'two', 'compact'],
      ]);
      await one.send({ type: 'queue-discard', inputs: one.view.queue.rows.slice(1).map(({ id }) => id) });
      held.open();
      await linked.idle();
      const state = (client: string) =>
        one.view.outcomes.find((it) => it.client === client && it.ref === 'same')?.state;
      expect([state('one'), state('two')]).toEqual(['done', 'dropped']);
    });

    test('a client sends to steer, to queue, to interrupt or to the shell; the session’s own ways are refused, whatever the bytes say (SC-1.6)', async () => {
      const system = createMemorySystem();
      const model = scriptedModel(['a', 'b', 'c', { failure: { category: 'server-error', message: 'x' } }, 'again']);
      const linked = await openLinked(kind, { system, script: model, runOwnLine: scriptedLine(system.clock) });
      await linked.idle();
      const seat = await linked.sit('one');
      for (const delivery of ['wake', 'resend', 'command', 'other'])
        expect(await seat.say('/compact', delivery as never)).toMatchObject({
          refusal: { identifier: 'delivery-unknown' },
        });
      await linked.idle();
      expect(model.requests).toHaveLength(0);
      expect(seat.view.transcript.items).toEqual([]);
      for (const delivery of ['steering', 'queue', 'interrupt', 'shell'] as const) {
        expect((await seat.say('ls', delivery)).accepted).toBe(true);
        await linked.idle();
      }
      await seat.say('fails');
      await linked.idle();
      await seat.command('resend');
      await linked.idle();
      const ways = seat.view.transcript.items.flatMap((item) => (item.kind === 'user' ? [item.as] : []));
      expect(ways).toEqual(['prompt', 'prompt', 'prompt', 'shell', 'prompt', 'resend']);
    });

    test('whoever comes in the middle sees what runs, what waits and how each will go, what was asked beside, and the choice for later (SC-2.7, SC-2.9)', async () => {
      const [held, aside] = [gate(), gate()];
      const model = scriptedModel([
        { parts: ['so far', { wait: held.opened }] },
        { gate: aside.opened, parts: ['one'] },
        { gate: aside.opened, parts: ['two'] },
        'b done',
      ]);
      const later = scriptedModel(['q done', 'r done'], { ref: { provider: 'script', model: 'two' } });
      const linked = await openLinked(kind, { script: model, others: [later] });
      const seat = await linked.sit('one');
      await seat.say('start');
      await seat.until((view) => view.live !== null);
      await seat.command('btw', 'why?');
      await seat.command('btw', 'how?');
      await seat.say('q', 'queue');
      await seat.say('s', 'steering');
      await seat.command('model', 'script:two');
      await linked.settle();
      const late = await linked.sit('late');
      const { view } = late;
      expect(view.activity).toMatchObject({ phase: 'writing', turn: 1 });
      expect(view.live?.parts).toMatchObject([{ type: 'text', text: 'so far' }]);
      expect(view.queue.rows.map(({ text, delivery }) => [text, delivery])).toEqual([
        ['q', 'queue'],
        ['s', 'steering'],
      ]);
      expect(transcriptOf(view)).toEqual(['prompt: start']);
      expect(view.head).toMatchObject({ model: model.ref, pendingModel: later.ref });
      const asides = () => view.asides.map(({ exchanges }) => `${exchanges[0]?.question} ${exchanges[0]?.state}`);
      expect(asides()).toEqual(['why? running', 'how? running']);
      expect(view.outcomes.filter(({ state }) => state === 'started')).toHaveLength(1);
      aside.open();
      await linked.settle();
      expect(asides()).toEqual(['why? answered', 'how? answered']);
      held.open();
      await linked.idle();
      expect(view.activity.phase).toBe('idle');
      expect(view.queue.rows).toEqual([]);
    });

    test('sent at rest a command runs before what is said right behind it, beside a turn it keeps its place in line, and a clear takes it along (SC-5.2)', async () => {
      const held = gate();
      const model = scriptedModel(
        ['first '.repeat(3000), 'the summary', { parts: ['...', { wait: held.opened }] }, 'c done', 'the summary'],
        { facts: { contextWindow: 100_000 } },
      );
      const linked = await openLinked(kind, { script: model });
      const [seat, other] = [await linked.sit('one'), await linked.sit('two')];
      await seat.say('a');
      await linked.idle();
      // At rest: ahead of what others say right behind it.
      await Promise.all([seat.command('compact'), other.say('b', 'queue')]);
      await seat.until((view) => view.live !== null);
      expect(
        transcriptOf(seat.view)
          .slice(3)
          .filter((line) => !line.startsWith('note')),
      ).toEqual(['compaction', 'prompt: b']);
      // Beside a turn: behind what was said before it, and gone with a clear.
      await other.say('c', 'queue');
      await seat.command('compact');
      await linked.settle();
      expect(texts(seat.view)).toEqual(['c', '/compact']);
      await other.send({ type: 'queue-discard', inputs: 'all' });
      await other.say('c', 'queue');
      await linked.settle();
      expect(texts(seat.view)).toEqual(['c']);
      held.open();
      await linked.idle();
      expect(seat.states(3)).toEqual(['waiting', 'dropped']);
      expect(model.requests).toHaveLength(4);
    });

    test('a command’s own mark goes out with its turn: an answer for one whose moment has passed is told apart (SC-5.21)', async () => {
      const linked = await openLinked(kind, { script: scriptedModel([]) });
      await linked.idle();
      const seat = await linked.sit('one');
      const mark = (ref: string) => ({ type: 'command', ref, name: 'theme', argument: ref, here: true }) as const;
      await seat.send(mark('popup 1/{}'));
      await seat.until((view) => view.outcomes.some(({ state }) => state === 'your-turn'));
      await seat.send(ESCAPE);
      await linked.idle();
      await seat.send(mark('popup 2'));
      await seat.until((view) => view.outcomes.some(({ ref, state }) => ref === 'popup 2' && state === 'your-turn'));
      const turns = seat.changes.flatMap((one) => (one.type === 'your-turn' ? [[one.ref, one.argument]] : []));
      expect(turns).toEqual([
        ['popup 1/{}', 'popup 1/{}'],
        ['popup 2', 'popup 2'],
      ]);
      expect(await seat.send({ type: 'command-done', ref: 'popup 1/{}' })).toMatchObject({
        refusal: { identifier: 'not-your-turn' },
      });
      const state = (ref: string) => seat.view.outcomes.find((one) => one.ref === ref)?.state;
      expect([state('popup 1/{}'), state('popup 2')]).toEqual(['stopped', 'your-turn']);
      await seat.send({ type: 'command-done', ref: 'popup 2' });
      await linked.idle();
      expect(state('popup 2')).toBe('done');
    });

    test('how a prompt fares: it runs, then it is done, failed or stopped, for its owner and in the transcript; elsewhere in the tree nothing is left of it (SC-6.4)', async () => {
      const held = gate();
      const model = scriptedModel([
        'a done',
        { failure: { category: 'server-error', message: 'it broke' } },
        { parts: ['...', { wait: held.opened }] },
      ]);
      const linked = await openLinked(kind, { script: model });
      const seat = await linked.sit('one');
      const last = () => transcriptOf(seat.view).findLast((line) => line.startsWith('end'));
      await seat.say('a');
      await linked.idle();
      expect([last(), seat.states(1)]).toEqual(['end: done', ['waiting', 'started', 'done']]);
      await seat.say('b');
      await linked.idle();
      expect([last(), seat.states(2)]).toEqual(['end: failed', ['waiting', 'started', 'failed']]);
      await seat.say('c');
      await seat.until((view) => view.live !== null);
      await seat.send(ESCAPE);
      await linked.idle();
      expect([last(), seat.states(3)]).toEqual(['end: stopped', ['waiting', 'started', 'stopped']]);
      // Back at what went well there is nothing to try again.
      const answer = seat.view.transcript.items.find((item) => item.kind === 'assistant')!;
      await seat.command('tree', answer.entry);
      await linked.idle();
      expect(last()).toBe('end: done');
      expect(await seat.send({ type: 'retry' })).toMatchObject({ refusal: { identifier: 'nothing-to-retry' } });
      const prompt = seat.view.transcript.items.find((item) => item.kind === 'user')!;
      await seat.command('tree', prompt.entry);
      await linked.idle();
      expect(seat.outcome(5)?.state).toBe('done');
      expect(last()).toBeUndefined();
      expect(await seat.send({ type: 'retry' })).toMatchObject({ refusal: { identifier: 'nothing-to-retry' } });
    });
  });
}
