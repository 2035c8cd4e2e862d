import { cutToWidth } from '../../../base/text-width.ts';
import type { Head } from '../../../protocol/view.ts';
import { textRows } from '../blocks/prose.ts';
import { drawBox, drawLine } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import { chordOf, type InputEvent } from '../input/event.ts';
import { piece } from '../piece.ts';
import { MODE_WORDS } from '../regions/hint-parts.ts';
import type { Screen } from '../screen.ts';
import type { Theme } from '../theme.ts';
import type { PickerItem, PickerModal } from './modal.ts';

export function openPicker(screen: Screen, modal: PickerModal): Screen {
  return { ...screen, modals: [...screen.modals, modal], completion: null, keyList: false };
}

export function themePicker(screen: Screen): PickerModal {
  const items = (['auto', 'dark', 'light'] as const).map(
    (value): PickerItem => ({
      value,
      label: value,
      detail: value === 'auto' ? 'after the background of this terminal' : '',
      current: screen.themeChoice === value,
    }),
  );
  return picker('Theme', { kind: 'theme' }, items);
}

export function editingPicker(screen: Screen): PickerModal {
  const items = (['ordinary', 'vi'] as const).map(
    (value): PickerItem => ({
      value,
      label: value,
      detail: value === 'vi' ? 'modes, motions, operators and text objects' : 'keys as in any line editor',
      current: (screen.prompt.vi !== null) === (value === 'vi'),
    }),
  );
  return picker('Editing in the prompt', { kind: 'editing' }, items);
}

export function modePicker(head: Head): PickerModal {
  const modes = (['ask', 'edits', 'plan', 'bypass'] as const).filter((mode) => mode !== 'bypass' || head.bypassOffered);
  return picker(
    'Permission mode',
    { kind: 'mode' },
    modes.map((mode) => ({ value: mode, label: mode, detail: MODE_WORDS[mode], current: head.mode === mode })),
  );
}

function picker(title: string, purpose: PickerModal['purpose'], items: readonly PickerItem[]): PickerModal {
  return {
    kind: 'picker',
    title,
    purpose,
    items,
    filter: '',
    cursor: Math.max(
      0,
      items.findIndex((item) => item.current),
    ),
  };
}

/** Items that hold every typed word, in any place and order (HIST-2). */
export function matches(modal: PickerModal): readonly PickerItem[] {
  const words = modal.filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const items = modal.items ?? [];
  if (words.length === 0) return items;
  return items.filter((item) => {
    const text = `${item.label} ${item.detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export type PickerKey =
  | { readonly kind: 'modal'; readonly modal: PickerModal }
  | { readonly kind: 'chosen'; readonly item: PickerItem }
  | { readonly kind: 'close' }
  | { readonly kind: 'none' };

export function pickerKey(modal: PickerModal, event: Extract<InputEvent, { type: 'key' }>): PickerKey {
  const found = matches(modal);
  const cursor = Math.max(0, Math.min(modal.cursor, found.length - 1));
  const move = (to: number): PickerKey => ({
    kind: 'modal',
    modal: { ...modal, cursor: Math.max(0, Math.min(found.length - 1, to)) },
  });
  switch (chordOf(event.key)) {
    case 'escape':
    case 'ctrl-c':
      return { kind: 'close' };
    case 'up':
    case 'ctrl-p':
    case 'shift-tab':
      return move(cursor - 1);
    case 'down':
    case 'ctrl-n':
    case 'tab':
      return move(cursor + 1);
    case 'pageup':
      return move(cursor - 10);
    case 'pagedown':
      return move(cursor + 10);
    case 'home':
      return move(0);
    case 'end':
      return move(found.length - 1);
    case 'enter': {
      const item = found[cursor];
      return item === undefined ? { kind: 'none' } : { kind: 'chosen', item };
    }
    case 'backspace':
      if (modal.filter === '') return { kind: 'none' };
      return refiltered(modal, [...modal.filter].slice(0, -1).join(''));
    case 'ctrl-u':
      return refiltered(modal, '');
    default: {
      const { text, ctrl, alt } = event.key;
      return text === null || ctrl || alt ? { kind: 'none' } : refiltered(modal, modal.filter + text);
    }
  }
}

export function refiltered(modal: PickerModal, filter: string): PickerKey {
  return { kind: 'modal', modal: { ...modal, filter, cursor: 0 } };
}

/** With no model at all it says what helps (SC-19.2). */
function nothingText({ items, purpose }: PickerModal): string {
  return purpose.kind === 'model' && items?.length === 0
    ? 'No model can be reached: /login signs in, or set a key such as ANTHROPIC_API_KEY'
    : 'Nothing matches';
}

export function drawPicker(painter: Painter, theme: Theme, area: Rect, modal: PickerModal): void {
  const found = matches(modal);
  const cursor = Math.max(0, Math.min(modal.cursor, found.length - 1));
  painter.fill(area, theme.styles.text);
  drawBox(painter, theme, area, 'accent', {
    topLeft: [piece(modal.title, 'accent')],
    topRight: modal.items === null ? [] : [piece(`${found.length} of ${modal.items.length}`, 'quiet')],
    bottomLeft: [
      piece('[Enter]', 'accent'),
      piece(' Choose  ', 'quiet'),
      piece('[Esc]', 'accent'),
      piece(' Close', 'quiet'),
    ],
  });
  const x = area.x + 2;
  const width = area.width - 4;
  const label = drawLine(painter, theme, x, area.y + 1, [piece('⌕ ', 'accent'), piece(modal.filter, 'text')], width);
  painter.cursor(x + Math.min(label, width - 1), area.y + 1);
  const rows = area.height - 3;
  const first = Math.max(0, Math.min(cursor - Math.floor(rows / 2), found.length - rows));
  const words = modal.items === null ? 'one moment' : found.length > 0 ? null : nothingText(modal);
  const said = words === null ? [] : textRows(words, [], 'quiet', { width, expanded: true, openKey: '' });
  for (const [offset, row] of said.slice(0, rows).entries())
    drawLine(painter, theme, x, area.y + 2 + offset, row.line, width);
  const longest = Math.min(
    width - 4,
    Math.max(12, ...found.slice(first, first + rows).map((item) => item.label.length + 2)),
  );
  found.slice(first, first + rows).forEach((item, offset) => {
    const y = area.y + 2 + offset;
    const chosen = first + offset === cursor;
    if (chosen) painter.fill(rect(area.x + 1, y, area.width - 2, 1), theme.styles.chosen);
    painter.hit(rect(area.x, y, area.width, 1), { region: 'picker', item: String(first + offset) });
    const used = drawLine(
      painter,
      theme,
      x,
      y,
      [
        piece(chosen ? '❯ ' : item.current ? '● ' : '  ', 'accent'),
        piece(cutToWidth(item.label, width - 2), chosen ? 'strong' : 'text'),
      ],
      width,
      chosen ? 'chosen' : undefined,
    );
    if (item.detail !== '' && Math.max(used, longest) + 2 < width) {
      const at = Math.max(used + 2, longest + 2);
      drawLine(painter, theme, x + at, y, [piece(cutToWidth(item.detail, width - at), 'quiet')], width - at);
    }
  });
}
