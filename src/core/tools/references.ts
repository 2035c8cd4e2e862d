import type { PlanContext } from './tool.ts';

type Impossible = { readonly ok: false; readonly message: string };

/** Null: the planner saw untrusted content, so its arguments name nothing any more (SEC-10). */
export function noReferences({ refs }: PlanContext): Impossible {
  const message =
    refs === null
      ? 'No reference can be named any more: untrusted content was shown in this conversation.'
      : 'Nothing was kept aside here.';
  return { ok: false, message };
}

export function noSuchReference(ref: string): Impossible {
  return { ok: false, message: `${/^ref:\d{1,9}$/.test(ref) ? ref : 'This'} stands for nothing.` };
}
