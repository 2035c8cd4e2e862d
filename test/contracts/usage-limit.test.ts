// A turn that meets a usage limit sleeps until it is lifted and goes on by itself, also over a restart.
import { expect, test } from 'bun:test';
import { createTools } from '../../src/core/tools/registry.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import type { HouseOptions } from '../support/controller.ts';
import { CTRL_C, ESCAPE, openHouse, SESSION_FOLDER, transcriptOf } from '../support/controller.ts';
import { type ScriptEntry, scriptedModel } from '../support/script.ts';

const HOUR = 3_600_000;
const FILE = `${SESSION_FOLDER}/journal.jsonl`;
const limited = (ms: number): ScriptEntry => ({
  failure: {
    category: 'rate-limited',
    retryable: true,
    retryAfterMs: ms,
    message: 'The usage limit of the account is reached',
  },
});
const sleeps = (count: number): NonNullable<HouseOptions['usage']> => ({
  state: null,
  limits: { session: null, day: null },
  sleeps: count,
  fast: false,
});

test('C4: it sleeps until the time the service named, counts down, and goes on in the same turn', async () => {
  const system = createMemorySystem();
  const model = scriptedModel([[{ tool: 'look', input: { at: 'a' } }], limited(2 * HOUR), 'done']);
  const house = await openHouse({ system, script: model, usage: sleeps(1) });
  const seat = house.seat('one');
  const began = system.clock.now();
  await seat.say('work');
  const view = await seat.until(({ activity }) => activity.phase === 'sleeping');
  expect(view.activity.retry?.at).toBe(began + 2 * HOUR);
  await system.clock.advance(2 * HOUR - 1_000);
  expect(model.requests).toHaveLength(2);
  await system.clock.advance(1_000);
  await house.idle();
  expect(model.requests).toHaveLength(3);
  expect(transcriptOf(seat.view)).toEqual([
    'prompt: work',
    'call Look a: ok',
    'note usage-limit',
    'model: done',
    'end: done',
  ]);
});

test.each([
  ['Esc', ESCAPE],
  ['Ctrl-C', CTRL_C],
])('%s ends the sleep at once, and what waits stays where it is', async (_key, cancel) => {
  const model = scriptedModel([limited(HOUR), 'later']);
  const house = await openHouse({ script: model, usage: sleeps(1) });
  const seat = house.seat('one');
  await seat.say('work');
  await seat.until(({ activity }) => activity.phase === 'sleeping');
  await seat.say('then this', 'queue');
  await seat.send(cancel);
  await house.idle();
  expect(model.requests).toHaveLength(1);
  expect(seat.view.activity.phase).toBe('idle');
  expect(seat.view.queue).toMatchObject({ paused: { because: 'stopped' }, rows: [{ text: 'then this' }] });
  await seat.send({ type: 'queue-resume' });
  await house.idle();
  expect(transcriptOf(seat.view).slice(-3)).toEqual(['prompt: then this', 'model: later', 'end: done']);
});

test.each(['closed', 'killed'])(
  'a host that was %s sleeps on when it is back, and what waited goes after it',
  async (how) => {
    const first = await openHouse({ script: scriptedModel([limited(3 * HOUR)]), usage: sleeps(1) });
    const seat = first.seat('one');
    const began = first.system.clock.now();
    await seat.say('work');
    await seat.until(({ activity }) => activity.phase === 'sleeping');
    await seat.say('then this', 'queue');
    if (how === 'closed') await first.session.close();
    // What a killed one leaves behind is what is on the disk.
    const journal = await first.system.files.read(FILE);
    const system = createMemorySystem();
    await system.files.makeFolder(SESSION_FOLDER, 0o700);
    await system.files.writeAtomic(FILE, journal, { mode: 0o600, flush: true });
    await system.clock.advance(HOUR);

    const model = scriptedModel(['done', 'and that']);
    const house = await openHouse({ system, script: model, usage: sleeps(1) });
    const again = house.seat('one');
    const view = await again.until(({ activity }) => activity.phase === 'sleeping');
    expect(view.activity.retry?.at).toBe(began + 3 * HOUR);
    expect(view.queue).toMatchObject({ paused: null, rows: [{ text: 'then this' }] });
    expect(model.requests).toHaveLength(0);
    await system.clock.advance(began + 3 * HOUR - system.clock.now() - 1);
    expect(model.requests).toHaveLength(0);
    await system.clock.advance(1);
    await house.idle();
    expect(model.requests).toHaveLength(2);
    expect(transcriptOf(again.view).slice(-5)).toEqual([
      'model: done',
      'end: done',
      'prompt: then this',
      'model: and that',
      'end: done',
    ]);
    // Once is enough: nothing sleeps after the next restart.
    await house.session.close();
    const third = await openHouse({ system, script: scriptedModel([]), usage: sleeps(1) });
    await third.idle();
    expect(third.seat('one').view.activity.phase).not.toBe('sleeping');
  },
);

