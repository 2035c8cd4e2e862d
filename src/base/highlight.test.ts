import { describe, expect, test } from 'bun:test';
import { CodeBlock } from './code-block.ts';
import { Highlighter, languageOf } from './highlight.ts';

/** Gives the highlighter its turns at once and waits until it asks for none. */
async function colored(...blocks: CodeBlock[]): Promise<number> {
  let announced = 0;
  let done = (): void => {};
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  const highlighter = new Highlighter(
    (work) => queueMicrotask(work),
    () => {
      announced++;
      if (blocks.every((block) => block.colored !== null)) done();
    },
  );
  for (const block of blocks) highlighter.want(block);
  await finished;
  return announced;
}

const said = (block: CodeBlock): string[] =>
  block.colored!.map((line) => line.map((span) => `${span.role}:${span.text}`).join('|'));

describe('highlighting', () => {
  test('gives each piece of code its role, line by line, and spells the same text', async () => {
    const text = 'const a = "<b>";\n// note\n\nreturn f(1);';
    const block = new CodeBlock(text, 'ts');
    await colored(block);
    expect(said(block)[0]).toBe('keyword:const|code-block: a = |string:"<b>"|code-block:;');
    expect(said(block)[1]).toBe('comment:// note');
    expect(block.colored!.map((line) => line.map((span) => span.text).join('')).join('\n')).toBe(text);
  });

  test('works one block out once, however often it is shown', async () => {
    const blocks = [new CodeBlock('a = 1', 'python'), new CodeBlock('a = 1', 'python')];
    await colored(...blocks);
    expect(blocks[0]!.colored).toBe(blocks[1]!.colored);
  });

  test('knows what people write behind a fence, and leaves the rest plain', () => {
    expect(['ts', 'JSX', 'sh', 'c++', 'yml', 'toml', 'html'].map(languageOf)).toEqual([
      'typescript',
      'javascript',
      'bash',
      'cpp',
      'yaml',
      'ini',
      'xml',
    ]);
    expect([languageOf('klingon'), languageOf('constructor'), languageOf('')]).toEqual([null, null, null]);
    const turns: (() => void)[] = [];
    const highlighter = new Highlighter(
      (work) => turns.push(work),
      () => {},
    );
    highlighter.want(new CodeBlock('x', 'klingon'));
    highlighter.want(new CodeBlock('x'.repeat(100_000), 'ts'));
    expect(turns).toEqual([]);
  });
});
