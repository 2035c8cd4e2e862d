import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type CodeBlock, CodeRow } from './code-block.ts';
import { Markdown, renderMarkdown } from './markdown.ts';
import { lineText, type Span, type StyledLine } from './styled-line.ts';
import { textWidth } from './text-width.ts';

const rows = (source: string, width = 40): string[] => renderMarkdown(source, { width }).map(lineText);

/** Spans as text with their style in front: `b:` bold, `i:` italic, `s:` strike, the role unless it is plain. */
function styled(source: string, width = 80): string[] {
  return renderMarkdown(source, { width }).map((line) => line.spans.map(sayStyled).join(' '));
}

function sayStyled(span: Span): string {
  const marks = `${span.bold ? 'b' : ''}${span.italic ? 'i' : ''}${span.strike ? 's' : ''}`;
  return `${marks}${span.role === 'text' ? '' : `<${span.role}>`}[${span.text}]`;
}

describe('inline', () => {
  test.each([
    ['plain **bold** and *italic*', ['[plain ] b[bold] [ and ] i[italic]']],
    ['***both*** __b__ _i_', ['bi[both] [ ] b[b] [ ] i[i]']],
    ['snake_case_name and 2 * 3 * 4', ['[snake_case_name and 2 * 3 * 4]']],
    ['~~gone~~ and ~~not', ['s[gone] [ and ~~not]']],
    ['`a*b*` and ``x ` y``', ['<code>[a*b*] [ and ] <code>[x ` y]']],
    ['an `open tick', ['[an `open tick]']],
    ['\\*not\\* <b>html</b> &amp; &lt;', ['[*not* <b>html</b> & <]']],
    ['[text](https://x.dev/a) [#](#top)', ['<link>[text] <url>[ (https://x.dev/a)] [ ] <link>[#]']],
    ['see https://x.dev/a_b, ok', ['[see ] <link>[https://x.dev/a_b] [, ok]']],
    ['**bold [link](u)** end', ['b[bold ] b<link>[link] b<url>[ (u)] [ end]']],
    ['[not a link] (x)', ['[[not a link] (x)]']],
    ['![a picture](p.png)', ['<link>[a picture] <url>[ (p.png)]']],
    ['two  \nlines\nhere', ['[two]', '[lines]', '[here]']],
  ])('%j', (source, expected) => {
    expect(styled(source)).toEqual(expected);
  });
});

describe('blocks', () => {
  test('headings, paragraphs and rules with the gaps of their source', () => {
    expect(rows('# One #\ntext\n\n## Two\n***\nSetext\n===\nend')).toEqual([
      'One',
      'text',
      '',
      'Two',
      '─'.repeat(40),
      '',
      'Setext',
      'end',
    ]);
  });

  test('lists nest, count on, keep their gaps, and hang their rows', () => {
    expect(rows('Here:\n- one\n  - two\n    - three\n- [x] done\n- [ ] open\n\n1. a\n1. b\n\n   more\n9) c')).toEqual([
      'Here:',
      '• one',
      '  ◦ two',
      '    ▪ three',
      '• ☑ done',
      '• ☐ open',
      '',
      '1. a',
      '2. b',
      '',
      '   more',
      '3) c',
    ]);
    expect(rows('- a long item that wraps\n  and goes on', 14)).toEqual([
      '• a long item',
      '  that wraps',
      '  and goes on',
    ]);
    expect(rows('1. foo\n  - nested with too few blanks')).toEqual(['1. foo', '   ◦ nested with too few blanks']);
  });

  test('quotes hold any block, and bar every row', () => {
    expect(rows('> quoted words here\n> - item\n>\n> ```\n> code\n> ```\nlazy', 16)).toEqual([
      '│ quoted words',
      '│ here',
      '│ • item',
      '│ ',
      '│   code',
      '',
      'lazy',
    ]);
    expect(rows('> one\ntwo')).toEqual(['│ one', '│ two']);
  });

  test('code keeps its columns and never wraps between words', () => {
    const lines = renderMarkdown('```ts\nif (a) {\n\treturn  b;\n}\n```', { width: 40 });
    expect(lines.map(lineText)).toEqual(['  if (a) {', '      return  b;', '  }']);
    expect(lines.every((line) => line.fill === 'code-block')).toBe(true);
    expect(rows('~~~\nabc def\n~~~', 6)).toEqual(['  abc ', '  def']);
    expect(rows('    indented\n\n      more')).toEqual(['  indented', '  ', '    more']);
  });

  test('HTML is text, and nothing commands the terminal', () => {
    expect(rows('<script>x</script>\n\n<b>b</b>')).toEqual(['<script>x</script>', '', '<b>b</b>']);
  });

  test('what is copied is the source: soft breaks are blanks, margins are not there', () => {
    const lines = renderMarkdown('> one two three\n\n- item', { width: 9 });
    expect(lines.map((line) => line.spans.map((span) => span.source ?? span.text).join('') + line.join).join('')).toBe(
      'one two three\n\n- item\n',
    );
  });
});

