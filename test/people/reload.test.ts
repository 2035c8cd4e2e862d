import { expect, test } from 'bun:test';
import { drive } from '../support/driver.ts';

test('/reload reads the keys of this window again and asks the session to read the rest', async () => {
  let bindings: Record<string, string> | null = { model: 'alt-o' };
  const driver = await drive({
    options: {
      keybindings: { model: 'alt-k' },
      readLook: async () => (bindings === null ? null : { keybindings: bindings, maxPromptRows: 3 }),
    },
  });
  const opens = async (chord: string): Promise<boolean> => {
    await driver.press(chord);
    const open = driver.screen.modals.length > 0;
    if (open) await driver.press('escape');
    return open;
  };
  const reload = async (): Promise<void> => {
    await driver.type('/reload');
    await driver.press('enter');
    await driver.wait(100);
  };
  expect(await opens('alt-k')).toBe(true);
  await reload();
  expect(driver.sentOf('command')).toMatchObject([{ name: 'reload', argument: '' }]);
  expect([await opens('alt-o'), await opens('alt-k')]).toEqual([true, false]);
  expect(driver.screen.maxPromptRows).toBe(3);
  // Half a file is nobody's choice: the keys stay.
  bindings = null;
  await reload();
  expect(await opens('alt-o')).toBe(true);
  // A chord that may not be bound is named, and the key stays on its default.
  bindings = { model: 'ctrl-c' };
  await reload();
  expect(driver.screenText()).toContain('keybindings.model: ctrl-c: Ctrl-C keeps its meaning');
  expect(await opens('alt-m')).toBe(true);
});
