import type { Failure } from '../../../protocol/failure.ts';
import type { Clock } from '../../../system/clock.ts';
import type { Environment, Ids } from '../../../system/environment.ts';
import type { Files } from '../../../system/files.ts';
import type { Processes } from '../../../system/processes.ts';
import { streamCut } from '../failures.ts';
import type { ModelEnd, ModelEvent, ModelFacts, ModelRequest, Wire, WireConnection } from '../model.ts';
import { anthropicWire } from '../providers/anthropic.ts';
import { ANTHROPIC_MODELS, anthropicModel } from '../providers/anthropic-models.ts';
import { findClaude } from '../sign-in/claude-cli.ts';
import { NO_USAGE } from '../usage.ts';
import { failureOfExit, failureOfOffer, failureOfResult, failureOfStart, failureOfTools } from './claude-failures.ts';
import { startClaude } from './claude-process.ts';
import { ClaudeReply } from './claude-reply.ts';
import { OFFER, setupName, setupOf } from './claude-setup.ts';
import { type CliMessage, objectOf } from './cli-message.ts';
import { type Conversation, continuation, goOn, messageName, replyName } from './conversation.ts';
import { createConversations, type IdleLimits } from './conversations.ts';
import { marksExplained, wholeConversation } from './render-conversation.ts';

export interface ClaudeWireParts {
  readonly processes: Pick<Processes, 'spawn' | 'find'>;
  readonly files: Pick<Files, 'makeFolder' | 'createNew' | 'remove' | 'stat'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly environment: Environment;
  /** Where it runs: a folder of ours that holds nothing of a project. */
  readonly folder: string;
  /** Variables that hold keys of providers, which are none of its business. */
  readonly keyVariables: () => readonly string[];
  readonly idle: IdleLimits;
}

/** The names it has for the newest model of a kind, which is ours to know. */
const ALIASES = ['opus', 'sonnet', 'haiku', 'fable'] as const;

/** How often a model that may call nothing is told so before its reply is taken as it is. */
const MOST_REFUSALS = 3;

/**
 * Speaks to a model through the person's own `claude`, as whoever signed in there. That program only carries the
 * conversation: its own tools are off, and ours come back to us as calls. One process holds one conversation for as long
 * as each request goes on from the last; where one does not, a new process is given the record of it.
 */
