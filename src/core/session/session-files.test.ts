import { expect, test } from 'bun:test';
import { FOLDER, openHouse } from '../../../test/support/controller.ts';
import { scriptedModel } from '../../../test/support/script.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { createTools } from '../tools/registry.ts';

test('files of a session are those its calls were let read and those its tools changed, each once, before a restart too', async () => {
  const system = createMemorySystem();
  const bytes = (text: string) => new TextEncoder().encode(text);
  await system.files.makeFolder(FOLDER, 0o755);
  for (const name of ['a.txt', 'b.txt'])
    await system.files.writeAtomic(`${FOLDER}/${name}`, bytes('one\n'), { mode: 0o644, flush: false });
  const tools = createTools().filter(({ name }) => ['read_file', 'write_file'].includes(name));
  const read = (path: string) => ({ tool: 'read_file', input: { path, why: 'x' } }) as const;
  const write = (path: string) => ({ tool: 'write_file', input: { path, contents: 'two\n', why: 'x' } }) as const;
  const script = scriptedModel([
    ...[
      [read('a.txt')],
      [read('b.txt'), read('a.txt')],
      [write('new.txt')],
      [write('refused.txt')],
      [read('none.txt')],
    ],
    'done',
  ]);
  const house = await openHouse({ script, system, tools });
  const seat = house.seat('one');
  await seat.say('go');
  for (const choice of ['once', 'no'] as const) {
    await seat.until((view) => view.asks.length > 0);
    await seat.send({ type: 'answer', ask: seat.view.asks[0]!.id, answer: { kind: 'choice', choice } });
    await house.settle();
  }
  await house.idle();
  const files = async (session: typeof house.session) => {
    const answer = await session.read({ type: 'session-files' });
    return answer.ok ? answer.value.files.filter(({ path }) => !path.endsWith('none.txt')) : answer.refusal;
  };
  const expected = [
    { path: `${FOLDER}/a.txt`, changed: false },
    { path: `${FOLDER}/b.txt`, changed: false },
    { path: `${FOLDER}/new.txt`, changed: true },
  ];
  expect(await files(house.session)).toEqual(expected);
  expect(seat.view.head.trail).toBe(true);
  await system.clock.runUntil(house.session.close());
  const again = await openHouse({ script: scriptedModel(['hello']), system, tools });
  expect(await files(again.session)).toEqual(expected);
  // What turns left to look at is known of one that is opened again.
  const later = again.seat('two');
  await again.settle();
  expect(later.view.head.trail).toBe(true);
});
