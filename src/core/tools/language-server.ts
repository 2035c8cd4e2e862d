import { raceAbort } from '../../base/abort.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Clock } from '../../system/clock.ts';
import type { Child, Processes } from '../../system/processes.ts';
import { createMessageReader, encodeMessage } from './message-frames.ts';

export type LspAnswer =
  | { readonly ok: true; readonly result: Json }
  /** In our own words: what a server says may repeat what it read. */
  | { readonly ok: false; readonly message: string };

/** One running language server, spoken to over its standard streams. */
export interface LanguageServer {
  readonly alive: boolean;
  /** Resolves with what it answered; never rejects. */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<LspAnswer>;
  /** Makes the server see a file as it is now. */
  open(uri: string, languageId: string, text: string): Promise<void>;
  end(): void;
}

export interface LanguageServerParts {
  readonly processes: Pick<Processes, 'spawn'>;
  readonly clock: Clock;
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly rootUri: string;
}

const START_MS = 30_000;
const ANSWER_MS = 60_000;
/** A server that still reads the project is waited for so long before it is asked anyway. */
const SETTLE_MS = 20_000;
/** What was asked about changed meanwhile: the one answer worth asking again for. */
const CONTENT_MODIFIED = -32_801;
const TRIES = 3;

const CAPABILITIES: JsonObject = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true },
  textDocument: {
    definition: { linkSupport: false },
    typeDefinition: { linkSupport: false },
    implementation: { linkSupport: false },
    references: {},
    hover: { contentFormat: ['plaintext', 'markdown'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
  },
  workspace: { configuration: true, symbol: {}, workspaceFolders: true },
};

/** Starts a server and shakes hands with it; null when it did not answer as one. Throws `SystemError` when it cannot start. */
export async function startLanguageServer(
  parts: LanguageServerParts,
  signal: AbortSignal,
): Promise<LanguageServer | null> {
  const { clock, rootUri } = parts;
  const reader = createMessageReader();
  const waiting = new Map<number, (answer: LspAnswer & { readonly code?: number }) => void>();
  const versions = new Map<string, { version: number; text: string }>();
  const working = new Set<string>();
  let settled: (() => void)[] = [];
  let ids = 0;
  let alive = true;

  function stop(): void {
    alive = false;
    child.signal('KILL');
    for (const answer of waiting.values()) answer({ ok: false, message: 'the language server ended' });
    waiting.clear();
  }

  function take(message: Json): void {
    if (!isObject(message)) return;
    const { id, method, params } = message;
    if (typeof method === 'string') {
      if (method === '$/progress') noteProgress(params);
      if (id !== undefined) void send({ jsonrpc: '2.0', id, result: replyTo(method, params) });
      return;
    }
    if (typeof id !== 'number') return;
    const answer = waiting.get(id);
    waiting.delete(id);
    const code = isObject(message.error) && typeof message.error.code === 'number' ? message.error.code : null;
    if (message.error !== undefined && message.error !== null)
      answer?.({ ok: false, message: `the language server answered with error ${code ?? 0}`, code: code ?? 0 });
    else answer?.({ ok: true, result: message.result ?? null });
  }

  function noteProgress(params: Json | undefined): void {
    const value = isObject(params) ? params.value : null;
    if (!isObject(params) || !isObject(value)) return;
    const token = String(params.token);
    if (value.kind === 'begin') working.add(token);
    if (value.kind === 'end') working.delete(token);
    if (working.size > 0) return;
    for (const tell of settled) tell();
    settled = [];
  }

  const child: Child = await parts.processes.spawn({
    argv: parts.argv,
    folder: parts.folder,
    environment: parts.environment,
    input: 'pipe',
    output: 'pieces',
    onOutput(bytes, stream) {
      if (stream === 'err' || !alive) return;
      const { messages, broken } = reader.push(bytes);
      for (const message of messages) take(message);
      if (broken) stop();
    },
  });
  void child.exited.then(stop);

  async function send(message: JsonObject): Promise<void> {
    if (alive) await child.write(encodeMessage(message));
  }

  async function ask(method: string, params: JsonObject, ms: number, end: AbortSignal) {
    const id = ++ids;
    const { promise, resolve } = Promise.withResolvers<LspAnswer & { readonly code?: number }>();
    if (!alive) return { ok: false, message: 'the language server ended' } as const;
    waiting.set(id, resolve);
    const forget = clock.after(ms, () => resolve({ ok: false, message: 'the language server did not answer in time' }));
    await send({ jsonrpc: '2.0', id, method, params });
    const raced = await raceAbort(promise, end);
    forget();
    if (waiting.delete(id)) void send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } });
    return raced.aborted ? ({ ok: false, message: 'stopped' } as const) : raced.value;
  }

  async function quiet(end: AbortSignal): Promise<void> {
    if (working.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    settled.push(resolve);
    const forget = clock.after(SETTLE_MS, resolve);
    await raceAbort(promise, end);
    forget();
  }

  const name = parts.folder;
  const hello = await ask(
    'initialize',
    { processId: null, rootUri, workspaceFolders: [{ uri: rootUri, name }], capabilities: CAPABILITIES },
    START_MS,
    signal,
  );
  if (!hello.ok) {
    stop();
    return null;
  }
  await send({ jsonrpc: '2.0', method: 'initialized', params: {} });

  return {
    get alive() {
      return alive;
    },
    async request(method, params, end) {
      for (let attempt = 1; ; attempt++) {
        await quiet(end);
        const answer = await ask(method, params, ANSWER_MS, end);
        if (answer.ok || answer.code !== CONTENT_MODIFIED || attempt === TRIES) return answer;
      }
    },
    async open(uri, languageId, text) {
      const known = versions.get(uri);
      if (known?.text === text) return;
      const version = (known?.version ?? 0) + 1;
      versions.set(uri, { version, text });
      await send(
        known === undefined
          ? {
              jsonrpc: '2.0',
              method: 'textDocument/didOpen',
              params: { textDocument: { uri, languageId, version, text } },
            }
          : {
              jsonrpc: '2.0',
              method: 'textDocument/didChange',
              params: { textDocument: { uri, version }, contentChanges: [{ text }] },
            },
      );
    },
    end: stop,
  };
}

/** What servers ask of an editor: nothing here changes or shows anything. */
function replyTo(method: string, params: Json | undefined): Json {
  if (method === 'workspace/configuration' && isObject(params) && Array.isArray(params.items))
    return params.items.map(() => null);
  return method === 'workspace/applyEdit' ? { applied: false } : null;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
