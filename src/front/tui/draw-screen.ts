import { pasteAtCaret } from './editor/editor-state.ts';
import type { Layout as TextLayout } from './editor/layout.ts';
import type { Painter } from './frame/painter.ts';
import { rect } from './frame/rect.ts';
import { DRAWS_ALL, type Keeper } from './kept-regions.ts';
import { type Layout, layoutOf, transcriptInner } from './layout.ts';
import { askHeight, askLeast, type DrawnAsk, drawAsk } from './modals/ask.ts';
import { currentAsk } from './modals/ask-state.ts';
import { drawConfirm } from './modals/confirm.ts';
import { drawConnect } from './modals/connect-provider-rows.ts';
import { delegateOf } from './modals/delegate-viewer.ts';
import { drawDelegate } from './modals/delegate-viewer-draw.ts';
import { helpRows } from './modals/help-rows.ts';
import { drawHistory } from './modals/history.ts';
import { findJob } from './modals/jobs.ts';
import { drawList } from './modals/list.ts';
import { modalArea } from './modals/modal-area.ts';
import { drawPicker } from './modals/picker.ts';
import { drawQueue } from './modals/queue-editor.ts';
import { drawReader } from './modals/reader.ts';
import { drawScroller, scrollerRows } from './modals/scroller.ts';
import { drawSettingsModal } from './modals/settings-frame.ts';
import { drawSide } from './modals/side-frame.ts';
import { drawWatch } from './modals/watch-job-draw.ts';
import { columnArea } from './panels/panels-state.ts';
import { pinnedColumns } from './panels/stack.ts';
import { belowRows, drawBelow } from './regions/below.ts';
import type { BelowRow } from './regions/below-row.ts';
import { drawHeader } from './regions/header.ts';
import { drawHint } from './regions/hint.ts';
import { drawPrompt } from './regions/prompt.ts';
import { drawTranscript, type ShownCards } from './regions/transcript.ts';
import { moves, type Scene } from './scene.ts';
import { draftOf } from './update-delegates.ts';

/** What a drawing found out: the loop tells the screen, and fetches what was missing. */
export interface Drawn {
  readonly layout: Layout;
  readonly ask: DrawnAsk | null;
  readonly cards: ShownCards | null;
  /** First visible row of the draft. */
  readonly promptTop: number;
}

type Unplaced = Omit<Scene, 'layout'>;

/** What stands under the regions that may be kept, beside the screen's own state. Numbers that only grow. */
export interface Ground {
  /** Grows with everything that did not come from a key: of the session, of pages, colours and measures. */
  readonly all: number;
  /** The same without what only streams: deltas, and how far what runs has come. */
  readonly settled: number;
}

/** The rectangles of a frame: size, draft, what waits and an open question share it out. */
export function placeScene(scene: Unplaced, textLayout: TextLayout, below: readonly BelowRow[]): Layout {
  const { screen, view } = scene;
  const ask = currentAsk(view, screen.client);
  const asked = ask !== null && screen.ask?.id === ask.id;
  return layoutOf({
    columns: screen.columns,
    rows: screen.rows,
    promptRows: textLayout.rowCount,
    maxPromptRows: screen.maxPromptRows,
    belowRows: below.length,
    belowLeast: screen.completion === null && !screen.keyList ? 1 : 4,
    dialogRows: asked ? askHeight(ask, screen.ask!, screen.columns) : 0,
    dialogLeast: asked ? askLeast(ask, screen.ask!, screen.columns) : 0,
    sideColumns: screen.panels.stack.pinned ? pinnedColumns(screen.columns) : 0,
    railColumns: 0,
    ...(screen.inside === true ? { inside: true } : {}),
  });
}

/**
 * One whole frame, back to front. Pure in what it reads; the painter is all it writes. `keeper` leaves out regions that
 * stand as they were.
 */
