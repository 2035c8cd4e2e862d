import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../system/memory/system.ts';
import { createUsageLedger, ledgerFile, readLedgerFile } from './usage-ledger.ts';
import type { Spent } from './usage-tally.ts';

const FOLDER = '/state/usage';
const USAGE = { input: 10, output: 5, cacheRead: null, cacheWrite: null, reasoning: null };

function rig() {
  const system = createMemorySystem();
  const { files, clock } = system;
  const open = (session: string) => createUsageLedger({ files, clock, folder: FOLDER, session });
  const spent = (id: string, more: Partial<Spent> = {}): Spent => ({
    id,
    time: clock.now(),
    model: { provider: 'p', model: 'm' },
    purpose: 'turn',
    usage: USAGE,
    cost: 0.5,
    ...more,
  });
  return { system, open, spent };
}

test('two sessions see each other, and each request counts once however often it is written', async () => {
  const { open, spent } = rig();
  const [one, other] = [open('one'), open('other')];
  one.add(spent('a'));
  expect((await other.todaySum()).cost).toBe(0);
  await one.settle();
  other.add(spent('b', { cost: null }));
  expect(await other.todaySum()).toMatchObject({ requests: 2, cost: 0.5, unpriced: 1, input: 20 });
  // What a crash kept from being written is caught up with; a copy of the session holds the same requests.
  await open('copy').catchUp([spent('a'), spent('b'), spent('c')]);
  expect(await one.todaySum()).toMatchObject({ requests: 3, cost: 1 });
});

test('a new day begins at nothing, and what is older stays where it was', async () => {
  const { system, open, spent } = rig();
  const ledger = open('one');
  ledger.add(spent('a'));
  expect((await ledger.todaySum()).requests).toBe(1);
  const yesterday = ledgerFile(system.clock.now());
  await system.clock.advance(86_400_000);
  expect((await ledger.todaySum()).requests).toBe(0);
  expect(await readLedgerFile(system.files, `${FOLDER}/${yesterday}`)).toMatchObject([{ id: 'a', session: 'one' }]);
});

test('half a line at the end is read once it is whole; damaged ones cost themselves only', async () => {
  const { system, open, spent } = rig();
  const ledger = open('one');
  ledger.add(spent('a'));
  await ledger.settle();
  const file = `${FOLDER}/${ledgerFile(system.clock.now())}`;
  const whole = new TextDecoder().decode(await system.files.read(file));
  const write = (text: string) =>
    system.files.writeAtomic(file, new TextEncoder().encode(text), { mode: 0o600, flush: false });
  const second = whole.replace('"a"', '"b"');
  await write(`${whole}[]\n{"id":\n${second.slice(0, 20)}`);
  expect((await ledger.todaySum()).requests).toBe(1);
  await write(`${whole}[]\n{"id":\n${second}`);
  expect((await ledger.todaySum()).requests).toBe(2);
});

test('where nothing may be kept, or nothing can be, a session knows its own at least', async () => {
  const { system, open, spent } = rig();
  const { files, clock } = system;
  const unkept = createUsageLedger({ files, clock, folder: null, session: 'x' });
  unkept.add(spent('a'));
  expect((await unkept.todaySum()).cost).toBe(0.5);
  expect(await files.stat(FOLDER)).toBeNull();
  await files.makeFolder('/state', 0o700);
  await files.createNew(FOLDER, new Uint8Array(), 0o600);
  const blocked = open('y');
  blocked.add(spent('b'));
  expect((await blocked.todaySum()).requests).toBe(1);
});

test('requests that follow each other are written together, a moment later and by themselves', async () => {
  const { system, open, spent } = rig();
  const ledger = open('one');
  const file = `${FOLDER}/${ledgerFile(system.clock.now())}`;
  for (const id of ['a', 'b']) ledger.add(spent(id));
  await system.clock.settle();
  expect(await system.files.stat(file)).toBeNull();
  await system.clock.advance(1_000);
  expect(await readLedgerFile(system.files, file)).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  expect(system.clock.timers).toBe(0);
});
