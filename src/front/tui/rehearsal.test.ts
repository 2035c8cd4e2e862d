import { describe, expect, test } from 'bun:test';
import { drive } from '../../../test/support/driver.ts';
import { createMemoryClock } from '../../system/memory/clock.ts';
import { createMemoryEnvironment } from '../../system/memory/environment.ts';
import { createMemoryFiles } from '../../system/memory/files.ts';
import { createMemoryProcesses } from '../../system/memory/processes.ts';
import type { MissionControlOptions } from './app.ts';
import { createRehearsal } from './rehearsal.ts';
import { Rest } from './rest.ts';

function rehearsal(size = { columns: 100, rows: 30 }, onFrame: MissionControlOptions['onFrame'] = () => {}) {
  const clock = createMemoryClock();
  const processes = createMemoryProcesses(clock, createMemoryFiles(clock));
  const environment = createMemoryEnvironment({ folder: '/project', variables: { TERM: 'xterm-256color' } });
  return createRehearsal({ processes, environment, options: { onFrame }, head: { folder: '/project' } }, size);
}

describe('rehearsal', () => {
  test('it is played to its end, on a small terminal too', async () => {
    for (const size of [
      { columns: 100, rows: 30 },
      { columns: 12, rows: 4 },
    ]) {
      const play = rehearsal(size);
      let steps = 0;
      while (play()) {
        steps++;
        await Promise.resolve();
      }
      expect(steps).toBeGreaterThan(100);
    }
  });

  test('what is typed, streamed and read in it is drawn', async () => {
    const seen = new Set<string>();
    const play = rehearsal(undefined, (frame) => seen.add(frame.rows().join('\n')));
    while (play()) await Promise.resolve();
    const all = [...seen].join('\n');
    for (const shown of ['mend what is wrong', 'Mend it.', 'parser-11.ts']) expect(all).toContain(shown);
    expect(seen.size).toBeGreaterThan(80);
  });

  test('nobody sees it: the screen, the draft and what is sent stay as they are', async () => {
    const play = rehearsal();
    let ended = 0;
    const atRest = () => {
      const more = play();
      if (!more) ended++;
      return more;
    };
    const driver = await drive({ options: { atRest } });
    await driver.type('mine');
    const before = driver.screenText();
    const bytes = driver.terminal.output.length;
    await driver.wait(3000);
    expect(ended).toBe(1);
    expect(driver.screenText()).toBe(before);
    expect(driver.draft).toBe('mine');
    expect(driver.terminal.output.length).toBe(bytes);
    expect(driver.sent.filter((intent) => intent.type !== 'draft')).toEqual([]);
    expect(driver.clock.timers).toBe(0);
  });
});

describe('work at rest', () => {
  test('it waits until nothing was done for a while, lets go at once, and leaves no timer', async () => {
    const clock = createMemoryClock();
    let pieces = 0;
    const rest = new Rest(clock, () => ++pieces < 5);
    rest.begin();
    await clock.advance(200);
    rest.disturbed();
    await clock.advance(299);
    expect(pieces).toBe(0);
    await clock.advance(6);
    expect(pieces).toBe(2);
    rest.disturbed();
    await clock.advance(299);
    expect(pieces).toBe(2);
    await clock.advance(50);
    expect(pieces).toBe(5);
    expect(clock.timers).toBe(0);
  });

  test('without any work there is no timer', () => {
    const clock = createMemoryClock();
    new Rest(clock, undefined).begin();
    expect(clock.timers).toBe(0);
  });
});
