/** `1.2.3` and nothing behind it: what is still being tried out is no release for everybody (UP-4). */
const STABLE = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

/**
 * The newest stable version in what a registry says of the package, when it is newer than `own`; null for none. Withdrawn
 * ones do not count, and neither does what is no Houston: a name can come to belong to somebody else.
 */
export function newerRelease(told: unknown, own: string): string | null {
  if (!isRecord(told) || !isRecord(told.versions)) return null;
  let newest: string | null = null;
  for (const [version, facts] of Object.entries(told.versions)) {
    if (!STABLE.test(version) || !isHouston(facts)) continue;
    if (isNewer(version, newest ?? own)) newest = version;
  }
  return newest;
}

/** It brings the program and the Bun it runs on, and nobody withdrew it. */
function isHouston(facts: unknown): boolean {
  if (!isRecord(facts)) return false;
  const { bin, dependencies, deprecated } = facts;
  const withdrawn = deprecated !== undefined && deprecated !== false && deprecated !== '';
  return !withdrawn && isRecord(bin) && 'houston' in bin && isRecord(dependencies) && 'bun' in dependencies;
}

/** Of two versions; a build of `1.2.3-next` comes before `1.2.3`. */
export function isNewer(version: string, than: string): boolean {
  const one = numbersOf(version);
  const other = numbersOf(than);
  for (let at = 0; at < 3; at++) if (one[at]! !== other[at]!) return one[at]! > other[at]!;
  return !version.includes('-') && than.includes('-');
}

function numbersOf(version: string): readonly number[] {
  const found = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(version);
  return found === null ? [0, 0, 0] : found.slice(1).map(Number);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