test('it sleeps as often as it may and no more; nobody to watch it, or a wait nobody named, ends the turn as ever', async () => {
  const bound = scriptedModel([limited(HOUR)], { repeatLast: true });
  const house = await openHouse({ script: bound, usage: sleeps(2) });
  await house.seat('one').say('work');
  await house.session.read({ type: 'status' });
  await house.system.clock.advance(5 * HOUR);
  await house.idle();
  expect(bound.requests).toHaveLength(3);

  for (const [entry, more] of [
    [limited(HOUR), { canAsk: false }],
    [limited(100 * 24 * HOUR), {}],
    [{ failure: { category: 'quota-exhausted' } }, {}],
  ] as const) {
    const model = scriptedModel([entry], { repeatLast: true });
    const other = await openHouse({ script: model, usage: sleeps(2), ...more });
    const seat = other.seat('one');
    await seat.say('work');
    await other.idle();
    expect(model.requests).toHaveLength(1);
    expect(seat.view.transcript.items.at(-1)).toMatchObject({ kind: 'turn-end', reason: 'failed' });
  }
});

test('a turn that had slept and worked on is not begun again by itself after a crash', async () => {
  const first = await openHouse({
    script: scriptedModel([limited(HOUR), [{ tool: 'look', input: { at: 'a', ms: 10 * HOUR } }]]),
    usage: sleeps(1),
  });
  const seat = first.seat('one');
  await seat.say('work');
  await seat.until(({ activity }) => activity.phase === 'sleeping');
  await first.system.clock.advance(HOUR);
  await seat.until(({ activity }) => activity.phase === 'tools');
  const journal = await first.system.files.read(FILE);
  const system = createMemorySystem();
  await system.files.makeFolder(SESSION_FOLDER, 0o700);
  await system.files.writeAtomic(FILE, journal, { mode: 0o600, flush: true });
  await system.clock.advance(3 * HOUR);
  const model = scriptedModel([], { repeatLast: true });
  const house = await openHouse({ system, script: model, usage: sleeps(1) });
  await house.seat('one').until(({ head }) => head.ready);
  await house.idle();
  expect(model.requests).toHaveLength(0);
});

test('a turn whose delegate slept when the host was killed sleeps until then, too', async () => {
  const delegated = (request: { system: readonly string[] }) => /You are d\d+, a /.test(request.system.join(''));
  const first = await openHouse({
    script: scriptedModel([
      [{ tool: 'spawn_agent', input: { kind: 'reader', task: 'Look.', why: 'to know' } }],
      limited(3 * HOUR),
    ]),
    tools: createTools(),
    usage: sleeps(1),
  });
  const seat = first.seat('one');
  const began = first.system.clock.now();
  await seat.say('work');
  await first.session.read({ type: 'status' });
  await first.system.clock.advance(1_000);
  const journal = await first.system.files.read(FILE);
  const system = createMemorySystem();
  await system.files.makeFolder(SESSION_FOLDER, 0o700);
  await system.files.writeAtomic(FILE, journal, { mode: 0o600, flush: true });
  await system.clock.advance(HOUR);
  const model = scriptedModel(['done'], { repeatLast: true });
  const house = await openHouse({ system, script: model, tools: createTools(), usage: sleeps(1) });
  const again = house.seat('one');
  const view = await again.until(({ activity }) => activity.phase === 'sleeping');
  const at = view.activity.retry?.at ?? 0;
  expect(at).toBeWithin(began + 3 * HOUR, began + 3 * HOUR + 1_000);
  expect(model.requests).toHaveLength(0);
  await system.clock.advance(2 * HOUR);
  await house.idle();
  expect(model.requests.map(delegated)).toEqual([false]);
});
