import { SystemError } from '../../system/files.ts';
import type { ContextOptions } from '../journal/model-context.ts';
import type { Message, Model, ModelRequest } from '../models/model.ts';
import { offeredText } from '../tools/offered-text.ts';
import { TOOL_NAMES } from '../tools/registry.ts';
import type { Runtime, TurnTerms } from './runtime.ts';

const NONE_LEFT = '[Houston: this run has no tool calls left. Answer now with what you have; say what remains undone.]';

export interface BuiltRequest {
  readonly request: ModelRequest;
  /** Hashes of the images in it, so that they can be left out when the service refuses one. */
  readonly images: ReadonlySet<string>;
}

/** The one request builder: branch in, request out. With `last`, no tool may be called and the model is told so. */
export async function buildRequest(
  runtime: Runtime,
  { model, effort }: Pick<TurnTerms, 'model' | 'effort'>,
  last: boolean,
): Promise<BuiltRequest> {
  const messages: Message[] = await runtime.context.build(conversationOptions(runtime, model));
  if (last) addText(messages, NONE_LEFT);
  const request: ModelRequest = {
    ...requestFor(runtime, { model, effort }, messages),
    calls: last ? 'forbidden' : 'allowed',
    ...(runtime.fast() && model.facts.fast === true ? { tier: 'priority' as const } : {}),
  };
  runtime.gauge.sent(request);
  return { request, images: runtime.sentImages.difference(runtime.refusedAttachments) };
}

/**
 * Makes what the next request will hold of the conversation as it stands, while what was added last is on its way to the
 * disk: then little is left to do once it may be sent. Sends nothing; whatever fails here fails again, and is told, then.
 */
export async function readyRequest(runtime: Runtime, terms: Pick<TurnTerms, 'model' | 'effort'>): Promise<void> {
  const { model } = terms;
  if (model.ready === undefined) return;
  try {
    model.ready(requestFor(runtime, terms, await runtime.context.build(conversationOptions(runtime, model))));
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
  }
}

/** How the messages of the conversation's own requests are made: it is remembered which pictures are in them. */
export function conversationOptions(runtime: Runtime, model: Pick<Model, 'ref' | 'facts'>): ContextOptions {
  return {
    ...contextOptions(runtime, model),
    loadAttachment: (attachment) => {
      if (attachment.kind === 'image') runtime.sentImages.add(attachment.hash);
      return runtime.loadAttachment(attachment);
    },
  };
}

/** A request of this session with these messages; its beginning is the same for all of them. */
export function requestFor(
  runtime: Pick<Runtime, 'systemPrompt' | 'calls' | 'session' | 'readsThinking'>,
  { model, effort }: Pick<TurnTerms, 'model' | 'effort'>,
  messages: readonly Message[],
): ModelRequest {
  return {
    system: runtime.systemPrompt,
    messages,
    tools: offeredTools(runtime),
    effort,
    maxOutput: model.facts.maxOutput,
    cacheMarks: cacheMarks(messages),
    session: runtime.session,
    ...(runtime.readsThinking() ? {} : { readableThinking: false as const }),
  };
}

/** How the messages of a request to this model are made. */
export function contextOptions(runtime: Runtime, model: Pick<Model, 'ref' | 'facts'>): ContextOptions {
  return {
    target: model.ref,
    images: model.facts.images,
    dropped: runtime.refusedAttachments,
    loadAttachment: runtime.loadAttachment,
  };
}

/** What tools came to: the same for each round of a turn. */
const offers = new WeakMap<Runtime['calls']['tools'], ModelRequest['tools']>();

/** Each text speaks only of tools that are offered beside it. */
function offeredTools({ calls: { tools } }: Pick<Runtime, 'calls'>): ModelRequest['tools'] {
  const known = offers.get(tools);
  if (known !== undefined) return known;
  const names = tools.map((tool) => tool.name);
  const made = tools.map(({ name, description, input }) => ({
    name,
    description: offeredText(description, names, TOOL_NAMES),
    input,
  }));
  offers.set(tools, made);
  return made;
}

/** Said last, as the person's words. */
export function addText(messages: Message[], text: string): void {
  const last = messages.at(-1);
  if (last?.role === 'user')
    messages[messages.length - 1] = { role: 'user', parts: [...last.parts, { type: 'text', text }] };
  else messages.push({ role: 'user', parts: [{ type: 'text', text }] });
}

/** The end of this request, and the end of the one before it: what the next one and this one can read back. */
function cacheMarks(messages: readonly Message[]): number[] {
  const ends: number[] = [];
  for (let at = messages.length - 1; at >= 0 && ends.length < 2; at--)
    if (messages[at]!.role !== 'assistant') ends.unshift(at);
  return ends;
}
