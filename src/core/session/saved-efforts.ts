import type { Effort, ModelRef } from '../../protocol/message.ts';
import { modelRefText } from '../models/model-ref.ts';

/** Writes a model's level down for sessions to come, and the model as their default; null takes the level away. */
export type SaveEffort = (model: string, effort: Effort | null) => Promise<boolean>;

/** How hard each model is to think, as it was chosen for it (SC-19.7). */
export interface SavedEfforts {
  of(model: ModelRef): Effort | null;
  /** It holds here also where it could not be written down. */
  save(model: ModelRef, effort: Effort): Promise<boolean>;
}

export function createSavedEfforts(earlier: Readonly<Record<string, Effort>>, write: SaveEffort): SavedEfforts {
  const known = new Map(Object.entries(earlier));
  return {
    of: (model) => known.get(modelRefText(model)) ?? null,
    save: (model, effort) => {
      const name = modelRefText(model);
      if (effort === 'default') known.delete(name);
      else known.set(name, effort);
      return write(name, effort === 'default' ? null : effort);
    },
  };
}
