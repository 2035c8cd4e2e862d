// A few rounds of what bench/soak.ts does by the hundred.
import { expect, test } from 'bun:test';
import { leaveHosts } from '../support/leave-hosts.ts';
import { soak } from '../support/soak.ts';

test('five rounds of sudden deaths: no entry lost, nothing done twice, nobody left behind', async () => {
  // One of each: the victim is drawn from five.
  let round = 0;
  const drawn = [0.1, 0.3, 0.5, 0.7, 0.9];
  let draws = 0;
  const random = (): number => {
    draws++;
    return draws % 3 === 1 ? drawn[round++ % drawn.length]! : ((draws * 37) % 100) / 100;
  };
  const report = await soak(5, random, () => {});
  expect(report.wrong).toEqual([]);
  expect(report.back).toHaveLength(5);
}, 180_000);

test('hosts that are left alone go by the idle rule, without socket or lock (SC-28.4.3)', async () => {
  const left = await leaveHosts({ hosts: 4, beside: 2, idleSeconds: 1 });
  expect(left).toEqual({ started: 4, wrong: [] });
}, 120_000);
