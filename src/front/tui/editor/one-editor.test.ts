// What the editor is to the rest of the screen: a text widget that knows nothing of sessions, and the only place of its text.
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { drive } from '../../../../test/support/driver.ts';

test('the editor knows nothing of sending, queues or sessions: that is decided around it (PE-17)', () => {
  const foreign = readdirSync(import.meta.dir)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) =>
      [...readFileSync(`${import.meta.dir}/${name}`, 'utf8').matchAll(/ from '([^']+)'/g)].map(([, from]) => from!),
    )
    .filter((from) => !/^\.\/|^\.\.\/(?:frame|input)\/|\/base\//.test(from));
  // Of the door it knows the words for an attachment and a draft, no more.
  expect([...new Set(foreign)]).toEqual(['../../../protocol/intent.ts']);
});

test('one editor holds text, caret, selection and history; what a marker stands for lies beside its text and nowhere else (PE-23)', async () => {
  const driver = await drive();
  const payload = 'first row\nsecond row\nthird row';
  await driver.type('see ');
  await driver.paste(payload);
  await driver.type(' and');
  await driver.press('shift-enter', 'up', 'ctrl-z');
  const { screen } = driver;
  expect(screen.prompt.editor.buffer.text.toString()).not.toContain('second row');
  expect(driver.screenText()).not.toContain('second row');
  const holders = (is: (value: unknown, key: string) => boolean): string[] => {
    const found: string[] = [];
    const seen = new Set<unknown>();
    const walk = (value: unknown, path: string, key: string): void => {
      if (is(value, key)) found.push(path);
      if (typeof value !== 'object' || value === null || seen.has(value)) return;
      seen.add(value);
      for (const [name, inner] of Object.entries(value)) walk(inner, `${path}.${name}`, name);
    };
    walk(screen, 'screen', '');
    return found;
  };
  for (const path of holders((value) => typeof value === 'string' && value.includes('second row')))
    expect(path).toMatch(/^screen\.prompt\.editor\.(?:buffer\.atoms|history)\..*payload$/);
  expect(holders((_, key) => key === 'done' || key === 'undone')).toEqual([
    'screen.prompt.editor.history.done',
    'screen.prompt.editor.history.undone',
  ]);
  expect(holders((_, key) => key === 'caret').filter((path) => !path.includes('.history.'))).toEqual([
    'screen.prompt.editor.buffer.caret',
  ]);
});
