// A long session that was opened is read for the model before somebody asks, and out of the way of whoever works in it.
import { expect, test } from 'bun:test';
import { createJournal, openJournal } from '../../src/core/journal/file-journal.ts';
import type { Journal } from '../../src/core/journal/journal.ts';
import type { EntryBody } from '../../src/protocol/entry.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { FOLDER, openHouse, SESSION_FOLDER } from '../support/controller.ts';
import { assistantBody, MODEL, textPart, turnEndBody, turnStartBody } from '../support/entries.ts';
import { gate, scriptedModel } from '../support/script.ts';

const TWO = { provider: 'other', model: 'two' } as const;

async function longJournal(system: MemorySystem, turns: number): Promise<void> {
  const place = { files: system.files, clock: system.clock, ids: system.ids, folder: SESSION_FOLDER };
  const first = {
    kind: 'session',
    version: 1,
    session: 's1',
    folder: FOLDER,
    build: 'test',
    forkedFrom: null,
  } as const;
  const made = await createJournal({ ...place, session: 's1', first });
  if (!made.ok) throw new Error(made.refusal.message);
  for (let turn = 1; turn <= turns; turn++) {
    const said: EntryBody = {
      kind: 'input',
      client: 'one',
      ref: `r${turn}`,
      text: `say ${turn}`,
      attachments: [],
      delivery: 'queue',
      target: null,
    };
    const [input] = made.value.append([said]).entries;
    const reply = [turnStartBody(turn), assistantBody(turn, [textPart(`answer ${turn}`)]), turnEndBody(turn)];
    await made.value.append([{ kind: 'taken', input: input!.id, turn, as: 'prompt' }, ...reply]).durable;
  }
  await made.value.close();
}

async function openLong(turns: number, options: Partial<Parameters<typeof openHouse>[0]> = {}) {
  const system = createMemorySystem();
  await longJournal(system, turns);
  const place = { files: system.files, clock: system.clock, ids: system.ids, folder: SESSION_FOLDER };
  const opened = await openJournal(place);
  if (!opened.ok) throw new Error(opened.refusal.message);
  let loaded = 0;
  const journal: Journal = Object.create(opened.value, {
    load: {
      value: (ids: readonly string[]) => {
        loaded += ids.length;
        return opened.value.load(ids as never);
      },
    },
  }) as Journal;
  const script = scriptedModel(['after'], { ref: MODEL, repeatLast: true });
  const house = await openHouse({ system, journal, script, ...options });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  return {
    house,
    seat,
    system,
    script,
    since: () => {
      const count = loaded;
      loaded = 0;
      return count;
    },
  };
}

test('nothing is read while somebody attaches; a moment later all of it, and the first request reads what is new', async () => {
  const { house, seat, system, script, since } = await openLong(400);
  await house.settle();
  expect(since()).toBeLessThan(100);
  await system.clock.advance(10_000);
  expect(since()).toBeGreaterThan(700);
  await seat.say('go on');
  await house.idle();
  expect(since()).toBeLessThan(200);
  const said = JSON.stringify(script.requests[0]?.messages);
  for (const words of ['say 1"', 'answer 1"', 'say 400"', 'answer 400"', 'go on']) expect(said).toContain(words);
});

test('a prompt that comes while it is read goes on from there; another model is read for as well', async () => {
  const two = scriptedModel(['there'], { ref: TWO, repeatLast: true });
  const { house, seat, system, script, since } = await openLong(400, { others: [two], saveDefaults: async () => true });
  since();
  await system.clock.advance(406);
  await seat.say('at once');
  await house.idle();
  // Each entry once: what was read of it already is not read again.
  const read = since();
  expect(read).toBeGreaterThan(1_100);
  expect(read).toBeLessThan(1_250);
  expect(script.requests[0]?.messages).toHaveLength(801);
  await seat.send({ type: 'set-model', model: TWO, effort: null });
  await system.clock.advance(10_000);
  expect(since()).toBeGreaterThan(700);
  await seat.say('and there');
  await house.idle();
  expect(since()).toBeLessThan(200);
  expect(two.requests[0]?.messages).toHaveLength(803);
});

test('it is not begun while a turn runs, nor for a short session, and ends with the session', async () => {
  const held = gate();
  const script = scriptedModel([{ parts: ['a'], gate: held.opened }], { ref: MODEL, repeatLast: true });
  const busy = await openLong(400, { script });
  await busy.seat.say('go on');
  await script.received(1);
  busy.since();
  await busy.system.clock.advance(5_000);
  expect(busy.since()).toBe(0);
  held.open();
  const short = await openLong(50);
  short.since();
  await short.system.clock.advance(5_000);
  expect(short.since()).toBeLessThan(20);
  const closed = await openLong(400);
  await closed.system.clock.advance(403);
  await closed.system.clock.runUntil(closed.house.session.close());
  closed.since();
  await closed.system.clock.advance(5_000);
  expect(closed.since()).toBe(0);
});
