// What a frame, a key and a resize cost in the renderer alone: `bun bench/frame.ts`. Medians and p99 in milliseconds.
import { Markdown, renderMarkdown } from '../src/base/markdown.ts';
import { applyKey, NEW_EDITOR, replaceAll } from '../src/front/tui/editor/editor-state.ts';
import { LayoutCache } from '../src/front/tui/editor/layout.ts';
import { paintEditor } from '../src/front/tui/editor/paint-editor.ts';
import { Frame } from '../src/front/tui/frame/frame.ts';
import { rect } from '../src/front/tui/frame/rect.ts';
import { InputReader } from '../src/front/tui/input/bytes.ts';

const STYLES = { text: {}, selection: { inverse: true }, atom: {}, atomAtCaret: {}, placeholder: {} };
const OPTIONS = { depth: 'truecolor', synchronized: true } as const;

function measure(name: string, runs: number, work: (run: number) => void): void {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    work(run);
    times.push(performance.now() - start);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => sorted[Math.min(runs - 1, Math.floor(runs * share))]!.toFixed(3);
  console.log(`${name.padEnd(52)} p50 ${at(0.5).padStart(8)}   p99 ${at(0.99).padStart(8)}   first ${times[0]!.toFixed(2).padStart(7)}`);
}

const prose = 'The *quick* brown fox jumps over `lazy` dogs, 状态 and ✅ marks, in a **longer** sentence that wraps.\n\n';
const screen = renderMarkdown(prose.repeat(40), { width: 110 });

function drawScreen(frame: Frame, from: number): void {
  const painter = frame.painter();
  for (let y = 0; y < frame.height; y++) {
    let x = 2;
    for (const span of screen[(from + y) % screen.length]!.spans) x += painter.text(x, y, span.text, { fg: span.role === 'text' ? 0xdfe5ec : 0x82b6ff });
  }
  painter.hit(rect(0, 0, frame.width, frame.height), { region: 'transcript' });
  painter.cursor(3, frame.height - 1);
}

const frame = new Frame(120, 40);
measure('draw and flush a 120x40 screen, nothing changed', 500, () => {
  drawScreen(frame, 0);
  frame.flush(OPTIONS);
});
measure('draw and flush a 120x40 screen, scrolled by a row', 500, (run) => {
  drawScreen(frame, run);
  frame.flush(OPTIONS);
});
measure('draw and flush after a resize', 200, (run) => {
  frame.resize(run % 2 === 0 ? 100 : 120, 40);
  drawScreen(frame, 0);
  frame.flush(OPTIONS);
});

function typeInto(name: string, text: string, at: number, runs: number): void {
  const cache = new LayoutCache();
  const box = new Frame(120, 40);
  let state = replaceAll(NEW_EDITOR, { text, atoms: [] }, at).state;
  cache.of(state.buffer.text, 110);
  let top = 0;
  measure(name, runs, (run) => {
    const layout = cache.of(state.buffer.text, 110);
    const letter = run % 7 === 6 ? ' ' : 'x';
    state = applyKey(state, { name: letter, ctrl: false, alt: false, shift: false, text: letter, kind: 'press' }, layout)!.state;
    top = paintEditor(box.painter(), rect(0, 30, 110, 10), state.buffer, cache.of(state.buffer.text, 110), STYLES, { top, focused: true });
    box.flush(OPTIONS);
  });
}

typeInto('a key in an empty draft', '', 0, 500);
typeInto('a key in the middle of 1 MiB of lines', 'a line of a long draft\n'.repeat(45_000), 500_000, 300);
typeInto('a key at the start of one line of 1 MiB', 'word '.repeat(209_000), 0, 300);
typeInto('a key at the end of one line of 1 MiB', 'A'.repeat(1_040_000), 1_040_000, 300);
typeInto('a key in the middle of 1 MiB of Chinese', '状态完了'.repeat(87_000), 170_000, 300);

const reply = prose.repeat(2000);
measure('200 KB of markdown at once', 5, () => renderMarkdown(reply, { width: 110 }));
const growing = new Markdown({ width: 110 });
let size = 0;
measure('one delta of 20 characters on top of 200 KB', 500, () => {
  size += 20;
  growing.update(reply.slice(0, 150_000 + size));
});
const paragraph = new Markdown({ width: 110 });
measure('one delta inside one endless paragraph', 500, (run) => paragraph.update('word **bold** '.repeat(10_000).slice(0, 100_000 + 20 * run)));
const fence = new Markdown({ width: 110 });
const code = `\`\`\`ts\n${'const answer = 42;\n'.repeat(10_000)}`;
measure('one delta inside an open fence of 150 KB', 500, (run) => fence.update(code.slice(0, 150_000 + 20 * run)));

const keys = new TextEncoder().encode('hello \x1b[1;5C\x1b[<0;10;5M한글\r'.repeat(20));
measure('read 400 keys', 200, () => new InputReader().feed(keys, 0));
const paste = new TextEncoder().encode(`\x1b[200~${'row\tof text\n'.repeat(80_000)}\x1b[201~`);
measure('read a paste of 1 MB', 20, () => new InputReader().feed(paste, 0));
