// A turn that a finished job began: the person sees what woke the session, not words they never said.
import { expect, test } from 'bun:test';
import { drive } from '../support/driver.ts';
import { sampleItem } from '../support/sample-view.ts';

const NOTICE = [
  '[Job j1 (npm run build.all) ended after 20.0s: exit 1. The end of what it printed; the tool job shows more.]',
  'src/a.ts(3,1): error',
].join('\n');

test('the row names the job that ended and how, without what only the model is told; it is no input of the person (SC-6.3)', async () => {
  const driver = await drive();
  const base = { attachments: [], turn: 1, stopped: false } as const;
  const items = [
    sampleItem({ kind: 'user', as: 'prompt', text: 'build it', ...base }),
    sampleItem({ kind: 'user', as: 'wake', text: NOTICE, ...base, turn: 2 }),
  ];
  const { view } = driver.session;
  await driver.publish({
    type: 'branch',
    view: { ...structuredClone(view), transcript: { total: 2, first: 0, items, generation: 1 } },
  });
  const shown = driver.region('transcript');
  expect(shown).toMatch(/↻ A job ended: Job j1 \(npm run build\.all\) ended after 20\.0s: exit 1\. +│$/m);
  expect(shown).not.toContain('tool job');
  expect(shown).not.toContain('error');
  const prompts = shown.split('\n').filter((row) => row.includes('❯'));
  expect(prompts).toHaveLength(1);
  const [said, woke] = [driver.find('build it')!, driver.find('A job ended')!];
  expect(driver.cell(woke.x, woke.y).bg).not.toEqual(driver.cell(said.x, said.y).bg);
  await driver.press('up');
  expect(driver.draft).not.toContain('Job j1');
  await driver.press('alt-e');
  expect(driver.region('transcript')).toContain('src/a.ts(3,1): error');
});

test('a turn that a watched file began says so: no job ended', async () => {
  const driver = await drive();
  const text = '[Houston: watch 1: the file src/w.ts changed.]\n\nRun the tests';
  const item = sampleItem({ kind: 'user', as: 'wake', text, attachments: [], turn: 1, stopped: false });
  const { view } = driver.session;
  await driver.publish({
    type: 'branch',
    view: { ...structuredClone(view), transcript: { total: 1, first: 0, items: [item], generation: 1 } },
  });
  expect(driver.region('transcript')).toMatch(/↻ watch 1: the file src\/w\.ts changed\. +│$/m);
  expect(driver.region('transcript')).not.toContain('job');
});

test('what was had elsewhere and brought here is no job either: an aside, a reply of another branch', async () => {
  const driver = await drive();
  const base = { as: 'wake', attachments: [], stopped: false } as const;
  const items = [
    sampleItem({ kind: 'user', text: '[btw:] what is in a.txt', ...base, turn: 1 }),
    sampleItem({
      kind: 'user',
      text: '[From another branch of this conversation. There I said:]\nlook again',
      ...base,
      turn: 2,
    }),
  ];
  const { view } = driver.session;
  await driver.publish({
    type: 'branch',
    view: { ...structuredClone(view), transcript: { total: 2, first: 0, items, generation: 1 } },
  });
  const shown = driver.region('transcript');
  expect(shown).toMatch(/↻ \[btw:\] what is in a\.txt +│$/m);
  expect(shown).toMatch(/↻ From another branch of this conversation\. There I said: +│$/m);
  expect(shown).not.toContain('job');
});
