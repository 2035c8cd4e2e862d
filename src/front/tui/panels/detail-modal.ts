import type { Row } from '../blocks/row.ts';
import type { Painter, Target } from '../frame/painter.ts';
import { rect } from '../frame/rect.ts';
import type { InputEvent } from '../input/event.ts';
import { chordOf } from '../input/event.ts';
import type { ActivityModal } from '../modals/modal.ts';
import { modalArea } from '../modals/modal-area.ts';
import { drawScroller, missingChunk, scrollerKey, scrollerRows, scrollerWindow } from '../modals/scroller.ts';
import type { Scene } from '../scene.ts';
import type { Screen } from '../screen.ts';
import type { Context } from '../screen-event.ts';
import { noted, type Step, stay, step } from '../step.ts';
import { asScroller, hasOutput, itemOf } from './detail.ts';

const NO_ROWS = (): readonly Row[] => [];

/** The detail of an activity over the screen; its panel keeps the focus behind it (AD-1). */
export function openDetail(screen: Screen, context: Context, id: string | null): Step {
  const item = id === null ? null : itemOf(context.view, id);
  if (item === null) return noted(screen, 'Nothing more is known of it');
  const modal: ActivityModal = { kind: 'activity', id: item.id, top: 0, expanded: false, search: null, output: null };
  return fetched({ ...screen, modals: [...screen.modals, modal], completion: null, keyList: false }, context, modal);
}

export function drawDetail(painter: Painter, scene: Scene, modal: ActivityModal): void {
  const area = modalArea(modal, scene.screen);
  const scroller = asScroller(scene.view, modal, scene.screen, area.width - 4);
  const rows = scrollerRows(scroller, area.width - 4, NO_ROWS);
  const window = scrollerWindow(area);
  drawScroller(painter, scene.theme, area, scroller, rows);
  const fold = rows.findIndex((row) => row.action === 'toggle');
  const top = Math.max(0, Math.min(modal.top, rows.length - window));
  if (fold >= top && fold < top + window)
    painter.hit(rect(area.x + 1, area.y + 1 + fold - top, Math.max(0, area.width - 2), 1), {
      region: 'modal',
      action: 'fold',
    });
}

export function detailKey(
  screen: Screen,
  context: Context,
  modal: ActivityModal,
  event: Extract<InputEvent, { type: 'key' }>,
): Step {
  const { area, scroller, rows, window } = shown(screen, context, modal);
  if (modal.search?.typing !== true && (chordOf(event.key) === 'enter' || chordOf(event.key) === 'm'))
    return fold(screen, context, modal);
  const meant = scrollerKey(scroller, event, rows, scrollerWindow(area));
  if (meant.kind === 'close') return stay({ ...screen, modals: screen.modals.slice(0, -1) });
  if (meant.kind === 'none') return stay(screen);
  const end = Math.max(0, rows.length - window);
  return replaced(screen, context, { ...modal, top: Math.min(end, meant.modal.top), search: meant.modal.search });
}

export function detailWheel(screen: Screen, context: Context, modal: ActivityModal, by: number): Step {
  const { rows, window } = shown(screen, context, modal);
  const end = Math.max(0, rows.length - window);
  return replaced(screen, context, { ...modal, top: Math.max(0, Math.min(end, modal.top + by)) });
}

export function detailPress(screen: Screen, context: Context, modal: ActivityModal, target: Target): Step {
  return target.action === 'fold' ? fold(screen, context, modal) : stay(screen);
}

function fold(screen: Screen, context: Context, modal: ActivityModal): Step {
  return replaced(screen, context, { ...modal, expanded: !modal.expanded });
}

function shown(screen: Screen, { view }: Context, modal: ActivityModal) {
  const area = modalArea(modal, screen);
  const scroller = asScroller(view, modal, screen, area.width - 4);
  return { area, scroller, rows: scrollerRows(scroller, area.width - 4, NO_ROWS), window: scrollerWindow(area) };
}

function replaced(screen: Screen, context: Context, modal: ActivityModal): Step {
  return fetched({ ...screen, modals: [...screen.modals.slice(0, -1), modal] }, context, modal);
}

/** Lines of its output are asked for as they are looked at, and its first ones once there are any. */
function fetched(screen: Screen, context: Context, modal: ActivityModal): Step {
  const item = itemOf(context.view, modal.id);
  if (item === null || !hasOutput(item)) return stay(screen);
  if (modal.output === null) {
    const fogged = 'label' in item.display && item.display.label.integrity === 'untrusted';
    const output = { call: item.call, totalLines: null, fogged, chunks: new Map(), failed: null };
    const asked: Screen = { ...screen, modals: [...screen.modals.slice(0, -1), { ...modal, output }] };
    return step(asked, { kind: 'read-output', call: item.call, from: 0 });
  }
  const area = modalArea(modal, screen);
  const from = missingChunk(asScroller(context.view, modal, screen, area.width - 4), scrollerWindow(area));
  return from === null ? stay(screen) : step(screen, { kind: 'read-output', call: item.call, from });
}