export function createClaudeWire(parts: ClaudeWireParts): Wire {
  const { clock, ids, environment, folder } = parts;
  const conversations = createConversations(clock, parts.idle);

  async function begin(
    request: ModelRequest,
    connection: WireConnection,
    name: string,
  ): Promise<Conversation | Failure> {
    const program = await findClaude({ ...parts, clock });
    if (program === null) return failureOfStart('claude is not installed');
    const mark = ids.hex(6);
    const setup = setupOf(request, connection);
    const system = `${setup.system}\n\n${marksExplained(mark)}`;
    const run = { ...parts, folder, environment: environment.all(), keyVariables: parts.keyVariables() };
    try {
      const cli = await startClaude(run, program, { ...setup, system });
      return conversations.add({ cli, setup: name, mark });
    } catch (error) {
      return failureOfStart(error);
    }
  }

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
    connection: WireConnection,
  ): AsyncGenerator<ModelEvent, void, undefined> {
    const secrets = [connection.key ?? '', ...(connection.secrets?.() ?? [])];
    const name = setupName(setupOf(request, connection), request.session);
    const names = request.messages.map(messageName);
    // Where none may be called it is asked beside the conversation, which goes on without what is said here.
    const isBeside = request.calls === 'forbidden';
    const fits = (one: Conversation) => one.setup === name && continuation(one, request.messages, names) !== null;
    const found = isBeside ? null : conversations.find(fits);
    const rest = found === null ? null : continuation(found, request.messages, names);
    const started = found ?? (await begin(request, connection, name));
    if ('category' in started) return yield bare({ outcome: 'failed', failure: started });
    const conversation = started;
    const wasSettling = conversation.state === 'settling';
    conversations.take(conversation);
    const end = () => conversations.end(conversation);
    if (signal.aborted) {
      end();
      return yield bare({ outcome: 'aborted' });
    }
    const { cli } = conversation;
    const reply = new ClaudeReply(cli.names, isBeside);
    const closing = (result: ModelEnd['result']): ModelEnd => ({
      type: 'end',
      result,
      parts: reply.parts(),
      usage: reply.usage(),
      requestId: reply.requestId,
    });
    const failed = (failure: Failure): ModelEnd => {
      end();
      return closing({ outcome: 'failed', failure });
    };

    if (!wasSettling) cli.messages.drain();
    if (rest === null) cli.say(wholeConversation(request, conversation.mark, connection.ref));
    else goOn(conversation, rest);

    let settling = wasSettling;
    let told: CliMessage | null = null;
    let limitedUntil: number | null = null;
    let refusals = 0;
    let begun = false;
    try {
      for (;;) {
        const message = await cli.messages.next(signal);
        if (signal.aborted) {
          end();
          return yield closing({ outcome: 'aborted' });
        }
        if (message === null) return yield failed(failureOfExit(cli.exit(), reply.began, secrets));
        if (settling) {
          settling = message.type !== 'result';
          continue;
        }
        if (message.type === 'stream_event') {
          const event = objectOf(message.event);
          reply.requestId ??= typeof message.api_message_id === 'string' ? message.api_message_id : null;
          const verdict = reply.take(event);
          if (!begun && reply.began) {
            begun = true;
            yield { type: 'begin', requestId: reply.requestId };
          }
          let quiet = true;
          for (const one of reply.drain()) {
            quiet = false;
            yield one;
          }
          if (verdict === null && quiet) yield { type: 'alive' };
          if (verdict === null) continue;
          if (verdict !== 'whole') return yield failed(verdict);
          const calls = reply.calls();
          const wantsCalls = calls.length > 0 && reply.stopped === 'tool_use';
          if (isBeside && wantsCalls && refusals < MOST_REFUSALS) {
            refusals++;
            for (const call of calls) cli.answer(call, NO_CALLS);
            continue;
          }
          if (!staysUsable(reply) || isBeside || request.tools.length === 0) end();
          else {
            const seen = [...names, replyName(reply.parts())];
            conversations.keep(conversation, { seen, calls, state: calls.length > 0 ? 'calling' : 'settling' });
          }
          return yield closing({ outcome: 'complete', stop: reply.stop() });
        }
        if (message.type === 'system' && message.subtype === 'init') {
          const problem = problemOfStart(message, request);
          if (problem !== null) return yield failed(problem);
        }
        if (message.type === 'system' && message.subtype === 'api_retry') {
          const text = `claude tries again by itself (${String(message.error ?? 'no answer').slice(0, 60)})`;
          yield { type: 'notice', identifier: 'claude-retry', text };
        }
        if (message.type === 'assistant' && typeof message.error === 'string') told = message;
        if (message.type === 'rate_limit_event') limitedUntil = limitOf(message) ?? limitedUntil;
        if (message.type === 'result') {
          if (message.is_error !== true) return yield failed(streamCut('claude ended the turn without a reply', null));
          const signsIn = connection.key === null;
          const problem = { told, result: message, limitedUntil, signsIn, now: clock.now(), secrets };
          return yield failed(failureOfResult(problem));
        }
        yield { type: 'alive' };
      }
    } finally {
      // Whoever stopped reading left the reply in the middle.
      if (conversation.state === 'busy') end();
    }
  }

  return {
    warm: async () => {},
    facts: factsOf,
    known: [...ALIASES],
    images: anthropicWire.images,
    open: (connection) => ({
      ref: connection.ref,
      facts: connection.facts,
      stream: (request, signal) => stream(request, signal, connection),
    }),
  };
}

const NO_CALLS = {
  content: [{ type: 'text', text: 'No tool may be called now: answer with what you know.' }],
  error: true,
};

/** What a subscription is charged for a request nobody can say. */
function factsOf(model: string): ModelFacts | null {
  const plain = model.replace(/\[1m\]$/, '');
  const isAlias = (ALIASES as readonly string[]).includes(plain);
  const name = isAlias ? ANTHROPIC_MODELS.find((one) => one.startsWith(`claude-${plain}-`)) : plain;
  const known = name === undefined ? null : anthropicModel(name);
  return known === null ? null : { ...known.facts, price: null };
}

/**
 * After these the conversation goes on as it stands. A reply that was cut short does not; nor does one with a text of blanks
 * alone, which the service gives and then refuses to be given back.
 */
function staysUsable(reply: ClaudeReply): boolean {
  if (reply.parts().some((part) => part.type === 'text' && part.text.trim() === '')) return false;
  return ['tool_use', 'end_turn', 'stop_sequence'].includes(reply.stopped ?? '');
}

/** What it says it has must be our tools and nothing else: nothing has been asked of the model before that is looked at. */
function problemOfStart({ tools }: CliMessage, request: ModelRequest): Failure | null {
  const all = Array.isArray(tools) ? tools.map(String) : [];
  const foreign = all.filter((tool) => !tool.startsWith(`mcp__${OFFER}__`));
  if (foreign.length > 0 || !Array.isArray(tools)) return failureOfTools(foreign);
  return all.length < request.tools.length ? failureOfOffer() : null;
}

/** When a limit that was reached is lifted, milliseconds since the epoch. */
function limitOf(message: CliMessage): number | null {
  const { status, resetsAt } = objectOf(message.rate_limit_info);
  return status === 'rejected' && typeof resetsAt === 'number' ? resetsAt * 1000 : null;
}

function bare(result: ModelEnd['result']): ModelEnd {
  return { type: 'end', result, parts: [], usage: NO_USAGE, requestId: null };
}
