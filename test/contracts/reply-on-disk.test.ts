import { expect, test } from 'bun:test';
import type { Journal } from '../../src/core/journal/journal.ts';
import { createMemoryJournal } from '../../src/core/journal/memory-journal.ts';
import type { Change } from '../../src/protocol/update.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { FOLDER, openHouse, SESSION_FOLDER, scriptedLine } from '../support/controller.ts';
import { scriptedModel } from '../support/script.ts';

/** The same journal on a disk that takes its time for entries of one kind: none is on it before `release`. */
function slowFor(kind: 'assistant' | 'result', journal: Journal): { journal: Journal; release: () => void } {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const slow: Journal = Object.create(journal, {
    append: {
      value: (...given: Parameters<Journal['append']>) => {
        const { entries, durable } = journal.append(...given);
        const held = given[0].some((body) => body.kind === kind);
        return { entries, durable: held ? durable.then(() => released) : durable };
      },
    },
  });
  return { journal: slow, release };
}

function showsCall(change: Change): boolean {
  return change.type === 'call' || (change.type === 'entry' && change.entry.kind === 'call');
}

for (const [mode, what] of [
  ['ask', 'asked about'],
  ['bypass', 'done'],
] as const) {
  test(`nothing a reply calls for is ${what} before the reply is on the disk`, async () => {
    const system = createMemorySystem();
    const { clock, ids } = system;
    const first = { kind: 'session', version: 1, session: 's', folder: FOLDER, build: '0', forkedFrom: null } as const;
    const { journal, release } = slowFor('assistant', createMemoryJournal({ clock, ids, session: 's', first }));
    const kinds: string[] = [];
    const ran: string[] = [];
    const line = scriptedLine();
    const house = await openHouse({
      system,
      journal,
      mode,
      bypassOffered: true,
      script: scriptedModel([[{ tool: 'do', input: { line: 'rm x' } }], 'done']),
      runLine: (order, ...rest) => {
        ran.push(order.line);
        return line(order, ...rest);
      },
    });
    const seat = house.seat('one');
    await seat.say('go');
    await house.settle();
    await clock.advance(1000);
    for await (const entry of journal.all()) kinds.push(entry.kind);
    expect(kinds).toContain('assistant');
    expect(kinds).not.toContain('call');
    expect(ran).toEqual([]);
    expect(seat.updates.flatMap(({ changes }) => changes).filter(showsCall)).toEqual([]);
    expect(seat.view.asks).toEqual([]);
    release();
    await house.settle();
    await clock.advance(1000);
    if (mode === 'ask') expect(seat.view.asks).toHaveLength(1);
    else expect(journal.ofKind('call')).toHaveLength(1);
    expect(ran).toEqual(mode === 'ask' ? [] : ['rm x']);
  });
}

test('while a result is on its way to the disk the next request is made, and not sent before it is there', async () => {
  const system = createMemorySystem();
  const { clock, ids } = system;
  const first = { kind: 'session', version: 1, session: 's', folder: FOLDER, build: '0', forkedFrom: null } as const;
  const { journal, release } = slowFor('result', createMemoryJournal({ clock, ids, session: 's', first }));
  const script = scriptedModel([[{ tool: 'do', input: { line: 'first' } }], 'done']);
  const made: (string | undefined)[] = [];
  let sent = 0;
  const house = await openHouse({
    system,
    journal,
    mode: 'bypass',
    bypassOffered: true,
    script: {
      ...script,
      stream: (request, signal) => {
        sent++;
        return script.stream(request, signal);
      },
      ready: ({ messages }) => void made.push(messages.at(-1)?.role),
    },
  });
  const seat = house.seat('one');
  await seat.say('go');
  await house.settle();
  await clock.advance(1000);
  expect(made).toEqual(['results']);
  expect(sent).toBe(1);
  release();
  await house.settle();
  await clock.advance(1000);
  await house.idle();
  expect(sent).toBe(2);
});

test('a disk that is full when a reply comes holds its call up, once, and takes nothing from it', async () => {
  const system = createMemorySystem();
  const ran: string[] = [];
  const line = scriptedLine();
  let emptied = (): void => {};
  const script = scriptedModel([[{ tool: 'do', input: { line: 'first' } }], 'done']);
  const house = await openHouse({
    system,
    mode: 'bypass',
    bypassOffered: true,
    script: {
      ...script,
      stream: (request, signal) => {
        if (ran.length === 0)
          emptied = system.files.fail({ operation: 'append', path: `${SESSION_FOLDER}/journal.jsonl`, code: 'ENOSPC' });
        return script.stream(request, signal);
      },
    },
    runLine: (order, ...rest) => {
      ran.push(order.line);
      return line(order, ...rest);
    },
  });
  const seat = house.seat('one');
  await seat.say('go');
  await house.settle();
  await system.clock.advance(3000);
  expect(ran).toEqual([]);
  expect(seat.view.activity.phase).not.toBe('idle');
  emptied();
  await system.clock.advance(10_000);
  await house.idle();
  expect(ran).toEqual(['first']);
  const kinds: string[] = [];
  for await (const entry of house.journal.all()) kinds.push(entry.kind);
  expect(kinds.filter((kind) => kind === 'assistant' || kind === 'call' || kind === 'result')).toEqual([
    'assistant',
    'call',
    'result',
    'assistant',
  ]);
});
