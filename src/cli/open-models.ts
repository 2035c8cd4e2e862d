import { CATALOGUED_VENDORS } from '../core/models/built-in-providers.ts';
import { createModels, type Models, type ModelsOptions } from '../core/models/catalog.ts';
import { createFreshFacts } from '../core/models/facts/fresh-facts.ts';
import { places } from '../core/settings/paths.ts';
import type { Settings } from '../core/settings/schema.ts';
import type { System } from '../system/system.ts';

/** The models these settings give, with what was learned of them since this version was made. */
export function openModels(
  { environment, network, clock, files, images }: System,
  settings: Pick<Settings, 'model' | 'providers'>,
  demo?: ModelsOptions['demo'],
): Models {
  const { state } = places(environment);
  return createModels({
    environment,
    network,
    clock,
    images,
    settings: { model: settings.model, providers: settings.providers },
    fresh: createFreshFacts({ files, network, clock, state, providers: CATALOGUED_VENDORS }),
    ...(demo === undefined ? {} : { demo }),
  });
}

/** After everything that is waited for: nothing of a start depends on what is learned. */
const LEARN_AFTER_MS = 3_000;

/** Learns of models in the background; the returned function calls it off. */
export function learnLater({ clock }: Pick<System, 'clock'>, models: Models, settings: Settings): () => void {
  return clock.after(LEARN_AFTER_MS, () => void models.learn({ catalogue: settings.updateCheck }));
}

/** While a person looks at the first frame; nobody's first request should pay for loading a vendor's library. */
const WARM_AFTER_MS = 120;

/**
 * Loads what the first request needs, before it is made: at once where nobody watches, else a moment after the session
 * stands. The returned function calls it off.
 */
export function warmSoon(
  { clock }: Pick<System, 'clock'>,
  models: Models,
  wish: { explicit: string | null; watched: boolean },
): () => void {
  const choice = models.configured({ explicit: wish.explicit, session: null, interactive: wish.watched });
  if (!choice.ok) return () => {};
  const warm = (): void => void models.warm(choice.value.ref);
  if (wish.watched) return clock.after(WARM_AFTER_MS, warm);
  warm();
  return () => {};
}
