// Turns that end while nobody looks: one notification each, whatever windows are open and whichever session they show.
import { expect, test } from 'bun:test';
import { notifyOfTurns } from '../../src/front/tui/notifier.ts';
import { type HostEntry, openHostFiles } from '../../src/link/host-files.ts';
import { createTurnNews } from '../../src/link/turn-news.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';

async function desk() {
  const system = createMemorySystem();
  const files = await openHostFiles(system, '/home/pat/.local/state/houston');
  await files.prepare();
  const startTime = (await system.processes.facts(system.processes.ownPid))?.startTime ?? null;
  const host = (name: string, turnsEnded: number, more: Partial<HostEntry> = {}): HostEntry => ({
    ...{ host: name, session: `session-${name}`, pid: system.processes.ownPid, startTime, folder: '/yard' },
    ...{ title: `Work of ${name}\u001b]0;x`, model: 'm:n', state: 'idle', started: 1, updated: 2, attached: 1 },
    ...{ unseen: false, protocol: 1, build: '1', fingerprint: '1', socket: '/s', log: '/l', turnsEnded },
    ...more,
  });
  const windows: { said: string[]; focused: boolean; close: () => void }[] = [];
  const open = async (session: string, focused: boolean) => {
    const window = { said: [] as string[], focused, close: () => {} };
    window.close = notifyOfTurns(createTurnNews(files), system.clock, {
      session: () => session,
      focused: () => window.focused,
      write: (text) => window.said.push(text),
    });
    windows.push(window);
    await system.clock.settle();
    return window;
  };
  const write = async (entry: HostEntry): Promise<void> => {
    await files.write(entry);
    await system.clock.advance(1_000);
  };
  const said = (): string[] => windows.flatMap((window) => window.said);
  return { system, files, host, open, write, said };
}

const DONE = '\x1b]9;Houston: Work of a ]0;x is done\x07';

test('a turn that ends out of sight raises one notification, in one window alone, by preference that of its session (SC-28.4.10)', async () => {
  const { host, open, write, said, files, system } = await desk();
  await files.write(host('a', 3));
  const own = await open('session-a', false);
  const twin = await open('session-a', false);
  const other = await open('session-b', true);
  await system.clock.advance(1_000);
  // What ended before anybody looked is no news.
  expect(said()).toEqual([]);
  await write(host('a', 4));
  expect(said()).toEqual([DONE]);
  expect([...own.said, ...twin.said]).toEqual([DONE]);
  expect(other.said).toEqual([]);
  // The entry changes often; the turn is the same.
  await write(host('a', 4, { attached: 2, updated: 9 }));
  expect(said()).toHaveLength(1);
  await write(host('a', 5));
  expect(said()).toEqual([DONE, DONE]);
});

test('nobody is told of what they look at; where no window shows the session another one tells (SC-28.4.10)', async () => {
  const { host, open, write, said } = await desk();
  const looking = await open('session-a', true);
  const other = await open('session-b', true);
  await write(host('a', 0));
  await write(host('a', 1));
  expect(said()).toEqual([]);
  looking.close();
  await write(host('a', 2));
  expect(other.said).toEqual([DONE]);
});

test('claims go with their host, and a host that is gone is none to claim of', async () => {
  const { host, files, write, open, system } = await desk();
  const window = await open('session-a', false);
  await write(host('a', 0));
  await write(host('a', 1));
  expect(window.said).toHaveLength(1);
  expect(await files.claimTurn('a-1')).toBe(false);
  await files.remove('a');
  expect(system.files.paths('/home/pat/.local/state/houston')).toEqual([]);
  expect(await files.claimTurn('a-2')).toBe(false);
  window.close();
  expect(system.clock.timers).toBe(0);
});
