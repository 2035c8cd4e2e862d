// What fails is remembered with the session, without a secret.
import { expect, test } from 'bun:test';
import { openJournal } from '../../src/core/journal/file-journal.ts';
import { adviceFor, plainAddress } from '../../src/core/session/error-log.ts';
import { ESCAPE, type HouseOptions, openHouse, SESSION_FOLDER } from '../support/controller.ts';
import { gate, type ScriptEntry, scriptedModel } from '../support/script.ts';

const LOG = `${SESSION_FOLDER}/errors.log`;

async function open(entries: readonly ScriptEntry[], options: Partial<HouseOptions> = {}) {
  const house = await openHouse({
    script: scriptedModel(entries, { repeatLast: true }),
    redact: (text) => text.replaceAll('sk-secret', '[key]'),
    addressOf: () => 'https://pat:sk-secret@models.example.org/v1?key=sk-secret#x',
    ...options,
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  const lines = async (): Promise<Record<string, unknown>[]> => {
    const bytes = await house.system.files.read(LOG).catch(() => null);
    if (bytes === null) return [];
    return new TextDecoder()
      .decode(bytes)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  return { house, seat, lines };
}

/** A tool of the session that has a bug. */
const broken: Partial<HouseOptions> = {
  saveDefaults: async () => {
    throw new TypeError('sk-secret is not a function');
  },
};

test('a command that fails of a bug says so, with where more of it lies; its frames are kept under its name (SC-26.1)', async () => {
  const { house, seat, lines } = await open(['a'], broken);
  const sent = await seat.send({ type: 'command', ref: 'c', name: 'autocompact', argument: 'off' });
  const text = `/autocompact failed: sk-secret is not a function. More in ${LOG}`;
  expect(sent).toMatchObject({ accepted: false, refusal: { identifier: 'internal', message: text } });
  await house.idle();
  expect(seat.view.transcript.items.at(-1)).toMatchObject({ kind: 'note', level: 'error', identifier: 'internal' });
  const [line] = await lines();
  expect(line).toMatchObject({
    of: 'command',
    name: 'autocompact',
    kind: 'TypeError',
    message: '[key] is not a function',
  });
  expect(line?.frames).toContainEqual(expect.stringMatching(/^at /));
  expect((await house.system.files.stat(LOG))?.mode).toBe(0o600);
  await house.session.close();
  const place = { files: house.system.files, clock: house.system.clock, ids: house.system.ids, folder: SESSION_FOLDER };
  const journal = await openJournal(place);
  if (!journal.ok) throw new Error(journal.refusal.message);
  const records = await journal.value.load(journal.value.ofKind('record'));
  expect(JSON.stringify(records)).toContain('"name":"autocompact"');
  expect(JSON.stringify(records)).not.toContain('sk-secret');
});

test('one that waited in line fails alone: the session goes on (SC-26.1)', async () => {
  const { house, seat, lines } = await open(['hello'], {
    saveDefaults: async () => {
      throw new Error("Cannot find module './gone.ts'");
    },
    script: scriptedModel(['hello'], { facts: { fast: true }, repeatLast: true }),
  });
  await seat.send({ type: 'command', ref: 'f', name: 'fast', argument: 'on' });
  await house.idle();
  const [message] = seat.outcome('f')?.messages ?? [];
  expect(message?.text).toContain('/fast failed: ');
  expect(message?.text).toContain('Houston was probably updated');
  expect(await lines()).toMatchObject([{ of: 'command', name: 'fast' }]);
  await seat.say('still there?');
  await house.idle();
  expect(seat.view.transcript.items.some((item) => item.kind === 'assistant' && item.text === 'hello')).toBe(true);
});

test('turns and questions beside them are kept too, each under a run of its own (SC-26.2)', async () => {
  const failure = {
    category: 'request-rejected',
    message: 'The service does not take this',
    detail: 'sk-secret',
  } as const;
  const { house, seat, lines } = await open([{ failure }]);
  await seat.say('one');
  await house.idle();
  await seat.send({ type: 'queue-discard', inputs: 'all' });
  await seat.say('two');
  await house.idle();
  await seat.send({ type: 'command', ref: 'b', name: 'btw', argument: 'why?' });
  await house.idle();
  await house.settle();
  const found = await lines();
  expect(found.map(({ of, name }) => [of, name])).toEqual([
    ['turn', 'turn 1'],
    ['turn', 'turn 2'],
    ['aside', '#1'],
  ]);
  expect(new Set(found.map(({ run }) => run)).size).toBe(3);
  expect(found[0]).toMatchObject({ category: 'request-rejected', detail: '[key]' });
});

test('nothing is kept of a session that is not saved (SC-26.2)', async () => {
  const { house, seat, lines } = await open([{ failure: { category: 'request-rejected' } }], { notSaved: 'incognito' });
  await seat.say('one');
  await house.idle();
  await seat.send({ type: 'command', ref: 'c', name: 'autocompact', argument: 'off' });
  await house.idle();
  expect(await lines()).toEqual([]);
});

test('it names provider and address without anything secret, says what can be done about limits, and holds no token (SC-26.3)', async () => {
  const { house, seat, lines } = await open([{ failure: { category: 'quota-exhausted', detail: 'for sk-secret' } }]);
  await seat.say('one');
  await house.idle();
  const [line] = await lines();
  expect(line).toMatchObject({
    provider: 'script',
    model: 'one',
    address: 'https://models.example.org/v1',
    advice: expect.stringContaining('Add credit'),
  });
  expect(JSON.stringify(await lines())).not.toContain('sk-secret');
  expect(plainAddress('not an address')).toBeNull();
  expect(adviceFor('rate-limited')).toContain('/usage');
  expect(adviceFor('internal')).toBeNull();
  const told = seat.updates.flatMap(({ changes }) =>
    changes.flatMap((one) => (one.type === 'flash' ? [one.text] : [])),
  );
  expect(told.at(-1)).toContain('Add credit');
});

test('a failed turn names the file more of it lies in, or the folder where there is none; a stopped one names nothing (SC-10.8)', async () => {
  const failed = { failure: { category: 'request-rejected' } } as const;
  const { house, seat } = await open([failed, failed, failed, { parts: [{ tool: 'look', input: { ms: 60_000 } }] }]);
  const end = () => seat.view.transcript.items.findLast((item) => item.kind === 'turn-end');
  const again = async (text: string) => {
    await seat.send({ type: 'queue-discard', inputs: 'all' });
    await seat.say(text);
    await house.idle();
    await house.settle();
  };
  await again('one');
  expect(end()).toMatchObject({ reason: 'failed', failure: { category: 'request-rejected' }, more: LOG });
  expect(await house.system.files.stat(LOG)).not.toBeNull();
  const emptied = house.system.files.fail({ operation: 'open', path: LOG, code: 'ENOSPC' } as never);
  await again('two');
  await again('three');
  emptied();
  expect(end()).toMatchObject({ reason: 'failed', more: SESSION_FOLDER });
  await seat.say('four');
  await seat.until(({ activity }) => activity.phase === 'tools');
  await seat.send(ESCAPE);
  await house.idle();
  expect(end()).toMatchObject({ reason: 'stopped' });
  expect(end()).not.toHaveProperty('more');
  const unsaved = await open([failed], { notSaved: 'incognito' });
  await unsaved.seat.say('one');
  await unsaved.house.idle();
  expect(unsaved.seat.view.transcript.items.at(-1)).toMatchObject({ reason: 'failed' });
  expect(unsaved.seat.view.transcript.items.at(-1)).not.toHaveProperty('more');
});

test('a failure says once that other code is installed by now, and not before it is (SC-10.8)', async () => {
  let changed = false;
  const failed = { failure: { category: 'request-rejected' } } as const;
  const { house, seat } = await open([failed], { codeChanged: () => changed });
  const notes = () => seat.view.transcript.items.filter((item) => item.kind === 'note').map((item) => item.text);
  for (const text of ['one', 'two', 'three']) {
    await seat.send({ type: 'queue-discard', inputs: 'all' });
    await seat.say(text);
    await house.idle();
    await house.settle();
    expect(notes().filter((note) => note.includes('/restart'))).toHaveLength(changed ? 1 : 0);
    changed = true;
  }
});

test.each(['failed', 'stopped'] as const)(
  'what can not be written down is said behind a turn that %s, as long as that is so (SC-10.8)',
  async (how) => {
    const held = gate();
    const failure = { category: 'request-rejected' } as const;
    const { house, seat } = await open([
      { parts: ['half'], gate: held.opened, ...(how === 'failed' ? { failure } : {}) },
    ]);
    await seat.say('one');
    await seat.until(({ activity }) => activity.phase !== 'idle');
    const mended = house.system.files.fail({
      operation: 'append',
      path: `${SESSION_FOLDER}/journal.jsonl`,
      code: 'ENOSPC',
    } as never);
    if (how === 'failed') held.open();
    else await seat.send(ESCAPE);
    await seat.until(({ head }) => head.notSaved !== null);
    expect(seat.view.head.notSaved).toMatch(/disk|ENOSPC|space/i);
    mended();
    await seat.until(({ head, activity }) => head.notSaved === null && activity.phase === 'idle');
    expect(seat.view.transcript.items.at(-1)).toMatchObject({ kind: 'turn-end', reason: how });
  },
);

test('the file is put aside when it is large, and a full disk costs the line and nothing else', async () => {
  const { house, seat } = await open([{ failure: { category: 'request-rejected' } }]);
  await house.system.files.writeAtomic(LOG, new Uint8Array(1024 * 1024), { mode: 0o600, flush: false });
  await seat.say('one');
  await house.idle();
  await house.settle();
  expect((await house.system.files.stat(LOG))!.size).toBeLessThan(4_000);
  expect((await house.system.files.stat(`${LOG}.1`))!.size).toBe(1024 * 1024);
  const emptied = house.system.files.fail({ operation: 'open', path: LOG, code: 'ENOSPC' } as never);
  await seat.send({ type: 'queue-discard', inputs: 'all' });
  await seat.say('two');
  await house.idle();
  emptied();
  expect(seat.view.transcript.items.at(-1)).toMatchObject({ kind: 'turn-end', reason: 'failed' });
});
