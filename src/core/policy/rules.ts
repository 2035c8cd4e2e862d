/** Permission rules of all layers, merged (RULE-1..RULE-8). Deny, then ask, then allow; first match wins. */
export interface Rules {
  readonly deny: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly allow: readonly Rule[];
}

export interface Rule {
  /** As written, such as `Bash(git status *)`. */
  readonly text: string;
  readonly family: 'Read' | 'Edit' | 'Bash' | 'WebFetch' | 'Mcp';
  readonly spec: string | null;
  readonly source: string;
}

export const NO_RULES: Rules = { deny: [], ask: [], allow: [] };