describe('tables', () => {
  const table = '| 状态 | name | n |\n|---|:-:|--:|\n| ✅ 完了 | 🇨🇭 | 1 |\n| 👩‍🚀 | e\u0301 | 22 |\n| end | x | 333 |';

  test('UP-04 borders stand in one column in all rows, whatever the cells hold', () => {
    const lines = rows(table);
    expect(lines.length).toBe(5);
    const borders = lines.map((line) =>
      [...line.matchAll(/[│┼]/g)].map((match) => textWidth(line.slice(0, match.index))),
    );
    expect(new Set(borders.map((places) => places.join())).size).toBe(1);
    expect(lines.at(-1)).toBe('end     │  x   │ 333');
  });

  test('UP-04 a narrow table wraps its cells, a narrower one becomes a list; nothing is lost', () => {
    const wide =
      '| option | what it does |\n|---|---|\n| `--fast` | goes quicker than it would without |\n| end | last |';
    const narrow = rows(wide, 30);
    expect(narrow.every((line) => textWidth(line) <= 30)).toBe(true);
    expect(narrow.at(-1)).toStartWith('end');
    expect(rows(wide, 10)).toEqual([
      'option:',
      '--fast',
      'what it',
      'does: goes',
      'quicker',
      'than it',
      'would',
      'without',
      '──────────',
      'option:',
      'end',
      'what it',
      'does: last',
    ]);
  });

  test('a pipe behind a backslash belongs to its cell, missing cells are empty', () => {
    expect(rows('| a | b |\n|---|---|\n| x \\| y | |\n| z |')).toEqual([
      'a     │ b',
      '──────┼──',
      'x | y │ ',
      'z     │ ',
    ]);
  });
});

const piece = fc.constantFrom(
  'word ',
  '**bold** ',
  '`code` ',
  '*it',
  '\n',
  '\n\n',
  '- item\n',
  '  - nested\n',
  '1. first\n',
  '2. second\n',
  '> quote\n',
  '```ts\n',
  '```\n',
  'x = 1\n',
  '# Head\n',
  '| a | b |\n',
  '|---|---|\n',
  '| 1 | 2 |\n',
  '---\n',
  '    indented\n',
  '[l](u) ',
  '~~~\n',
  '===\n',
  '\t',
  '状态 ',
  '- [ ] t\n',
);
const document = fc.array(piece, { maxLength: 25 }).map((parts) => parts.join(''));
const view = (lines: readonly StyledLine[]): unknown[] =>
  lines.map((line) => ({ margin: line.margin, spans: line.spans, join: line.join, fill: line.fill }));

