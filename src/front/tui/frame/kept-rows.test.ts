import { expect, test } from 'bun:test';
import { Frame } from './frame.ts';
import { rect } from './rect.ts';

const OPTIONS = { depth: 'truecolor', synchronized: true } as const;

function shown(): Frame {
  const frame = new Frame(20, 3);
  const painter = frame.painter();
  for (let y = 0; y < 3; y++) painter.text(0, y, `row ${y} of the frame`, {});
  frame.flush(OPTIONS);
  return frame;
}

test('rows kept whole cost no bytes', () => {
  const frame = shown();
  frame.painter();
  frame.keep(rect(0, 0, 20, 3));
  expect(frame.flush(OPTIONS)).toBe('');
});

test('what is drawn on a kept row is written, however it is drawn', () => {
  const frame = shown();
  const painter = frame.painter();
  frame.keep(rect(0, 0, 20, 3));
  painter.text(0, 0, 'NEW', {});
  painter.fill(rect(0, 1, 3, 1), {}, '#');
  painter.restyle(rect(0, 2, 3, 1), { inverse: true });
  const bytes = frame.flush(OPTIONS);
  expect(bytes).toContain('NEW');
  expect(bytes).toContain('###');
  expect(bytes).toContain('\x1b[0;7mrow');
});

test('a wide cluster on a kept row is written', () => {
  const frame = shown();
  const painter = frame.painter();
  frame.keep(rect(0, 0, 20, 3));
  painter.text(0, 1, '状', {});
  expect(frame.flush(OPTIONS)).toContain('状');
});

test('kept rows are written all the same where the terminal is not known to show them any more', () => {
  const frame = shown();
  frame.painter();
  frame.keep(rect(0, 0, 20, 3));
  frame.invalidate();
  const bytes = frame.flush(OPTIONS);
  for (let y = 0; y < 3; y++) expect(bytes).toContain(`row ${y} of the frame`);
});
