import path from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import type { LoadedSettings } from './load.ts';

/** What a project's own settings ask the person to grant (RULE-7). Nothing of it is in force before they do. */
export interface ProjectRequests {
  /** One line each, for the question at start. */
  readonly lines: readonly string[];
  /** The same for the same requests: what was granted under another digest is asked again. */
  readonly digest: string;
  readonly allow: readonly { readonly source: string; readonly text: string }[];
  readonly folders: readonly { readonly source: string; readonly folder: string }[];
}

/** Null when the project asks for nothing. `folder`: the workspace, absolute. */
export function projectRequests(
  { requests }: Pick<LoadedSettings, 'requests'>,
  folder: string,
): ProjectRequests | null {
  if (requests.length === 0) return null;
  const lines = requests.map(
    ({ source, key, value }) => `${path.relative(folder, source)}: ${key} ${JSON.stringify(value)}`,
  );
  const texts = (key: string) =>
    requests.flatMap(({ source, key: asked, value }) =>
      asked === key && Array.isArray(value)
        ? value.flatMap((text) => (typeof text === 'string' ? [{ source, text }] : []))
        : [],
    );
  return {
    lines,
    digest: sha256(JSON.stringify(lines)).slice(0, 32),
    allow: texts('permissions.allow'),
    folders: texts('permissions.additionalDirectories').map(({ source, text }) => ({ source, folder: text })),
  };
}
