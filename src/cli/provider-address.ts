import { BUILT_IN_PROVIDERS } from '../core/models/built-in-providers.ts';
import type { Settings } from '../core/settings/schema.ts';
import type { Environment } from '../system/environment.ts';

/** Where requests to a provider go: as the settings say, then the environment, then its vendor; null for an unknown one. */
export function providerAddress(
  providers: Settings['providers'],
  environment: Pick<Environment, 'get'>,
  provider: string,
): string | null {
  const own = providers[provider]?.baseUrl ?? null;
  if (own !== null) return own;
  const builtIn = Object.hasOwn(BUILT_IN_PROVIDERS, provider) ? BUILT_IN_PROVIDERS[provider] : undefined;
  if (builtIn === undefined) return null;
  const given = builtIn.urlVariable === null ? '' : (environment.get(builtIn.urlVariable)?.trim() ?? '');
  return given === '' ? builtIn.address : builtIn.readUrl(given);
}
