import type { TrailRow } from '../../../protocol/query.ts';
import { textRows } from '../blocks/prose.ts';
import type { Row } from '../blocks/row.ts';
import { INDENT } from '../blocks/row.ts';
import { oneLine } from '../one-line.ts';
import { piece } from '../piece.ts';

/** The newest decisions, oldest first; null while they are on their way. A delegate's are named by it (AUD-3). */
export function trailRows(trail: readonly TrailRow[] | null, width: number): Row[] {
  const options = { width, expanded: true, openKey: '' };
  return (trail ?? []).flatMap((row) => {
    const text = `${row.delegate === null ? '' : `${row.delegate} `}${oneLine(row.text)}`;
    const mark = row.refused ? piece('⊘ ', 'warn') : piece('● ', 'good');
    return textRows(text, [INDENT], 'text', options).map(
      (one, at): Row => (at === 0 ? { ...one, margin: [mark] } : one),
    );
  });
}
