import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { LiveProse } from './live-prose.ts';
import { proseRows } from './prose.ts';
import type { BlockOptions, Row } from './row.ts';

const OPTIONS: BlockOptions = { width: 30, expanded: false, openKey: '' };
const plain = (rows: readonly Row[]) => rows.map(({ margin, line, join, fill }) => ({ margin, line, join, fill }));

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      '\n',
      '\n\n',
      ' ',
      '  ',
      '\r',
      '\r\n',
      '- ',
      '1. ',
      '# ',
      '```',
      '```ts\n',
      '| a | b |\n|---|---|\n',
      '| 1 ',
      '> ',
    ),
    fc.string({ maxLength: 12 }),
    fc.constantFrom('word '.repeat(30), 'a\u0301', '状态'),
  ),
  { maxLength: 40 },
);

test('pieces that are told, looked at now and then, come to the rows of the whole', () => {
  fc.assert(
    fc.property(pieces, fc.array(fc.boolean()), (given, looks) => {
      const prose = new LiveProse('live', 0, OPTIONS);
      let text = '';
      for (const [index, piece] of given.entries()) {
        text += piece;
        prose.append(piece);
        if (looks[index] === true) prose.rows(text);
      }
      expect(plain(prose.rows(text))).toEqual(plain(proseRows(text, [], OPTIONS)));
      expect(prose.text).toBe(text.trimEnd());
    }),
    { numRuns: 300 },
  );
});

test('a text that begins anew is drawn anew, whoever told of it and however long it is', () => {
  const prose = new LiveProse('live', 0, OPTIONS);
  prose.append('first try');
  prose.rows('first try');
  prose.doubt();
  prose.append('second t.');
  expect(plain(prose.rows('second t.'))).toEqual(plain(proseRows('second t.', [], OPTIONS)));
  expect(plain(prose.rows('other'))).toEqual(plain(proseRows('other', [], OPTIONS)));
});
