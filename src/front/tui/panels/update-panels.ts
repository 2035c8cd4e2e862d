import type { TrailRow } from '../../../protocol/query.ts';
import type { Target } from '../frame/painter.ts';
import type { Screen } from '../screen.ts';
import type { Context, ScreenEffect } from '../screen-event.ts';
import { type Step, stay, step } from '../step.ts';
import type { PanelsState } from './panels-state.ts';
import { escapedPanel, isPanel, NO_STACK, type PanelName, type PanelStack, togglePanel, togglePin } from './stack.ts';

/** Opens or closes one panel; nothing else of the screen moves (LA-10, LA-11). */
export function toggle(screen: Screen, name: PanelName): Step {
  const opens = !screen.panels.stack.open.includes(name);
  const shown = opens && name === 'tree' ? withPanels(screen, { lens: 'tree' }) : screen;
  return stacked(shown, togglePanel(screen.panels.stack, name));
}

export function pin(screen: Screen): Step {
  return stacked(screen, togglePin(screen.panels.stack));
}

/** Ctrl-X: the whole column away, and back as it was; the first time the panel that tells of the session (PAN-1). */
export function toggleColumn(screen: Screen): Step {
  const { stack, away } = screen.panels;
  if (stack.open.length === 0) return stacked(screen, away ?? togglePanel(NO_STACK, 'summary'));
  const hidden = stacked(screen, NO_STACK);
  return { ...hidden, screen: withPanels(hidden.screen, { away: stack }) };
}

/** Ctrl-T: the trail of decisions in the activity panel, which is opened; shown already, the tree again and back (AUD-1). */
export function toggleTrail(screen: Screen, context: Context): Step {
  const { stack, lens } = screen.panels;
  const open = stack.open.includes('tree');
  if (open && lens === 'trail') return stay(withPanels(screen, { lens: 'tree' }));
  const shown = withPanels(screen, { lens: 'trail', trailEnd: lastEnd(context) });
  const opened = open ? stay(shown) : stacked(shown, togglePanel(stack, 'tree'));
  return { ...opened, effects: [...opened.effects, READ_TRAIL] };
}

/** The panel that Esc closes is gone; null where it closes none (LA-12, LA-21). */
export function escapePanel(screen: Screen): Step | null {
  const name = escapedPanel(screen.panels.stack, screen.focus);
  return name === null ? null : stacked(screen, togglePanel(screen.panels.stack, name));
}

/** A press on what a panel or the header shows of the column. */
export function pressPanel(screen: Screen, context: Context, target: Target): Step {
  const name = target.item ?? '';
  if (target.action === 'pin') return pin(screen);
  if (!isPanel(name)) return stay(screen);
  if (target.action === 'close' || target.action === 'toggle') return toggle(screen, name);
  const focused: Screen = { ...screen, focus: name, keyList: false };
  return context.panels?.press(focused, context, name, target) ?? stay(focused);
}

/** A turn that ended left decisions that are not shown yet: a turn's trail is there once it has ended (AUD-1). */
export function followTrail(screen: Screen, context: Context): Step {
  const { stack, lens, trailEnd } = screen.panels;
  if (lens !== 'trail' || !stack.open.includes('tree')) return stay(screen);
  const end = lastEnd(context);
  return end === trailEnd ? stay(screen) : step(withPanels(screen, { trailEnd: end }), READ_TRAIL);
}

export function trailArrived(screen: Screen, rows: readonly TrailRow[]): Screen {
  return withPanels(screen, { trail: rows });
}

const READ_TRAIL: ScreenEffect = { kind: 'read-trail' };

function lastEnd({ view }: Context): string | null {
  return view.transcript.items.findLast((item) => item.kind === 'turn-end')?.id ?? null;
}

export function withPanels(screen: Screen, change: Partial<PanelsState>): Screen {
  return { ...screen, panels: { ...screen.panels, ...change } };
}

/** The screen with another stack: a focus whose panel is gone goes back to the prompt, and the choice is written down. */
function stacked(screen: Screen, stack: PanelStack): Step {
  const { focus } = screen;
  const kept = isPanel(focus) && !stack.open.includes(focus) ? 'prompt' : focus;
  return step({ ...withPanels(screen, { stack }), focus: kept }, { kind: 'save-panels', stack });
}
