// Loops, goals and watched files over every link: what starts turns by itself, and what ends it.
import { describe, expect, test } from 'bun:test';
import { openJournal } from '../../src/core/journal/file-journal.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import { NOTHING_STANDS } from '../../src/protocol/standing.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { CTRL_C, ESCAPE, FOLDER, SESSION_FOLDER, transcriptOf } from '../support/controller.ts';
import { LINKS, type LinkedHouse, type LinkedSeat, openLinked } from '../support/linked-house.ts';
import { gate, type ScriptEntry, scriptedModel } from '../support/script.ts';
import { flashes } from '../support/what-was-said.ts';

const MINUTE = 60_000;

for (const kind of LINKS)
  describe(kind, () => {
    const open = async (entries: readonly ScriptEntry[], options: Partial<Parameters<typeof openLinked>[1]> = {}) => {
      const system = (options.system as MemorySystem | undefined) ?? createMemorySystem();
      const model = scriptedModel(entries, { repeatLast: true, clock: system.clock });
      const linked = await openLinked(kind, { script: model, tools: createTools(), ...options, system });
      const seat = await linked.sit('one');
      await seat.until(({ head }) => head.ready);
      return { model, linked, seat, system };
    };
    const pass = async ({ linked }: { linked: LinkedHouse }, ms: number) => {
      await linked.house.system.clock.advance(ms);
      await linked.settle();
    };
    const prompts = (seat: LinkedSeat) => transcriptOf(seat.view).filter((row) => /^(prompt|wake): /.test(row));
    const notes = (seat: LinkedSeat) =>
      seat.view.transcript.items.flatMap((item) => (item.kind === 'note' ? [item.text] : []));

    test('a loop says its line at once, then each time its interval after the turn before it ended (LOOP-1, LOOP-2)', async () => {
      const held = gate();
      const place = await open(['one', { parts: ['two'], gate: held.opened }, 'three']);
      const { seat, linked } = place;
      await seat.command('loop', '30s /clear the logs');
      await linked.settle();
      expect(prompts(seat)).toEqual(['prompt: /clear the logs']);
      await pass(place, 29_999);
      expect(prompts(seat)).toHaveLength(1);
      await pass(place, 1);
      expect(prompts(seat)).toHaveLength(2);
      // The second turn takes longer than the interval: nothing piles up behind it.
      await pass(place, 100_000);
      expect(prompts(seat)).toHaveLength(2);
      expect(seat.view.queue.rows).toEqual([]);
      held.open();
      await linked.settle();
      await pass(place, 29_999);
      expect(prompts(seat)).toHaveLength(2);
      await pass(place, 1);
      expect(prompts(seat)).toHaveLength(3);
      expect(seat.view.head.standing?.loop).toMatchObject({ text: '/clear the logs', every: 30_000, times: 3 });
      await seat.command('loop');
      expect(flashes(seat).at(-1)).toContain('every 30 s, said 3 times');
      await seat.command('loop', 'STOP');
      await linked.settle();
      expect(seat.view.head.standing).toEqual(NOTHING_STANDS);
      expect(notes(seat).at(-1)).toBe('The loop ended after 3 times: you stopped it.');
      await pass(place, 60 * MINUTE);
      expect(prompts(seat)).toHaveLength(3);
      expect(await seat.command('loop', 'stop')).toMatchObject({ accepted: false, refusal: { identifier: 'no-loop' } });
    });

    test('a due time waits for everything else that is said, also for what is held (LOOP-2)', async () => {
      const held = gate();
      const place = await open(['one', { parts: ['two'], gate: held.opened }, 'three', 'four', 'five']);
      const { seat, linked } = place;
      await seat.command('loop', '1m check');
      await linked.settle();
      await pass(place, 50_000);
      await seat.say('my own question');
      await seat.say('and another', 'queue');
      await pass(place, 30_000);
      expect(prompts(seat)).toEqual(['prompt: check', 'prompt: my own question']);
      expect(seat.view.queue.rows.map(({ text }) => text)).toEqual(['and another']);
      held.open();
      await linked.settle();
      expect(prompts(seat)).toEqual([
        'prompt: check',
        'prompt: my own question',
        'prompt: and another',
        'prompt: check',
      ]);
      // A turn that failed holds what waited behind it.
      const failing = await open(['one', { gate: held.opened, failure: { category: 'request-rejected' } }, 'three']);
      await failing.seat.command('loop', '1m check');
      await failing.linked.settle();
      void failing.seat.say('fails');
      void failing.seat.say('held', 'queue');
      await failing.linked.settle();
      expect(failing.seat.view.queue.rows).toMatchObject([{ text: 'held', held: true }]);
      await pass(failing, 5 * MINUTE);
      expect(prompts(failing.seat)).toEqual(['prompt: check', 'prompt: fails']);
      await failing.seat.send({ type: 'queue-discard', inputs: 'all' });
      await failing.linked.settle();
      expect(prompts(failing.seat)).toEqual(['prompt: check', 'prompt: fails', 'prompt: check']);
    });

    test('an interval out of range is bent, and that is said; an unknown pace is the model’s own, in its bounds (LOOP-3)', async () => {
      const place = await open([
        'one',
        [{ tool: 'pace_loop', input: { seconds: 5, why: 'soon' }, call: 'p1' }],
        'two',
        [{ tool: 'pace_loop', input: { seconds: 7_200, why: 'late' }, call: 'p2' }],
        'three',
        [{ tool: 'pace_loop', input: { finished: true, why: 'over' }, call: 'p3' }],
        'four',
      ]);
      const { seat, linked } = place;
      await seat.command('loop', '1s check');
      await linked.settle();
      expect(seat.outcome(1)?.messages[0]).toMatchObject({ identifier: 'interval-clamped' });
      expect(seat.view.head.standing?.loop?.every).toBe(5_000);
      await seat.command('loop', 'look at the build');
      await linked.settle();
      expect(notes(seat)).toContain('The loop ended after one time: a loop takes its place.');
      expect(prompts(seat).at(-1)).toContain('look at the build');
      await pass(place, MINUTE - 1);
      expect(prompts(seat)).toHaveLength(2);
      await pass(place, 1);
      expect(prompts(seat)).toHaveLength(3);
      await pass(place, 60 * MINUTE - 1);
      expect(prompts(seat)).toHaveLength(3);
      await pass(place, 1);
      expect(prompts(seat)).toHaveLength(4);
      expect(notes(seat).at(-1)).toBe('The loop ended after 3 times: the model says that it is finished.');
      expect(seat.view.head.standing?.loop).toBeNull();
    });

    test('where the model never says when, its line comes once more after 20 minutes and then no more (LOOP-3)', async () => {
      const place = await open(['said nothing of it']);
      const { seat, linked } = place;
      await seat.command('loop', 'look');
      await linked.settle();
      await pass(place, 20 * MINUTE - 1);
      expect(prompts(seat)).toHaveLength(1);
      await pass(place, 1);
      expect(prompts(seat)).toHaveLength(2);
      expect(notes(seat).at(-1)).toContain('the model did not say when to come again');
      await pass(place, 24 * 60 * MINUTE);
      expect(prompts(seat)).toHaveLength(2);
      expect(linked.house.system.clock.timers).toBe(0);
    });

    test('it ends with any turn that is stopped, on Ctrl-C at rest, and after seven days; each is said (LOOP-4)', async () => {
      const place = await open(['one', [{ wait: 60_000 }], 'three']);
      const { seat, linked, system } = place;
      await seat.command('loop', '30s check');
      await linked.settle();
      await seat.say('mine');
      await linked.settle();
      await seat.send(ESCAPE);
      await linked.settle();
      expect(notes(seat).at(-1)).toBe('The loop ended after one time: a turn was stopped.');
      await seat.command('loop', '30s check');
      await linked.settle();
      // Esc at rest ends nothing.
      await seat.send(ESCAPE);
      expect(seat.view.head.standing?.loop).not.toBeNull();
      await seat.send(CTRL_C);
      await linked.settle();
      expect(notes(seat).at(-1)).toBe('The loop ended after one time: you stopped it.');
      await seat.command('loop', '6d check');
      await linked.settle();
      await pass(place, 7 * 24 * 60 * MINUTE + MINUTE);
      expect(notes(seat).at(-1)).toBe('The loop ended after 2 times: it is seven days old.');
      expect(system.clock.timers).toBe(0);
    });

    test('it is never kept: a session opened again has none, and what it had said but not begun is dropped (LOOP-4)', async () => {
      const script = scriptedModel(['one'], { repeatLast: true });
      const place = await open(['one']);
      const { seat, linked, system } = place;
      await seat.command('loop', '30s check');
      await linked.settle();
      await linked.house.session.close();
      // As a crash between writing it down and beginning it leaves it.
      const { files, clock, ids } = system;
      const left = await openJournal({ files, clock, ids, folder: SESSION_FOLDER });
      if (!left.ok) throw new Error(left.refusal.message);
      const body = { client: 'houston', ref: 'standing-1', text: 'check', attachments: [], target: null } as const;
      await left.value.append([{ kind: 'input', ...body, delivery: 'queue' }]).durable;
      await left.value.close();
      const again = await openLinked(kind, { script, system });
      const other = await again.sit('two');
      await again.idle();
      expect(other.view.head.standing ?? NOTHING_STANDS).toEqual(NOTHING_STANDS);
      expect(notes(other).at(-1)).toBe('The loop ended after one time: the session ended.');
      await system.clock.advance(10 * MINUTE);
      expect(script.requests).toHaveLength(0);
      expect(other.view.queue.rows).toEqual([]);
    });

    test('a loop waits its turn behind a turn, but is stopped at once; a full disk costs one time only', async () => {
      const held = gate();
      const place = await open([{ parts: ['one'], gate: held.opened }, 'two', 'three', 'four']);
      const { seat, linked, system } = place;
      await seat.say('work');
      await linked.settle();
      await seat.command('loop', '30s check');
      expect(seat.view.queue.rows.map(({ text }) => text)).toEqual(['/loop 30s check']);
      // Behind a line of the same command it waits (QUE-9).
      held.open();
      await linked.settle();
      expect(prompts(seat)).toEqual(['prompt: work', 'prompt: check']);
      const emptied = system.files.fail({ operation: 'append', code: 'ENOSPC' });
      await pass(place, 30_000);
      expect(prompts(seat)).toHaveLength(2);
      expect(flashes(seat).at(-1)).toContain('Could not be said');
      emptied();
      await pass(place, 30_000);
      expect(prompts(seat)).toHaveLength(3);
      await seat.command('loop', 'stop');
    });

    const verdict = (text: string): ScriptEntry => text;

    test('a goal sends nothing; each turn that goes well is judged without tools, until it is met (GOAL-1)', async () => {
      const place = await open([
        'worked',
        verdict('UNMET\nthe tests fail'),
        'worked more',
        verdict('MET\nall green'),
        'later',
      ]);
      const { seat, linked, model } = place;
      await seat.command('goal', 'the tests pass');
      await linked.settle();
      expect(model.requests).toHaveLength(0);
      await seat.say('fix them');
      await linked.settle();
      expect(prompts(seat)).toEqual(['prompt: fix them', expect.stringContaining('A check says: “the tests fail”')]);
      expect(model.requests.map(({ calls }) => calls)).toEqual(['allowed', 'forbidden', 'allowed', 'forbidden']);
      expect(notes(seat).at(-1)).toBe('The goal ended: it is met: all green.');
      expect(seat.view.head.standing?.goal).toBeNull();
      // The question and the verdict are no part of the conversation.
      await seat.say('next');
      await linked.settle();
      expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain('Judge whether');
    });

    test.each([
      ['IMPOSSIBLE\nno network', 'the check says that it cannot be met: no network'],
      ['It looks met to me', 'the check gave no clear answer'],
      ['met, I think\nMET', 'the check gave no clear answer'],
    ])('a verdict of %j ends the goal and starts nothing (GOAL-1)', async (text, why) => {
      const { seat, linked, model } = await open(['worked', verdict(text)]);
      await seat.command('goal', 'done');
      await seat.say('go');
      await linked.settle();
      expect(notes(seat).at(-1)).toBe(`The goal ended: ${why}.`);
      expect(model.requests).toHaveLength(2);
    });

    test('a check that fails ends the goal; ten rounds are the most, and the last reason is kept (GOAL-1, GOAL-2)', async () => {
      const failing = await open(['worked', { failure: { category: 'bad-request' } as never }]);
      await failing.seat.command('goal', 'done');
      await failing.seat.say('go');
      await failing.linked.settle();
      expect(notes(failing.seat).at(-1)).toContain('The goal ended: the check failed');

      const place = await open(
        Array.from({ length: 40 }, (_, at): ScriptEntry => (at % 2 === 0 ? 'worked' : `UNMET\nreason ${(at + 1) / 2}`)),
      );
      const { seat, linked, model } = place;
      await seat.command('goal', 'never');
      await seat.say('go');
      for (let turn = 0; turn < 12; turn++) await linked.settle();
      expect(prompts(seat)).toHaveLength(11);
      expect(model.requests).toHaveLength(22);
      expect(notes(seat).at(-1)).toBe('The goal ended: it is not met after 10 rounds: reason 11.');
    });

    test('stopped and failed turns are not judged and keep the goal; pausing, going on and taking away are whole words (GOAL-2)', async () => {
      const place = await open([
        [{ wait: 60_000 }],
        { failure: { category: 'request-rejected' } },
        'worked',
        'worked again',
        verdict('MET\nyes'),
        'and on',
        verdict('MET'),
      ]);
      const { seat, linked, model } = place;
      await seat.command('goal', 'pause the tests');
      await linked.settle();
      expect(seat.view.head.standing?.goal).toMatchObject({ text: 'pause the tests', state: 'active' });
      await seat.say('go');
      await linked.settle();
      await seat.send(ESCAPE);
      await linked.settle();
      expect(model.requests).toHaveLength(1);
      expect(seat.view.head.standing?.goal?.state).toBe('active');
      await seat.say('go');
      await linked.settle();
      expect(transcriptOf(seat.view).at(-1)).toBe('end: failed');
      expect(model.requests).toHaveLength(2);
      expect(seat.view.head.standing?.goal?.state).toBe('active');
      await seat.command('goal', 'pause');
      await seat.say('go');
      await linked.settle();
      expect(model.requests).toHaveLength(3);
      await seat.command('goal', 'resume');
      await seat.command('goal');
      expect(flashes(seat).at(-1)).toBe('Goal (active, 0 of 10 rounds): pause the tests');
      await seat.say('go');
      await linked.settle();
      expect(notes(seat).at(-1)).toBe('The goal ended: it is met: yes.');
      await seat.command('goal', 'another');
      await seat.command('goal', 'clear');
      await linked.settle();
      expect(notes(seat).at(-1)).toBe('The goal ended: you took it away.');
      expect(await seat.command('goal', 'clear')).toMatchObject({
        accepted: false,
        refusal: { identifier: 'no-goal' },
      });
    });

    test('a turn that went well while something was held is judged once nothing waits any more (GOAL-1)', async () => {
      const place = await open([[{ wait: 60_000 }], 'worked', verdict('UNMET\nmore'), 'worked more', verdict('MET')]);
      const { seat, linked, model } = place;
      await seat.command('goal', 'done');
      await seat.say('a');
      await linked.settle();
      await seat.say('held', 'queue');
      await seat.send(CTRL_C);
      await linked.settle();
      await seat.say('b');
      await linked.settle();
      expect(model.requests).toHaveLength(2);
      await seat.send({ type: 'queue-discard', inputs: 'all' });
      await linked.settle();
      expect(model.requests.map(({ calls }) => calls)).toEqual([
        'allowed',
        'allowed',
        'forbidden',
        'allowed',
        'forbidden',
      ]);
      expect(notes(seat).at(-1)).toBe('The goal ended: it is met.');
    });

    test.each([
      ['Esc', ESCAPE],
      ['Ctrl-C', CTRL_C],
    ] as const)(
      '%s ends a check at once, and a verdict that comes late starts nothing (GOAL-2, STOP-10)',
      async (_key, intent) => {
        const held = gate();
        const { seat, linked, model } = await open(['worked', { parts: ['UNMET\nmore'], gate: held.opened }, 'never']);
        await seat.command('goal', 'done');
        await seat.say('go');
        await linked.settle();
        expect(seat.view.head.standing?.goal?.state).toBe('checking');
        await seat.send(intent);
        await linked.settle();
        expect(seat.view.head.standing?.goal).toBeNull();
        expect(notes(seat).at(-1)).toBe('The goal ended: its check was stopped.');
        held.open();
        await linked.settle();
        expect(model.requests).toHaveLength(2);
        expect(prompts(seat)).toEqual(['prompt: go']);
      },
    );

    test('what is said while a check runs starts at once; that verdict counts for nothing, and the new turn is judged (GOAL-2)', async () => {
      const held = gate();
      const { seat, linked } = await open([
        'worked',
        { parts: ['UNMET\nold'], gate: held.opened },
        [{ wait: 30_000 }, 'answered'],
        verdict('MET\nnow'),
      ]);
      await seat.command('goal', 'done');
      await seat.say('go');
      await linked.settle();
      await seat.say('one thing first');
      await linked.settle();
      expect(seat.view.activity.turn).toBe(2);
      held.open();
      await linked.settle();
      await linked.house.system.clock.advance(30_000);
      await linked.settle();
      expect(prompts(seat)).toEqual(['prompt: go', 'prompt: one thing first']);
      expect(notes(seat).at(-1)).toBe('The goal ended: it is met: now.');
    });

    const watched = async (entries: readonly ScriptEntry[], options = {}) => {
      const system = createMemorySystem();
      system.files.seed(`${FOLDER}/a.log`, 'one');
      system.files.seed(`${FOLDER}/b.log`, 'one');
      system.files.seedFolder(`${FOLDER}/sub`);
      const place = await open(entries, { system, ...options });
      const put = (name: string, text: string) =>
        system.files.writeAtomic(`${FOLDER}/${name}`, new TextEncoder().encode(text), { mode: 0o644, flush: false });
      return { ...place, put };
    };

    test('a watched file that changes starts a turn that is told which, never what; folders, patterns and nothing are refused (FSW-1)', async () => {
      const place = await watched(['saw it', 'saw it again']);
      const { seat, linked, put, model, system } = place;
      for (const [path, identifier] of [
        ['sub', 'not-a-file'],
        ['*.log', 'not-a-file'],
        ['c.log', 'no-such-file'],
      ] as const)
        expect(await seat.command('watch', path)).toMatchObject({ accepted: false, refusal: { identifier } });
      expect(system.clock.timers).toBe(0);
      await seat.command('watch', 'a.log Say what is new.');
      await put('b.log', 'secret words');
      await pass(place, 10_000);
      expect(prompts(seat)).toEqual([]);
      await put('a.log', 'secret words');
      await pass(place, 5_000);
      expect(prompts(seat)).toEqual(['wake: [Houston: watch 1: the file a.log changed.]\n\nSay what is new.']);
      expect(JSON.stringify(model.requests)).not.toContain('secret words');
      // At most one turn in five seconds, however often it is written.
      await pass(place, 10_000);
      for (const text of ['1', '22', '333', '4444']) {
        await put('a.log', text);
        await pass(place, 1_000);
      }
      expect(prompts(seat)).toHaveLength(2);
      await pass(place, 60_000);
      expect(prompts(seat)).toHaveLength(3);
      await linked.settle();
    });

    test('two files that change together start two turns, five seconds apart (FSW-1)', async () => {
      const place = await watched(['one', 'two']);
      const { seat, put } = place;
      for (const name of ['a.log', 'b.log']) await seat.command('watch', name);
      for (const name of ['a.log', 'b.log']) await put(name, 'more');
      await pass(place, 5_000);
      expect(prompts(seat)).toEqual(['wake: [Houston: watch 1: the file a.log changed.]']);
      await pass(place, 4_999);
      expect(prompts(seat)).toHaveLength(1);
      await pass(place, 1);
      expect(prompts(seat).slice(1)).toEqual(['wake: [Houston: watch 2: the file b.log changed.]']);
    });

    test('it waits until nothing runs and nothing waits; eight are the most; after seven days it ends (FSW-1)', async () => {
      const held = gate();
      const place = await watched([{ parts: ['one'], gate: held.opened }, 'two', 'three']);
      const { seat, linked, put, system } = place;
      await seat.command('watch', 'a.log');
      await seat.say('work');
      await linked.settle();
      await seat.say('then this', 'queue');
      await put('a.log', 'more');
      await pass(place, 20_000);
      expect(prompts(seat)).toEqual(['prompt: work']);
      expect(seat.view.queue.rows.map(({ text }) => text)).toEqual(['then this']);
      held.open();
      await linked.settle();
      expect(prompts(seat)).toEqual(['prompt: work', 'prompt: then this', expect.stringContaining('wake: ')]);
      for (let at = 2; at <= 8; at++)
        expect(await seat.command('watch', `b.log ${at}`)).toMatchObject({ accepted: true });
      expect(await seat.command('watch', 'b.log nine')).toMatchObject({
        accepted: false,
        refusal: { identifier: 'too-many-watches' },
      });
      for (let at = 1; at < 8; at++) await seat.command('watch', `stop ${at}`);
      await pass(place, 7 * 24 * 60 * MINUTE);
      expect(seat.view.head.standing?.watches).toEqual([]);
      expect(notes(seat).at(-1)).toBe('Watch 8 of b.log ended: it is seven days old.');
      expect(system.clock.timers).toBe(0);
    });

    test('the model may watch a file too, and what our own tools write starts nothing (FSW-1)', async () => {
      const place = await watched(
        [
          [{ tool: 'watch_file', input: { path: 'a.log', why: 'it grows' }, call: 'w1' }],
          'armed',
          [{ tool: 'write_file', input: { path: 'a.log', contents: 'ours', why: 'to write' }, call: 'w2' }],
          'written',
          'saw theirs',
        ],
        { mode: 'bypass', bypassOffered: true },
      );
      const { seat, linked, put } = place;
      await seat.say('watch it');
      await linked.settle();
      expect(seat.view.head.standing?.watches).toEqual([{ number: 1, path: `${FOLDER}/a.log`, fired: 0 }]);
      await seat.say('write it');
      await linked.settle();
      await pass(place, 30_000);
      expect(prompts(seat)).toHaveLength(2);
      await put('a.log', 'theirs');
      await pass(place, 10_000);
      expect(prompts(seat).at(-1)).toContain('watch 1');
    });

    test('numbers are never used again; it ends when told, when its turn is stopped, and on Ctrl-C with nothing nearer (FSW-2)', async () => {
      const place = await watched([[{ wait: 60_000 }], 'two']);
      const { seat, linked, put } = place;
      await seat.command('watch', 'a.log');
      await seat.command('watch', 'stop 1');
      expect(flashes(seat).at(-1)).toBe('Watch 1 of a.log ended.');
      expect(await seat.command('watch', 'stop 1')).toMatchObject({
        accepted: false,
        refusal: { identifier: 'no-such-watch' },
      });
      await seat.command('watch', 'a.log');
      await seat.command('watch', 'b.log');
      await seat.command('watch');
      expect(flashes(seat).at(-1)).toBe('Watch 2: a.log\nWatch 3: b.log');
      await put('a.log', 'more');
      await pass(place, 6_000);
      await seat.send(ESCAPE);
      await linked.settle();
      expect(notes(seat).at(-1)).toBe('Watch 2 of a.log ended: the turn it started was stopped.');
      expect(seat.view.head.standing?.watches.map(({ number }) => number)).toEqual([3]);
      await seat.send(CTRL_C);
      await linked.settle();
      expect(seat.view.head.standing?.watches).toEqual([]);
      expect(notes(seat).at(-1)).toBe('Watch 3 of b.log ended: you stopped it.');
    });

    test('it ends when the file or its folder is gone, not when another file takes its place (FSW-2)', async () => {
      const place = await watched(['one', 'two']);
      const { seat, linked, put, system } = place;
      system.files.seed(`${FOLDER}/sub/c.log`, 'one');
      await seat.command('watch', 'sub/c.log');
      await system.files.remove(`${FOLDER}/sub/c.log`);
      await pass(place, 5_000);
      await put('sub/c.log', 'back again');
      await pass(place, 10_000);
      expect(prompts(seat)).toHaveLength(1);
      await system.files.remove(`${FOLDER}/sub`, { recursive: true });
      await pass(place, 11 * MINUTE);
      expect(notes(seat).at(-1)).toBe('Watch 1 of sub/c.log ended: the file is gone.');
      await linked.settle();
    });

    test('a loop and a goal take each other’s place and end all watches; neither stands beside a watch (LOOP-6)', async () => {
      const place = await watched(['one']);
      const { seat, linked } = place;
      await seat.command('watch', 'a.log');
      await seat.command('loop', '1h look');
      await linked.settle();
      expect(notes(seat)).toContain('Watch 1 of a.log ended: a loop takes their place.');
      expect(await seat.command('watch', 'a.log')).toMatchObject({
        accepted: false,
        refusal: { identifier: 'loop-or-goal' },
      });
      await seat.command('goal', 'done');
      await linked.settle();
      expect(notes(seat)).toContain('The loop ended after one time: a goal takes its place.');
      expect(seat.view.head.standing).toMatchObject({ loop: null, goal: { text: 'done' }, watches: [] });
      await seat.command('loop', '1h look');
      await linked.settle();
      expect(notes(seat)).toContain('The goal ended: a loop takes its place.');
      expect(seat.view.head.standing).toMatchObject({ loop: { text: 'look' }, goal: null });
    });
  });
