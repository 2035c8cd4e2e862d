// A small MCP server on standard streams, for tests: it does what its first argument says.
import { createInterface } from 'node:readline';

const how = process.argv[2] ?? 'plain';
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const TOOLS = [
  {
    name: 'add',
    description: 'Adds two numbers.',
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  },
  { name: 'variables', description: 'Names of its variables.', inputSchema: { type: 'object', properties: {} } },
];

if (how === 'noise') process.stdout.write('ready\n\n');
if (how === 'dies') process.exit(3);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (how === 'mute') return;
  if (method === 'initialize')
    return send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'test', version: '1' },
      },
    });
  if (method === 'tools/list') return send({ id, result: { tools: TOOLS } });
  if (method !== 'tools/call') return;
  if (params.name === 'variables')
    return send({ id, result: { content: [{ type: 'text', text: Object.keys(process.env).sort().join(' ') }] } });
  if (how === 'once') process.exit(0);
  const { a, b } = params.arguments;
  send({ id, result: { content: [{ type: 'text', text: String(a + b) }] } });
});
