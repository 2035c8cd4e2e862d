import { expect, test } from 'bun:test';
import * as make from '../../../test/support/entries.ts';
import { NO_USAGE, OTHER_MODEL } from '../../../test/support/entries.ts';
import type { Entry, EntryBody } from '../../protocol/entry.ts';
import { createCacheWatch } from './cache-watch.ts';

const MINUTE = 60_000;

/** What is noticed of entries: of replies, by what they read back and wrote; `at` in milliseconds. */
function watch(
  ...rows: readonly (EntryBody | readonly [read: number | null, write?: number, at?: number])[]
): string[] {
  const cache = createCacheWatch();
  let time = 0;
  return rows.flatMap((row, index) => {
    let body: EntryBody;
    if (Array.isArray(row)) {
      const [cacheRead, cacheWrite = 0, at = time + 1_000] = row as [number | null, number?, number?];
      time = at;
      body = { ...make.assistantBody(1, [make.textPart('secret')]), usage: { ...NO_USAGE, cacheRead, cacheWrite } };
    } else body = row as EntryBody;
    const note = cache.see({ id: String(index), parent: null, time, ...body } as Entry);
    return note?.kind === 'note' ? [note.text] : [];
  });
}

test('says once that the service forgot, until it remembers again; never a word of what was said (SC-36.5)', () => {
  expect(watch([0, 10_000], [10_000, 500], [2_000, 8_500], [3_000, 500])).toHaveLength(1);
  expect(watch([0, 10_000], [0, 10_000], [10_000, 500], [0, 10_500])).toHaveLength(2);
  expect(watch([0, 10_000], [0, 10_000])[0]).not.toContain('secret');
});

test('half is enough, a short beginning is not worth a word, and no count says nothing (SC-36.5)', () => {
  expect(watch([0, 10_000], [5_000, 0])).toEqual([]);
  expect(watch([0, 10_000], [4_999, 0])).toHaveLength(1);
  expect(watch([0, 1_023], [0, 1_023])).toEqual([]);
  expect(watch([0, 1_024], [0, 1_024])).toHaveLength(1);
  expect(watch([0, 10_000], [null, 0])).toEqual([]);
});

test('the first request of a turn counts only within five minutes; within a turn any does (SC-36.5)', () => {
  const turn = make.turnStartBody(2);
  expect(watch([0, 10_000, 0], turn, [0, 10_000, 5 * MINUTE])).toHaveLength(1);
  expect(watch([0, 10_000, 0], turn, [0, 10_000, 6 * MINUTE])).toEqual([]);
  expect(watch([0, 10_000, 0], [0, 10_000, 60 * MINUTE])).toHaveLength(1);
});

test('a compaction and another model begin anew', () => {
  const compaction: EntryBody = {
    kind: 'compaction',
    summary: 's',
    keepFrom: '0',
    tokensBefore: null,
    tokensAfter: null,
    usage: NO_USAGE,
    cost: null,
  };
  expect(watch([0, 10_000], compaction, [0, 3_000])).toEqual([]);
  const other = { ...make.assistantBody(1, [], 'end', OTHER_MODEL), usage: { ...NO_USAGE, cacheRead: 0 } };
  expect(watch([0, 10_000], other)).toEqual([]);
});
