/** How a command is confined. */
export type SandboxMode = 'standard' | 'strict' | 'off';

export interface Confinement {
  readonly folder: string;
  /** Folders that may be written besides the temporary one, absolute with their links resolved. */
  readonly writable: readonly string[];
  /** Places nobody may look into; those that do not exist are left out by the caller. */
  readonly hidden: readonly HiddenPlace[];
  readonly network: 'open' | 'closed';
}

export interface HiddenPlace {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** Puts an argv into a confined one. Settled before a session opens and the same as long as it runs (SBX-1). */
export interface Sandbox {
  /** One line for people: what the system really enforces, never more (SBX-4). */
  readonly description: string;
  wrap(argv: readonly string[], confinement: Confinement): readonly string[];
}

/** No confinement: commands run as the person would run them. */
export const NO_SANDBOX: Sandbox = { description: 'off', wrap: (argv) => argv };
