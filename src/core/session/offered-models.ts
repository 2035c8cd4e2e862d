import type { ModelRow, Models } from '../models/catalog.ts';
import { modelRefText } from '../models/model-ref.ts';

/** The models of a session: `list` holds those that are offered, as the person chose (`models.enabled`). */
export interface OfferedModels extends Pick<Models, 'parse' | 'open' | 'configured' | 'list'> {
  /** Every model that is known, also those nobody wants to be offered. */
  readonly all: Models['list'];
  /** Asks the catalogue; false where it was not reached. */
  readonly refresh: () => Promise<boolean>;
  /** Other names than before; with none all are offered. */
  readonly offer: (names: readonly string[]) => void;
}

export function createOfferedModels(
  models: Pick<Models, 'parse' | 'open' | 'configured' | 'list'> & Partial<Pick<Models, 'refresh'>>,
  first: readonly string[] = [],
): OfferedModels {
  let names = new Set(first);
  return {
    parse: models.parse,
    open: models.open,
    configured: models.configured,
    list: () => (names.size === 0 ? models.list() : models.list().filter(({ ref }) => names.has(modelRefText(ref)))),
    all: models.list,
    refresh: async () => (await models.refresh?.()) ?? false,
    offer: (next) => {
      names = new Set(next);
    },
  };
}

/** Models as they stand in a list to choose from. */
export function modelChoices(rows: readonly ModelRow[]): { value: string; description: string }[] {
  return rows.map(({ ref, ready, provider }) => ({
    value: modelRefText(ref),
    description: ready ? provider : `${provider}, no key`,
  }));
}
