// What a session shows of itself, over every link: what is kept in the transcript and what passes, what a signal means,
// what a screen is told before anything is known.
import { describe, expect, test } from 'bun:test';
import type { Query } from '../../src/protocol/query.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { ESCAPE, lookTool, scriptedLine, transcriptOf } from '../support/controller.ts';
import { LINKS, type LinkedSeat, openLinked } from '../support/linked-house.ts';
import { gate, type ScriptEntry, scriptedModel } from '../support/script.ts';

for (const kind of LINKS)
  describe(kind, () => {
    const open = async (entries: readonly ScriptEntry[], options: Partial<Parameters<typeof openLinked>[1]> = {}) => {
      const system = createMemorySystem();
      const model = scriptedModel(entries, { repeatLast: true, clock: system.clock });
      const linked = await openLinked(kind, {
        script: model,
        system,
        tools: [lookTool],
        runOwnLine: scriptedLine(system.clock),
        ...options,
      });
      const seat = await linked.sit('one');
      return { linked, seat, model, system };
    };
    const kinds = (seat: LinkedSeat, from = 0): string[] => [
      ...new Set(seat.changes.slice(from).map(({ type }) => type)),
    ];

    test('prompts, notes, warnings, stops, results and shell lines stay in the transcript; a flash passes (SC-27.3)', async () => {
      const { linked, seat } = await open([
        [{ tool: 'look', input: { at: 'a' }, call: 'c1' }],
        'done',
        [{ wait: 60_000 }],
      ]);
      await seat.say('look');
      await linked.idle();
      await seat.say('false', 'shell');
      await linked.idle();
      await seat.say('wait');
      await linked.settle();
      await seat.send(ESCAPE);
      await linked.idle();
      await seat.command('loop', '1h again');
      await linked.settle();
      await seat.command('loop', 'stop');
      const before = transcriptOf(seat.view).length;
      await seat.command('rename');
      await linked.settle();
      expect(seat.changes.at(-1)).toMatchObject({ type: expect.stringMatching(/flash|outcome/) });
      expect(seat.changes.some(({ type }) => type === 'flash')).toBe(true);
      expect(transcriptOf(seat.view)).toHaveLength(before);
      const rows = transcriptOf(seat.view);
      expect(rows).toContain('prompt: look');
      expect(rows).toContain('call Look a: ok');
      expect(rows).toContain('shell: false');
      expect(rows).toContain('end: stopped');
      expect(rows).toContain('note loop-ended');
      const line = seat.view.transcript.items.find((item) => item.kind === 'call' && item.title.includes('false'));
      // The line, what it printed, that it failed, and how long it took.
      expect(line).toMatchObject({
        display: { kind: 'terminal', command: 'false', exit: 1, tail: 'false ran\n' },
        duration: expect.any(Number),
      });
    });

    test('a turn is begun, streams, is tried again and ends; what a call prints is shown while it runs (SC-27.4)', async () => {
      const { linked, seat, system } = await open([
        { parts: ['half'], failure: { category: 'overloaded', retryable: true } },
        'whole',
      ]);
      await seat.say('go');
      await linked.settle();
      expect(seat.view.activity).toMatchObject({ phase: 'retrying', turn: 1, retry: { attempt: expect.any(Number) } });
      await system.clock.advance(60_000);
      await linked.settle();
      const deltas = seat.changes.flatMap((change) => (change.type === 'delta' ? [change.text] : []));
      expect(deltas.join('')).toContain('half');
      expect(kinds(seat)).toContain('live-end');
      expect(transcriptOf(seat.view)).toEqual(['prompt: go', 'model: whole', 'end: done']);
      expect(seat.view.live).toBeNull();
      await seat.say('sleep 3', 'shell');
      await linked.settle();
      await system.clock.advance(3_000);
      await linked.settle();
      expect(kinds(seat)).toContain('call-output');
    });

    test('a command that waits is told where it stands: waiting, begun, over; one of the terminal’s own is handed back and awaited (SC-27.5)', async () => {
      const held = gate();
      const { linked, seat } = await open([{ parts: ['one'], gate: held.opened }, 'two']);
      await seat.say('work');
      await linked.settle();
      await seat.command('undo');
      await seat.command('theme', 'dark', true);
      await seat.say('after', 'queue');
      expect([seat.states(2), seat.states(3)]).toEqual([['waiting'], ['waiting']]);
      held.open();
      await linked.settle();
      expect(seat.states(2)).toEqual(['waiting', 'started', 'done']);
      expect(seat.changes).toContainEqual({
        type: 'your-turn',
        client: 'one',
        ref: 'one-3',
        name: 'theme',
        argument: 'dark',
      });
      expect(seat.states(4)).toEqual(['waiting']);
      await seat.send({ type: 'command-done', ref: 'one-3' });
      await linked.idle();
      expect(seat.states(3).at(-1)).toBe('done');
      expect(seat.states(4).at(-1)).toBe('done');
    });

    test('a caller without a screen hears when its words begin, what became of them, and that the session ended (SC-27.8)', async () => {
      const { linked, seat } = await open([{ failure: { category: 'request-rejected' } }], { canAsk: false });
      await seat.say('one');
      await seat.say('two', 'queue');
      await linked.idle();
      expect(seat.states(1)).toEqual(['waiting', 'started', 'failed']);
      expect(seat.states(2)).toEqual(['waiting', 'dropped']);
      await linked.house.session.close();
      await linked.settle();
      expect(seat.changes.at(-1)).toMatchObject({ type: 'closed', why: 'ended' });
    });

    test('what is not there is empty or null and never missing; saving is on or says why not (SC-27.9, SC-27.12)', async () => {
      const { linked, seat } = await open(['a']);
      const { head } = seat.view;
      for (const key of ['session', 'title', 'folder', 'version', 'sandbox', 'effort', 'mode'] as const)
        expect(typeof head[key]).toBe('string');
      expect(head).toMatchObject({ title: '', pendingModel: null, startupProblem: null, notSaved: null });
      expect(head.model).toEqual({ provider: 'script', model: 'one' });
      expect(head.contextTokens).toBeNull();
      for (const command of head.commands)
        expect(command).toMatchObject({
          name: expect.any(String),
          argument: expect.any(String),
          description: expect.any(String),
        });
      const choices = await linked.house.session.read({ type: 'complete-argument', command: 'effort', typed: 'xh' });
      expect(choices).toEqual({ ok: true, value: { choices: [{ value: 'xhigh', description: '' }] } });
      // One that knows nothing of its arguments offers none, and that is no error.
      const none = await linked.house.session.read({ type: 'complete-argument', command: 'no-such', typed: '' });
      expect(none).toEqual({ ok: true, value: { choices: [] } });
      const unsaved = await open(['a'], { notSaved: 'started with --no-save' });
      expect(unsaved.seat.view.head.notSaved).toBe('started with --no-save');
      const failed = await open(['a'], { problem: { identifier: 'no-model', message: 'none' } });
      expect(failed.seat.view.head).toMatchObject({
        model: null,
        ready: false,
        startupProblem: { identifier: 'no-model' },
      });
    });

    test('each signal means one thing: the head moved, an entry came, or another branch is shown (SC-27.11)', async () => {
      const { linked, seat } = await open(['one', 'two']);
      await seat.say('first');
      await linked.idle();
      await seat.say('second');
      await linked.idle();
      let from = seat.changes.length;
      await seat.send({ type: 'set-model', model: null, effort: 'high' });
      await linked.settle();
      expect(kinds(seat, from)).toContain('head');
      expect(kinds(seat, from)).not.toContain('branch');
      from = seat.changes.length;
      await seat.command('rename', 'A name');
      await linked.settle();
      const entries = seat.changes
        .slice(from)
        .flatMap((change) => (change.type === 'entry' ? [change.entry.kind] : []));
      expect(entries).toEqual(['name']);
      expect(kinds(seat, from)).not.toContain('branch');
      from = seat.changes.length;
      const { generation } = seat.view.transcript;
      await seat.command('undo');
      await linked.idle();
      expect(kinds(seat, from)).toContain('branch');
      expect(seat.view.transcript.generation).toBe(generation + 1);
      expect(transcriptOf(seat.view)).toEqual(['prompt: first', 'model: one', 'end: done']);
    });

    test('whoever attaches is shown the conversation whole; another branch, a question beside and what belongs to no turn each come as themselves (SC-27.6)', async () => {
      const { linked, seat, system } = await open(['one', 'two', 'BESIDE'], {
        runOwnLine: scriptedLine(),
      });
      // The commands there are, and what each takes.
      expect(seat.view.head.commands.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['model', 'undo', 'btw', 'status']),
      );
      await seat.say('first');
      await linked.idle();
      await seat.say('second');
      await linked.idle();
      const late = await linked.sit('late');
      expect(late.changes[0]).toMatchObject({ type: 'snapshot' });
      expect(late.view.transcript).toEqual(seat.view.transcript);

      let from = seat.changes.length;
      await seat.command('undo');
      await linked.idle();
      expect(kinds(seat, from)).toContain('branch');
      expect(transcriptOf(late.view)).toEqual(['prompt: first', 'model: one', 'end: done']);

      from = late.changes.length;
      await seat.command('btw', 'why?');
      await late.until(({ asides }) => asides[0]?.exchanges[0]?.state === 'answered');
      const asides = late.changes.slice(from).flatMap((change) => (change.type === 'aside' ? [change.aside] : []));
      expect(asides.map(({ exchanges }) => exchanges[0]?.state)).toEqual(
        expect.arrayContaining(['running', 'answered']),
      );
      expect(asides.at(-1)?.exchanges[0]).toMatchObject({ question: 'why?', answer: 'BESIDE' });
      expect(transcriptOf(late.view)).toEqual(['prompt: first', 'model: one', 'end: done']);

      from = late.changes.length;
      await seat.command('loop', '1h again');
      await linked.settle();
      await seat.command('loop', 'stop');
      await linked.settle();
      const told = late.changes.slice(from).flatMap((change) => (change.type === 'entry' ? [change.entry.kind] : []));
      expect(told).toContain('note');
      expect(late.view.activity.turn).toBeNull();
      await system.clock.settle();
    });

    test('another conversation begins empty, under its own name, and the preview’s replies are replies (SC-27.6)', async () => {
      const { linked, seat } = await open(['one']);
      await seat.say('first words');
      await linked.idle();
      expect(seat.view.head.title).toBe('first words');
      const pilot = scriptedModel(['shown'], { ref: { provider: 'demo', model: 'pilot' } });
      const other = await openLinked(kind, { script: pilot, system: createMemorySystem(), tools: [lookTool] });
      const next = await other.sit('one');
      expect(next.view.head).toMatchObject({ title: '', model: pilot.ref });
      expect(next.view.transcript).toMatchObject({ total: 0, items: [] });
      await next.say('try');
      await other.idle();
      expect(transcriptOf(next.view)).toEqual(['prompt: try', 'model: shown', 'end: done']);
    });

    test('queries change nothing; one nobody knows, or that cannot be answered, is refused in words to show (SC-27.2, SC-27.13)', async () => {
      const { linked, seat } = await open(['one']);
      await seat.say('first');
      await linked.idle();
      const { session } = linked.house;
      const before = JSON.stringify(seat.view);
      for (const query of [{ type: 'status' }, { type: 'tree' }, { type: 'rewind' }] as const)
        expect((await session.read(query)).ok).toBe(true);
      const unknown = await session.read({ type: 'follow_up' } as unknown as Query);
      expect(unknown).toMatchObject({
        ok: false,
        refusal: { identifier: 'unknown-query', message: 'There is no query "follow_up".' },
      });
      const gone = await session.read({ type: 'output', call: 'none', from: 0, count: 1 });
      expect(gone).toMatchObject({ ok: false, refusal: { message: 'There is no result of a call none.' } });
      const broken = await session.read({ type: 'find', words: 5, limit: 9 } as unknown as Query);
      expect(broken).toMatchObject({ ok: false, refusal: { identifier: 'query-failed' } });
      await linked.settle();
      expect(JSON.stringify(seat.view)).toBe(before);
    });
  });
