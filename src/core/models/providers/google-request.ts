import type { AssistantPart, Effort, ModelRef } from '../../../protocol/message.ts';
import type { CallResult, Message, ModelFacts, ModelRequest, UserPart } from '../model.ts';
import type {
  GeminiContent,
  GeminiFunction,
  GeminiPart,
  GeminiRequest,
  SignedCall,
  SignedText,
} from './google-types.ts';
import { calledTools, callInput, isBlank, isFrom, nearestEffort } from './request-parts.ts';

export interface GeminiShape {
  readonly ref: ModelRef;
  readonly facts: ModelFacts;
  /** The service said that this model does not think, or not by request. */
  readonly noThinking: boolean;
  /** Signatures the service said no longer fit. */
  readonly deadSignatures: ReadonlySet<string>;
}

/** Told by Google for calls that another model made: the service then asks for no signature. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** Our request as Gemini takes it. Pure, so that its prefix stays cached. */
export function geminiRequest(request: ModelRequest, shape: GeminiShape): GeminiRequest {
  const ids = new Map<string, string>();
  const contents = request.messages.flatMap((message) => contentsOf(message, shape, ids));
  const system = request.system.filter((text) => !isBlank(text)).map((text) => ({ text: text.toWellFormed() }));
  const functions = functionsOf(request);
  const noCalls = request.tools.length === 0 || request.calls === 'forbidden';
  const thinkingConfig = thinkingOf(shape, request);
  const generationConfig = {
    ...(request.maxOutput === null ? {} : { maxOutputTokens: request.maxOutput }),
    ...(thinkingConfig === null ? {} : { thinkingConfig }),
  };
  return {
    contents,
    ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}),
    ...(functions.length > 0 ? { tools: [{ functionDeclarations: functions }] } : {}),
    ...(functions.length > 0 && noCalls ? { toolConfig: { functionCallingConfig: { mode: 'NONE' } } } : {}),
    ...(Object.keys(generationConfig).length > 0 ? { generationConfig } : {}),
  };
}

/** The signatures a request sends, to know which ones a refusal is about. */
export function signaturesIn({ contents }: GeminiRequest): string[] {
  return contents.flatMap(({ parts }) =>
    parts.flatMap(({ thoughtSignature: one }) => (one === undefined || one === NO_SIGNATURE ? [] : [one])),
  );
}

function functionsOf(request: ModelRequest): GeminiFunction[] {
  if (request.tools.length > 0) {
    return request.tools.map(({ name, description, input }) => ({ name, description, parametersJsonSchema: input }));
  }
  const parametersJsonSchema = { type: 'object', properties: {} };
  return calledTools(request).map((name) => ({ name, description: '', parametersJsonSchema }));
}

function contentsOf(message: Message, shape: GeminiShape, ids: Map<string, string>): GeminiContent[] {
  switch (message.role) {
    case 'user':
      return content('user', message.parts.flatMap(userPart));
    case 'assistant': {
      const own = isFrom(message, shape.ref);
      const parts = message.parts.flatMap((part) => assistantParts(part, own, shape, ids));
      return content('model', withSignedCalls(parts, shape));
    }
    case 'results':
      // As many answers as calls, and nothing else beside them: images follow as if they had been shown.
      return [
        ...content(
          'user',
          message.results.map((result) => responsePart(result, ids)),
        ),
        ...content('user', message.results.flatMap(resultImages)),
      ];
  }
}

function content(role: GeminiContent['role'], parts: readonly GeminiPart[]): GeminiContent[] {
  return parts.length === 0 ? [] : [{ role, parts }];
}

function userPart(part: UserPart): GeminiPart[] {
  if (part.type === 'image') return [{ inlineData: { mimeType: part.mediaType, data: part.base64 } }];
  return isBlank(part.text) ? [] : [{ text: part.text.toWellFormed() }];
}

function resultImages(result: CallResult): GeminiPart[] {
  if (result.images.length === 0) return [];
  return [{ text: `Images of the result of ${result.tool}:` }, ...result.images.flatMap(userPart)];
}

function responsePart({ call, tool, text, error }: CallResult, ids: ReadonlyMap<string, string>): GeminiPart {
  const id = ids.get(call);
  const said = text.toWellFormed();
  return {
    functionResponse: {
      ...(id === undefined ? {} : { id }),
      name: tool,
      response: error ? { error: said } : { output: said },
    },
  };
}

/** Parts go back as they came, each with its signature and id; thoughts themselves are never sent. */
function assistantParts(part: AssistantPart, own: boolean, shape: GeminiShape, ids: Map<string, string>): GeminiPart[] {
  const signatureOf = (signature: string | undefined) =>
    signature === undefined || shape.deadSignatures.has(signature) ? {} : { thoughtSignature: signature };
  switch (part.type) {
    case 'thinking':
      return [];
    case 'call': {
      const kept = own ? ((part.opaque ?? {}) as SignedCall) : {};
      if (kept.id !== undefined) ids.set(part.call, kept.id);
      const functionCall = {
        ...(kept.id === undefined ? {} : { id: kept.id }),
        name: part.tool,
        args: callInput(part),
      };
      return [{ functionCall, ...signatureOf(kept.signature) }];
    }
    case 'text': {
      const signed = own ? ((part.opaque as unknown as Partial<SignedText> | undefined)?.signed ?? []) : [];
      const parts: GeminiPart[] = [];
      const plain = (text: string) => {
        if (!isBlank(text)) parts.push({ text: text.toWellFormed() });
      };
      let at = 0;
      for (const { from, to, signature } of signed) {
        plain(part.text.slice(at, from));
        const kept = signatureOf(signature);
        if (Object.keys(kept).length > 0) parts.push({ text: part.text.slice(from, to), ...kept });
        else plain(part.text.slice(from, to));
        at = to;
      }
      plain(part.text.slice(at));
      return parts;
    }
  }
}

/** From the third generation on, the first call of a message must be signed, whoever made it. */
function withSignedCalls(parts: readonly GeminiPart[], shape: GeminiShape): readonly GeminiPart[] {
  const first = parts.findIndex((part) => part.functionCall !== undefined);
  if (first < 0 || !thinksByLevel(shape.ref.model) || parts[first]?.thoughtSignature !== undefined) return parts;
  return parts.map((part, at) => (at === first ? { ...part, thoughtSignature: NO_SIGNATURE } : part));
}

/** Earlier generations think by a number of tokens, or not at all. */
export function thinksByLevel(model: string): boolean {
  return Number(/^gemini-(\d+)/.exec(model)?.[1] ?? 0) >= 3;
}

const BUDGETS: Readonly<Record<Exclude<Effort, 'default'>, number>> = {
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 24_576,
};

function thinkingOf({ ref, facts, noThinking }: GeminiShape, { effort, readableThinking }: ModelRequest) {
  if (noThinking || !facts.thinking) return null;
  const level = nearestEffort(facts.efforts, effort);
  const asked =
    level === null ? {} : thinksByLevel(ref.model) ? { thinkingLevel: level } : { thinkingBudget: BUDGETS[level] };
  const config = { ...(readableThinking === false ? {} : { includeThoughts: true }), ...asked };
  return Object.keys(config).length === 0 ? null : config;
}
