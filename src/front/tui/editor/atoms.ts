import type { NewAttachment } from '../../../protocol/intent.ts';
import type { Atom, Buffer, Piece } from './editor.ts';

/** PE-5: what is folded. Neither threshold is a setting (PE-6). */
const FOLD_LINES = 3;
const FOLD_BYTES = 800;

/** The atom that holds `offset` strictly inside; null when a caret may stand there. */
export function atomAround(atoms: readonly Atom[], offset: number): Atom | null {
  const atom = atoms[firstEndingAfter(atoms, offset)];
  return atom !== undefined && atom.from < offset ? atom : null;
}

export function atomStartingAt(atoms: readonly Atom[], offset: number): Atom | null {
  const atom = atoms[firstEndingAfter(atoms, offset)];
  return atom !== undefined && atom.from === offset ? atom : null;
}

export function atomEndingAt(atoms: readonly Atom[], offset: number): Atom | null {
  const atom = atoms[firstEndingAfter(atoms, offset) - 1];
  return atom !== undefined && atom.to === offset ? atom : null;
}

/**
 * Carets stand at the ends of atoms and on cluster borders of the text between them; where a cluster would reach over an
 * atom's end, the atom's end counts.
 */
export function nextStop(buffer: Buffer, offset: number): number {
  const atom = buffer.atoms[firstEndingAfter(buffer.atoms, offset)];
  if (atom !== undefined && atom.from <= offset) return atom.to;
  return Math.min(buffer.text.nextBorder(offset), atom?.from ?? buffer.text.length);
}

export function previousStop(buffer: Buffer, offset: number): number {
  const around = atomAround(buffer.atoms, offset) ?? atomEndingAt(buffer.atoms, offset);
  if (around !== null) return around.from;
  return Math.max(buffer.text.previousBorder(offset), endOfAtomBefore(buffer.atoms, offset));
}

/** The nearest place at or before `offset` where a caret may stand: on a cluster border, at an atom's start when inside. */
export function stopAtOrBefore(buffer: Buffer, offset: number): number {
  const atom = atomAround(buffer.atoms, offset);
  if (atom !== null) return atom.from;
  if (atomStartingAt(buffer.atoms, offset) !== null) return offset;
  return Math.max(buffer.text.borderAtOrBefore(offset), endOfAtomBefore(buffer.atoms, offset));
}

function endOfAtomBefore(atoms: readonly Atom[], offset: number): number {
  return atoms[firstEndingAfter(atoms, offset) - 1]?.to ?? 0;
}

/** Index of the first atom whose end lies after `offset`. */
export function firstEndingAfter(atoms: readonly Atom[], offset: number): number {
  let low = 0;
  let high = atoms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (atoms[middle]!.to > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** PE-4: line ends become \n; other control characters go, tabs and newlines stay. The same for every way in. */
export function normalisePaste(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return lines.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '').toWellFormed();
}

/** Lines as a person counts them: a newline at the very end begins no further line. */
export function countLines(text: string): number {
  let count = text.endsWith('\n') || text === '' ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit & 0xf800) !== 0xd800 ? 2 : 1;
  }
  return bytes;
}

/** PE-5, PE-6: whether normalised pasted text stands folded. What begins with `/` or `!` must still act as a command. */
export function isFolded(text: string): boolean {
  if (/^\s*[/!]/.test(text)) return false;
  return countLines(text) >= FOLD_LINES || utf8Length(text) > FOLD_BYTES;
}

export function pastePiece(payload: string, number: number): Piece {
  const lines = countLines(payload);
  return atomPiece('paste', `[Pasted #${number} · ${lines} ${lines === 1 ? 'line' : 'lines'}]`, payload, null);
}

export function imagePiece(attachment: NewAttachment, number: number): Piece {
  return atomPiece('image', `[Image #${number}]`, '', attachment);
}

export function filePiece(attachment: NewAttachment | null, name: string, number: number): Piece {
  return atomPiece('file', `[File #${number} ${name.replace(/[\u0000-\u001f\u007f\]]/g, '_')}]`, '', attachment);
}

/** The number an atom's label carries: markers of one draft are told apart by it. */
export function numberOf(buffer: Buffer, atom: Atom): number {
  return Number(/#(\d+)/.exec(buffer.text.slice(atom.from, atom.to))?.[1] ?? 0);
}

function atomPiece(kind: Atom['kind'], label: string, payload: string, attachment: NewAttachment | null): Piece {
  return { text: label, atoms: [{ from: 0, to: label.length, kind, payload, attachment }] };
}

/** What is sent or copied: folded pastes in full; labels of pictures and files stay as words, their bytes go beside them. */
export function expand(piece: Piece): { text: string; attachments: readonly NewAttachment[] } {
  let text = '';
  let at = 0;
  const attachments: NewAttachment[] = [];
  for (const atom of piece.atoms) {
    text +=
      piece.text.slice(at, atom.from) + (atom.kind === 'paste' ? atom.payload : piece.text.slice(atom.from, atom.to));
    if (atom.attachment !== null) attachments.push(atom.attachment);
    at = atom.to;
  }
  return { text: text + piece.text.slice(at), attachments };
}

/** A line as the history keeps it: pastes in full, a file as its name, a picture as nothing (HIST-7). */
export function inWords(piece: Piece): string {
  let text = '';
  let at = 0;
  for (const atom of piece.atoms) {
    text += piece.text.slice(at, atom.from);
    if (atom.kind === 'paste') text += atom.payload;
    else if (atom.kind === 'file') text += fileName(atom) ?? piece.text.slice(atom.from, atom.to);
    at = atom.to;
  }
  return text + piece.text.slice(at);
}

function fileName({ attachment }: Atom): string | undefined {
  return attachment === null ? undefined : attachment.kind === 'stored' ? attachment.attachment.name : attachment.name;
}
