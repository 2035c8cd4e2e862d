import type { Atom } from '../../src/front/tui/editor/editor.ts';
import {
  applyKey,
  type EditorState,
  NEW_EDITOR,
  placeCaret,
  replaceAll,
} from '../../src/front/tui/editor/editor-state.ts';
import { LayoutCache } from '../../src/front/tui/editor/layout.ts';
import { Text } from '../../src/front/tui/editor/text.ts';
import { type LayoutOf, viEscape, viKey } from '../../src/front/tui/editor/vi.ts';
import { NEW_VI, onOtherLine, type ViState } from '../../src/front/tui/editor/vi-state.ts';
import type { Key } from '../../src/front/tui/input/event.ts';

/** A box with vi editing, outside any screen. */
export interface ViBox {
  readonly editor: EditorState;
  readonly vi: ViState;
}

const NAMED: Readonly<Record<string, Partial<Key>>> = {
  esc: { name: 'escape' },
  bs: { name: 'backspace' },
  del: { name: 'delete' },
  left: { name: 'left' },
  right: { name: 'right' },
  up: { name: 'up' },
  down: { name: 'down' },
  home: { name: 'home' },
  end: { name: 'end' },
  nl: { name: 'j', ctrl: true },
  cw: { name: 'w', ctrl: true },
  lt: { name: '<', text: '<' },
};

/** `dw<esc>`: letters as they are, other keys in angle brackets. */
export function keysOf(text: string): Key[] {
  return (text.match(/<[a-z]+>|[\s\S]/gu) ?? []).map((part) => {
    const named = part.length > 1 ? NAMED[part.slice(1, -1)] : undefined;
    const plain = { name: part === ' ' ? 'space' : part.toLowerCase(), text: part };
    return {
      ctrl: false,
      alt: false,
      shift: false,
      kind: 'press',
      ...(named ?? plain),
      text: named === undefined ? part : (named.text ?? null),
    } as Key;
  });
}

/** A line with `|` at the caret, in NORMAL; ¶ markers, such as `[A]`, are atoms. */
export function boxOf(marked: string, mode: 'normal' | 'insert' = 'normal'): ViBox {
  const caret = Math.max(0, marked.indexOf('|'));
  const text = marked.replace('|', '');
  const atoms: Atom[] = [...text.matchAll(/\[[A-Z]\]/g)].map((found) => ({
    from: found.index,
    to: found.index + found[0].length,
    kind: 'paste',
    payload: `whole ${found[0]}`,
    attachment: null,
  }));
  const whole = replaceAll(NEW_EDITOR, { text, atoms }, caret).state;
  const editor = placeCaret(whole, caret, false);
  return { editor, vi: { ...onOtherLine({ ...NEW_VI, text: Text.of('') }, editor), mode } };
}

export function layouts(width = 60): LayoutOf {
  const cache = new LayoutCache();
  return (text) => cache.of(text, width);
}

export function press(box: ViBox, keys: string, layoutOf: LayoutOf = layouts()): ViBox {
  let { editor, vi } = box;
  for (const key of keysOf(keys)) {
    const result = key.name === 'escape' ? viEscape(editor, vi) : viKey(editor, vi, key, layoutOf);
    if (result !== null) ({ editor, vi } = result);
    else if (key.name !== 'escape' && (key.ctrl || key.alt))
      editor = applyKey(editor, key, layoutOf(editor.buffer.text))?.state ?? editor;
  }
  return { editor, vi };
}

export function shown({ editor }: ViBox): string {
  const { caret } = editor.buffer;
  const text = editor.buffer.text.toString();
  return `${text.slice(0, caret)}|${text.slice(caret)}`;
}
