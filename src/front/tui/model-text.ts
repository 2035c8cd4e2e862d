import type { Effort, ModelRef } from '../../protocol/message.ts';

export function modelText(model: ModelRef, effort: Effort): string {
  return `${model.provider}:${model.model}${effort === 'default' ? '' : ` • ${effort}`}`;
}