export function drawScreen(
  painter: Painter,
  unplaced: Unplaced,
  textLayout: TextLayout,
  keeper: Keeper = DRAWS_ALL,
  ground: Ground = { all: 0, settled: 0 },
): Drawn {
  const below = belowRows(unplaced.view, unplaced.screen, unplaced.keymap);
  const layout = placeScene(unplaced, textLayout, below);
  const scene: Scene = { ...unplaced, layout };
  const { screen, view, theme } = scene;
  const hidesThinking = (view.head.thinking ?? 'transcript') !== 'transcript';
  scene.cards.configure({
    width: Math.max(1, transcriptInner(layout).width),
    openKey: `[${scene.keymap.label('open') ?? 'Enter'}]`,
    expandAll: screen.expandAll,
    toggled: screen.toggled,
    hidesThinking,
    hooks: screen.hooks,
    onCode: scene.onCode,
    chosenDelegates: screen.chosenDelegates,
    delegateRows: screen.delegateRows,
  });
  const { header, separator, hint, transcript } = layout;
  const { focus, scroll, selection, expandAll, toggled, chosenDelegates } = screen;
  const top = rect(0, 0, screen.columns, header.height + separator.height);
  keeper.keep(
    'header',
    top,
    [ground.settled, scene.side?.status, header.height, focus, screen.panels.stack, theme, scene.keymap],
    () => drawHeader(painter, scene),
  );
  // What runs has a glyph that turns and a time that counts.
  const still = !moves(view) && layout.dialog.height === 0;
  const column = screen.panels.stack.open.length === 0 ? null : columnArea(layout, screen.panels.stack);
  const covered = column !== null && !screen.panels.stack.pinned && scene.panels !== null;
  // What panels lie over is theirs: neither draws where the other does, so that each can stay as it stands.
  const uncovered = covered
    ? rect(transcript.x, transcript.y, transcript.width - column.width, transcript.height)
    : transcript;
  const cards = keeper.keep(
    'transcript',
    uncovered,
    [
      still ? ground.all : scene.now,
      still,
      layout.transcriptBorder,
      transcript.width,
      focus,
      scroll,
      selection,
      expandAll,
      toggled,
      chosenDelegates,
      hidesThinking,
      screen.hooks,
      theme,
      // Read where nothing was said yet.
      scene.keymap,
      screen.attached,
    ],
    () => drawTranscript(covered ? painter.within(uncovered) : painter, scene),
  );
  if (column !== null) scene.panels?.draw(painter, scene, column, keeper, ground.settled);
  const ask = currentAsk(view, screen.client);
  const drawnAsk = ask !== null && screen.ask?.id === ask.id ? drawAsk(painter, scene, ask, screen.ask) : null;
  const promptTop = drawPrompt(painter, scene, textLayout, keeper, ground.settled);
  drawBelow(painter, scene, below);
  const { exit, sendMode, link, note, prompt } = screen;
  const folded = focus === 'prompt' && pasteAtCaret(prompt.editor.buffer) !== null;
  keeper.keep(
    'hint',
    hint,
    [ground.settled, exit, sendMode, link, note, focus, folded, prompt.vi, theme, scene.keymap],
    () => drawHint(painter, scene),
  );
  let read: ShownCards | null = null;
  for (const modal of screen.modals) {
    const area = modalArea(modal, screen);
    switch (modal.kind) {
      case 'scroller':
        drawScroller(
          painter,
          theme,
          area,
          modal,
          scrollerRows(modal, area.width - 4, (width) => helpRows(scene.keymap, view.head.commands, width)),
        );
        break;
      case 'activity':
        scene.panels?.drawDetail(painter, scene, modal);
        break;
      case 'reader':
        read = drawReader(painter, scene, modal);
        break;
      case 'history':
        drawHistory(painter, scene, modal);
        break;
      case 'list':
        drawList(painter, theme, area, modal);
        break;
      case 'picker':
        drawPicker(painter, theme, area, modal);
        break;
      case 'connect-provider':
        drawConnect(painter, theme, area, modal, view.signIn);
        break;
      case 'side':
        drawSide(painter, scene, area);
        break;
      case 'settings':
        drawSettingsModal(painter, theme, area, modal);
        break;
      case 'queue':
        drawQueue(painter, theme, area, modal, view);
        break;
      case 'watch':
        drawWatch(painter, theme, area, modal, findJob(view.jobs, modal.job), scene.now);
        break;
      case 'delegate': {
        const row = delegateOf(view.delegates, modal.name);
        drawDelegate(painter, theme, area, modal, row, view.delegates, draftOf(screen, modal.name), scene.now);
        break;
      }
      case 'confirm':
        drawConfirm(painter, theme, area, modal);
        break;
    }
  }
  // A question under another dialog was not read.
  return { layout, ask: screen.modals.length > 0 ? null : drawnAsk, cards: read ?? cards, promptTop };
}
