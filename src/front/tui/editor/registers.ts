import type { Buffer, Piece } from './editor.ts';
import { EMPTY_PIECE } from './editor.ts';

/** What was deleted or copied last; whole lines come back as lines. There is one, and it is never the clipboard (VI-13). */
export interface Register {
  readonly piece: Piece;
  readonly lines: boolean;
}

export const EMPTY_REGISTER: Register = { piece: EMPTY_PIECE, lines: false };

/** The same piece `count` times, `between` standing between two of them. */
export function repeated(piece: Piece, count: number, between = ''): Piece {
  if (count === 1) return piece;
  const stride = piece.text.length + between.length;
  const atoms = Array.from({ length: piece.atoms.length === 0 ? 0 : count }, (_, copy) =>
    piece.atoms.map((atom) => ({ ...atom, from: atom.from + copy * stride, to: atom.to + copy * stride })),
  ).flat();
  return { text: Array.from({ length: count }, () => piece.text).join(between), atoms };
}

/** A piece with words before and behind it. */
export function framed(before: string, piece: Piece, behind: string): Piece {
  const by = before.length;
  const atoms = piece.atoms.map((atom) => ({ ...atom, from: atom.from + by, to: atom.to + by }));
  return { text: before + piece.text + behind, atoms };
}

/** A piece with its text changed and its markers as they are (VI-14). */
export function changedText(piece: Piece, change: (text: string) => string): Piece {
  let text = '';
  let at = 0;
  const atoms = piece.atoms.map((atom) => {
    text += change(piece.text.slice(at, atom.from));
    const from = text.length;
    text += piece.text.slice(atom.from, atom.to);
    at = atom.to;
    return { ...atom, from, to: text.length };
  });
  return { text: text + change(piece.text.slice(at)), atoms };
}

/** Whether a buffer holds markers that another one did not. */
export function gainedAtoms(before: Buffer, after: Buffer): boolean {
  return after.atoms.length > before.atoms.length;
}
