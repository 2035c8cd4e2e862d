import { textWidth } from '../../../base/text-width.ts';
import type { SessionFile } from '../../../protocol/query.ts';
import type { View } from '../../../protocol/view.ts';
import type { Row } from '../blocks/row.ts';
import { piece } from '../piece.ts';

/**
 * Files that calls read or wrote, the newest first, each once; what was refused or failed touched none. `known`: those the
 * session told of, for what the View has let go.
 */
export function fileRows(view: View, known: readonly SessionFile[], width: number): Row[] {
  const changed = new Map<string, boolean>();
  for (const item of view.transcript.items.toReversed()) {
    if (item.kind !== 'call' || item.state !== 'ok') continue;
    for (const effect of item.effects) {
      if (effect.kind !== 'read' && effect.kind !== 'write') continue;
      changed.set(effect.path, effect.kind === 'write' || changed.get(effect.path) === true);
    }
  }
  for (const file of known.toReversed()) changed.set(file.path, file.changed || changed.get(file.path) === true);
  const { folder } = view.head;
  return [...changed].map(([path, written]): Row => {
    const word = written ? 'changed' : 'read';
    const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
    return {
      margin: [],
      line: [piece(tailOf(name, width - word.length - 2), written ? 'text' : 'quiet')],
      right: [piece(word, written ? 'good' : 'quiet')],
      join: '\n',
    };
  });
}

/** A name too long loses its beginning, the part that says least. */
export function tailOf(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const characters = [...text];
  let used = 1;
  let from = characters.length;
  while (from > 0 && used + textWidth(characters[from - 1]!) <= width) used += textWidth(characters[--from]!);
  return width < 1 ? '' : `…${characters.slice(from).join('')}`;
}
