import type { WireConnection } from '../model.ts';

/** What every request of ours carries, whatever a vendor's library would add. */
const OURS = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'houston' } as const;

/**
 * Vendors' libraries take further headers out of the environment, such as `OPENAI_CUSTOM_HEADERS`, and would send them to
 * every provider that speaks their way. A request carries the headers it was given here and no others.
 */
export function withHeadersOf(
  connection: Pick<WireConnection, 'fetch' | 'headers'>,
  signing: Readonly<Record<string, string>>,
): typeof globalThis.fetch {
  const own = new Headers({ ...OURS, ...signing });
  for (const [name, value] of Object.entries(connection.headers)) own.set(name, value);
  return Object.assign(
    (input: string | URL | Request, init?: RequestInit) =>
      connection.fetch(input, { ...init, headers: new Headers(own) }),
    { preconnect: connection.fetch.preconnect },
  );
}

/** Headers as the vendors' variables hold them: a line each, `Name: value`. */
export function readHeaderLines(text: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    const value = line.slice(colon + 1).trim();
    // One that cannot be sent would fail every request, with its value in the error.
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value)) headers[name] = value;
  }
  return headers;
}
