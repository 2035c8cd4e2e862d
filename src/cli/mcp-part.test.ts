// MCP servers as they really are: programs and addresses of this machine.
import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonObject } from '../base/json.ts';
import type { McpServers } from '../core/mcp/servers.ts';
import type { Tool, ToolOutcome } from '../core/tools/tool.ts';
import { createBunSystem } from '../system/bun/system.ts';
import { openServers, requestedServers } from './mcp-part.ts';

const PROGRAM = path.join(import.meta.dir, '..', '..', 'test', 'support', 'mcp-server.mjs');
const open: { top: string; servers: McpServers }[] = [];
afterEach(async () => {
  for (const { top, servers } of open.splice(0)) {
    await servers.close();
    rmSync(top, { recursive: true, force: true });
  }
});

function real(configured: JsonObject) {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'houston-mcp-')));
  for (const name of ['config', 'state', 'yard', 'session']) mkdirSync(path.join(top, name));
  writeFileSync(path.join(top, 'config', 'mcp.json'), JSON.stringify({ mcpServers: configured }));
  const system = createBunSystem();
  const servers = openServers({
    system,
    session: `test-${process.pid}`,
    version: '0',
    folder: path.join(top, 'yard'),
    config: path.join(top, 'config'),
    state: path.join(top, 'state'),
    place: path.join(top, 'session'),
    secretNames: ['MY_KEY'],
    confine: async (argv) => ({ argv, added: {}, removed: [], holdsTree: false }),
    redact: (text) => text,
    saveDefault: async () => false,
    lock: (_file, work) => work(),
    requests: [],
    projectCounts: () => false,
  });
  open.push({ top, servers });
  const enable = (name: string) => servers.enable(name, async () => 'remember', new AbortController().signal);
  const call = (name: string, input: JsonObject): Promise<ToolOutcome> => {
    const tool = servers.tools().find((one) => one.name === name) as Tool<JsonObject>;
    return tool.run(input, { signal: new AbortController().signal, progress: () => {} } as never);
  };
  return { top, system, servers, enable, call };
}

const bun = (...words: string[]): JsonObject => ({ command: process.execPath, args: [PROGRAM, ...words] });

test('a program is greeted, called, given what was named for it alone, and ended with its whole tree', async () => {
  const { servers, enable, call, system, top } = real({ calc: { ...bun('noise'), env: { NAMED: 'x' } } });
  expect(await enable('calc')).toMatchObject({ ok: true, value: { tools: 2 } });
  expect(await call('mcp__calc__add', { a: 2, b: 3 })).toMatchObject({ ok: true, text: '5' });
  const variables = await call('mcp__calc__variables', {});
  const names = (variables.ok ? variables.text : '').split(' ');
  expect(names).toContain('NAMED');
  expect(names).toContain('PATH');
  for (const name of names)
    expect(name).toMatch(
      /^(NAMED|PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TERM|HOUSTON_SESSION|HOUSTON_CALL|_)$/,
    );
  expect(await system.processes.findMarked('HOUSTON_CALL', `test-${process.pid}/mcp-calc-1`)).toHaveLength(1);
  expect(readFileSync(path.join(top, 'session', 'mcp-calc.log'), 'utf8')).toBe('ready\n');
  await servers.close();
  expect(await system.processes.findMarked('HOUSTON_CALL', `test-${process.pid}/mcp-calc-1`)).toEqual([]);
}, 20_000);

test('one that ends during its first call is started again for the next; one that ends at once says so (UP-54)', async () => {
  const { enable, call } = real({ once: bun('once'), dies: bun('dies') });
  expect(await enable('dies')).toMatchObject({ ok: false, refusal: { message: 'dies: it ended with exit 3' } });
  expect((await enable('once')).ok).toBe(true);
  expect(await call('mcp__once__add', { a: 1, b: 1 })).toMatchObject({
    ok: false,
    message: 'once did not do it: it ended with exit 0.',
  });
  expect(await call('mcp__once__variables', {})).toMatchObject({ ok: true });
}, 20_000);

test('an address of this machine is spoken to over true HTTP, by JSON and by events', async () => {
  const heard: string[] = [];
  const house = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const text = await request.text();
      const body =
        text === ''
          ? {}
          : (JSON.parse(text) as { id?: number; method?: string; params?: { protocolVersion?: string } });
      heard.push(`${request.method} ${body.method ?? ''}`.trim());
      const fits = request.headers.get('accept')?.includes('text/event-stream') === true || request.method === 'DELETE';
      if (!fits || (heard.length > 1 && request.headers.get('mcp-session-id') !== 's-1'))
        return new Response('no', { status: 400 });
      if (request.method === 'DELETE' || body.id === undefined) return new Response(null, { status: 202 });
      const send = (result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: body.id, result });
      if (body.method === 'initialize')
        return new Response(send({ protocolVersion: body.params?.protocolVersion, capabilities: { tools: {} } }), {
          headers: { 'content-type': 'application/json', 'mcp-session-id': 's-1' },
        });
      const result =
        body.method === 'tools/list'
          ? { tools: [{ name: 'find', inputSchema: { type: 'object' } }] }
          : { content: [{ type: 'text', text: 'found' }] };
      return new Response(`event: message\ndata: ${send(result)}\n\n`, {
        headers: { 'content-type': 'text/event-stream' },
      });
    },
  });
  try {
    const { enable, call, servers } = real({ web: { url: `http://127.0.0.1:${house.port}/mcp` } });
    expect(await enable('web')).toMatchObject({ ok: true });
    expect(await call('mcp__web__find', {})).toMatchObject({ ok: true, text: 'found' });
    await servers.close();
    expect(heard).toEqual([
      'POST initialize',
      'POST notifications/initialized',
      'POST tools/list',
      'POST tools/call',
      'DELETE',
    ]);
  } finally {
    house.stop(true);
  }
}, 20_000);

test('what a project asks for is a line for each server that would start, and nothing of what cannot be read', async () => {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'houston-mcp-')));
  const { files } = createBunSystem();
  expect(await requestedServers(files, top)).toEqual([]);
  writeFileSync(
    path.join(top, '.mcp.json'),
    JSON.stringify({
      mcpServers: { a: { command: 'sh', args: ['-c', 'touch PWN1'] }, b: { url: 'https://x' }, c: {} },
    }),
  );
  const lines = await requestedServers(files, top);
  expect(lines.map((line) => line.replace(/ \([0-9a-f]{8}\)$/, ''))).toEqual([
    ".mcp.json: a may run sh -c 'touch PWN1'",
    '.mcp.json: b may reach https://x',
  ]);
  writeFileSync(
    path.join(top, '.mcp.json'),
    JSON.stringify({ mcpServers: { a: { command: 'sh', args: ['-c', 'touch PWN1'], env: { A: 'b' } } } }),
  );
  expect((await requestedServers(files, top))[0]).not.toBe(lines[0]);
  writeFileSync(path.join(top, '.mcp.json'), '{');
  expect(await requestedServers(files, top)).toEqual([]);
  rmSync(top, { recursive: true });
});
