// What keys cost in a draft of 1 MiB that was pasted and unfolded: `bun bench/draft.ts [memory|pty]`. First through the whole
// program on a terminal in memory, by the wall and by the processor, and what telling the session of it costs; then over a
// real pseudo-terminal, from the key to the first byte of its frame, beside the same keys in a short draft. Milliseconds.
import { drive } from '../test/support/driver.ts';
import { startFakeAnthropic } from '../test/support/fake-anthropic.ts';
import { makePlace } from '../test/support/houston-place.ts';

const SIZE = 1_040_000;
const DRAFTS = {
  lines: 'a line of a long draft, and a little more of it\n',
  'one line': 'word ',
  Chinese: '状态完了，',
  'short lines': 'x\n',
};
const KEYS: Readonly<Record<string, string>> = {
  letter: 'x',
  'new line': '\n',
  backspace: '\x7f',
  left: '\x1b[D',
  up: '\x1b[A',
  'word left': '\x1bb',
  'word erased': '\x17',
  undo: '\x1a',
  'small paste': '\x1b[200~pasted words\x1b[201~',
};
const only = process.argv[2];

function filled(line: string, bytes = SIZE): string {
  return line.repeat(Math.floor(bytes / new TextEncoder().encode(line).length));
}

function row(name: string, times: readonly number[], spent: readonly number[] = []): void {
  const figures = (values: readonly number[]): string => {
    const sorted = values.toSorted((a, b) => a - b);
    const at = (share: number): string =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(2).padStart(6);
    return `p50 ${at(0.5)}  p99 ${at(0.99)}  worst ${at(1)}`;
  };
  console.log(`${name.padEnd(40)} ${figures(times)}${spent.length === 0 ? '' : `   cpu ${figures(spent)}`}`);
}

if (only !== 'pty') {
  for (const [name, line] of Object.entries(DRAFTS)) {
    const driver = await drive({ columns: 120, rows: 40 });
    await driver.paste(filled(line));
    await driver.press('alt-e');
    if (driver.draft.length < 100_000) throw new Error(`the draft has ${driver.draft.length} characters`);
    // Into the middle, where there is text on both sides.
    for (let up = 0; up < 40; up++) driver.terminal.push('\x1b[A');
    await driver.wait(1000);
    for (const [key, bytes] of Object.entries(KEYS)) {
      const times: number[] = [];
      const spent: number[] = [];
      for (let run = 0; run < 300; run++) {
        const cpu = process.cpuUsage();
        const start = performance.now();
        driver.terminal.push(bytes);
        times.push(performance.now() - start);
        const { user, system } = process.cpuUsage(cpu);
        spent.push((user + system) / 1000);
        await driver.wait(5);
      }
      row(`memory, ${name}: ${key}`, times, spent);
    }
    const telling: number[] = [];
    for (let run = 0; run < 30; run++) {
      driver.terminal.push('y');
      const start = performance.now();
      await driver.wait(400);
      telling.push(performance.now() - start);
    }
    row(`memory, ${name}: telling the session`, telling);
    console.log(`  told as ${driver.sent.at(-1)?.type}, ${JSON.stringify(driver.sent.at(-1)).length} characters`);
  }
}

if (only !== 'memory') {
  const fake = await startFakeAnthropic([]);
  const place = await makePlace(fake.url);
  for (const [name, line] of [['short draft', ''] as const, ...Object.entries(DRAFTS)]) {
    const screen = place.open(['-m', 'anthropic:mock-model'], { columns: 120, rows: 40 });
    await screen.until('What shall be done?');
    if (line !== '') {
      screen.write(`\x1b[200~${filled(line)}\x1b[201~`);
      await screen.until('unfolds the paste', 60_000);
      screen.write('\x1be');
      await screen.until(() => !screen.text().includes('unfolds the paste'), 60_000);
      await Bun.sleep(1500);
    }
    const times: number[] = [];
    const letters = 'type some words ';
    for (let run = 0; run < 300; run++) {
      const before = screen.raw.length;
      const start = performance.now();
      screen.write(letters[run % letters.length]!);
      await screen.until(() => screen.raw.length > before);
      times.push(performance.now() - start);
      // Now and then a pause, in which the draft is told to the session.
      await Bun.sleep(run % 30 === 29 ? 330 : 25);
    }
    row(`pty, ${name}: letter`, times);
    screen.kill();
    await screen.exited;
  }
  await place.close();
  await fake.close();
}
process.exit(0);
