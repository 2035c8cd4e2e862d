import { visible } from '../../../base/text-width.ts';
import type { ItemOf } from '../../../protocol/view.ts';
import { bytes, duration, plural } from '../figures.ts';
import { facts, piece } from '../piece.ts';
import { textRows } from './prose.ts';
import { type BlockOptions, fogOf, INDENT, type Row } from './row.ts';
import { stateMark } from './tool-call.ts';

/** A row for each hook that runs or ran for a call (HK-1). */
export function hookRows({ hooks = [], tool }: Pick<ItemOf<'call'>, 'hooks' | 'tool'>, options: BlockOptions): Row[] {
  if (options.hooks?.rows !== true) return [];
  return hooks.map(
    (hook): Row => ({
      margin: [INDENT, stateMark(hook.status === 'failed' ? 'error' : hook.status)],
      line: [piece(`${hook.phase} `, 'quiet'), piece(cleaned(hook.label), 'text'), piece(` ${cleaned(tool)}`, 'quiet')],
      right: hook.duration === null || hook.duration < 100 ? [] : [piece(duration(hook.duration), 'quiet')],
      join: '\n',
      cuts: true,
      furniture: true,
    }),
  );
}

/** Lines of what is shown of it before the card is unfolded. */
const FOLDED_LINES = 5;

/** What a hook told the model: its words, or only that it did (HK-2, HK-4). */
export function injectedRows(item: ItemOf<'hook'>, options: BlockOptions): Row[] {
  const { injected: mode = 'hidden' } = options.hooks ?? {};
  if (mode === 'hidden') return [];
  const { injected } = item;
  const head: Row = {
    margin: [piece('↳ ', 'signal')],
    line: [piece('hook ', 'quiet'), piece(cleaned(item.label), 'text'), piece(' told the model', 'quiet')],
    right: facts([
      [piece(item.status, 'quiet')],
      [piece(plural(injected.items, 'item'), 'quiet')],
      [piece(bytes(injected.bytes), 'quiet')],
    ]),
    join: '\n',
    cuts: true,
    furniture: true,
    ...(mode === 'content' ? { action: 'toggle' as const } : {}),
  };
  if (mode === 'metadata') return [head];
  const rows = textRows(injected.text, [INDENT, ...fogOf(injected.label)], 'quiet', options);
  if (options.expanded || rows.length <= FOLDED_LINES) return [head, ...rows];
  const more = piece(`+${plural(rows.length - FOLDED_LINES, 'row')}`, 'quiet');
  return [
    head,
    ...rows.slice(0, FOLDED_LINES),
    { margin: [INDENT], line: [more], join: '\n', furniture: true, action: 'toggle' },
  ];
}

function cleaned(text: string): string {
  return visible(text.replace(/\s+/g, ' '));
}
