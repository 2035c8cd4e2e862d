import type { Target } from '../../../protocol/message.ts';

/** `→ openai:gpt-6 +high`: where one prompt runs, other than the conversation; empty where it runs as always. */
export function targetWords(target: Target | null | undefined): string {
  if (target === null || target === undefined) return '';
  const { model, effort } = target;
  const words = [model === null ? '' : `${model.provider}:${model.model}`, effort === null ? '' : `+${effort}`];
  return `→ ${words.filter((word) => word !== '').join(' ')}`;
}
