/** What an editor can do by a key. The names are those that bindings use. */
export type EditorAction =
  | Moving
  | `select-${Moving}`
  | 'backspace'
  | 'delete'
  | 'word-backspace'
  | 'word-delete'
  | 'kill-to-start'
  | 'kill-to-end'
  | 'yank'
  | 'newline'
  | 'undo'
  | 'redo'
  | 'select-all'
  | 'clear'
  | 'unfold';

type Moving =
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'line-start'
  | 'line-end'
  | 'start'
  | 'end'
  | 'up'
  | 'down';

/** Chords of the ordinary editor. Whoever holds it asks its own keymap first, so an action bound there wins (KEY-9). */
export const EDITOR_KEYS: Readonly<Record<string, EditorAction>> = {
  left: 'left',
  right: 'right',
  up: 'up',
  down: 'down',
  home: 'line-start',
  end: 'line-end',
  'ctrl-left': 'word-left',
  'ctrl-right': 'word-right',
  'alt-left': 'word-left',
  'alt-right': 'word-right',
  'alt-b': 'word-left',
  'alt-f': 'word-right',
  'ctrl-f': 'right',
  'ctrl-p': 'up',
  'ctrl-n': 'down',
  'ctrl-e': 'line-end',
  'ctrl-home': 'start',
  'ctrl-end': 'end',
  'shift-left': 'select-left',
  'shift-right': 'select-right',
  'shift-up': 'select-up',
  'shift-down': 'select-down',
  'shift-home': 'select-line-start',
  'shift-end': 'select-line-end',
  'ctrl-shift-left': 'select-word-left',
  'ctrl-shift-right': 'select-word-right',
  'alt-shift-left': 'select-word-left',
  'alt-shift-right': 'select-word-right',
  'ctrl-shift-home': 'select-start',
  'ctrl-shift-end': 'select-end',
  'ctrl-a': 'select-all',
  backspace: 'backspace',
  'shift-backspace': 'backspace',
  'ctrl-h': 'backspace',
  delete: 'delete',
  'shift-delete': 'delete',
  'ctrl-d': 'delete',
  'ctrl-w': 'word-backspace',
  'alt-backspace': 'word-backspace',
  'ctrl-backspace': 'word-backspace',
  'alt-d': 'word-delete',
  'alt-delete': 'word-delete',
  'ctrl-delete': 'word-delete',
  'ctrl-u': 'kill-to-start',
  'ctrl-k': 'kill-to-end',
  'ctrl-j': 'newline',
  'shift-enter': 'newline',
  'alt-enter': 'newline',
  'ctrl-enter': 'newline',
  'ctrl-z': 'undo',
  'ctrl-y': 'redo',
  'ctrl-shift-z': 'redo',
};
