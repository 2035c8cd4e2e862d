import { visible } from '../../../base/text-width.ts';
import type { Ask, AskRow } from '../../../protocol/ask.ts';
import { hunkRows } from '../blocks/diff.ts';
import { exactRows, textRows } from '../blocks/prose.ts';
import { type BlockOptions, fogOf, INDENT, type Row } from '../blocks/row.ts';
import { type Line, piece } from '../piece.ts';

/**
 * Exactly what is decided on, row by row: nothing is cut, folded or left out, since approving counts only once every row
 * of this was drawn (PR-6, PR-7). Untrusted content has the fog on each wrapped row (PR-8).
 */
export function permissionRows(ask: Ask, width: number): Row[] {
  const { body } = ask;
  if (body.kind === 'questions') return [];
  const options: BlockOptions = { width, expanded: true, openKey: '' };
  const why =
    body.kind === 'permission' && body.why !== null && body.why !== ''
      ? textRows(body.why, [INDENT], 'quiet', options)
      : [];
  const rows = body.rows.flatMap((row) => askRow(row, options));
  const diffs =
    body.kind === 'permission'
      ? body.diffs.flatMap((file) => [
          // The name may be as foreign as the content, and hold anything but a slash: every row of it stands behind the fog.
          ...textRows(`${visible(file.path)} ${file.change}`, [INDENT, ...fogOf(file.label)], 'signal', options),
          ...hunkRows(file, options, [INDENT, ...fogOf(file.label)]),
          ...(file.complete
            ? []
            : [
                {
                  margin: [INDENT],
                  line: [piece('⋮ this change is longer than what is shown here', 'warn')],
                  join: '\n',
                } satisfies Row,
              ]),
        ])
      : [];
  return [...rows, ...diffs, ...why];
}

const MARGINS: Readonly<Record<AskRow['role'], Line>> = {
  line: [piece('$ ', 'accent')],
  path: [piece('▫ ', 'signal')],
  reason: [INDENT],
  warning: [piece('▲ ', 'warn')],
  content: [INDENT],
};

const ROLES = { line: 'strong', path: 'signal', reason: 'quiet', warning: 'warn', content: 'text' } as const;

function askRow(row: AskRow, options: BlockOptions): Row[] {
  const fog = fogOf(row.shown.label);
  const wrap = row.role === 'line' || row.role === 'content' ? exactRows : textRows;
  return wrap(row.shown.text, [INDENT, ...fog], ROLES[row.role], options).map(
    (each, index): Row => (index === 0 ? { ...each, margin: [...MARGINS[row.role], ...fog] } : each),
  );
}
