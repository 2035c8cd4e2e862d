#!/usr/bin/env node
// What a streamed second costs: CPU of each process of one agent's tree, and the frames it shows, while the server sends 200 tokens/s.
//   node stream-cost.mjs [houston-packed] [--seconds 8] [--skip 3] [--type] [--threads]
//   --type: a key about every 100 ms meanwhile, each timed; --threads: what each thread took, and how often it was woken
// Env as for run.mjs.
import fs from 'node:fs';
import path from 'node:path';
import { Pty, sleep, clock, treeStat } from './pty.mjs';
import { loadAdapter, startMock, makeContext, stats, BENCH } from './lib/common.mjs';

const argv = process.argv.slice(2), opt = (k, d) => (argv.includes(`--${k}`) ? +argv[argv.indexOf(`--${k}`) + 1] : d);
const threadsOf = (pid) => { // user and system time in s, and voluntary switches, by thread
  const out = new Map(); let ids = []; try { ids = fs.readdirSync(`/proc/${pid}/task`); } catch { return out; }
  for (const id of ids) try {
    const st = fs.readFileSync(`/proc/${pid}/task/${id}/stat`, 'latin1'), f = st.slice(st.lastIndexOf(')') + 2).split(' ');
    out.set(id, { name: st.slice(st.indexOf('(') + 1, st.lastIndexOf(')')), user: f[11] / 100, system: f[12] / 100, woken: +/^voluntary_ctxt_switches:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/task/${id}/status`, 'latin1'))[1] });
  } catch { /* ended */ }
  return out;
};
const adapter = await loadAdapter(argv[0] && !argv[0].startsWith('--') ? argv[0] : 'houston-packed');
const SECONDS = opt('seconds', 8), SKIP = opt('skip', 3), TYPE = argv.includes('--type'), THREADS = argv.includes('--threads');
const mock = await startMock({}), c = makeContext(adapter, mock);
await mock.load({ ...JSON.parse(fs.readFileSync(path.join(BENCH, 'scenarios/bench.json'), 'utf8')), cwd: c.cwd });
const pty = new Pty({ ...c.tui, env: c.env, cwd: c.cwd, cols: 120, rows: 40 });
try {
  await pty.waitFor(adapter.ready, { timeout: 60000, label: 'ready' });
  if (adapter.onReady) await adapter.onReady(pty, { sleep });
  await sleep(1500);
  for (const ch of 'BENCH-PACED') { pty.write(ch); await sleep(12); }
  await sleep(300); pty.write('\r');
  const end = clock() + 10000;
  while ((await mock.state()).active === 0 && clock() < end) await sleep(100);
  await sleep(SKIP * 1000);
  const before = treeStat(pty.pid, c.runId), threads = new Map(before.procs.map((x) => [x.pid, threadsOf(x.pid)])), t0 = clock(), frames = pty.countFrames(), bytes = pty.bytes, chunks = pty.chunks, lat = [];
  let typed = '';
  while (clock() - t0 < SECONDS * 1000) {
    if (!TYPE) { await sleep(200); continue; }
    typed += 'bcdfghjkmnpqrtvwxz'[Math.floor(Math.random() * 18)];
    const want = typed.slice(-6), t = pty.write(typed.at(-1));
    await pty.waitFor(want, { timeout: 3000 }).then((r) => lat.push(Math.max(0, r.t - t)), () => lat.push(3000));
    await sleep(70 + Math.random() * 60);
  }
  const seconds = (clock() - t0) / 1000, n = frames(), after = treeStat(pty.pid, c.runId);
  console.log(`${adapter.name}: ${((after.cpu - before.cpu) / seconds * 100).toFixed(1)} % of a core, ${(n / seconds).toFixed(1)} frames/s, ${((pty.bytes - bytes) / seconds / 1024).toFixed(1)} KB/s in ${((pty.chunks - chunks) / seconds).toFixed(0)} reads/s`);
  for (const x of after.procs) { const was = before.procs.find((y) => y.pid === x.pid)?.cpu ?? 0; console.log(`  ${String(x.pid).padStart(7)} ${x.comm.padEnd(16)} ${((x.cpu - was) / seconds * 100).toFixed(1)} %  rss ${x.rssMB} MB`);
    if (THREADS) for (const [id, t] of threadsOf(x.pid)) { const b = threads.get(x.pid)?.get(id) ?? { user: 0, system: 0, woken: 0 }; if (t.woken > b.woken) console.log(`            ${t.name.padEnd(16)} user ${((t.user - b.user) / seconds * 100).toFixed(1)} %, system ${((t.system - b.system) / seconds * 100).toFixed(1)} %, woken ${((t.woken - b.woken) / seconds).toFixed(0)}/s`); } }
  if (lat.length) { const s = stats(lat); console.log(`  key echo: p50 ${s.p50.toFixed(1)} ms, p99 ${s.p99.toFixed(1)} ms (${s.n})`); }
} finally { await pty.kill(); mock.stop(); c.rm(); }
process.exit(0);
