// Draws what a real terminal shows of the real program as an SVG: the picture in README, and a way to look at a screen.
//   sh scripts/bun.sh scripts/picture.ts OUT.svg [--size 110x34] [--keys 'text\r'] [--wait MS] [--background light] -- HOUSTON-ARGUMENTS
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IBufferCell } from '@xterm/headless';
import { PtyProgram } from '../test/support/pty-program.ts';

const CELL = { width: 8.4, height: 18, size: 14 };
const split = process.argv.indexOf('--');
const own = process.argv.slice(2, split < 0 ? undefined : split);
const rest = split < 0 ? [] : process.argv.slice(split + 1);
const option = (name: string, initial: string): string => {
  const at = own.indexOf(`--${name}`);
  return at < 0 ? initial : (own[at + 1] ?? initial);
};
const out = own[0];
if (out === undefined) throw new Error('name the file to write');
const [columns, rows] = option('size', '110x34').split('x').map(Number) as [number, number];
const light = option('background', 'dark') === 'light';

const home = mkdtempSync(path.join(tmpdir(), 'houston-picture-'));
const program = new PtyProgram({
  argv: [path.join(import.meta.dir, '..', 'houston'), ...rest],
  folder: process.cwd(),
  environment: { PATH: process.env.PATH ?? '', HOME: home, ...passedOn() },
  columns,
  rows,
  background: light ? 'light' : 'dark',
});
await Bun.sleep(1_200);
for (const keys of option('keys', '').split('|')) {
  if (keys === '') continue;
  await program.type(keys.replaceAll('\\r', '\r').replaceAll('\\e', '\x1b').replaceAll('\\t', '\t'));
  await Bun.sleep(Number(option('wait', '1500')));
}
writeFileSync(out, svg());
await program.close();
rmSync(home, { recursive: true, force: true });

function passedOn(): Record<string, string> {
  const names = ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY', 'NO_COLOR'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function svg(): string {
  const ground = light ? '#ffffff' : '#101018';
  const ink = light ? '#000000' : '#eeeeee';
  const parts: string[] = [];
  const buffer = program.emulator.buffer.active;
  for (let y = 0; y < rows; y++) {
    const line = buffer.getLine(buffer.viewportY + y);
    for (let x = 0; x < columns; x++) {
      const cell = line?.getCell(x);
      if (cell === undefined || cell.getWidth() === 0) continue;
      let fg = colorOf(cell, true) ?? ink;
      let bg = colorOf(cell, false);
      if (cell.isInverse()) [fg, bg] = [bg ?? ground, fg];
      const left = (x * CELL.width).toFixed(1);
      const top = y * CELL.height;
      if (bg !== null)
        parts.push(
          `<rect x="${left}" y="${top}" width="${(cell.getWidth() * CELL.width).toFixed(1)}" height="${CELL.height}" fill="${bg}"/>`,
        );
      const text = cell.getChars();
      if (text.trim() === '') continue;
      const look = `${cell.isBold() ? ' font-weight="bold"' : ''}${cell.isItalic() ? ' font-style="italic"' : ''}${cell.isDim() ? ' opacity="0.6"' : ''}${cell.isUnderline() ? ' text-decoration="underline"' : ''}`;
      parts.push(`<text x="${left}" y="${top + 14}" fill="${fg}"${look}>${escaped(text)}</text>`);
    }
  }
  const width = Math.ceil(columns * CELL.width);
  const height = rows * CELL.height;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width + 24}" height="${height + 24}" viewBox="-12 -12 ${width + 24} ${height + 24}" font-family="'DejaVu Sans Mono','SF Mono',Menlo,Consolas,monospace" font-size="${CELL.size}"><rect x="-12" y="-12" width="${width + 24}" height="${height + 24}" rx="8" fill="${ground}"/>${parts.join('')}</svg>\n`;
}

function colorOf(cell: IBufferCell, foreground: boolean): string | null {
  const rgb = foreground ? cell.isFgRGB() : cell.isBgRGB();
  const palette = foreground ? cell.isFgPalette() : cell.isBgPalette();
  const value = foreground ? cell.getFgColor() : cell.getBgColor();
  if (rgb) return `#${value.toString(16).padStart(6, '0')}`;
  return palette ? '#888888' : null;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
