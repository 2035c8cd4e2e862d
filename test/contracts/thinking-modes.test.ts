import { expect, test } from 'bun:test';
import { openHouse, type Seat, transcriptOf } from '../support/controller.ts';
import { gate, scriptedModel } from '../support/script.ts';
import { flashes } from '../support/what-was-said.ts';

const command = (seat: Seat, ref: string, argument: string) =>
  seat.send({ type: 'command', ref, name: 'thinking', argument });

const READ = { tool: 'read_file', input: { path: 'a.txt' } } as const;

test('a mode holds at once in the middle of a turn, and for what is asked from the next request on (SC-19.9, SC-19.14, SC-27.1)', async () => {
  const saved: unknown[] = [];
  const held = gate();
  const thought = { thinking: 'why', opaque: { signature: 's' } };
  const model = scriptedModel([{ parts: [thought, READ], gate: held.opened }, [thought, 'a'], 'b', 'c']);
  const house = await openHouse({
    script: model,
    saveDefaults: async (values) => {
      saved.push(values);
      return true;
    },
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  expect(seat.view.head.thinking).toBe('transcript');
  await seat.say('one');
  await model.received(1);
  expect(await command(seat, 't1', 'off')).toMatchObject({ accepted: true });
  expect(seat.view.head.thinking).toBe('off');
  expect(seat.view.activity.phase).not.toBe('idle');
  held.open();
  await house.idle();
  await seat.send({ type: 'set-thinking', mode: 'status' });
  await seat.say('two');
  await house.idle();
  expect(model.requests.map(({ readableThinking }) => readableThinking)).toEqual([undefined, false, undefined]);
  // Nothing is lost: what was thought meanwhile is in the journal, and goes back to the model that thought it.
  expect(transcriptOf(seat.view).filter((line) => line.startsWith('thinking'))).toEqual([
    'thinking: why',
    'thinking: why',
  ]);
  expect(JSON.stringify(model.requests[2]!.messages).split('"signature":"s"')).toHaveLength(3);
  expect(saved).toEqual([{ thinking: 'off' }, { thinking: 'status' }]);
});

test('a mode nobody here knows is ignored as an intent and refused as a command; alone it says what holds (SC-19.9)', async () => {
  const saved: unknown[] = [];
  const house = await openHouse({
    script: scriptedModel([]),
    settings: { effort: 'default', retries: 5, stallMs: 120_000, thinking: 'status' },
    saveDefaults: async (values) => {
      saved.push(values);
      return false;
    },
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  expect(seat.view.head.thinking).toBe('status');
  expect(await seat.send({ type: 'set-thinking', mode: 'sideways' })).toMatchObject({ accepted: true });
  expect(await command(seat, 't1', 'sideways')).toMatchObject({
    accepted: false,
    refusal: { identifier: 'argument-unknown' },
  });
  expect(seat.view.head.thinking).toBe('status');
  expect(saved).toEqual([]);
  expect(flashes(seat)).toEqual([]);
  await command(seat, 't2', '');
  expect(flashes(seat)).toEqual(['The newest line of thinking is shown on the box while it streams.']);
  // A default that cannot be saved is said, and the mode holds here all the same.
  await command(seat, 't3', 'off');
  expect(seat.view.head.thinking).toBe('off');
  expect(flashes(seat).at(-1)).toBe('Thinking is not shown. It applies only here: the default could not be saved.');
});

const OWN = 'http://pat:secret@127.0.0.1:3456/v1?key=k';
const PLAIN = 'http://127.0.0.1:3456/v1';
const readable = { thinking: 'because', opaque: { signature: 'a' } };
const hidden = { thinking: '', opaque: { signature: 'b' } };

async function thinkingRow(house: Awaited<ReturnType<typeof openHouse>>): Promise<string | undefined> {
  const status = await house.session.read({ type: 'status' });
  return status.ok ? status.value.rows.find(({ name }) => name === 'Thinking')?.value : undefined;
}

test('by way of an address of one’s own: not known, then forwarded or not, each in its words; nothing is said of other models (SC-19.15)', async () => {
  const TWO = { provider: 'other', model: 'two' } as const;
  const SIMPLE = { provider: 'script', model: 'simple' } as const;
  const plain = scriptedModel(['x'], { ref: TWO });
  const house = await openHouse({
    script: scriptedModel([
      [readable, 'a'],
      [hidden, 'b'],
    ]),
    others: [plain, scriptedModel(['y'], { ref: SIMPLE, facts: { thinking: false } })],
    addressOf: (provider) => (provider === 'script' ? OWN : null),
    saveDefaults: async () => true,
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  await command(seat, 't1', 'status');
  expect(flashes(seat).at(-1)).toContain(`at ${PLAIN} forwards thinking is not known`);
  expect(flashes(seat).at(-1)).toContain('This changes only what is shown.');
  expect(await thinkingRow(house)).toBe(`forwarded by ${PLAIN}: unknown`);
  await seat.say('one');
  await house.idle();
  await command(seat, 't2', 'transcript');
  expect(flashes(seat).at(-1)).toContain('forwards it, so it will appear.');
  expect(await thinkingRow(house)).toBe(`forwarded by ${PLAIN}: yes`);
  await seat.say('two');
  await house.idle();
  await command(seat, 't3', '');
  expect(flashes(seat).at(-1)).toMatch(
    /None will appear: .*\(http:\/\/127\.0\.0\.1:3456, .*for everybody who uses it\./,
  );
  expect(await thinkingRow(house)).toBe(`forwarded by ${PLAIN}: no`);
  await command(seat, 't4', 'off');
  expect(flashes(seat).at(-1)).toBe('Thinking is not shown.');
  await seat.send({ type: 'set-model', model: TWO, effort: null });
  await command(seat, 't5', 'status');
  expect(flashes(seat).at(-1)).toBe('The newest line of thinking is shown on the box while it streams.');
  expect(await thinkingRow(house)).toBeUndefined();
  // Nor of one that has no thinking to forward, by way of the same address.
  await seat.send({ type: 'set-model', model: SIMPLE, effort: null });
  await command(seat, 't6', 'status');
  expect(flashes(seat).at(-1)).toBe('The newest line of thinking is shown on the box while it streams.');
  expect(await thinkingRow(house)).toBeUndefined();
});

test('that thinking does not come through is warned of once, never while it is off nor at the vendor’s own address (SC-19.10)', async () => {
  const warnings = (seat: Seat) =>
    seat.view.transcript.items.filter((item) => item.kind === 'note' && item.identifier === 'thinking-not-forwarded');
  const house = await openHouse({
    script: scriptedModel([[hidden, 'a']], { repeatLast: true }),
    addressOf: () => OWN,
    settings: { effort: 'default', retries: 5, stallMs: 120_000, thinking: 'off' },
    saveDefaults: async () => true,
  });
  const seat = house.seat('one');
  const counts: number[] = [];
  for (const mode of ['off', 'status', 'transcript', 'status']) {
    await command(seat, mode, mode);
    await seat.say(`with ${mode}`);
    await house.idle();
    await house.settle();
    counts.push(warnings(seat).length);
  }
  expect(counts).toEqual([0, 1, 1, 1]);
  expect(JSON.stringify(warnings(seat))).not.toContain('secret');
  const direct = await openHouse({ script: scriptedModel([[hidden, 'a']], { repeatLast: true }) });
  const other = direct.seat('one');
  await other.say('go');
  await direct.idle();
  await direct.settle();
  expect(warnings(other)).toHaveLength(0);
});
