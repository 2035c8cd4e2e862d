import { OWN_CREDENTIALS } from '../values/credentials.ts';
import { KEY_SHAPES } from '../values/key-shapes.ts';

export const REMOVED = '[secret removed]';

/** What is struck out wherever it stands: keys by their shape, and private keys to their end. */
const SHAPES: readonly RegExp[] = [
  ...KEY_SHAPES.map(({ shape }) => shape),
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
