import { expect, test } from 'bun:test';
import { readTools, toolsDigest } from './tool-list.ts';

const SCHEMA = { type: 'object', properties: {} };
const tool = (name: string, more: object = {}) => ({ name, description: name, inputSchema: SCHEMA, ...more }) as never;
const list = (...tools: unknown[]) => {
  const read = readTools('s', tools as never);
  if (!read.ok) throw new Error(read.refusal.message);
  return read.value;
};

test('names are ones every service takes, and no two are alike (MC-4)', () => {
  const { tools } = list(tool('a.b'), tool('a/b'), tool('a_b'), tool('plain'), tool('x'.repeat(100)), tool('ä'));
  const offered = tools.map((one) => one.offered);
  expect(new Set(offered).size).toBe(6);
  for (const name of offered) expect(name).toMatch(/^mcp__s__[A-Za-z0-9_-]{1,56}$/);
  expect(offered).toContain('mcp__s__plain');
  // Each of those that cleaning made alike carries a mark, whichever order they come in: none takes another's name.
  const turned = list(tool('a_b'), tool('a/b'), tool('a.b')).tools;
  for (const one of turned) expect(tools.find(({ name }) => name === one.name)?.offered).toBe(one.offered);
});

test('what cannot be offered costs itself only, and is said in our own words', () => {
  const { tools, leftOut } = list(
    tool('good'),
    tool('good'),
    tool(''),
    tool('esc\u001b[2J'),
    tool('two words'),
    tool('long'.repeat(40)),
    { name: 'bare' },
    tool('list', { inputSchema: { type: 'array' } }),
    tool('huge', { inputSchema: { type: 'object', description: 'x'.repeat(20_000) } }),
    'nonsense',
    null,
  );
  expect(tools.map(({ name }) => name)).toEqual(['good']);
  expect(leftOut).toHaveLength(10);
  expect(leftOut.join('')).not.toContain('\u001b');
});

test('a description shows every character it has, to the person and to the model alike', () => {
  const [one] = list(tool('t', { description: 'safe\u001b[2K\u202eevil\r\nsecond\u200b line' })).tools;
  expect(one!.description).not.toMatch(/[\u001b\u202e\u200b\r]/);
  expect(one!.description.split('\n')).toHaveLength(2);
  expect(list(tool('t', { description: 'x'.repeat(9_000) })).tools[0]!.description.length).toBeLessThan(4_200);
});

test('a list without end or of too many words is none', () => {
  expect(
    readTools(
      's',
      Array.from({ length: 257 }, (_, at) => tool(`t${at}`)),
    ),
  ).toMatchObject({ ok: false });
  expect(
    readTools(
      's',
      Array.from({ length: 200 }, (_, at) => tool(`t${at}`, { description: 'x'.repeat(4_000) })),
    ),
  ).toMatchObject({ ok: false });
});

test('any other word makes another list; the order does not (MCP-2)', () => {
  const digest = (...tools: unknown[]) => toolsDigest(list(...tools).tools);
  const before = digest(tool('a'), tool('b'));
  expect(digest(tool('b'), tool('a'))).toBe(before);
  for (const other of [
    [tool('a')],
    [tool('a'), tool('b'), tool('c')],
    [tool('a'), tool('b', { description: 'B' })],
    [tool('a'), tool('b', { inputSchema: { type: 'object' } })],
  ])
    expect(digest(...other)).not.toBe(before);
});
