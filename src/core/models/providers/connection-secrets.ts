import type { WireConnection } from '../model.ts';

/** What must not appear in any account of a failure. Headers from settings may carry a key; short values would mask ordinary words. */
export function secretsOf({ key, headers, secrets }: Pick<WireConnection, 'key' | 'headers' | 'secrets'>): string[] {
  return [key ?? '', ...Object.values(headers), ...(secrets?.() ?? [])].filter((secret) => secret.length >= 8);
}
