import { expect, test } from 'bun:test';
import { parseLoopLine } from './loop-line.ts';

const MINUTE = 60_000;

test.each([
  ['5m look', 'look', 5 * MINUTE],
  ['90S look', 'look', 90_000],
  ['look every 20m', 'look', 20 * MINUTE],
  ['look Every 2 hours', 'look', 120 * MINUTE],
  ['look every minute', 'look', MINUTE],
  ['10m look every 20m', 'look every 20m', 10 * MINUTE],
  ['look', 'look', null],
  ['check every PR', 'check every PR', null],
  ['everything 20m', 'everything 20m', null],
  ['look every 20m now', 'look every 20m now', null],
  ['5 m look', '5 m look', null],
  ['stop the press', 'stop the press', null],
] as const)('/loop %s: what is said, and how often (LOOP-1)', (line, text, every) => {
  expect(parseLoopLine(line)).toEqual({ kind: 'start', text, every, clamped: false });
});

test('alone it reports; stop counts only as the whole line, in any case (LOOP-1)', () => {
  expect(parseLoopLine('  ')).toEqual({ kind: 'report' });
  for (const line of ['stop', ' STOP ']) expect(parseLoopLine(line)).toEqual({ kind: 'stop' });
});

test('an interval lies between 5 seconds and 7 days, whatever was typed (LOOP-3)', () => {
  const DAYS = 7 * 24 * 60 * MINUTE;
  expect(parseLoopLine('1s look')).toMatchObject({ every: 5_000, clamped: true });
  expect(parseLoopLine('5s look')).toMatchObject({ every: 5_000, clamped: false });
  expect(parseLoopLine('look every 8 days')).toMatchObject({ every: DAYS, clamped: true });
  expect(parseLoopLine('7d look')).toMatchObject({ every: DAYS, clamped: false });
});
