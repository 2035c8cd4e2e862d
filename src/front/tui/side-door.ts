import type { Painter, Target } from './frame/painter.ts';
import type { Rect } from './frame/rect.ts';
import type { InputEvent } from './input/event.ts';
import type { SideStatus } from './side-area.ts';
import type { Theme } from './theme.ts';

/** What draws the side conversation and takes its keys: a part of its own, loaded when the first one is opened. */
export interface SideWindow {
  /** `target`: what lies under the pointer. Answers whether it stays open. */
  input(input: InputEvent, target: Target | null): boolean;
  draw(painter: Painter, theme: Theme, area: Rect): void;
  resize(columns: number, rows: number): void;
  shown(on: boolean): void;
  /** How it stands while it is hidden; empty where there is nothing to tell (SI-4). */
  readonly status: SideStatus;
  /** Something in it moves by itself. */
  readonly moves: boolean;
  close(): void;
}
