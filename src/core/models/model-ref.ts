import type { ModelRef } from '../../protocol/message.ts';

/**
 * Reads `provider:model`, split at the first colon. `provider/model` is taken too, where `isKnown` knows the provider;
 * otherwise a slash is part of the model's name. Null when there is no provider or no model in it.
 */
export function parseModelRef(text: string, isKnown: (provider: string) => boolean): ModelRef | null {
  const trimmed = text.trim();
  const colon = trimmed.indexOf(':');
  const slash = trimmed.indexOf('/');
  if (slash > 0 && (colon < 0 || slash < colon) && isKnown(trimmed.slice(0, slash))) return split(trimmed, slash);
  return colon > 0 ? split(trimmed, colon) : null;
}

export function modelRefText(ref: ModelRef): string {
  return `${ref.provider}:${ref.model}`;
}

function split(text: string, at: number): ModelRef | null {
  const provider = text.slice(0, at).trim();
  const model = text.slice(at + 1).trim();
  return provider === '' || model === '' ? null : { provider, model };
}
