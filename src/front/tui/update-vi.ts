import type { EditorResult } from './editor/editor-state.ts';
import type { ViResult } from './editor/vi.ts';
import { NEW_VI, settled, type ViState } from './editor/vi-state.ts';
import { chordOf, type InputEvent } from './input/event.ts';
import { beyondEdge, edited } from './prompt-actions.ts';
import type { Screen } from './screen.ts';
import type { Context } from './screen-event.ts';
import { type Step, stay } from './step.ts';

type KeyEvent = Extract<InputEvent, { type: 'key' }>;

/**
 * A key outside INSERT, before the keymap is asked: letters are commands there. Null for keys that vi has no use for; they
 * abandon what was half typed.
 */
export function viCommandKey(screen: Screen, context: Context, event: KeyEvent): Step | null {
  const { vi } = screen.prompt;
  if (vi === null || vi.mode === 'insert' || screen.focus !== 'prompt') return null;
  return throughVi(screen, context, event.key);
}

/** A key that edits, in INSERT; null where vi is not on. */
export function viTypedKey(screen: Screen, context: Context, key: KeyEvent['key']): Step | null {
  return screen.prompt.vi?.mode === 'insert' ? throughVi(screen, context, key) : null;
}

function throughVi(screen: Screen, context: Context, key: KeyEvent['key']): Step | null {
  const { vi, editor } = screen.prompt;
  const result = vi === null ? null : (context.vi?.viKey(editor, vi, key, context.textLayout) ?? null);
  return result === null ? null : taken(screen, context, result);
}

/** Escape in the box: null where it means what it means without vi (VI-3). */
export function viEscapeKey(screen: Screen, context: Context): Step | null {
  const { vi, editor } = screen.prompt;
  if (vi === null || screen.focus !== 'prompt') return null;
  const result = context.vi?.viEscape(editor, vi) ?? null;
  return result === null ? null : taken(screen, context, result);
}

function taken(screen: Screen, context: Context, result: ViResult): Step {
  const prompt = { ...screen.prompt, vi: result.vi };
  if (result.effect?.kind === 'edge') return beyondEdge({ ...screen, prompt }, context, result.effect.edge);
  const from: Screen = { ...screen, prompt };
  const changed: EditorResult = { state: result.editor, effect: result.effect };
  const after = edited(from, context, changed);
  const typed = result.editor.buffer.text !== screen.prompt.editor.buffer.text;
  const shown: Screen = typed ? { ...after.screen, typedAt: context.now, keyList: false } : after.screen;
  // What is offered while one types is in the way of commands.
  return result.vi.mode === 'insert' ? { ...after, screen: shown } : stay({ ...shown, completion: null });
}

/** A key that is not vi's ends what was half typed: `r` and Enter is just Enter (VI-8). */
export function abandoned(screen: Screen, event: KeyEvent): Screen {
  const { vi } = screen.prompt;
  if (vi === null || vi.pending.length === 0 || isEscape(event)) return screen;
  return { ...screen, prompt: { ...screen.prompt, vi: { ...vi, pending: [] } } };
}

/** Ctrl-`[` is Escape, also where the terminal tells them apart (VI-2). */
export function asEscape(screen: Screen, event: KeyEvent): KeyEvent {
  if (screen.prompt.vi === null || chordOf(event.key) !== 'ctrl-[') return event;
  return { ...event, key: { ...event.key, name: 'escape', ctrl: false, text: null } };
}

function isEscape(event: KeyEvent): boolean {
  return chordOf(event.key) === 'escape';
}

/** The box with vi editing on or off; what is in it stays. */
export function withEditing(screen: Screen, on: boolean): Screen {
  const { prompt } = screen;
  if (on === (prompt.vi !== null)) return screen;
  const vi: ViState | null = on
    ? { ...NEW_VI, text: prompt.editor.buffer.text, floor: prompt.editor.history.done.at(-1) }
    : null;
  return { ...screen, prompt: { ...prompt, vi } };
}

/** After anything that happened to the box from elsewhere. */
export function viSettled(before: Screen, after: Screen): Screen {
  const { vi, editor } = after.prompt;
  if (vi === null || vi.mode === 'insert' || editor === before.prompt.editor) return after;
  const calm = settled(vi, editor);
  if (calm.vi === vi && calm.editor === editor) return after;
  return { ...after, prompt: { ...after.prompt, ...calm } };
}
