import type { Target } from '../frame/painter.ts';
import type { Screen } from '../screen.ts';
import type { Context, ScreenEffect } from '../screen-event.ts';
import { type Step, stay, step } from '../step.ts';
import type { PanelsState } from './panels-state.ts';
import { escapedPanel, isPanel, NO_STACK, type PanelName, type PanelStack, togglePanel, togglePin } from './stack.ts';

/** Opens or closes one panel; nothing else of the screen moves (LA-10, LA-11). */
export function toggle(screen: Screen, context: Context, name: PanelName): Step {
  const opens = !screen.panels.stack.open.includes(name);
  const shown = opens && name === 'tree' ? withPanels(screen, { lens: 'tree' }) : screen;
  return stacked(shown, context, togglePanel(screen.panels.stack, name));
}

export function pin(screen: Screen, context: Context): Step {
  return stacked(screen, context, togglePin(screen.panels.stack));
}

/** Ctrl-X: the whole column away, and back as it was; the first time the panel that tells of the session (PAN-1). */
export function toggleColumn(screen: Screen, context: Context): Step {
  const { stack, away } = screen.panels;
  if (stack.open.length === 0) return stacked(screen, context, away ?? togglePanel(NO_STACK, 'summary'));
  const hidden = stacked(screen, context, NO_STACK);
  return { ...hidden, screen: withPanels(hidden.screen, { away: stack }) };
}

/** Ctrl-T: the trail of decisions in the activity panel, which is opened; shown already, the tree again and back (AUD-1). */
export function toggleTrail(screen: Screen, context: Context): Step {
  const { stack, lens } = screen.panels;
  const open = stack.open.includes('tree');
  if (open && lens === 'trail') return stay(withPanels(screen, { lens: 'tree' }));
  const shown = withPanels(screen, { lens: 'trail' });
  return open ? step(shown, READ_TRAIL) : stacked(shown, context, togglePanel(stack, 'tree'));
}

/** The panel that Esc closes is gone; null where it closes none (LA-12, LA-21). */
export function escapePanel(screen: Screen, context: Context): Step | null {
  const name = escapedPanel(screen.panels.stack, screen.focus);
  return name === null ? null : stacked(screen, context, togglePanel(screen.panels.stack, name));
}

/** A press on what a panel or the header shows of the column. */
export function pressPanel(screen: Screen, context: Context, target: Target): Step {
  const name = target.item ?? '';
  if (target.action === 'pin') return pin(screen, context);
  if (!isPanel(name)) return stay(screen);
  if (target.action === 'close' || target.action === 'toggle') return toggle(screen, context, name);
  const focused: Screen = { ...screen, focus: name, keyList: false };
  return context.panels?.press(focused, context, name, target) ?? stay(focused);
}

/**
 * The View moved while a panel is open: a turn that ended left decisions and files that are not shown yet (AUD-1).
 */
export function followPanels(screen: Screen, context: Context): Step {
  const end = lastEnd(context);
  if (end === screen.panels.readTo) return stay(screen);
  return step(withPanels(screen, { readTo: end }), ...wanted(screen.panels));
}

/** What a panel that is open shows and the View does not hold. */
function wanted({ stack, lens }: PanelsState): ScreenEffect[] {
  return [
    ...(lens === 'trail' && stack.open.includes('tree') ? [READ_TRAIL] : []),
    ...(stack.open.includes('files') ? [READ_FILES] : []),
  ];
}

const READ_TRAIL: ScreenEffect = { kind: 'read-trail' };
const READ_FILES: ScreenEffect = { kind: 'read-files' };

function lastEnd({ view }: Context): string | null {
  return view.transcript.items.findLast((item) => item.kind === 'turn-end')?.id ?? null;
}

export function withPanels(screen: Screen, change: Partial<PanelsState>): Screen {
  return { ...screen, panels: { ...screen.panels, ...change } };
}

/** The screen with another stack: a focus whose panel is gone goes back to the prompt, and the choice is written down. */
function stacked(screen: Screen, context: Context, stack: PanelStack): Step {
  if (!screen.panels.offered) return stay(screen);
  const { focus } = screen;
  const kept = isPanel(focus) && !stack.open.includes(focus) ? 'prompt' : focus;
  const next: Screen = { ...withPanels(screen, { stack, readTo: lastEnd(context) }), focus: kept };
  const opened = stack.open.some((name) => !screen.panels.stack.open.includes(name));
  return step(next, { kind: 'save-panels', stack }, ...(opened ? wanted(next.panels) : []));
}
