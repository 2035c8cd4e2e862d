import type { AssistantPart } from '../../protocol/message.ts';
import type { Message, ModelRequest, UserPart } from '../models/model.ts';

/** Estimated tokens of a request, by what fills it. */
export interface ContextSize {
  readonly system: number;
  readonly tools: number;
  /** What the person said, with pictures; what the model said and called; what calls came to. */
  readonly person: number;
  readonly replies: number;
  readonly results: number;
  readonly total: number;
}

const CHARACTERS_PER_TOKEN = 4;
/** A picture, whatever its size: services scale them down to about this much. */
const IMAGE_TOKENS = 1_500;
/** What a message or a call costs beside its words. */
const FRAME_TOKENS = 4;

const known = new WeakMap<Message, number>();

export function textTokens(text: string): number {
  return text.length / CHARACTERS_PER_TOKEN;
}

/** An estimate: about four characters a token. Messages measured before cost nothing. */
export function sizeOf({ system, tools, messages }: Pick<ModelRequest, 'system' | 'tools' | 'messages'>): ContextSize {
  const sums = { user: 0, assistant: 0, results: 0 };
  for (const message of messages) sums[message.role] += messageTokens(message);
  const fixed = system.reduce((sum, text) => sum + textTokens(text), 0);
  const declared = toolTokens(tools);
  const parts = {
    system: Math.round(fixed),
    tools: Math.round(declared),
    person: Math.round(sums.user),
    replies: Math.round(sums.assistant),
    results: Math.round(sums.results),
  };
  return { ...parts, total: Object.values(parts).reduce((sum, each) => sum + each, 0) };
}

const declaredTokens = new WeakMap<ModelRequest['tools'], number>();

function toolTokens(tools: ModelRequest['tools']): number {
  const found = declaredTokens.get(tools);
  if (found !== undefined) return found;
  const tokens = tools.reduce(
    (sum, tool) => sum + FRAME_TOKENS + textTokens(tool.name + tool.description + JSON.stringify(tool.input)),
    0,
  );
  declaredTokens.set(tools, tokens);
  return tokens;
}

export function messageTokens(message: Message): number {
  const found = known.get(message);
  if (found !== undefined) return found;
  const tokens = FRAME_TOKENS + partsTokens(message);
  known.set(message, tokens);
  return tokens;
}

function partsTokens(message: Message): number {
  switch (message.role) {
    case 'user':
      return message.parts.reduce((sum, part) => sum + userTokens(part), 0);
    case 'assistant':
      return message.parts.reduce((sum, part) => sum + assistantTokens(part), 0);
    case 'results':
      return message.results.reduce(
        (sum, { text, images }) => sum + FRAME_TOKENS + textTokens(text) + images.length * IMAGE_TOKENS,
        0,
      );
  }
}

function userTokens(part: UserPart): number {
  return part.type === 'text' ? textTokens(part.text) : IMAGE_TOKENS;
}

export function assistantTokens(part: AssistantPart): number {
  return part.type === 'call'
    ? FRAME_TOKENS + textTokens(part.tool + JSON.stringify(part.input))
    : textTokens(part.text);
}

/** What fills a context of `tokens`, largest first, for people: `results of calls 150k, tools 10k, ...`. */
export function breakdown(size: ContextSize, tokens: number): string {
  const scale = tokens / Math.max(1, size.total);
  const rows: [string, number][] = [
    ['results of calls', size.results],
    ['replies and calls', size.replies],
    ['what you said', size.person],
    ['tools', size.tools],
    ['system prompt', size.system],
  ];
  return rows
    .sort(([, one], [, other]) => other - one)
    .map(([name, share]) => `${name} ${inThousands(share * scale)}`)
    .join(', ');
}

/** `950`, `12k`, `1.2m`. */
export function inThousands(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 1_000_000) return `${Math.round(tokens / 1_000)}k`;
  return `${Math.round(tokens / 100_000) / 10}m`;
}
