/**
 * One thing a terminal told us. `read` numbers the read it came in: what came together in one read shares a number;
 * `alone` says that no other key or paste did. `at` is in milliseconds of the clock that was passed in.
 */
export type InputEvent =
  | { readonly type: 'key'; readonly key: Key; readonly read: number; readonly at: number; readonly alone: boolean }
  | {
      readonly type: 'paste';
      readonly text: string;
      readonly read: number;
      readonly at: number;
      /** Not marked as a paste by the terminal but recognised as one (burst.ts); `joins` when it goes on with the one before. */
      readonly burst?: true;
      readonly joins?: true;
    }
  | {
      readonly type: 'mouse';
      readonly action: 'press' | 'release' | 'drag' | 'move' | 'wheel-up' | 'wheel-down';
      readonly button: 'left' | 'middle' | 'right' | 'none';
      readonly column: number;
      readonly row: number;
      readonly shift: boolean;
      readonly alt: boolean;
      readonly ctrl: boolean;
      readonly at: number;
    }
  | { readonly type: 'focus'; readonly on: boolean; readonly at: number }
  | { readonly type: 'reply'; readonly reply: TerminalReply; readonly at: number };

export interface Key {
  /**
   * A lower-case name: a printable character as it is typed without Shift where known (`a`, `/`), or `enter tab escape
   * backspace delete insert up down left right home end pageup pagedown space f1`..`f24`.
   */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** Text to insert; null for keys that insert nothing. AltGr text counts as text, not as a chord. */
  readonly text: string | null;
  readonly kind: 'press' | 'repeat' | 'release';
}

export type TerminalReply =
  | { readonly kind: 'background' | 'foreground'; readonly color: number }
  | { readonly kind: 'device'; readonly text: string }
  | { readonly kind: 'version'; readonly text: string }
  | { readonly kind: 'kitty-keyboard'; readonly flags: number }
  | { readonly kind: 'mode'; readonly mode: number; readonly value: number }
  | { readonly kind: 'palette'; readonly index: number; readonly color: number }
  | { readonly kind: 'cursor'; readonly row: number; readonly column: number };

/** `ctrl-x`, `alt-shift-e`, `f1`: modifiers in the order ctrl, alt, shift. */
export function chordOf(key: Key): string {
  return `${key.ctrl ? 'ctrl-' : ''}${key.alt ? 'alt-' : ''}${key.shift ? 'shift-' : ''}${key.name}`;
}
