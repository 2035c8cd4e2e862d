// What holds whatever happens, through the door: the same over every link.
import { describe, expect, test } from 'bun:test';
import type { Failure } from '../../src/protocol/failure.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { CTRL_C, type HouseOptions, SESSION_FOLDER, transcriptOf } from '../support/controller.ts';
import { notesOf } from '../support/jobs-house.ts';
import { LINKS, type LinkedHouse, type LinkedSeat, type LinkKind, openLinked } from '../support/linked-house.ts';
import { gate, type ScriptEntry, type ScriptedModel, scriptedModel } from '../support/script.ts';

async function opened(kind: LinkKind, script: ScriptedModel, more: Partial<HouseOptions> = {}) {
  const linked = await openLinked(kind, { script, ...more });
  const seat = await linked.sit('one');
  await linked.idle();
  return { linked, seat };
}

async function say({ linked, seat }: { linked: LinkedHouse; seat: LinkedSeat }, text: string): Promise<void> {
  await seat.say(text);
  await linked.idle();
}

const live = (view: View): boolean => view.live !== null;
const asides = (seat: LinkedSeat): string[] => seat.view.asides.map(({ exchanges }) => exchanges.at(-1)?.state ?? '');
const phasesOf = (seat: LinkedSeat, from = 0): string[] =>
  seat.changes.slice(from).flatMap((change) => (change.type === 'activity' ? [change.activity.phase] : []));
const other = (replies: readonly ScriptEntry[], facts = {}): ScriptedModel =>
  scriptedModel(replies, { ref: { provider: 'script', model: 'two' }, facts });
const merge = (id: number, ref: string) => ({ type: 'aside', id, action: 'merge', focus: '', ref }) as const;

