import { cutToWidth, textWidth } from '../../../base/text-width.ts';
import type { Text } from '../editor/text.ts';
import { piece } from '../piece.ts';
import type { BelowRow } from './below-row.ts';

/** What is offered for the word at the caret. */
export interface CompletionState {
  /** `tag`: a word behind `$` or `#` in the middle of a prompt. */
  readonly kind: 'command' | 'path' | 'argument' | 'tag';
  /** The part of the draft a choice replaces, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  readonly choices: readonly Choice[];
  readonly cursor: number;
  /** The draft these were made for: a draft that moved on makes them void. */
  readonly forText: Text;
}

export interface Choice {
  /** What is put into the draft. */
  readonly insert: string;
  readonly label: string;
  readonly detail: string;
  /** Mid-turn: when it would run. */
  readonly when: string;
}

const ROWS = 8;

/** A window of the choices around the cursor. */
export function completionLines(state: CompletionState, width: number): BelowRow[] {
  const { choices, cursor } = state;
  const first = Math.max(0, Math.min(cursor - Math.floor(ROWS / 2), choices.length - ROWS));
  const longest = Math.min(Math.max(...choices.map((choice) => textWidth(choice.label))) + 2, Math.floor(width / 2));
  return choices.slice(first, first + ROWS).map((choice, offset): BelowRow => {
    const chosen = first + offset === cursor;
    const more =
      offset === ROWS - 1 && first + ROWS < choices.length ? `${choices.length - first - ROWS} more` : choice.when;
    const label = choice.label + ' '.repeat(Math.max(0, longest - textWidth(choice.label)));
    const room = width - 2 - textWidth(label) - (more === '' ? 0 : textWidth(more) + 2);
    return {
      line: [
        piece(chosen ? '❯ ' : '  ', 'accent'),
        piece(cutToWidth(label, width - 2), chosen ? 'strong' : 'text'),
        piece(cutToWidth(choice.detail, Math.max(0, room)), 'quiet'),
      ],
      right: more === '' ? [] : [piece(more, 'quiet')],
      chosen,
      item: String(first + offset),
    };
  });
}
