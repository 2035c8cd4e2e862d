import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** The folder Houston itself lies in: the package, whether bundled (`dist/`) or a checkout (`src/cli/`). */
export const ROOT =
  path.basename(import.meta.dir) === 'cli' ? path.join(import.meta.dir, '..', '..') : path.join(import.meta.dir, '..');

export const VERSION: string = readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const version = (manifest as { version?: unknown }).version;
  return typeof version === 'string' ? version : '0.0.0';
}

/** Tells whether a running host was started from other code than ours: the time its entry file was written. */
export function fingerprint(): string {
  return `${VERSION}-${Math.round(statSync(import.meta.path).mtimeMs).toString(36)}`;
}

/** Bun obeys no configuration of the folder it is started in; the launcher gives the same flags. */
const OBEY_NOBODY = ['--config=/dev/null', '--no-env-file', '--no-install', '--tsconfig-override=/dev/null'];

/** argv that runs Houston again, as itself. */
export function ownCommand(...words: readonly string[]): string[] {
  return [
    process.execPath,
    ...OBEY_NOBODY,
    path.join(import.meta.dir, path.basename(import.meta.dir) === 'cli' ? 'main.ts' : 'main.js'),
    ...words,
  ];
}
