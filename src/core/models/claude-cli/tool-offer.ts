import { OFFER } from './claude-setup.ts';
import { type CliMessage, objectOf } from './cli-message.ts';
import type { ToolNames } from './tool-names.ts';

export interface ToolAnswer {
  readonly content: readonly CliMessage[];
  readonly error: boolean;
}

export interface ToolOffer {
  /** True: it was a request of the program, and is settled or waits for an answer. */
  take(message: CliMessage): boolean;
  answer(call: string, answer: ToolAnswer): void;
}

/**
 * Our side of the program's requests: an MCP server whose messages come and go on the program's own pipes. A call waits
 * until the conversation goes on with its answer; which of the two comes first does not matter. Everything else the
 * program may ask for (permissions, hooks) is refused.
 */
export function createToolOffer(names: ToolNames, write: (message: object) => void): ToolOffer {
  const calls = new Map<string, (answer: ToolAnswer) => void>();
  const answers = new Map<string, ToolAnswer>();

  const respond = (request: unknown, response: object) =>
    write({ type: 'control_response', response: { subtype: 'success', request_id: request, response } });
  const refuse = (request: unknown, error: string) =>
    write({ type: 'control_response', response: { subtype: 'error', request_id: request, error } });

  /** What the server answers; null: it does later. */
  const answerTo = (said: CliMessage, reply: (body: object) => void): object | null => {
    const params = objectOf(said.params);
    switch (said.method) {
      case 'initialize': {
        const { protocolVersion } = params;
        return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: OFFER, version: '1' } } };
      }
      case 'tools/list': {
        const tools = names.offered.map(({ name, tool }) => ({
          name,
          description: tool.description,
          inputSchema: tool.input,
        }));
        return { result: { tools } };
      }
      case 'tools/call': {
        const call = objectOf(params._meta)['claudecode/toolUseId'];
        if (typeof call !== 'string') return { error: { code: -32602, message: 'The call has no id' } };
        const early = answers.get(call);
        answers.delete(call);
        if (early !== undefined) return resultOf(early);
        calls.set(call, (answer) => reply(resultOf(answer)));
        return null;
      }
      default:
        // A notification has no id, and is acknowledged all the same.
        if (said.id === undefined || said.method === 'ping') return { result: {} };
        return { error: { code: -32601, message: 'There is no such method' } };
    }
  };
  const speak = (request: unknown, said: CliMessage): void => {
    const reply = (body: object) => respond(request, { mcp_response: { jsonrpc: '2.0', id: said.id ?? 0, ...body } });
    const body = answerTo(said, reply);
    if (body !== null) reply(body);
  };

  return {
    take(message) {
      if (message.type === 'control_cancel_request') return true;
      if (message.type !== 'control_request') return false;
      const { subtype, server_name: server, message: said } = objectOf(message.request);
      if (subtype === 'mcp_message' && server === OFFER) speak(message.request_id, objectOf(said));
      else if (subtype === 'can_use_tool')
        respond(message.request_id, { behavior: 'deny', message: 'Only the tools of Houston may be used' });
      else refuse(message.request_id, 'not offered');
      return true;
    },
    answer(call, answer) {
      const settle = calls.get(call);
      calls.delete(call);
      if (settle === undefined) answers.set(call, answer);
      else settle(answer);
    },
  };
}

function resultOf({ content, error }: ToolAnswer): object {
  return { result: { content, isError: error } };
}
