import { describe, expect, test } from 'bun:test';
import { durationText, isFailed, labelOf, outcomeText, summaryOf } from './job-words.ts';
import type { JobFacts } from './jobs.ts';

const JOB: JobFacts = {
  id: 'j3',
  command: 'npm run build',
  purpose: '',
  folder: '/yard',
  by: 'model',
  call: 'c',
  reads: 'text',
  log: '/log',
  terminal: false,
  background: true,
  adopted: false,
  state: 'running',
  exit: null,
  started: 1000,
  ended: null,
  note: '',
  lifetime: 'detached',
};

describe('SC-29.4', () => {
  test('how long', () => {
    const texts = [0, 999, 1000, 3249, 59_999, 60_000, 245_000, 3_600_000, 7_380_000].map(durationText);
    expect(texts).toEqual(['0ms', '999ms', '1.0s', '3.2s', '59.9s', '1m00s', '4m05s', '1h00m', '2h03m']);
  });

  test('SC-29.4: how it ended: stopped, running, or exit N; what is neither status 0 nor running has failed', () => {
    expect(outcomeText(JOB)).toBe('running');
    expect(outcomeText({ state: 'ended', exit: 2 })).toBe('exit 2');
    expect(outcomeText({ state: 'stopped', exit: 143 })).toBe('stopped');
    const failed = [
      JOB,
      { state: 'ended', exit: 0 },
      { state: 'ended', exit: 2 },
      { state: 'stopped', exit: 0 },
    ] as const;
    expect(failed.map(isFailed)).toEqual([false, false, true, true]);
  });

  test('SC-29.4: a label is the purpose, else the command, on one line of 80; a list adds the command, cut to 60', () => {
    expect(labelOf(' ', 'make\n  all')).toBe('make all');
    expect(labelOf('x'.repeat(90), 'make')).toHaveLength(80);
    expect(summaryOf(JOB, 3000)).toBe('j3  npm run build  (running · 2.0s)');
    const adopted = { ...JOB, purpose: 'the build', command: 'y'.repeat(70), adopted: true, ended: 5000, exit: 1 };
    const line = summaryOf({ ...adopted, state: 'ended' }, 9000);
    expect(line).toBe(`j3  the build  (exit 1 · 4.0s · ${'y'.repeat(59)}… · adopted)`);
  });
});
