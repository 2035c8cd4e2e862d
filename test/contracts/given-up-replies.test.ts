// What was read of a reply is not lost because the service went away in the middle of it.
import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { ESCAPE, openHouse, transcriptOf } from '../support/controller.ts';
import { type ScriptStep, scriptedModel } from '../support/script.ts';

const CUT: ScriptStep = { parts: ['half of it'], failure: { category: 'stream-cut', retryable: true } };
const DOWN: ScriptStep = { failure: { category: 'unreachable', retryable: true } };

async function house(...steps: ScriptStep[]) {
  const system = createMemorySystem();
  const house = await openHouse({ system, script: scriptedModel(steps, { repeatLast: true }) });
  const person = house.seat('one');
  await person.say('go');
  await house.settle();
  return { ...house, person };
}

test('stopped while it is tried again: what had been said stays, as what was stopped', async () => {
  for (const steps of [[CUT], [CUT, DOWN]] as const) {
    const { person, session, system, idle } = await house(...steps);
    await system.clock.advance(steps.length === 1 ? 100 : 1_500);
    expect(person.view.activity.phase).toBe('retrying');
    await person.send(ESCAPE);
    await idle();
    const said = person.view.transcript.items.flatMap((item) => (item.kind === 'assistant' ? [item] : []));
    expect(said).toMatchObject([{ text: 'half of it', stop: 'aborted' }]);
    await session.close();
    const again = await openHouse({ system, script: scriptedModel([]) });
    const { view } = again.seat('two');
    await again.settle();
    expect(transcriptOf(view).join('\n')).toContain('half of it');
    await again.session.close();
  }
});

test('when no later try says anything, what the last one said stays with the failure', async () => {
  const { person, idle } = await house(CUT, DOWN);
  await idle();
  const { items } = person.view.transcript;
  expect(items.filter((item) => item.kind === 'assistant')).toMatchObject([{ text: 'half of it', stop: 'failed' }]);
  expect(items.at(-1)).toMatchObject({ kind: 'turn-end', reason: 'failed' });
});

test('a later try that succeeds, or says more, stands alone', async () => {
  const whole = await house(CUT, { parts: ['all of it'] });
  await whole.idle();
  const cut = await house(CUT, { parts: ['other half'], failure: { category: 'stream-cut', retryable: true } });
  await cut.idle();
  for (const [{ person }, text] of [
    [whole, 'all of it'],
    [cut, 'other half'],
  ] as const)
    expect(person.view.transcript.items.filter((item) => item.kind === 'assistant')).toMatchObject([{ text }]);
});
