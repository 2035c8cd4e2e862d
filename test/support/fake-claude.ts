import { ServerEventDecoder } from '../../src/core/models/sse.ts';
import type { ProgramRun } from '../../src/system/memory/processes.ts';

type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/** Tools of its own, where it is not told to have none. */
const OWN_TOOLS = ['Bash', 'Read', 'Write'];

export interface FakeClaudeOptions {
  /** Says this in place of anything else, once it is asked something. */
  readonly instead?: (say: (message: object) => void) => number | undefined;
  /** Prints this and ends, as an older one does that does not know an option. */
  readonly unknownOption?: string;
}

/**
 * The person's `claude` as Houston drives it: stream-json on its pipes, an MCP server offered over them, and a model
 * service behind it. What is not switched off is on: it has tools of its own, reads files named with an @ and takes a
 * line that begins with a slash for a command.
 */
export function fakeClaude(options: FakeClaudeOptions = {}) {
  return async (run: ProgramRun): Promise<number> => {
    if (options.unknownOption !== undefined) {
      run.write(`error: unknown option '${options.unknownOption}'\n`, 'err');
      return 1;
    }
    const flags = flagsOf(run.argv);
    const needs = ['--print', '--verbose', '--include-partial-messages', '--strict-mcp-config'];
    const missing = needs.find((flag) => !flags.has(flag));
    if (missing !== undefined) {
      run.write(`error: ${missing} is missing\n`, 'err');
      return 1;
    }
    const fake = new FakeClaude(run, flags);
    return fake.live(options);
  };
}

class FakeClaude {
  readonly #run: ProgramRun;
  readonly #flags: ReadonlyMap<string, string>;
  readonly #answers = new Map<string, (response: Fields) => void>();
  readonly #prompts: Fields[] = [];
  #wake = () => {};
  #closed = false;
  #next = 0;
  readonly #messages: Fields[] = [];
  #offered: Fields[] = [];
  #system = '';

  constructor(run: ProgramRun, flags: ReadonlyMap<string, string>) {
    this.#run = run;
    this.#flags = flags;
  }

  async live({ instead }: FakeClaudeOptions): Promise<number> {
    this.#system = new TextDecoder().decode(await this.#run.files.read(this.#flags.get('--system-prompt-file') ?? ''));
    void this.#listen();
    for (;;) {
      const prompt = this.#prompts.shift();
      if (prompt === undefined) {
        if (this.#closed) return 0;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#say({ type: 'system', subtype: 'init', tools: this.#tools().map(({ name }) => name) });
      const code = instead?.((message) => this.#say(message));
      if (code !== undefined) return code;
      if (instead !== undefined) continue;
      await this.#turn(prompt);
    }
  }

  #say(message: object): void {
    if (!this.#run.ended.aborted) this.#run.write(`${JSON.stringify(message)}\n`);
  }

  /** A request of ours, and what is answered to it. */
  #ask(request: object): Promise<Fields> {
    const id = `r${++this.#next}`;
    this.#say({ type: 'control_request', request_id: id, request });
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  async #mcp(method: string, params: object): Promise<Fields> {
    const message = { jsonrpc: '2.0', id: ++this.#next, method, params };
    const response = await this.#ask({ subtype: 'mcp_message', server_name: 'houston', message });
    const { id, result } = fields(fields(response.response).mcp_response);
    if (id !== message.id) throw new Error(`${method} was answered for another request`);
    return fields(result);
  }

  async #listen(): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const bytes = await this.#run.read();
      if (bytes === null) break;
      text += decoder.decode(bytes, { stream: true });
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n')) {
        const message = fields(JSON.parse(text.slice(0, at)));
        text = text.slice(at + 1);
        if (message.type === 'control_request') void this.#start(message);
        else if (message.type === 'control_response') {
          const response = fields(message.response);
          this.#answers.get(String(response.request_id))?.(response);
        } else if (message.type === 'user') this.#prompts.push(fields(message.message));
        this.#wake();
      }
    }
    this.#closed = true;
    this.#wake();
  }

