// A few rounds of what bench/soak.ts does by the hundred.
import { expect, test } from 'bun:test';
import { leaveHosts } from '../support/leave-hosts.ts';
import { soak } from '../support/soak.ts';

test('six rounds of sudden deaths: nothing lost, nothing done twice, the end of each job told once, nobody left', async () => {
  // One of each: the victim is drawn from six.
  let round = 0;
  const drawn = [0.1, 0.25, 0.4, 0.6, 0.75, 0.9];
  let draws = 0;
  const random = (): number => {
    draws++;
    return draws % 3 === 1 ? drawn[round++ % drawn.length]! : ((draws * 37) % 100) / 100;
  };
  const report = await soak(6, random, () => {});
  expect(report.wrong).toEqual([]);
  expect(report.back).toHaveLength(6);
}, 180_000);

test('hosts that are left alone go by the idle rule, without socket or lock (SC-28.4.3)', async () => {
  const left = await leaveHosts({ hosts: 4, beside: 2, idleSeconds: 1 });
  expect(left).toEqual({ started: 4, wrong: [] });
}, 120_000);
