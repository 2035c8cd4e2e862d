import { expect, test } from 'bun:test';
import type { Draft } from '../../protocol/intent.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { createDrafts } from './drafts.ts';

const FOLDER = '/state/drafts/s';

function draft(text: string): Draft {
  return { text, caret: text.length, folded: [], shell: false };
}

test('a draft outlives the process that held it, each client its own', async () => {
  const system = createMemorySystem();
  const drafts = createDrafts(system.files, FOLDER);
  drafts.set('one', draft('half a'));
  drafts.set('../two', draft('other'));
  await drafts.settle();
  system.crash({ kill: true });
  const again = createDrafts(system.files, FOLDER);
  expect(await again.get('one')).toEqual(draft('half a'));
  expect(await again.get('../two')).toEqual(draft('other'));
  expect(await again.get('three')).toBeNull();
  expect(system.files.paths('/state').every((path) => path.startsWith(`${FOLDER}/`))).toBe(true);
  expect((await system.files.stat(system.files.paths(FOLDER)[0]!))!.mode).toBe(0o600);
});

test('keys in a row are one write; what is on its way is already there', async () => {
  const system = createMemorySystem();
  let writes = 0;
  const drafts = createDrafts(
    {
      ...system.files,
      writeAtomic(...with_) {
        writes++;
        return system.files.writeAtomic(...with_);
      },
    },
    FOLDER,
  );
  for (const text of ['a', 'ab', 'abc']) drafts.set('c', draft(text));
  expect(await drafts.get('c')).toEqual(draft('abc'));
  await drafts.settle();
  expect(writes).toBe(1);
  expect(system.files.flushes).toBe(0);
});

test('a client that attaches anew finds the newest draft of any', async () => {
  const system = createMemorySystem();
  const drafts = createDrafts(system.files, FOLDER);
  expect(await drafts.newest()).toBeNull();
  for (const client of ['a', 'b', 'a']) {
    drafts.set(client, draft(`of ${client}`));
    await drafts.settle();
    await system.clock.advance(1_000);
  }
  expect(await drafts.newest()).toEqual({ client: 'a', draft: draft('of a') });
  const again = createDrafts(system.files, FOLDER);
  expect(await again.newest()).toEqual({ client: 'a', draft: draft('of a') });
  again.set('a', null);
  expect(await again.newest()).toEqual({ client: 'b', draft: draft('of b') });
});

test('an empty draft is none and leaves no file', async () => {
  const system = createMemorySystem();
  const drafts = createDrafts(system.files, FOLDER);
  drafts.set('c', draft('x'));
  await drafts.settle();
  drafts.set('c', draft(''));
  await drafts.settle();
  expect(system.files.paths(FOLDER)).toEqual([]);
  expect(await drafts.get('c')).toBeNull();
});

test('unreadable is none, unwritable is kept in memory', async () => {
  const system = createMemorySystem();
  const drafts = createDrafts(system.files, FOLDER);
  drafts.set('c', draft('x'));
  await drafts.settle();
  const [path] = system.files.paths(FOLDER);
  for (const text of [
    '',
    '{',
    'null',
    '{"client":"c","draft":{"text":1}}',
    '{"client":"c","draft":{"text":"x","caret":0,"shell":false,"folded":[null]}}',
  ]) {
    system.files.seed(path!, text);
    const again = createDrafts(system.files, FOLDER);
    expect(await again.get('c')).toBeNull();
    expect(await again.newest()).toBeNull();
  }
  system.files.fail({ operation: 'write', code: 'ENOSPC' });
  drafts.set('c', draft('y'));
  await drafts.settle();
  expect(await drafts.get('c')).toEqual(draft('y'));
  const unsaved = createDrafts(system.files, null);
  unsaved.set('c', draft('z'));
  await unsaved.settle();
  expect(await unsaved.newest()).toEqual({ client: 'c', draft: draft('z') });
});
