// Kills hosts, terminals, carriers and supervisors at random moments: `bun bench/soak.ts [ROUNDS] [SEED]` (500 when not said). Prints who
// was killed, how long it took until the session was at rest again, and every fault. Then starts 50 hosts and leaves them:
// all must go by the idle rule, and leave neither socket nor lock (`bun bench/soak.ts 0` does only that).
import { leaveHosts } from '../test/support/leave-hosts.ts';
import { soak } from '../test/support/soak.ts';

const [rounds = '500', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
let state = Number(seed) >>> 0;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

let failed = false;
if (Number(rounds) > 0) {
  const report = await soak(Number(rounds), random, (line) => console.log(line));
  const at = (share: number): string => (report.back[Math.floor(report.back.length * share)] ?? 0).toFixed(0);
  console.log(`seed ${seed}: ${report.rounds} rounds, ${report.wrong.length} faults`, report.killed);
  console.log(`at rest again after ${at(0.5)} ms (median), ${at(0.95)} ms (19 of 20)`);
  failed = report.wrong.length > 0;
}
const left = await leaveHosts({ hosts: 50, beside: 5, idleSeconds: 15 });
console.log(`${left.started} hosts left alone: ${left.wrong.length === 0 ? 'all gone by the idle rule, no socket or lock left' : left.wrong.join('\n')}`);
process.exit(failed || left.wrong.length > 0 ? 1 : 0);
