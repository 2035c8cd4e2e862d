// The mode a session was opened in, from the command line or the settings, is its own from then on.
import { describe, expect, test } from 'bun:test';
import { plainRequest } from '../../src/cli/reach-session.ts';
import { asItWas, offersBypass, type SessionRequest } from '../../src/cli/session-request.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { LINKS, openLinked } from '../support/linked-house.ts';
import { scriptedModel } from '../support/script.ts';

for (const kind of LINKS) {
  describe(`opened in a mode ${kind}`, () => {
    for (const mode of ['plan', 'edits'] as const)
      test(`${mode}: gone on with after a crash, or later, it is in that mode and not in a wider one (UP-50)`, async () => {
        const system = createMemorySystem();
        const first = await openLinked(kind, { script: scriptedModel(['a']), system, mode });
        const one = await first.sit('one');
        await one.say('before');
        await first.idle();
        await system.clock.runUntil(first.house.session.close());
        const again = await openLinked(kind, { script: scriptedModel(['b']), system, mode: null });
        const two = await again.sit('two');
        await again.idle();
        expect(two.view.head.mode).toBe(mode);
      });

    test('what the person chose since counts, and bypass is never taken over', async () => {
      const system = createMemorySystem();
      const first = await openLinked(kind, { script: scriptedModel([]), system, mode: 'plan' });
      const one = await first.sit('one');
      await one.send({ type: 'set-mode', mode: 'ask' });
      await first.idle();
      await system.clock.runUntil(first.house.session.close());
      const bypassing = { script: scriptedModel([]), system, mode: 'bypass', bypassOffered: true } as const;
      for (const [options, expected] of [
        [{ script: scriptedModel([]), system, mode: null }, 'ask'],
        [bypassing, 'bypass'],
        [{ script: scriptedModel([]), system, mode: null }, 'ask'],
      ] as const) {
        const house = await openLinked(kind, options);
        const seat = await house.sit('two');
        await house.idle();
        expect(seat.view.head.mode).toBe(expected);
        await system.clock.runUntil(house.house.session.close());
      }
    });
  });
}

test('a session another process goes on with is asked to be as it was: bypass may be chosen, and is not in force unless it was', async () => {
  const system = createMemorySystem();
  const begun: SessionRequest = { ...plainRequest({ folder: '/yard', session: 's1', open: 'resume' }), mode: 'bypass' };
  const first = await openLinked('in process', {
    script: scriptedModel([]),
    system,
    mode: 'bypass',
    bypassOffered: true,
  });
  const one = await first.sit('one');
  await one.send({ type: 'set-mode', mode: 'plan' });
  await first.idle();
  await system.clock.runUntil(first.house.session.close());
  const request = asItWas(asItWas(begun));
  expect(request).toMatchObject({ open: 'resume', mode: null, model: null });
  const options = { script: scriptedModel([]), system, mode: request.mode, bypassOffered: offersBypass(request) };
  const again = await openLinked('in process', options);
  const two = await again.sit('two');
  await again.idle();
  expect(two.view.head).toMatchObject({ mode: 'plan', bypassOffered: true });
  expect(offersBypass(asItWas({ ...begun, mode: 'plan' }))).toBe(false);
});
