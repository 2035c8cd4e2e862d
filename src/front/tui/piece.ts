import type { Role } from './theme.ts';

/** A run of text in one role: what regions and blocks hand to the painter. */
export interface Piece {
  readonly text: string;
  readonly role: Role;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  /** What a copy takes instead of `text`. */
  readonly source?: string;
}

export type Line = readonly Piece[];

export function piece(text: string, role: Role = 'text'): Piece {
  return { text, role };
}

/** Facts in a row, with the quiet separator between them; empty ones vanish. */
export function facts(parts: readonly Line[]): Line {
  const kept = parts.filter((part) => part.length > 0);
  return kept.flatMap((part, index) => (index === 0 ? part : [SEPARATOR, ...part]));
}

export const SEPARATOR: Piece = { text: ' • ', role: 'quiet' };

export function plainText(line: Line): string {
  return line.map((each) => each.text).join('');
}
