import type { PlanContext } from './tool.ts';
import { absolutePath, shortPath } from './tool-paths.ts';

export interface Impossible {
  readonly ok: false;
  readonly message: string;
}

/** A file as an argument named it. */
export interface NamedFile {
  /** Absolute. */
  readonly path: string;
  /** What the model calls it: its own words, never a name it was not shown. */
  readonly name: string;
  /** The reference it was named by; null for a path. */
  readonly ref: string | null;
}

/** Exactly one of a path and a reference that stands for a file; nothing else is a place (SEC-12). */
export function fileNamed(path: string | null, ref: string | null, context: PlanContext): NamedFile | Impossible {
  if ((path === null) === (ref === null))
    return impossible('Wrong arguments: exactly one of "path" and "path_ref" is needed.');
  if (path !== null) {
    const full = absolutePath(path, context);
    return { path: full, name: shortPath(full, context.folder), ref: null };
  }
  const { refs } = context;
  if (!refs) return noReferences(context);
  if (refs.find(ref!) === null) return noSuchReference(ref!);
  const file = refs.fileOf(ref!);
  return file === null ? impossible(`${ref} stands for no file.`) : { path: file, name: ref!, ref };
}

/** Null: the planner saw untrusted content, so its arguments name nothing any more (SEC-10). */
export function noReferences({ refs }: PlanContext): Impossible {
  return impossible(
    refs === null
      ? 'No reference can be named any more: untrusted content was shown in this conversation.'
      : 'Nothing was kept aside here.',
  );
}

export function noSuchReference(ref: string): Impossible {
  return impossible(`${/^ref:\d{1,9}$/.test(ref) ? ref : 'This'} stands for nothing.`);
}

/** Why bytes of this slot can be used for nothing that needs them; null when they can. */
export function withoutContent(ref: string, form: string): Impossible | null {
  if (form !== 'name') return null;
  return impossible(`${ref} is a name only. Read it by \`path_ref\`: that gives a reference to its content.`);
}

function impossible(message: string): Impossible {
  return { ok: false, message };
}
