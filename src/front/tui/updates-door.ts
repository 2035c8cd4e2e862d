import type { Outcome } from '../../base/refusal.ts';

/** Newer releases of this program, as its window may know of them. */
export interface UpdatesDoor {
  /** Tells of each newer release once, from a while after the first frame on; answers how to stop it. */
  readonly watch: (tell: (version: string) => void) => () => void;
  /** The release that would be installed now; refused where there is none, or where it can not be installed from here. */
  readonly ready: () => Promise<Outcome<string>>;
}
