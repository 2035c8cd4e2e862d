// What is known of models is learned beside everything else: a session stands and works before, and without it.
import { expect, test } from 'bun:test';
import { learnLater } from '../../src/cli/open-models.ts';
import { createModels } from '../../src/core/models/catalog.ts';
import { createFreshFacts } from '../../src/core/models/facts/fresh-facts.ts';
import { createMemoryEnvironment } from '../../src/system/memory/environment.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { openHouse } from '../support/controller.ts';
import { gate, scriptedModel } from '../support/script.ts';

const STATE = '/state/houston';
const LEARNED = { limit: { context: 777_000, output: 9_000 }, cost: { input: 1, output: 2 } };

for (const [what, kept] of [
  ['missing', null],
  ['damaged', '{damaged'],
  ['of another kind', '[1]'],
] as const)
  test(`a catalogue that is ${what} is loaded anew in the background, and nothing of the start waits for it (ST-14)`, async () => {
    const system = createMemorySystem();
    if (kept !== null) {
      await system.files.makeFolder(STATE, 0o700);
      await system.files.createNew(`${STATE}/models.json`, new TextEncoder().encode(kept), 0o600);
    }
    const held = gate();
    let asked = 0;
    const network = {
      fetch: (async (url: unknown) => {
        if (!String(url).includes('models.dev')) return new Response('no', { status: 404 });
        asked++;
        await held.opened;
        return Response.json({ openai: { models: { 'gpt-next': LEARNED } } });
      }) as never,
    };
    const fresh = createFreshFacts({ ...system, network, state: STATE, providers: ['openai'] });
    const models = createModels({
      environment: createMemoryEnvironment({ variables: { OPENAI_API_KEY: 'sk-x' } }),
      network,
      clock: system.clock,
      images: system.images,
      settings: { model: 'openai:gpt-next', providers: {} },
      fresh,
    });
    const house = await openHouse({ script: scriptedModel(['never asked']), models, system });
    learnLater(system, models, { updateCheck: true } as never);
    const seat = house.seat('one');
    await house.idle();
    expect(seat.view.head).toMatchObject({ ready: true, startupProblem: null });
    expect(asked).toBe(0);
    await system.clock.advance(3_000);
    expect(asked).toBe(1);
    // It still hangs: what a person does goes on.
    expect((await seat.say('ls', 'shell')).accepted).toBe(true);
    await house.idle();
    expect(seat.outcome('one-1')?.state).toBe('done');
    const known = (): number | null | undefined =>
      models.list().find(({ ref }) => ref.provider === 'openai' && ref.model === 'gpt-next')?.facts.contextWindow;
    expect(known()).not.toBe(777_000);
    held.open();
    await system.clock.settle();
    expect(known()).toBe(777_000);
    expect(system.files.textOf(`${STATE}/models.json`)).toContain('gpt-next');
  });