describe('streaming', () => {
  test('text that came in pieces looks as text that came at once', () => {
    fc.assert(
      fc.property(
        document,
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.integer({ min: 10, max: 50 }),
        (source, cuts, width) => {
          const whole = source.endsWith('\n') ? source : `${source}\n`;
          const markdown = new Markdown({ width });
          for (const cut of [...cuts].map((at) => at % (whole.length + 1)).sort((a, b) => a - b))
            markdown.update(whole.slice(0, cut));
          markdown.update(whole);
          expect(view(markdown.lines)).toEqual(view(renderMarkdown(whole, { width })));
        },
      ),
      { numRuns: 600 },
    );
  });

  test('finished rows never change', () => {
    fc.assert(
      fc.property(document, (source) => {
        const markdown = new Markdown({ width: 30 });
        let finished: StyledLine[] = [];
        for (let at = 0; at <= source.length; at += 3) {
          markdown.update(source.slice(0, at));
          expect(markdown.lines.slice(0, finished.length)).toEqual(finished);
          finished = markdown.lines.slice(0, markdown.finished);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('a list is finished item by item, an open fence line by line', () => {
    const list = new Markdown({ width: 40 });
    list.update('1. one\n2. two\n3. three\n');
    expect([list.finished, list.lines.map(lineText)]).toEqual([2, ['1. one', '2. two', '3. three']]);
    const fence = new Markdown({ width: 40 });
    fence.update('text\n```js\na\nb\n``');
    expect([fence.finished, fence.lines.map(lineText)]).toEqual([4, ['text', '', '  a', '  b']]);
  });

  test('a paragraph is finished with the blank line behind it, a heading with its own line', () => {
    const markdown = new Markdown({ width: 20 });
    const finishedAt = (text: string): number => {
      markdown.update(text);
      return markdown.finished;
    };
    expect(finishedAt('one')).toBe(0);
    expect(finishedAt('one\n\n')).toBe(0);
    expect(finishedAt('one\n\nt')).toBe(1);
    expect(finishedAt('one\n\ntwo\nmore')).toBe(1);
    expect(finishedAt('one\n\ntwo\nmore\n# h')).toBe(1);
    expect(finishedAt('one\n\ntwo\nmore\n# h\nx')).toBe(6);
    expect(finishedAt('one\n\ntwo\nmore\n# h\nx\n\n- i')).toBe(7);
    // An item goes on behind a blank line.
    expect(finishedAt('one\n\ntwo\nmore\n# h\nx\n\n- i\n\nz')).toBe(7);
  });

  test('UP-07 the work for a piece does not grow with what came before', () => {
    for (const part of [
      '- item of a **list**\n',
      'a paragraph with `code`\n\n',
      'const a = 1;\n',
      'words without an end ',
      'A'.repeat(40),
    ]) {
      const start = part.startsWith('const') ? '```ts\n' : '';
      const markdown = new Markdown({ width: 100 });
      const source = start + part.repeat(Math.ceil(300_000 / part.length));
      markdown.update(source.slice(0, 290_000));
      const before = markdown.finished;
      markdown.update(source);
      // What is read again is the last block, bounded, and not the reply.
      expect(markdown.lines.length - before).toBeLessThan(1200);
      expect(before).toBeGreaterThan(2000);
    }
  });

  test('another text starts anew', () => {
    const markdown = new Markdown({ width: 40 });
    markdown.update('# One\n\ntwo\n\nthree');
    markdown.update('other');
    expect(markdown.lines.map(lineText)).toEqual(['other']);
  });

  test('hostile text costs no more than other text of its length', () => {
    for (const part of ['> ', '[', '![', '*a ', '**a _b ', '`a', '1. ', '<', '|', '- ', '[a](', '~']) {
      const lines = renderMarkdown(part.repeat(Math.ceil(20_000 / part.length)), { width: 100 });
      expect(lines.length).toBeGreaterThan(0);
    }
  });
});

describe('code', () => {
  test('asks for colours once its fence is closed, and shows them on the rows that stand already', () => {
    const wanted: CodeBlock[] = [];
    const markdown = new Markdown({ width: 40, onCode: (block) => wanted.push(block) });
    markdown.update('```ts\nlet a;\n');
    expect(wanted).toEqual([]);
    markdown.update('```ts\nlet a;\n```\n');
    expect(wanted.map((block) => [block.language, block.text])).toEqual([['ts', 'let a;']]);
    const row = markdown.lines[0]!;
    expect(row).toBeInstanceOf(CodeRow);
    wanted[0]!.colored = [
      [
        { text: 'let', role: 'keyword' },
        { text: ' a;', role: 'code-block' },
      ],
    ];
    expect(row.spans.map(sayStyled)).toEqual(['<keyword>[let]', '<code-block>[ a;]']);
  });

  test('colours that do not spell the code are not used', () => {
    const wanted: CodeBlock[] = [];
    const [row] = renderMarkdown('```ts\nlet a;\n```\n', { width: 40, onCode: (block) => wanted.push(block) });
    wanted[0]!.colored = [[{ text: 'else', role: 'keyword' }]];
    expect(row!.spans.map(sayStyled)).toEqual(['<code-block>[let a;]']);
  });
});
