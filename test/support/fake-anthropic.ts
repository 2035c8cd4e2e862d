import type { ServerResponse } from 'node:http';
import { type Issued, type RequestBody, refusalOf, USUAL_LIMITS } from './fake-anthropic-rules.ts';
import {
  cut,
  type FakeEntry as FakeEntryOf,
  type FakeOptions,
  type FakeReplyOrder,
  type FakeRequest as FakeRequestOf,
  type FakeService,
  partOf,
  pause,
  startFakeService,
} from './fake-service.ts';

export type { FakeOptions, FakePart, FakeReply, FakeStep } from './fake-service.ts';
export type FakeEntry = FakeEntryOf<RequestBody>;
export type FakeRequest = FakeRequestOf<RequestBody>;
/** `url` is for `ANTHROPIC_BASE_URL`. */
export type FakeAnthropic = FakeService<RequestBody>;

/** Anthropic Messages on loopback. */
export function startFakeAnthropic(entries: readonly FakeEntry[], options: FakeOptions = {}): Promise<FakeAnthropic> {
  const issued: Issued = { signatures: new Map(), thinkingOfCall: new Map() };
  return startFakeService<RequestBody>(
    {
      limits: USUAL_LIMITS,
      usualErrors: USUAL_ERRORS,
      check: (given, limits) => refusalOf(given, limits, issued),
      errorBody: ({ type, message }, id) => ({ type: 'error', error: { type, message }, request_id: id }),
      idHeader: 'request-id',
      stream: (response, order) => streamReply(response, order, issued),
      cutOutput: 1,
    },
    entries,
    options,
  );
}

const USUAL_ERRORS: Readonly<Record<number, readonly [string, string]>> = {
  400: ['invalid_request_error', 'scripted'],
  401: ['authentication_error', 'invalid x-api-key'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'model: not found'],
  413: ['request_too_large', 'Request exceeds the maximum allowed number of bytes.'],
  429: ['rate_limit_error', 'This request would exceed your rate limit.'],
  500: ['api_error', 'Internal server error'],
  529: ['overloaded_error', 'Overloaded'],
};

async function streamReply(
  response: ServerResponse,
  { id, body, step, usage }: FakeReplyOrder<RequestBody>,
  issued: Issued,
): Promise<boolean> {
  const send = (type: string, fields: object) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  };
  send('message_start', {
    message: {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage.input,
        cache_creation_input_tokens: usage.cacheWrite,
        cache_read_input_tokens: usage.cacheRead,
        output_tokens: 1,
      },
    },
  });
  send('ping', {});

  let index = 0;
  let called = false;
  const signatures: string[] = [];
  const block = async (content: object, deltas: AsyncIterable<object> | Iterable<object>) => {
    send('content_block_start', { index, content_block: content });
    for await (const delta of deltas) send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
    index++;
  };
  for (const given of step.parts ?? []) {
    const part = partOf(given);
    if ('wait' in part) await pause(part.wait);
    else if ('ping' in part) send('ping', {});
    else if ('raw' in part) response.write(part.raw);
    else if ('error' in part) {
      send('error', { error: part.error });
      response.end();
      return false;
    } else if ('cut' in part) {
      if (part.cut === 'reset') response.destroy();
      else response.end();
      return false;
    } else if ('text' in part) {
      const { every } = part;
      await block(
        { type: 'text', text: '' },
        paced(part.text, part.piece ?? 20, every, (text) => ({ type: 'text_delta', text })),
      );
    } else if ('thinking' in part) {
      const signature = part.signature ?? `sig-${id}-${index}`;
      signatures.push(signature);
      issued.signatures.set(signature, { text: part.thinking, model: body.model ?? '' });
      const thinking = [...cut(part.thinking, part.piece ?? 20)].map((text) => ({
        type: 'thinking_delta',
        thinking: text,
      }));
      await block({ type: 'thinking', thinking: '', signature: '' }, [
        ...thinking,
        { type: 'signature_delta', signature },
      ]);
    } else if ('redacted' in part) {
      signatures.push(part.redacted);
      issued.signatures.set(part.redacted, { text: null, model: body.model ?? '' });
      await block({ type: 'redacted_thinking', data: part.redacted }, []);
    } else {
      called = true;
      const call = part.id ?? `toolu_${id}_${index}`;
      issued.thinkingOfCall.set(call, [...signatures]);
      const json = part.json ?? JSON.stringify(part.input ?? {});
      const deltas = [...cut(json, part.piece ?? 24)].map((text) => ({ type: 'input_json_delta', partial_json: text }));
      await block({ type: 'tool_use', id: call, name: part.tool, input: {} }, deltas);
    }
  }
  send('message_delta', {
    delta: { stop_reason: step.stop ?? (called ? 'tool_use' : 'end_turn'), stop_sequence: null },
    usage: {
      output_tokens: usage.output,
      ...(usage.thinking === undefined ? {} : { output_tokens_details: { thinking_tokens: usage.thinking } }),
    },
  });
  send('message_stop', {});
  response.end();
  return true;
}

async function* paced(
  text: string,
  piece: number,
  every: number | undefined,
  wrap: (text: string) => object,
): AsyncGenerator<object> {
  for (const one of cut(text, piece)) {
    if (every) await pause(every);
    yield wrap(one);
  }
}
