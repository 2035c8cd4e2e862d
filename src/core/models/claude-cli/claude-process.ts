import path from 'node:path';
import { createLineSplitter, encodeLine, parseLine } from '../../../base/json-lines.ts';
import { createQueue, type Queue } from '../../../base/queue.ts';
import type { Clock } from '../../../system/clock.ts';
import type { Ids } from '../../../system/environment.ts';
import type { Files } from '../../../system/files.ts';
import type { Processes } from '../../../system/processes.ts';
import { type ClaudeSetup, claudeArguments, claudeEnvironment } from './claude-setup.ts';
import type { CliMessage } from './cli-message.ts';
import { type ToolNames, toolNames } from './tool-names.ts';
import { createToolOffer, type ToolAnswer } from './tool-offer.ts';

/** One run of the person's `claude`, which holds one conversation as long as it lives. */
export interface ClaudeProcess {
  readonly names: ToolNames;
  /** What it says, without what is settled here; closed once it has ended. */
  readonly messages: Queue<CliMessage>;
  /** Said to every message beside the queue, as it comes. */
  watch(listener: (message: CliMessage) => void): void;
  say(content: readonly CliMessage[]): void;
  /** The answer to a call it has made or is about to make. */
  answer(call: string, answer: ToolAnswer): void;
  /** How it ended, with its last words; null while it runs. */
  exit(): { readonly code: number | null; readonly words: string } | null;
  /** The whole tree: asked to, then made to. Nothing it still says is heard. */
  end(): void;
}

export interface ClaudeParts {
  readonly processes: Pick<Processes, 'spawn'>;
  readonly files: Pick<Files, 'makeFolder' | 'createNew' | 'remove'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly ids: Ids;
  /** A private folder of ours, with nothing of a project in it: that is where it runs. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly keyVariables: readonly string[];
}

const LONGEST_END_MS = 1_000;
const MOST_WORDS = 4_000;
const LONGEST_LINE = 256 * 1024 * 1024;

/** Throws `SystemError` where it cannot be started. */
export async function startClaude(parts: ClaudeParts, program: string, setup: ClaudeSetup): Promise<ClaudeProcess> {
  const { processes, files, ids, folder, clock } = parts;
  const names = toolNames(setup.tools);
  const messages: Queue<CliMessage> = createQueue();
  const listeners: ((message: CliMessage) => void)[] = [];
  // Not an argument: those are short, and everyone on the machine can read them.
  const systemFile = path.join(folder, `system-${ids.hex(8)}`);
  await files.makeFolder(folder, 0o700);
  await files.createNew(systemFile, new TextEncoder().encode(setup.system), 0o600);
  const dropSystem = () => files.remove(systemFile).catch(() => {});

  let words = '';
  const decoder = new TextDecoder();
  const splitter = createLineSplitter(LONGEST_LINE);
  let exit: { code: number | null; words: string } | null = null;
  const waiting: (readonly CliMessage[])[] = [];
  let ready = false;

  const child = await processes
    .spawn({
      argv: claudeArguments(program, setup, systemFile),
      folder,
      environment: claudeEnvironment(parts.environment, parts.keyVariables, setup),
      input: 'pipe',
      output: 'pieces',
      onOutput: (bytes, stream) => {
        if (stream === 'err') words = (words + decoder.decode(bytes, { stream: true })).slice(-MOST_WORDS);
        else for (const line of splitter.push(bytes)) take(line.bytes);
      },
    })
    .catch((error: unknown) => {
      void dropSystem();
      throw error;
    });
  const write = (message: object) => void child.write(encodeLine(message)).catch(() => {});
  const offer = createToolOffer(names, write);
  const sayNow = (content: readonly CliMessage[]) =>
    write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: 'default' });

  function take(bytes: Uint8Array): void {
    const line = parseLine(bytes);
    if (line.kind === 'blank') return;
    const isObject = line.kind === 'value' && typeof line.value === 'object' && line.value !== null;
    if (!isObject) {
      // Not a word of the protocol: on a terminal it would have been for people.
      words = `${words}${new TextDecoder().decode(bytes.subarray(0, 500))}\n`.slice(-MOST_WORDS);
      return;
    }
    const message = line.value as unknown as CliMessage;
    if (message.type === 'control_response') {
      ready = true;
      for (const content of waiting.splice(0)) sayNow(content);
      return;
    }
    if (message.type === 'system' && message.subtype === 'init') void dropSystem();
    if (offer.take(message)) return;
    for (const listener of listeners) listener(message);
    messages.push(message);
  }

  void child.exited.then(({ code }) => {
    exit = { code, words: words.trim() };
    void dropSystem();
    messages.close();
    for (const listener of listeners) listener({ type: 'exit' });
  });
  write({ type: 'control_request', request_id: 'start', request: { subtype: 'initialize', hooks: null } });

  return {
    names,
    messages,
    watch: (listener) => void listeners.push(listener),
    say: (content) => {
      if (ready) sayNow(content);
      else waiting.push(content);
    },
    answer: offer.answer,
    exit: () => exit,
    end: () => {
      if (exit !== null) return;
      child.closeInput();
      // It takes away what it keeps of a run in its own folder, where it has a moment for it.
      child.signal('TERM');
      const late = clock.after(LONGEST_END_MS, () => child.signal('KILL'));
      void child.exited.then(late);
    },
  };
}