  async #start({ request_id: id }: Fields): Promise<void> {
    const { mcpServers } = fields(JSON.parse(this.#flags.get('--mcp-config') ?? '{}'));
    if (fields(mcpServers).houston !== undefined) {
      await this.#mcp('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
      this.#offered = (await this.#mcp('tools/list', {})).tools as Fields[];
    }
    this.#say({ type: 'control_response', response: { subtype: 'success', request_id: id, response: {} } });
  }

  #tools(): { name: string; description: unknown; input_schema: unknown }[] {
    const own = this.#flags.get('--tools') === '' ? [] : OWN_TOOLS;
    return [
      ...own.map((name) => ({ name, description: name, input_schema: { type: 'object' } })),
      ...this.#offered.map(({ name, description, inputSchema }) => ({
        name: `mcp__houston__${String(name)}`,
        description,
        input_schema: inputSchema,
      })),
    ];
  }

  async #turn(prompt: Fields): Promise<void> {
    const content = prompt.content as Fields[];
    const last = String(content.at(-1)?.text ?? '');
    if (last.startsWith('/')) {
      this.#say({ type: 'result', subtype: 'success', is_error: false, result: `${last} is not available` });
      return;
    }
    const files = this.#run.environment.CLAUDE_CODE_DISABLE_ATTACHMENTS === '1' ? [] : mentioned(content);
    const texts = await Promise.all(files.map((file) => this.#run.files.read(file)));
    const read = texts.map((bytes) => ({ type: 'text', text: new TextDecoder().decode(bytes) }));
    this.#messages.push({ role: 'user', content: [...read, ...content] });
    for (;;) {
      const reply = await this.#request();
      if (this.#run.ended.aborted || reply === null) return;
      this.#messages.push({ role: 'assistant', content: reply.content });
      if (reply.stop !== 'tool_use') {
        this.#say({ type: 'result', subtype: 'success', is_error: false, result: '' });
        return;
      }
      const results = await Promise.all(reply.results);
      if (this.#run.ended.aborted) return;
      this.#say({ type: 'user', message: { role: 'user', content: results } });
      this.#messages.push({ role: 'user', content: results });
    }
  }

  /** One request to the service, its events handed on as they come. Null: it failed, and that was said. */
  async #request(): Promise<{ content: Fields[]; stop: string; results: Promise<Fields>[] } | null> {
    const { ended, environment } = this.#run;
    const model = this.#flags.get('--model') === 'sonnet' ? 'claude-sonnet-5-5' : (this.#flags.get('--model') ?? '');
    const tools = this.#tools();
    const body = {
      model,
      max_tokens: Number(environment.CLAUDE_CODE_MAX_OUTPUT_TOKENS ?? 32_000),
      stream: true,
      system: [{ type: 'text', text: this.#system }],
      thinking: { type: 'adaptive' },
      ...(tools.length === 0 ? {} : { tools }),
      messages: this.#messages,
    };
    const headers = {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      ...(environment.ANTHROPIC_API_KEY === undefined ? {} : { 'x-api-key': environment.ANTHROPIC_API_KEY }),
    };
    const blocks: Record<string, unknown>[] = [];
    const results: Promise<Fields>[] = [];
    let stop: string | null = null;
    let isWhole = false;
    const take = (data: string): void => {
      const event = fields(JSON.parse(data));
      this.#say({ type: 'stream_event', event, parent_tool_use_id: null });
      const at = Number(event.index);
      const delta = fields(event.delta);
      if (event.type === 'content_block_start') blocks[at] = { ...fields(event.content_block) };
      else if (event.type === 'content_block_delta') grow(blocks[at]!, delta);
      else if (event.type === 'content_block_stop') {
        const block = blocks[at]!;
        if (block.type !== 'tool_use') return;
        block.input = JSON.parse(String(block.json ?? '') || '{}');
        delete block.json;
        results.push(this.#call(block));
      } else if (event.type === 'message_delta') stop = String(delta.stop_reason);
      else if (event.type === 'message_stop') isWhole = true;
    };
    try {
      const address = `${environment.ANTHROPIC_BASE_URL}/v1/messages`;
      const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body), signal: ended });
      if (!response.ok) {
        const { error } = fields(await response.json());
        const { type, message } = fields(error);
        const text = /too long/.test(String(message)) ? 'Prompt is too long' : `API Error: ${String(message)}`;
        this.#fail(text, { api_error_status: response.status, api_error_type: type });
        return null;
      }
      const decoder = new ServerEventDecoder(take);
      for await (const piece of response.body!) decoder.push(piece);
    } catch (error) {
      if (ended.aborted) return null;
      if (blocks.length === 0) {
        this.#fail(`API Error: Connection refused (${String(error)})`, { api_error: 'connection_failed' });
        return null;
      }
    }
    if (isWhole) return { content: blocks.filter((block) => block !== undefined), stop: stop ?? '', results };
    // What came is given up, and it is asked for again in one piece.
    this.#say({ type: 'stream_event', event: { type: 'message_stop' }, abandoned_blocks: {} });
    return null;
  }

  #fail(text: string, more: object): void {
    const told = { role: 'assistant', model: '<synthetic>', content: [{ type: 'text', text }] };
    this.#say({ type: 'assistant', message: told, error: 'server_error', is_api_error_message: true });
    this.#say({ type: 'result', subtype: 'success', is_error: true, result: text, ...more });
  }

  async #call({ id, name, input }: Fields): Promise<Fields> {
    const result = { type: 'tool_result', tool_use_id: id };
    const known = this.#tools().some((tool) => tool.name === name);
    if (!known) return { ...result, content: `No such tool: ${String(name)}`, is_error: true };
    const short = String(name).replace(/^mcp__houston__/, '');
    if (short === name) {
      this.#run.files.seed('/touched-by-claude', JSON.stringify(input));
      return { ...result, content: 'done' };
    }
    const params = { name: short, arguments: input, _meta: { 'claudecode/toolUseId': id } };
    const { content, isError } = await this.#mcp('tools/call', params);
    const parts = (content as Fields[]).map((part) =>
      part.type === 'image'
        ? { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } }
        : part,
    );
    return { ...result, content: parts, ...(isError === true ? { is_error: true } : {}) };
  }
}

function grow(block: Record<string, unknown>, delta: Fields): void {
  const add = (field: string, more: unknown) => {
    block[field] = `${String(block[field] ?? '')}${String(more)}`;
  };
  if (delta.type === 'text_delta') add('text', delta.text);
  else if (delta.type === 'thinking_delta') add('thinking', delta.thinking);
  else if (delta.type === 'signature_delta') add('signature', delta.signature);
  else if (delta.type === 'input_json_delta') add('json', delta.partial_json);
}

function mentioned(content: readonly Fields[]): string[] {
  return content.flatMap(({ text }) => [...String(text ?? '').matchAll(/(?:^|\s)@(\/\S+)/g)].map(([, file]) => file!));
}

/** Each flag with the word behind it. */
function flagsOf(argv: readonly string[]): ReadonlyMap<string, string> {
  return new Map(argv.flatMap((word, at) => (word.startsWith('--') ? [[word, argv[at + 1] ?? '']] : [])));
}
