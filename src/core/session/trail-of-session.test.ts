import { expect, test } from 'bun:test';
import { openHouse, SESSION_FOLDER } from '../../../test/support/controller.ts';
import { scriptedModel } from '../../../test/support/script.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import type { AuditLine } from '../policy/audit.ts';
import { createTrail } from './trail.ts';

test('SBX-1: how commands are confined is said as soon as it is known, in the header and in the status, and then stays', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const house = await openHouse({ script: scriptedModel(['hello']), sandbox: promise });
  const seat = house.seat('one');
  // Prompts do not wait for it.
  await seat.say('hi');
  await house.idle();
  expect(seat.view.head.sandbox).toBe('being checked');
  resolve('standard (bubblewrap): all is well');
  await house.settle();
  expect(seat.view.head.sandbox).toBe('standard (bubblewrap): all is well');
  const status = await house.session.read({ type: 'status' });
  expect(status.ok && status.value.rows).toContainEqual({
    name: 'Sandbox',
    value: 'standard (bubblewrap): all is well',
  });
});

test('AUD-1, AUD-2: a turn that has ended left its mode, what was said, its decision and who answered in the trail', async () => {
  const system = createMemorySystem();
  const heard: AuditLine[] = [];
  const trail = createTrail({
    ...system,
    file: `${SESSION_FOLDER}/audit.jsonl`,
    onLine: (line) => void heard.push(line),
  });
  const script = scriptedModel([[{ tool: 'do', input: { line: 'make it', why: 'x' } }], 'done']);
  const house = await openHouse({ script, system, trail });
  const seat = house.seat('one');
  await seat.say('do it');
  await seat.until((view) => view.asks.length > 0);
  await seat.send({ type: 'answer', ask: seat.view.asks[0]!.id, answer: { kind: 'choice', choice: 'no' } });
  await house.idle();
  const answer = await house.session.read({ type: 'trail', from: null, count: 100 });
  if (!answer.ok) throw new Error(answer.refusal.message);
  const events = answer.value.rows.map(({ event }) => event);
  for (const event of ['session', 'said', 'turn', 'decision', 'answer', 'answered']) expect(events).toContain(event);
  expect(answer.value.rows.find(({ event }) => event === 'turn')?.text).toBe('turn 1 began in mode ask');
  expect(answer.value.rows.find(({ event }) => event === 'answered')?.text).toBe('question closed by one');
  expect(answer.value.rows.filter(({ refused }) => refused).map(({ event }) => event)).toEqual(['answer']);
  expect(heard).toHaveLength(events.length);
  await system.clock.runUntil(house.session.close());
  const lines = new TextDecoder()
    .decode(await system.files.read(`${SESSION_FOLDER}/audit.jsonl`))
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(heard.length);
});
