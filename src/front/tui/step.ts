import { type Note, type Screen, withNote } from './screen.ts';
import type { ScreenEffect } from './screen-event.ts';

/** What one event makes of the screen. */
export interface Step {
  readonly screen: Screen;
  readonly effects: readonly ScreenEffect[];
}

const NOTHING: readonly ScreenEffect[] = [];

export function stay(screen: Screen): Step {
  return { screen, effects: NOTHING };
}

export function step(screen: Screen, ...effects: ScreenEffect[]): Step {
  return { screen, effects };
}

export function noted(screen: Screen, text: string, level: Note['level'] = 'info'): Step {
  return stay(withNote(screen, text, level));
}