for (const kind of LINKS) {
  describe(`questions beside the conversation ${kind}`, () => {
    test('Ctrl-C at a turn never stops them; with nothing else running it does, and their number is all that is said (INV-13, SC-8.12, SC-8.3)', async () => {
      const hold = gate();
      const waits = { parts: ['...', { wait: hold.opened }] };
      const { linked, seat } = await opened(kind, scriptedModel(['hello', waits]), { others: [other([waits, waits])] });
      await say({ linked, seat }, 'hi');
      await seat.say('work');
      await seat.until(live);
      await seat.command('btw', '$script:two why?');
      await seat.command('btw', '$script:two and how?');
      await linked.settle();
      await seat.send(CTRL_C);
      await linked.idle();
      expect(transcriptOf(seat.view).at(-1)).toBe('end: stopped');
      expect(asides(seat)).toEqual(['running', 'running']);
      const from = seat.changes.length;
      await seat.send(CTRL_C);
      await linked.idle();
      expect(asides(seat)).toEqual(['stopped', 'stopped']);
      const said = seat.changes.slice(from).flatMap((change) => (change.type === 'flash' ? [change.text] : []));
      expect(said.filter((text) => text.includes('beside the conversation'))).toEqual([
        '2 questions beside the conversation were stopped.',
      ]);
      // Nothing of the session's own was stopped, and nothing says so.
      expect(said.filter((text) => !/^#\d|beside the conversation/.test(text))).toEqual([]);
      expect(phasesOf(seat, from)).toEqual([]);
    });

    test('asked mid-turn its thread becomes a branch and the conversation stays; asked idle, with nothing since, it moves (SC-44.12)', async () => {
      const hold = gate();
      const model = scriptedModel(['hello', { parts: ['...', { wait: hold.opened }] }, 'MID', 'IDLE', 'go on']);
      const { linked, seat } = await opened(kind, model);
      await say({ linked, seat }, 'hi');
      await seat.say('work');
      await seat.until(live);
      await seat.command('btw', 'mid?');
      await seat.until(({ asides: [one] }) => one?.exchanges[0]?.state === 'answered');
      hold.open();
      await linked.idle();
      const before = transcriptOf(seat.view);
      await seat.send(merge(1, 'm1'));
      await linked.idle();
      expect(transcriptOf(seat.view)).toEqual(before);
      const tree = await linked.house.session.read({ type: 'tree' });
      expect(JSON.stringify(tree)).toContain('[btw:] mid?');
      await seat.command('btw', 'idle?');
      await seat.until(({ asides: [, two] }) => two?.exchanges[0]?.state === 'answered');
      await seat.send(merge(2, 'm2'));
      await linked.idle();
      expect(transcriptOf(seat.view).slice(before.length).join()).toContain('IDLE');
      await say({ linked, seat }, 'on');
      const asked = JSON.stringify(model.requests.at(-1)?.messages);
      expect(asked).toContain('IDLE');
      expect(asked).not.toContain('MID');
    });

    test('a level is judged for the model in force as /effort judges it, also by its name; for another by its own (SC-23.16)', async () => {
      const { linked, seat } = await opened(
        kind,
        scriptedModel(['hello'], { facts: { efforts: [], thinking: false } }),
        {
          others: [other(['theirs'], { efforts: ['xhigh'] })],
        },
      );
      await say({ linked, seat }, 'hi');
      const chosen = await seat.command('effort', 'xhigh');
      expect(chosen).toMatchObject({ accepted: false, refusal: { identifier: 'effort-unfitting' } });
      for (const target of ['+xhigh', '$script:one+xhigh'])
        expect(await seat.command('btw', `${target} why?`)).toEqual(chosen);
      expect(seat.view.asides).toEqual([]);
      expect((await seat.command('btw', '$script:two+xhigh why?')).accepted).toBe(true);
      await linked.idle();
      expect(seat.view.asides).toMatchObject([{ effort: 'xhigh', label: 'two+xhigh' }]);
    });

    test('what one failed of is kept with question, status, level and the model that was asked; unsaved nothing is (SC-23.6)', async () => {
      const failed = { failure: { category: 'request-rejected', message: 'no such beta' } } as const;
      for (const notSaved of [null, 'incognito']) {
        const { linked, seat } = await opened(kind, scriptedModel(['hello']), {
          others: [other([failed])],
          notSaved,
        });
        await seat.command('btw', '$script:two+low why?');
        await seat.until(({ asides: [one] }) => one?.exchanges[0]?.state === 'failed');
        await linked.idle();
        const bytes = await linked.house.system.files.read(`${SESSION_FOLDER}/errors.log`).catch(() => null);
        const lines = bytes === null ? [] : new TextDecoder().decode(bytes).trim().split('\n');
        const found = lines.map((text) => JSON.parse(text));
        const asked = { of: 'aside', name: '#1', provider: 'script', model: 'two', effort: 'low' };
        const one = { ...asked, question: 'why?', status: 'failed', message: 'no such beta' };
        expect(found).toMatchObject(notSaved === null ? [one] : []);
        expect(found).toHaveLength(notSaved === null ? 1 : 0);
      }
    });
  });

  describe(`a turn ${kind}`, () => {
    test('a summary and a request are never under way together; what is typed meanwhile waits, and is held when it fails (INV-10)', async () => {
      let open = 0;
      let most = 0;
      const hold = gate();
      const failing = { parts: ['...', { wait: hold.opened }], failure: { category: 'request-rejected' } } as const;
      const inner = scriptedModel([{ parts: ['hello'] }, failing, 'later']);
      const script: ScriptedModel = {
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
      const { linked, seat } = await opened(kind, script);
      await seat.say('hi');
      await seat.command('compact');
      await seat.until(({ activity }) => activity.phase === 'compacting');
      await seat.say('b', 'interrupt');
      await seat.say('c', 'steering');
      await linked.settle();
      expect(inner.requests).toHaveLength(2);
      hold.open();
      await linked.idle();
      expect(seat.view.queue.rows).toMatchObject([
        { text: 'b', held: true },
        { text: 'c', held: true },
      ]);
      expect(inner.requests).toHaveLength(2);
      expect(most).toBe(1);
    });

    test('a compaction inside it: its phase while it goes on, then waiting again; its sentence stands in the transcript (SC-10.2, SC-10.12)', async () => {
      const filler = 'words '.repeat(4_000);
      const full = { input: 19_000 };
      const script = scriptedModel([{ parts: [`did ${filler}`], usage: full }, 'SUMMARY', 'made y'], {
        facts: { contextWindow: 20_000, maxOutput: 1_000 },
      });
      const { linked, seat } = await opened(kind, script);
      await say({ linked, seat }, `X ${filler}`);
      const from = seat.changes.length;
      await say({ linked, seat }, 'Y');
      const activities = seat.changes
        .slice(from)
        .flatMap((change) => (change.type === 'activity' ? [change.activity] : []));
      const phases = activities.map(({ phase }) => phase);
      const at = phases.indexOf('compacting');
      expect(at).toBeGreaterThanOrEqual(0);
      expect(phases.slice(at).find((phase) => phase !== 'compacting')).toBe('waiting');
      expect(
        activities.filter(({ phase }) => phase === 'compacting').every(({ detail }) => !detail.includes('SUMMARY')),
      ).toBe(true);
      expect(transcriptOf(seat.view)).toContain('compaction');
      expect(transcriptOf(seat.view).at(-2)).toBe('model: made y');
    });

    test('a try again says what of and when, and what came of the one before is no part of the next (SC-10.3)', async () => {
      const system = createMemorySystem();
      const cut: Partial<Failure> & Pick<Failure, 'category'> = {
        category: 'stream-cut',
        message: 'the stream was cut',
        retryable: true,
      };
      const script = scriptedModel(
        [{ parts: ['HALF', { wait: 500 }], failure: cut }, [{ text: 'WHOLE', piece: 1, every: 50 }]],
        {
          clock: system.clock,
        },
      );
      const { linked, seat } = await opened(kind, script, { system });
      const seen: string[] = [];
      await seat.say('hi');
      await seat.until((view) => {
        seen.push(view.live?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? '');
        return view.activity.phase === 'retrying';
      });
      expect(seat.view.activity.retry).toMatchObject({ attempt: 2, failure: { message: 'the stream was cut' } });
      await seat.until((view) => {
        seen.push(view.live?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? '');
        return view.activity.phase === 'idle';
      });
      expect(seen).toContain('HALF');
      expect(seen.filter((text) => text.includes('HALF') && text.includes('WHOLE'))).toEqual([]);
      expect(transcriptOf(seat.view)).toEqual(['prompt: hi', 'model: WHOLE', 'end: done']);
      await linked.idle();
    });

    test('from its beginning another window reads it and it has a name, also where it was stopped before anything came (SC-10.6)', async () => {
      const hold = gate();
      const { linked, seat } = await opened(kind, scriptedModel([{ parts: ['...', { wait: hold.opened }] }]));
      await seat.say('mend the fence');
      await seat.until(live);
      const two = await linked.sit('two');
      expect(transcriptOf(two.view)).toEqual(['prompt: mend the fence']);
      expect(two.view.head.title).toContain('mend the fence');
      expect((await linked.house.session.read({ type: 'page', from: 0, count: 9 })).ok).toBe(true);
      hold.open();
      await linked.idle();
      const stopped = await opened(kind, scriptedModel([]));
      await Promise.all([stopped.seat.say('paint the shed'), stopped.seat.send(CTRL_C)]);
      await stopped.linked.idle();
      expect(stopped.seat.view.head.title).toContain('paint the shed');
    });

    test('a session that is opened again is drawn once: one whole View, then only what is new (SC-20.12)', async () => {
      const system = createMemorySystem();
      const first = await opened(kind, scriptedModel(['one', 'two']), { system });
      await say(first, 'a');
      await say(first, 'b');
      const shown = transcriptOf(first.seat.view);
      await system.clock.runUntil(first.linked.house.session.close());
      const again = await openLinked(kind, { script: scriptedModel(['three']), system });
      const seat = await again.sit('two');
      await again.idle();
      expect(transcriptOf(seat.view)).toEqual(shown);
      expect(seat.changes.filter(({ type }) => type === 'snapshot' || type === 'branch')).toHaveLength(1);
      const entries = seat.changes.flatMap((change) => (change.type === 'entry' ? [change.entry.kind] : []));
      expect(entries.filter((one) => one === 'taken' || one === 'assistant')).toEqual([]);
      expect(notesOf(seat.view, 'internal')).toEqual([]);
    });

    test('a clear drops what waits, also before the session is ready, says how many, and leaves nothing shut (SC-8.1)', async () => {
      const hold = gate();
      const script = scriptedModel(['fresh']);
      const linked = await openLinked(kind, {
        script,
        instructions: async () => {
          await hold.opened;
          return [];
        },
      });
      const seat = await linked.sit('one');
      for (const text of ['a', 'b']) await seat.say(text, 'queue');
      await seat.command('compact');
      await linked.settle();
      expect(seat.view.queue.rows).toHaveLength(3);
      const cleared = await seat.send({ type: 'queue-discard', inputs: 'all' });
      expect(cleared).toEqual({ accepted: true, value: { kind: 'discarded', count: 3 } });
      hold.open();
      await linked.idle();
      for (const n of [1, 2, 3]) expect(seat.states(n)).toEqual(['waiting', 'dropped']);
      expect(transcriptOf(seat.view)).toEqual([]);
      await say({ linked, seat }, 'fresh?');
      expect(transcriptOf(seat.view)).toEqual(['prompt: fresh?', 'model: fresh', 'end: done']);
      expect(script.requests).toHaveLength(1);
    });
  });
}
