import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ThinkTags } from './think-tags.ts';

function split(pieces: readonly string[]): { thinking: string; text: string } {
  const tags = new ThinkTags();
  const all = [...pieces.flatMap((piece) => tags.push(piece)), ...tags.flush()];
  const of = (kind: string) => all.flatMap((one) => (one.kind === kind ? [one.text] : [])).join('');
  return { thinking: of('thinking'), text: of('text') };
}

test.each([
  ['<think>a < b</think>\n\nSo.', 'a < b', 'So.'],
  ['\n<think>never closed </thin', 'never closed </thin', ''],
  ['no <think>tags</think> here', '', 'no <think>tags</think> here'],
  ['<thin air', '', '<thin air'],
  ['<think></think>x', '', 'x'],
])('%j', (whole, thinking, text) => {
  expect(split([whole])).toEqual({ thinking, text });
});

test('where the pieces end changes nothing', () => {
  const word = fc.constantFrom('<think>', '</think>', '<', '/', 'thin', 'k>', ' ', 'x', '\n');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const whole = words.join('');
      expect(split([...whole])).toEqual(split([whole]));
      expect(split(words)).toEqual(split([whole]));
    }),
  );
});
