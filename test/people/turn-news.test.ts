import { expect, test } from 'bun:test';
import type { FinishedTurn, TurnNews } from '../../src/protocol/turn-news.ts';
import { drive } from '../support/driver.ts';

test('a turn that ends in another session reaches the desktop and never this screen (SC-28.4.10)', async () => {
  let tell: (finished: FinishedTurn) => void = () => {};
  const claimed: string[] = [];
  const turnNews: TurnNews = {
    watch(listener) {
      tell = listener;
      return () => {
        tell = () => {};
      };
    },
    claim: async ({ turn }) => claimed.push(turn) === 1,
  };
  const driver = await drive({ options: { turnNews } });
  await driver.raw('\x1b[O');
  const before = driver.screenText();
  tell({ session: 'elsewhere', title: 'Paint the barn', turn: 'h-1' });
  await driver.wait(1_000);
  expect(claimed).toEqual(['h-1']);
  expect(driver.terminal.output).toContain('\x1b]9;Houston: Paint the barn is done\x07');
  expect(driver.screenText()).toBe(before);
  // Another window was first.
  const written = driver.terminal.output.length;
  tell({ session: 'elsewhere', title: 'Paint the barn', turn: 'h-2' });
  await driver.wait(1_000);
  expect(claimed).toHaveLength(2);
  expect(driver.terminal.output.slice(written)).not.toContain('\x1b]9;');
});
