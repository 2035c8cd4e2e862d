import { describe, expect, test } from 'bun:test';
import { readServers, type ServerDefinition } from './config.ts';
import { definitionDigest, definitionLine, expandTransport, variablesOf } from './definition.ts';

const read = (servers: unknown, from: ServerDefinition['from'] = 'person') => {
  const read = readServers(JSON.stringify({ mcpServers: servers }), '/c/mcp.json', from);
  if (!read.ok) throw new Error(read.refusal.message);
  return read.value;
};
const fault = (server: unknown): string | null => read({ s: server })[0]!.fault;
const NAMED = (name: string): string => `$\{${name}}`;

describe('mcp.json', () => {
  test('one transport a server, exactly; what is not supported is named with its place (SC-39.1)', () => {
    expect(
      fault({
        command: 'a',
        args: ['b'],
        env: { C: 'd' },
        cwd: '/e',
        enabled: true,
        direct: true,
        description: 'f',
        timeout: 9,
      }),
    ).toBeNull();
    expect(fault({ type: 'http', url: 'https://x/y', headers: { A: 'b' } })).toBeNull();
    expect(fault({ url: 'https://x', auth: 'oauth', client_id: 'i', client_secret: 's' })).toBeNull();
    expect(fault({ command: 'a', url: 'b' })).toBe(
      '/c/mcp.json:1: s: it has both a command and a url: one of them is its transport',
    );
    expect(fault({})).toContain('neither a command nor a url');
    expect(fault({ command: 'a', url2: 1 })).toContain('the field "url2" is not supported here');
    expect(fault({ command: 'a', headers: {} })).toContain('the field "headers" is not supported here');
    expect(fault({ command: 'a', args: 'b' })).toContain('args is not a list of texts');
    expect(fault({ command: 'a', env: { 'A B': 'c' } })).toContain('cannot name a variable');
    expect(fault({ command: '' })).toContain('command is not a text');
    expect(fault({ command: 'a', timeout: 301 })).toContain('timeout is a number of seconds from 1 to 300');
    expect(fault({ url: 'https://x', auth: 'oauth', headers: { authorization: 'b' } })).toContain('exclude each other');
    expect(fault({ url: 'https://x', headers: { A: 'b\r\nc' } })).toContain('line break');
    expect(fault({ url: 'https://x', client_id: 'i' })).toContain('client_id is for auth');
    expect(fault([])).toContain('not a JSON object');
  });

  test('a name is one that no two servers can offer the same tool under; anything else breaks the file, in one line (MCP-1)', () => {
    for (const name of ['a', '9a', 'a-b_c', 'A'.repeat(32)])
      expect(read({ [name]: { command: 'x' } })[0]?.name).toBe(name);
    for (const name of ['', '_a', '-a', 'a__b', 'a_', 'a b', 'ä', 'a'.repeat(33), '\u001b[2J']) {
      const broken = readServers(JSON.stringify({ mcpServers: { [name]: { command: 'x' } } }), '/c', 'person');
      expect(broken).toMatchObject({ ok: false, refusal: { identifier: 'mcp-config' } });
      if (!broken.ok) expect(broken.refusal.message).not.toMatch(/[\u0000-\u001f]/);
    }
    const twice = readServers('{"mcpServers": {"a": {"command":"x"}, "a": {"command":"y"}}}', '/c', 'person');
    expect(twice).toMatchObject({ ok: false, refusal: { message: '/c:1: there are two servers called a' } });
  });

  test('comments and trailing commas are read; what is no JSON is named by its line', () => {
    expect(readServers('// mine\n{ "mcpServers": { "a": { "command": "x", }, }, }', '/c', 'person')).toMatchObject({
      ok: true,
    });
    expect(readServers('{\n "mcpServers": {\n', '/c', 'person')).toMatchObject({
      ok: false,
      refusal: { message: '/c:3: not valid JSON' },
    });
    for (const [text, line] of [
      ['[]', 1],
      ['{"mcpServers": []}', 1],
    ] as const)
      expect(readServers(text, '/c', 'person')).toMatchObject({
        ok: false,
        refusal: { message: expect.stringContaining(`/c:${line}: `) },
      });
    for (const text of ['', '  ', '{}', '{"other": 1}'])
      expect(readServers(text, '/c', 'person')).toEqual({ ok: true, value: [] });
  });

  test('a project marks nothing as on by default (SET-3)', () => {
    expect(read({ a: { command: 'x', enabled: true } }, 'person')[0]?.enabled).toBe(true);
    expect(read({ a: { command: 'x', enabled: true } }, 'project')[0]?.enabled).toBe(false);
  });
});

describe('what is agreed to', () => {
  test('any change of how it is started or reached is another one; what it is called by itself is not (MCP-1)', () => {
    const plain = { command: 'x', args: ['1'], env: { A: 'b' }, cwd: '/d' };
    const digest = (server: object): string => definitionDigest(read({ s: server })[0]!);
    for (const changed of [
      { command: 'y' },
      { args: [] },
      { args: ['1', '2'] },
      { env: { A: 'c' } },
      { env: { B: 'b' } },
      { cwd: '/' },
    ])
      expect(digest({ ...plain, ...changed })).not.toBe(digest(plain));
    for (const same of [{ description: 'other' }, { enabled: true }, { timeout: 100 }])
      expect(digest({ ...plain, ...same })).toBe(digest(plain));
    expect(digest({ url: 'https://a' })).not.toBe(digest({ url: 'https://b' }));
    expect(digest({ url: 'https://a', headers: { A: NAMED('B') } })).not.toBe(
      digest({ url: 'https://a', headers: { A: NAMED('C') } }),
    );
  });

  test('variables are put in for the one server that is enabled; what is not set is named (SC-39.1)', () => {
    const [server] = read({
      s: { command: 'x', args: [NAMED('A'), `$\{B:-two}`, '$C'], env: { T: `Bearer ${NAMED('A')}` } },
    });
    const transport = server!.transport!;
    expect(variablesOf(transport)).toEqual(['A', 'B']);
    expect(definitionLine(transport)).toBe(`x '${NAMED('A')}' '$\{B:-two}' '$C'`);
    expect(expandTransport(transport, { A: 'one' }, new Set())).toMatchObject({
      ok: true,
      value: { argv: ['x', 'one', 'two', '$C'], variables: { T: 'Bearer one' } },
    });
    // What is put in is not looked through again.
    expect(expandTransport(transport, { A: NAMED('B') }, new Set())).toMatchObject({
      ok: true,
      value: { argv: ['x', NAMED('B'), 'two', '$C'] },
    });
    expect(expandTransport(transport, {}, new Set())).toMatchObject({
      ok: false,
      refusal: { message: 'the variable A is not set' },
    });
    expect(expandTransport(transport, { A: 'x' }, new Set(['A']))).toMatchObject({
      ok: false,
      refusal: { identifier: 'mcp-variable' },
    });
  });

  test('an address is https, or on this machine', () => {
    const to = (url: string) => expandTransport(read({ s: { url } })[0]!.transport!, {}, new Set()).ok;
    expect(['https://a.b/c', 'http://localhost:1/x', 'http://127.0.0.1/', 'http://[::1]:8/'].map(to)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(
      [
        'http://a.b',
        'ftp://x',
        'nonsense',
        'https://u:p@x',
        'http://127.0.0.1.evil.org',
        'http://localhost.evil.org',
      ].map(to),
    ).toEqual(Array(6).fill(false));
  });
});
