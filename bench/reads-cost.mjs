#!/usr/bin/env node
// What fifty sequential reads cost: wall time, and the CPU of each process and thread of one agent's tree meanwhile.
//   node reads-cost.mjs [houston-packed] [--runs 5] [--threads]
// Env as for run.mjs.
import fs from 'node:fs';
import path from 'node:path';
import { Pty, sleep, treeStat } from './pty.mjs';
import { loadAdapter, startMock, makeContext, BENCH } from './lib/common.mjs';

const argv = process.argv.slice(2), opt = (k, d) => (argv.includes(`--${k}`) ? +argv[argv.indexOf(`--${k}`) + 1] : d);
const adapter = await loadAdapter(argv[0] && !argv[0].startsWith('--') ? argv[0] : 'houston-packed');
const RUNS = opt('runs', 5), THREADS = argv.includes('--threads');
const median = (a) => a.toSorted((x, y) => x - y)[a.length >> 1] ?? NaN;
/** milliseconds of each thread so far, from the scheduler's own clock */
const threadsOf = (pid) => { const out = new Map(); let ids = []; try { ids = fs.readdirSync(`/proc/${pid}/task`); } catch { return out; }
  for (const id of ids) try { out.set(id, { name: fs.readFileSync(`/proc/${pid}/task/${id}/comm`, 'latin1').trim(), ms: Number(fs.readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ')[0]) / 1e6, woken: +/^voluntary_ctxt_switches:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/task/${id}/status`, 'latin1'))[1] }); } catch { /* ended */ }
  return out; };
const walls = [], sums = [], table = new Map(), servers = [], drivers = [], mocks = [];
const sumOf = (threads) => [...threads.values()].reduce((n, t) => n + t.ms, 0);
const mock = await startMock({}), c = makeContext(adapter, mock);
for (let run = 0; run <= RUNS; run++) {
  await mock.load({ ...JSON.parse(fs.readFileSync(path.join(BENCH, 'scenarios/bench.json'), 'utf8')), cwd: c.cwd });
  const pty = new Pty({ ...c.tui, env: c.env, cwd: c.cwd, cols: 120, rows: 40 });
  try {
    await pty.waitFor(adapter.ready, { timeout: 60000, label: 'ready' });
    if (adapter.onReady) await adapter.onReady(pty, { sleep });
    await sleep(2500);
    for (const ch of 'BENCH-READS') { pty.write(ch); await sleep(12); }
    await sleep(300);
    const procs = treeStat(pty.pid, c.runId).procs, before = procs.map((x) => threadsOf(x.pid));
    const driver = process.cpuUsage(), served = sumOf(threadsOf(mock.pid));
    const done = pty.waitFor('READS-END-44', { timeout: 60000 }), t = pty.write('\r');
    const wall = (await done).t - t;
    const { user, system } = process.cpuUsage(driver); drivers.push((user + system) / 1000); mocks.push(sumOf(threadsOf(mock.pid)) - served);
    let sum = 0;
    procs.forEach((x, i) => { for (const [id, now] of threadsOf(x.pid)) { const was = before[i].get(id) ?? { ms: 0, woken: 0 }, ms = now.ms - was.ms; sum += ms;
      const key = `${i} ${x.comm} ${now.name}${+id === x.pid ? '' : '·'}`, at = table.get(key) ?? {}; at[run] = { ms: (at[run]?.ms ?? 0) + ms, woken: (at[run]?.woken ?? 0) + now.woken - was.woken }; table.set(key, at); } });
    if (run > 0) { walls.push(wall); sums.push(sum); servers.push((await mock.state()).events.filter((e) => e.kind === 'main').reduce((n, e) => n + (e.t1 ?? e.t0) - e.t0, 0)); }
  } finally { await pty.kill(); }
}
console.log(`${adapter.name}: ${median(walls).toFixed(0)} ms wall (${walls.map((w) => w.toFixed(0)).join(' ')}), ${median(sums).toFixed(0)} ms CPU (${sums.map((w) => w.toFixed(0)).join(' ')}); ${median(servers)} ms in the server\n  beside it: ${median(mocks).toFixed(0)} ms CPU of the server, ${median(drivers).toFixed(0)} ms of this driver`);
if (THREADS) for (const [key, at] of table) { const runs = Object.entries(at).filter(([run]) => run !== '0').map(([, x]) => x), ms = median(runs.map((x) => x.ms)); if (ms >= 1) console.log(`  ${key.padEnd(34)} ${ms.toFixed(1).padStart(7)} ms, woken ${median(runs.map((x) => x.woken))}`); }
mock.stop(); c.rm();
process.exit(0);
