// What a person copies with the mouse, in the real program: in a bare terminal and inside a real tmux.
import { afterEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startFakeAnthropic } from '../support/fake-anthropic.ts';
import { eventually, HOUSTON, makePlace } from '../support/houston-place.ts';
import type { PtyProgram } from '../support/pty-program.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const CODE = Array.from({ length: 150 }, (_, at) => 'abcdefghij'[at % 10]).join('');

/** Drags over the whole of the code, which is wrapped over two rows, and copies it. */
async function copyCode(screen: PtyProgram): Promise<void> {
  await screen.until('shall be done');
  await screen.say('go');
  await screen.until('turn 1');
  const y = screen.lines().findIndex((line) => line.includes('abcdefghij')) + 1;
  const x = screen.lines()[y - 1]!.indexOf('abcdefghij') + 1;
  screen.write(`\x1b[<0;${x};${y}M`);
  await Bun.sleep(60);
  for (const [column, row] of [
    [x + 20, y],
    [x + 10, y + 1],
    [95, y + 1],
  ])
    screen.write(`\x1b[<32;${column};${row}M`);
  await Bun.sleep(60);
  screen.write(`\x1b[<0;95;${y + 1}m`);
  await screen.until('Ctrl-C sends the selection');
  screen.write('\x03');
  await screen.until('Sent to the clipboard');
}

test('a bare terminal is given the source of what was dragged over, and no more is claimed than that it was sent (UP-17)', async () => {
  const fake = await startFakeAnthropic([`Here:\n\n\`\`\`\n${CODE}\n\`\`\`\n`]);
  const place = await makePlace(fake.url);
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  const screen = place.open(['-m', 'anthropic:mock-model']);
  await copyCode(screen);
  expect(screen.raw).toContain(`\x1b]52;c;${btoa(CODE)}`);
  expect(screen.lines().join('\n')).not.toContain('opied');
}, 30_000);

test.skipIf(Bun.which('tmux') === null)(
  'inside tmux it reaches tmux’s own buffer, whole, with passthrough off (UP-17)',
  async () => {
    const fake = await startFakeAnthropic([`Here:\n\n\`\`\`\n${CODE}\n\`\`\`\n`]);
    const place = await makePlace(fake.url);
    const socket = path.join(place.root, 'tmux');
    const tmux = (...words: string[]) =>
      Bun.spawnSync(['tmux', '-S', socket, ...words], { env: place.environment }).stdout.toString();
    closing.push(
      async () => {
        tmux('kill-server');
      },
      () => place.close(),
      () => fake.close(),
    );
    const settings = path.join(place.root, 'tmux.conf');
    writeFileSync(
      settings,
      'set -g status off\nset -g mouse on\nset -s set-clipboard on\nset -g allow-passthrough off\nset -s escape-time 0\n',
    );
    const screen = place.open([], {
      argv: ['tmux', '-S', socket, '-f', settings, 'new-session', HOUSTON, '-m', 'anthropic:mock-model'],
    });
    await copyCode(screen);
    await eventually('the copy in tmux', () => tmux('show-buffer') !== '');
    expect(tmux('show-buffer')).toBe(CODE);
  },
  30_000,
);
