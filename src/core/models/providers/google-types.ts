import type { Json, JsonObject } from '../../../base/json.ts';

/**
 * The part of Gemini's `streamGenerateContent` that is used here, by hand: the vendor's SDK is large, and this wire is
 * small. Names are the service's.
 */
export interface GeminiRequest {
  readonly contents: readonly GeminiContent[];
  readonly systemInstruction?: { readonly parts: readonly { readonly text: string }[] };
  readonly tools?: readonly { readonly functionDeclarations: readonly GeminiFunction[] }[];
  readonly toolConfig?: { readonly functionCallingConfig: { readonly mode: 'AUTO' | 'NONE' } };
  readonly generationConfig?: {
    readonly maxOutputTokens?: number;
    readonly thinkingConfig?: {
      readonly includeThoughts?: boolean;
      readonly thinkingLevel?: string;
      readonly thinkingBudget?: number;
    };
  };
}

export interface GeminiFunction {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema: JsonObject;
}

export interface GeminiContent {
  readonly role: 'user' | 'model';
  readonly parts: readonly GeminiPart[];
}

export interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  /** Sealed reasoning: goes back in the very part it came with. */
  readonly thoughtSignature?: string;
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: Json };
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response: JsonObject };
}

export interface GeminiChunk {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly GeminiPart[] };
    readonly finishReason?: string;
    readonly finishMessage?: string;
  }[];
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly usageMetadata?: GeminiUsage;
  readonly responseId?: string;
  readonly error?: unknown;
}

export interface GeminiUsage {
  /** All of the prompt, its cached part included. */
  readonly promptTokenCount?: number;
  readonly cachedContentTokenCount?: number;
  readonly toolUsePromptTokenCount?: number;
  /** Without thoughts. */
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
}

/** What is kept with a text: which stretches of it came signed. Offsets count UTF-16 units. */
export interface SignedText {
  readonly signed: readonly { readonly from: number; readonly to: number; readonly signature: string }[];
}

/** What is kept with a call. */
export interface SignedCall {
  readonly id?: string;
  readonly signature?: string;
}
