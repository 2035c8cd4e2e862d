// Asking again what was answered, through the door: the same over every link.
import { describe, expect, test } from 'bun:test';
import type { ModelRequest } from '../../src/core/models/model.ts';
import { transcriptOf } from '../support/controller.ts';
import { LINKS, openLinked } from '../support/linked-house.ts';
import { gate, scriptedModel } from '../support/script.ts';

const rolesOf = (request: ModelRequest | undefined): string[] => (request?.messages ?? []).map(({ role }) => role);

for (const kind of LINKS) {
  describe(`/resend ${kind}`, () => {
    test('after an answered turn it has only the answer anew, ahead of what waits, with no new message (SC-14.6, SC-7.6)', async () => {
      const look = [{ tool: 'look', input: { at: 'the yard' } }];
      const model = scriptedModel([look, 'first answer', 'second answer', 'b answered', 'third']);
      const linked = await openLinked(kind, { script: model });
      const seat = await linked.sit('one');
      await linked.idle();
      await seat.say('a');
      await linked.idle();
      await Promise.all([seat.command('resend'), seat.say('b', 'queue')]);
      await linked.idle();
      expect(transcriptOf(seat.view)).toEqual([
        'prompt: a',
        'call Look the yard: ok',
        'resend: a',
        'model: second answer',
        'end: done',
        'prompt: b',
        'model: b answered',
        'end: done',
      ]);
      // What it looked at is not looked at again, and what is asked is what was asked before.
      expect(model.requests[2]?.messages).toEqual(model.requests[1]!.messages);
      expect(rolesOf(model.requests[3])).toEqual(['user', 'assistant', 'results', 'assistant', 'user']);
      // The answer of before is kept on its branch.
      const tree = await linked.house.session.read({ type: 'tree' });
      expect(JSON.stringify(tree)).toContain('first answer');
      // It is the last prompt that counts.
      await seat.command('resend');
      await linked.idle();
      expect(transcriptOf(seat.view).slice(-3)).toEqual(['resend: b', 'model: third', 'end: done']);
    });

    test('with nothing asked, and behind what is no answer to a prompt, it is refused; sent mid-turn it waits (SC-14.6, SC-14.7)', async () => {
      const held = gate();
      const model = scriptedModel(['hello', 'beside', { parts: ['...', { wait: held.opened }] }, 'again']);
      const linked = await openLinked(kind, { script: model });
      const seat = await linked.sit('one');
      await linked.idle();
      await seat.command('resend');
      await linked.idle();
      expect(seat.outcome(1)).toMatchObject({ state: 'refused', messages: [{ identifier: 'nothing-to-retry' }] });
      await seat.say('a');
      await linked.idle();
      await seat.command('btw', 'what else?');
      await seat.until(({ asides }) => asides[0]?.exchanges[0]?.state === 'answered');
      await seat.send({ type: 'aside', id: 1, action: 'merge', focus: '', ref: 'merge' });
      await linked.idle();
      await seat.command('resend');
      await linked.idle();
      expect(seat.outcome(4)).toMatchObject({ state: 'refused', messages: [{ identifier: 'nothing-to-retry' }] });
      expect(model.requests).toHaveLength(2);
      await seat.say('b');
      await seat.until(({ live }) => live !== null);
      await seat.command('resend');
      await linked.settle();
      expect(seat.view.queue.rows).toMatchObject([{ text: '/resend', delivery: 'command' }]);
      held.open();
      await linked.idle();
      expect(transcriptOf(seat.view).slice(-3)).toEqual(['resend: b', 'model: again', 'end: done']);
    });
  });
}
