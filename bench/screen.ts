// What a key, a resize and a streamed word cost through the whole program: `bun bench/screen.ts [NAME]`. Mission Control runs
// on a terminal in memory, so that what is measured is our own work. Milliseconds by the wall and by the processor: on a
// busy machine the second tells more.
import { type Driver, drive } from '../test/support/driver.ts';
import type { Item } from '../src/protocol/view.ts';
import { sampleCall, sampleItem } from '../test/support/sample-view.ts';

const wanted = process.argv[2];

async function scene(name: string, work: () => Promise<void>): Promise<void> {
  if (wanted === undefined || name.includes(wanted)) await work();
}

/** Runs `work` often; only it is timed, and `between` lets what it left behind settle. */
async function measure(name: string, runs: number, work: (run: number) => void, between: () => Promise<void>): Promise<void> {
  const times: number[] = [];
  const spent: number[] = [];
  for (let run = 0; run < runs; run++) {
    const cpu = process.cpuUsage();
    const start = performance.now();
    work(run);
    times.push(performance.now() - start);
    const { user, system } = process.cpuUsage(cpu);
    spent.push((user + system) / 1000);
    await between();
  }
  const figures = (values: number[]): string => {
    const sorted = values.toSorted((a, b) => a - b);
    const at = (share: number): string => sorted[Math.min(runs - 1, Math.floor(runs * share))]!.toFixed(2).padStart(6);
    return `p50 ${at(0.5)}  p99 ${at(0.99)}  worst ${at(1)}`;
  };
  console.log(`${name.padEnd(42)} ${figures(times)}   first ${times[0]!.toFixed(2).padStart(6)}   cpu ${figures(spent)}`);
}

function reply(number: number): Item {
  const words = `Reply **${number}** looks at \`file${number}.ts\` and says what it found there, with a few words more. `;
  return sampleItem({ kind: 'assistant', text: `${words.repeat(1 + (number % 4))}\n\n- first\n- second\n`, turn: number, stop: 'end' });
}

function items(count: number): Item[] {
  return Array.from({ length: count }, (_, number) => (number % 3 === 2 ? sampleCall({ title: `Read file${number}.ts` }) : reply(number)));
}

async function show(driver: Driver, all: Item[], total = all.length): Promise<void> {
  const view = structuredClone(driver.session.view);
  const transcript = { total, first: total - all.length, items: all, generation: view.transcript.generation };
  await driver.publish({ type: 'branch', view: { ...view, transcript } });
}

async function keys(name: string, driver: Driver, runs = 400): Promise<void> {
  const letters = 'type some words ';
  await measure(name, runs, (run) => driver.terminal.push(letters[run % letters.length]!), () => driver.wait(30));
}

await scene('idle', async () => {
  const driver = await drive({ columns: 120, rows: 40 });
  await keys('a key, empty session', driver);
});

await scene('history', async () => {
  const sent = Array.from({ length: 10_000 }, (_, at) => ({ text: `type some words ${at}`, time: at, workspace: '/project' }));
  const driver = await drive({ columns: 120, rows: 40, options: { history: { load: async () => sent, add: () => {} } } });
  await keys('a key, 10,000 prompts in the history', driver, 200);
  await driver.press('ctrl-u', 'ctrl-r');
  await keys('a key in the search over 10,000 prompts', driver, 60);
});

await scene('long session', async () => {
  const driver = await drive({ columns: 120, rows: 40 });
  await show(driver, items(500), 20_000);
  await keys('a key, session of 20,000 entries', driver);
});

for (const [name, text, caret] of [
  ['lines', 'a line of a long draft\n'.repeat(43_000), 'end'],
  ['one line', 'word '.repeat(199_000), 'end'],
  ['Chinese', '状态完了'.repeat(83_000), 'end'],
  ['lines, at the start', 'a line of a long draft\n'.repeat(43_000), 'start'],
] as const) {
  await scene('draft', async () => {
    const driver = await drive({ columns: 120, rows: 40 });
    const parts = text.match(/[\s\S]{1,400}/g)!;
    await driver.press('x');
    await driver.session.send({ type: 'draft', draft: { text, caret: caret === 'end' ? text.length : 0, folded: [], shell: false } }, 'other');
    const second = await drive({ columns: 120, rows: 40, client: 'other', session: driver.session });
    if (second.draft.length !== text.length) throw new Error(`the draft has ${second.draft.length} of ${text.length}, ${parts.length}`);
    await keys(`a key, 1 MiB draft: ${name}`, second);
    await measure(`left, 1 MiB draft: ${name}`, 200, () => second.terminal.push('\x1b[D'), () => second.wait(30));
  });
}

await scene('stream', async () => {
  const driver = await drive({ columns: 120, rows: 40 });
  await show(driver, items(500), 5000);
  driver.session.publish([
    { type: 'activity', activity: { phase: 'writing', turn: 1, since: 0, detail: '', retry: null } },
    { type: 'live-start', turn: 9999, round: 1 },
  ]);
  const feed = async () => {
    for (let word = 0; word < 6; word++) {
      driver.session.publish([{ type: 'delta', part: 0, kind: 'text', text: `a **word** ${word} of it${word === 5 ? '\n\n' : ' '}` }]);
      await driver.wait(5);
    }
  };
  await measure('a key while 200 tokens/s stream', 400, (run) => driver.terminal.push('words '[run % 6]!), feed);
  driver.session.publish([{ type: 'delta', part: 0, kind: 'text', text: `${'A paragraph of a long reply, *with* words. '.repeat(5000)}\n\n` }]);
  await driver.wait(50);
  await measure('a key after 200 KB, still streaming', 300, (run) => driver.terminal.push('words '[run % 6]!), feed);
});

await scene('resize', async () => {
  const driver = await drive({ columns: 120, rows: 40 });
  const all = items(5000);
  await show(driver, all);
  const sizes = [
    [100, 30],
    [140, 50],
    [60, 20],
    [120, 40],
  ] as const;
  await measure('resize of 5,000 cards to its frame', 40, (run) => driver.terminal.resizeTo(...sizes[run % 4]!), () => driver.wait(60));
  await driver.press('pageup', 'pageup', 'pageup');
  await measure('resize of 5,000 cards while reading back', 40, (run) => driver.terminal.resizeTo(...sizes[run % 4]!), () => driver.wait(60));
  await measure('a page back in 5,000 cards', 200, () => driver.terminal.push('\x1b[5~'), () => driver.wait(30));
});
process.exit(0);
