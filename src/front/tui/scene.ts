import type { CodeBlock } from '../../base/code-block.ts';
import type { View } from '../../protocol/view.ts';
import { isRunning } from '../commands/facts.ts';
import type { Keymap } from '../commands/keymap.ts';
import type { Painter } from './frame/painter.ts';
import type { Rect } from './frame/rect.ts';
import type { Keeper } from './kept-regions.ts';
import type { Layout } from './layout.ts';
import type { ActivityModal } from './modals/modal.ts';
import type { CardList } from './regions/card-list.ts';
import type { Screen } from './screen.ts';
import type { SideWindow } from './side-door.ts';
import type { Theme } from './theme.ts';

/** Everything a frame is drawn from. Regions read it and draw; they change nothing. */
export interface Scene {
  readonly view: View;
  readonly screen: Screen;
  readonly theme: Theme;
  readonly keymap: Keymap;
  readonly cards: CardList;
  /** Null until a panel was opened. */
  readonly panels: PanelDrawing | null;
  /** Null until a side conversation was opened. */
  readonly side: SideWindow | null;
  readonly layout: Layout;
  /** Told of code that is on the screen without its colours. */
  readonly onCode: (block: CodeBlock) => void;
  /** Milliseconds since the epoch, for clocks and countdowns. */
  readonly now: number;
}

/**
 * What draws the panels at the right edge: a part of its own that is loaded when the first one is opened, so that a window
 * without any neither reads nor runs it.
 */
export interface PanelDrawing {
  /** The open panels into `area`; `settled` grows with whatever of the View they may show. */
  draw(painter: Painter, scene: Scene, area: Rect, keeper: Keeper, settled: number): void;
  drawDetail(painter: Painter, scene: Scene, modal: ActivityModal): void;
}

const ORBIT = [...'⠉⠘⠰⢠⣀⡄⠆⠃'];
/** Milliseconds a step: one turn a second. */
export const ORBIT_STEP = 125;

/** Whether something on the screen moves by itself. */
export function moves(view: View): boolean {
  return isRunning(view) || (view.activity.phase === 'starting' && view.head.startupProblem === null);
}

/** The glyph of what runs now; it stands still with reduced motion, and for what runs beside a session at rest. */
export function orbit(scene: Scene): string {
  return scene.screen.reducedMotion || !moves(scene.view)
    ? '◐'
    : ORBIT[Math.floor(scene.now / ORBIT_STEP) % ORBIT.length]!;
}
