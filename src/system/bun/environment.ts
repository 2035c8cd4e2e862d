import { tmpdir } from 'node:os';
import { isAbsolute } from 'node:path';
import type { Environment, Ids } from '../environment.ts';

/** A copy made once: later changes of the process's own environment are not seen. */
export function createBunEnvironment(): Environment {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) variables[name] = value;
  const home = variables.HOME;
  return {
    get: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
    all: () => variables,
    home: home && isAbsolute(home) ? home : null,
    folder: workingFolder(variables.PWD),
    platform: process.platform === 'linux' || process.platform === 'darwin' ? process.platform : 'other',
    userId: process.getuid?.() ?? 0,
    temp: tmpdir(),
  };
}

function workingFolder(shellSays: string | undefined): string {
  try {
    return process.cwd();
  } catch {
    // The folder was removed under us: its name is still the best answer, and opening it will say what is wrong.
    return shellSays && isAbsolute(shellSays) ? shellSays : '/';
  }
}

export function createBunIds(): Ids {
  return {
    // Counts up within one millisecond, so that ids made in one go sort in their order.
    uuid: () => Bun.randomUUIDv7(),
    hex(bytes) {
      return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
    },
  };
}
