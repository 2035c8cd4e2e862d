// What a session says as it starts, through the door: the same over every link.
import { describe, expect, test } from 'bun:test';
import { createJournal } from '../../src/core/journal/file-journal.ts';
import { createModels } from '../../src/core/models/catalog.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { FOLDER } from '../support/controller.ts';
import { LINKS, openLinked } from '../support/linked-house.ts';
import { scriptedModel } from '../support/script.ts';

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
