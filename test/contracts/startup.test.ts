// What a session says as it starts, through the door: the same over every link.
import { describe, expect, test } from 'bun:test';
import { done, refuse } from '../../src/base/refusal.ts';
import { discoverSkills } from '../../src/core/extensions/skills.ts';
import { createJournal } from '../../src/core/journal/file-journal.ts';
import { createModels } from '../../src/core/models/catalog.ts';
import { readInstructions } from '../../src/core/settings/instructions.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { FOLDER, type HouseOptions, transcriptOf } from '../support/controller.ts';
import { LINKS, openLinked } from '../support/linked-house.ts';
import { gate, scriptedModel } from '../support/script.ts';

for (const kind of LINKS) {
  describe(`a session that starts ${kind}`, () => {
    test('without the key of its provider it says so at once, not at the first prompt, which waits (SC-20.3)', async () => {
      const system = createMemorySystem();
      const models = createModels({
        environment: system.environment,
        network: system.network,
        clock: system.clock,
        images: system.images,
        settings: { model: 'anthropic:claude-opus-5-5', providers: {} },
      });
      const linked = await openLinked(kind, { script: scriptedModel([]), system, models });
      const seat = await linked.sit('one');
      await linked.idle();
      expect(seat.view.transcript.total).toBe(0);
      expect(seat.view.head).toMatchObject({ ready: false, startupProblem: { identifier: 'no-credential' } });
      expect(seat.view.head.startupProblem?.message).toContain('ANTHROPIC_API_KEY');
      expect((await seat.say('hello')).accepted).toBe(true);
      await linked.idle();
      expect(seat.view.queue.rows).toMatchObject([{ text: 'hello' }]);
      expect(seat.states(1)).toEqual(['waiting']);
    });

    test('after a failed start the very model that failed is tried again: what was there is shown, what waits runs with all of it (SC-19.6)', async () => {
      const system = createMemorySystem();
      const first = await openLinked(kind, { script: scriptedModel(['KEPT']), system });
      const one = await first.sit('one');
      await one.say('before');
      await first.idle();
      await system.clock.runUntil(first.house.session.close());

      const script = scriptedModel(['AFTER'], { repeatLast: true });
      let there = false;
      const missing = refuse('no-credential', 'SCRIPT_KEY is not set');
      const models: NonNullable<HouseOptions['models']> = {
        parse: () => done(script.ref),
        open: async () => (there ? done(script) : missing),
        list: () => [],
        configured: () => done({ ref: script.ref, from: 'settings' }),
      };
      const again = await openLinked(kind, { script, system, models, saveDefaults: async () => true });
      const two = await again.sit('two');
      await again.idle();
      expect(two.view.head).toMatchObject({ ready: false, startupProblem: { identifier: 'no-credential' } });
      // What was said before stands there all the same.
      expect(transcriptOf(two.view)).toContain('model: KEPT');
      await two.say('waits');
      await again.idle();
      const choose = () => two.send({ type: 'set-model', model: script.ref, effort: null });
      expect(await choose()).toMatchObject({ accepted: false, refusal: { message: 'SCRIPT_KEY is not set' } });
      expect(two.view.head).toMatchObject({ model: null, startupProblem: { identifier: 'no-credential' } });
      there = true;
      expect((await choose()).accepted).toBe(true);
      await again.idle();
      expect(two.view.head).toMatchObject({ ready: true, model: script.ref, startupProblem: null });
      expect(two.view.queue.rows).toEqual([]);
      expect(transcriptOf(two.view).filter((row) => row === 'model: KEPT')).toHaveLength(1);
      expect(transcriptOf(two.view)).toContain('model: AFTER');
      const asked = JSON.stringify(script.requests[0]?.messages);
      for (const words of ['before', 'KEPT', 'waits']) expect(asked).toContain(words);
    });

    test('a session that is closed while it starts waits for what was begun, and begins nothing (SC-20.1)', async () => {
      const system = createMemorySystem();
      const opening = gate();
      const script = scriptedModel(['never']);
      let opened = 0;
      const models: NonNullable<HouseOptions['models']> = {
        parse: () => done(script.ref),
        open: async () => {
          await opening.opened;
          opened++;
          return done(script);
        },
        list: () => [],
        configured: () => done({ ref: script.ref, from: 'settings' }),
      };
      const linked = await openLinked(kind, { script, system, models });
      const seat = await linked.sit('one');
      await seat.say('hello');
      let closed = false;
      const closing = linked.house.session.close().then(() => {
        closed = true;
      });
      await linked.settle();
      expect([opened, closed]).toEqual([0, false]);
      opening.open();
      await system.clock.runUntil(closing);
      expect(opened).toBe(1);
      expect(script.requests).toHaveLength(0);
      expect(seat.changes.at(-1)).toMatchObject({ type: 'closed', why: 'ended' });
      // Nothing is lost: what was said waits, and runs where the session is gone on with.
      const next = scriptedModel(['later']);
      const again = await openLinked(kind, { script: next, system });
      const two = await again.sit('two');
      await again.idle();
      expect(next.requests).toHaveLength(1);
      expect(transcriptOf(two.view)).toEqual(['prompt: hello', 'model: later', 'end: done']);
    });

    test('level and thinking hold from the first request on, and a resumed conversation is told whole (SC-20.1)', async () => {
      const system = createMemorySystem();
      const settings = { effort: 'high', retries: 5, stallMs: 120_000, thinking: 'off' } as const;
      const first = scriptedModel(['one']);
      const begun = await openLinked(kind, { script: first, system, settings });
      const seat = await begun.sit('one');
      await seat.say('a');
      await begun.idle();
      expect(first.requests[0]).toMatchObject({ effort: 'high', readableThinking: false });
      await system.clock.runUntil(begun.house.session.close());
      const second = scriptedModel(['two']);
      const again = await openLinked(kind, { script: second, system, settings });
      const later = await again.sit('two');
      expect(transcriptOf(later.view)).toEqual(['prompt: a', 'model: one', 'end: done']);
      await later.say('b');
      await again.idle();
      expect(second.requests[0]).toMatchObject({ effort: 'high', readableThinking: false });
      expect(second.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    });

    test('what the model is told by files is said once each, skills in one line, then what could not be read; another model says it no second time (SC-20.2, SC-20.13)', async () => {
      const system = createMemorySystem();
      const own = '/home/pat/config/AGENTS.md';
      system.files.seed(own, 'Be kind.');
      system.files.seed(`${FOLDER}/AGENTS.md`, new Uint8Array([0xff, 0xfe, 0x00]));
      for (const [name, text] of [
        ['tidy', 'tidies up'],
        ['ship', 'ships it'],
      ])
        system.files.seed(
          `${FOLDER}/.houston/skills/${name}/SKILL.md`,
          `---\nname: ${name}\ndescription: ${text}\n---\nDo.`,
        );
      const two = scriptedModel(['b'], { ref: { provider: 'other', model: 'two' }, repeatLast: true });
      const place = { config: '/home/pat/config', project: FOLDER };
      const options = {
        script: scriptedModel(['a'], { repeatLast: true }),
        others: [two],
        system,
        instructions: (trusted: boolean) => readInstructions(system.files, { ...place, trusted }),
        skills: (trusted: boolean) => discoverSkills(system.files, { ...place, trusted }),
        saveDefaults: async () => true,
      };
      const told = { instructions: [own], skills: ['ship', 'tidy'] };
      const first = await openLinked(kind, options);
      const seat = await first.sit('one');
      await first.idle();
      expect(seat.view.head.told).toEqual(told);
      const warnings = (view: View): string[] =>
        view.transcript.items.flatMap((item) => (item.kind === 'note' ? [`${item.level} ${item.text}`] : []));
      const unread = [`warning ${FOLDER}/AGENTS.md can not be read as text: its instructions are left out.`];
      expect(warnings(seat.view)).toEqual(unread);
      const status = await first.house.session.read({ type: 'status' });
      expect(status.ok && status.value.rows).toEqual(
        expect.arrayContaining([
          { name: 'Instructions', value: own },
          { name: 'Skills', value: 'ship, tidy' },
        ]),
      );
      await seat.send({ type: 'set-model', model: two.ref, effort: null });
      await seat.say('go');
      await first.idle();
      expect(warnings(seat.view)).toEqual(unread);
      expect(seat.view.head.told).toEqual(told);
      const asked = JSON.stringify(two.requests[0]?.system);
      for (const words of ['Be kind.', 'tidies up', 'ships it']) expect(asked).toContain(words);
      await system.clock.runUntil(first.house.session.close());
      const again = await openLinked(kind, options);
      const later = await again.sit('later');
      await again.idle();
      expect(warnings(later.view)).toEqual(unread);
      expect(later.view.head.told).toEqual(told);
      // A folder that is both the person's own and the project: its file is named once.
      const both = createMemorySystem();
      both.files.seed(own, 'Be kind.');
      const there = { config: '/home/pat/config', project: '/home/pat/config' };
      const doubled = await openLinked(kind, {
        script: scriptedModel([]),
        system: both,
        instructions: (trusted: boolean) => readInstructions(both.files, { ...there, trusted }),
      });
      const fifth = await doubled.sit('fifth');
      await doubled.idle();
      expect(fifth.view.head.told?.instructions).toEqual([own]);
      // Where nothing is told, nothing is said; and a start without a model has it to say all the same.
      const problem = { identifier: 'no-model', message: 'none' };
      const without = await openLinked(kind, { ...options, system: createMemorySystem(), problem });
      const third = await without.sit('third');
      await without.idle();
      expect(third.view.head).toMatchObject({ model: null, told });
      const bare = await openLinked(kind, { script: scriptedModel([]) });
      const fourth = await bare.sit('fourth');
      await bare.idle();
      expect(fourth.view.head.told).toEqual({ instructions: [], skills: [] });
      expect(warnings(fourth.view)).toEqual([]);
    });

    test('another session leaves the questions of the one before alone: there they are read again, here none is brought in (SC-20.16)', async () => {
      const system = createMemorySystem();
      const first = await openLinked(kind, { script: scriptedModel(['hello', 'BESIDE']), system });
      const one = await first.sit('one');
      await one.say('hi');
      await first.idle();
      await one.command('btw', 'why?');
      await one.until(({ asides: [aside] }) => aside?.exchanges[0]?.state === 'answered');
      await system.clock.runUntil(first.house.session.close());

      const { files, clock, ids } = system;
      const place = { files, clock, ids, folder: '/home/pat/state/other', session: 's2' };
      const begun = {
        kind: 'session',
        version: 1,
        session: 's2',
        folder: FOLDER,
        build: 'test',
        forkedFrom: null,
      } as const;
      const journal = await createJournal({ ...place, first: begun });
      if (!journal.ok) throw new Error(journal.refusal.message);
      const second = await openLinked(kind, { script: scriptedModel(['anew']), system, journal: journal.value });
      const two = await second.sit('two');
      await two.say('begin');
      await second.idle();
      expect(two.view.asides).toEqual([]);
      const before = second.house.journal.leaf;
      const sent = await two.send({ type: 'aside', id: 1, action: 'merge', focus: '', ref: 'm' });
      await second.idle();
      expect(sent.accepted).toBe(false);
      expect(second.house.journal.leaf).toBe(before);
      await system.clock.runUntil(second.house.session.close());

      const again = await openLinked(kind, { script: scriptedModel([]), system });
      const three = await again.sit('three');
      expect(three.view.asides).toMatchObject([
        { exchanges: [{ question: 'why?', answer: 'BESIDE', state: 'answered' }] },
      ]);
      await again.idle();
    });
  });
}
