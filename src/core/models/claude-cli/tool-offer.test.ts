import { expect, test } from 'bun:test';
import type { CliMessage } from './cli-message.ts';
import { toolNames } from './tool-names.ts';
import { createToolOffer } from './tool-offer.ts';

function offer() {
  const written: CliMessage[] = [];
  const made = createToolOffer(toolNames([{ name: 'look', description: 'Looks.', input: {} }]), (message) =>
    written.push(message as CliMessage),
  );
  const ask = (request: CliMessage) => made.take({ type: 'control_request', request_id: 'r', request });
  const call = (id: string) =>
    ask({
      subtype: 'mcp_message',
      server_name: 'houston',
      message: {
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/call',
        params: { name: 'look', _meta: { 'claudecode/toolUseId': id } },
      },
    });
  return { ...made, ask, call, last: () => JSON.stringify(written.at(-1) ?? null), written };
}

test('an answer reaches its call, whichever of the two comes first, and once', () => {
  const { call, answer, written, last } = offer();
  const answered = (text: string) => ({ content: [{ type: 'text', text }], error: false });
  call('late');
  expect(written).toEqual([]);
  answer('early', answered('one'));
  expect(written).toEqual([]);
  call('early');
  expect(last()).toContain('"id":7,"result":{"content":[{"type":"text","text":"one"}],"isError":false}');
  answer('late', answered('two'));
  expect(last()).toContain('two');
  expect(written).toHaveLength(2);
});

test('leave to use anything is denied, and what is not offered is refused', () => {
  const { ask, take, last } = offer();
  expect(ask({ subtype: 'can_use_tool', tool_name: 'Bash', input: {} })).toBe(true);
  expect(last()).toContain('"behavior":"deny"');
  expect(ask({ subtype: 'hook_callback', callback_id: 'h' })).toBe(true);
  expect(last()).toContain('"subtype":"error"');
  expect(ask({ subtype: 'mcp_message', server_name: 'other', message: { id: 1, method: 'initialize' } })).toBe(true);
  expect(last()).toContain('"subtype":"error"');
  expect(take({ type: 'assistant' })).toBe(false);
});
