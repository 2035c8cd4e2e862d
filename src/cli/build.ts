import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from '../base/sha256.ts';

/** The folder Houston itself lies in: the package, whether bundled (`dist/`) or a checkout (`src/cli/`). */
export const ROOT =
  path.basename(import.meta.dir) === 'cli' ? path.join(import.meta.dir, '..', '..') : path.join(import.meta.dir, '..');

/** Written into a bundle when it is made: a file less to read on each start. */
declare const BUNDLED_VERSION: string | undefined;

export const VERSION: string = typeof BUNDLED_VERSION === 'string' ? BUNDLED_VERSION : readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const version = (manifest as { version?: unknown }).version;
  return typeof version === 'string' ? version : '0.0.0';
}

/**
 * Tells whether a running host was started from other code than ours: when the newest file of it was written. A bundle is
 * written at once, so that its entry speaks for all.
 */
export function fingerprint(): string {
  return `${VERSION}-${Math.round(newestFile()).toString(36)}`;
}

function newestFile(): number {
  if (path.basename(import.meta.dir) !== 'cli') return statSync(path.join(import.meta.dir, 'main.js')).mtimeMs;
  return readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .reduce((latest, name) => Math.max(latest, statSync(path.join(ROOT, 'src', name)).mtimeMs), 0);
}

/** Tells from now on whether other code lies there than the code that runs; one that is being put in place counts too. */
export function watchCode(): () => boolean {
  const bundled = path.basename(import.meta.dir) !== 'cli';
  // Of a checkout every file would have to be looked at to begin with.
  const begun = bundled ? fingerprint() : Date.now();
  return () => {
    try {
      return typeof begun === 'string' ? fingerprint() !== begun : newestFile() > begun;
    } catch {
      return true;
    }
  };
}

/** What decides how a journal is remembered. */
const REMEMBERING = ['protocol', 'core/journal', 'core/session', 'core/runtime', 'core/policy'];

/**
 * Names the code that makes something of a journal, so that nothing is taken over from other code: of a bundle by its
 * entry, which holds a digest of every part; of a checkout by when its files were last written.
 */
export function codeName(): string {
  if (path.basename(import.meta.dir) !== 'cli')
    return `${VERSION}-${sha256(readFileSync(path.join(import.meta.dir, 'main.js'))).slice(0, 16)}`;
  const files = REMEMBERING.map((name) => path.join(ROOT, 'src', name)).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => `${name} ${statSync(path.join(folder, name)).mtimeMs}`),
  );
  return `${VERSION}-${sha256(files.join('\n')).slice(0, 16)}`;
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
