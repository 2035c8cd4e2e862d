import { OWN_CREDENTIALS } from '../values/credentials.ts';

const REMOVED = '[secret removed]';

/** Keys that declare themselves by their shape. Tight on purpose: an ordinary identifier must never match. */
const SHAPES: readonly RegExp[] = [
  /\bsk-(?:ant|proj|or|svcacct|admin)-[\w-]{20,}/g,
  /\bsk-[A-Za-z0-9]{32,}\b/g,
  /\bgh[oprsu]_[A-Za-z0-9]{36,}\b/g,
  /\bgithub_pat_\w{40,}/g,
  /\bglpat-[\w-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bhf_[A-Za-z0-9]{34,}\b/g,
  /\bAIza[\w-]{35}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bxox[abeprs]-[\w-]{20,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** Names of variables whose values are secrets. */
const SECRET_NAME =
  /(?:API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|AUTH_?TOKEN|ACCESS_?TOKEN|_TOKEN|_SECRET|PASSWORD|PASSWD|_CREDENTIALS?)$/i;
/** Shorter values are words such as `true` or `none`, which must stay readable. */
const SHORTEST_VALUE = 12;

/**
 * The one redactor: takes out what looks like a key, and the values of credential variables of `environment`, wherever
 * they stand. Applied once to text that will be kept, shown, sent or logged.
 */
export function createRedactor(
  environment: Readonly<Record<string, string>>,
  secretNames: readonly string[] = [],
): (text: string) => string {
  const named = new Set([...OWN_CREDENTIALS, ...secretNames]);
  const values = Object.entries(environment)
    .filter(([name, value]) => value.length >= SHORTEST_VALUE && (named.has(name) || SECRET_NAME.test(name)))
    .map(([, value]) => value)
    .sort((one, other) => other.length - one.length);
  return (text) => {
    let clean = text;
    for (const value of values) if (clean.includes(value)) clean = clean.replaceAll(value, REMOVED);
    for (const shape of SHAPES) clean = clean.replace(shape, REMOVED);
    return clean;
  };
}
