import { expect, test } from 'bun:test';
import { NO_TOTALS } from '../../../protocol/message.ts';
import type { Item } from '../../../protocol/view.ts';
import { plainText } from '../piece.ts';
import { blockOf } from './block-of.ts';

const FAILED: Item = {
  id: 'e1',
  part: 0,
  revision: 0,
  kind: 'turn-end',
  turn: 3,
  reason: 'failed',
  failure: {
    category: 'request-rejected',
    message: 'The service does not take this',
    status: 400,
    requestId: null,
    detail: null,
    retryAfterMs: null,
    retryable: false,
    attempts: 1,
  },
  message: null,
  more: '/state/sessions/one/errors.log',
  duration: 10,
  usage: NO_TOTALS,
} as never;

test('a turn that failed says so by name, and unfolded where more of it lies (SC-10.8)', () => {
  const rows = (item: Item, expanded: boolean): string =>
    blockOf(item, { width: 80, expanded, openKey: '' })
      .map(({ line }) => plainText(line))
      .join('\n');
  expect(rows(FAILED, false)).toContain('The service does not take this (HTTP 400)');
  expect(rows(FAILED, false)).toContain('✗ failed');
  expect(rows(FAILED, false)).not.toContain('errors.log');
  expect(rows(FAILED, true)).toContain('more in /state/sessions/one/errors.log');
  const { more: _, ...nowhere } = FAILED as Item & { more: string };
  expect(rows(nowhere as Item, true)).not.toContain('more in');
});
