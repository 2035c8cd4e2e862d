// The side conversation as a window inside the window: loaded with its first opening.
import { emptyHead } from '../../protocol/reduce.ts';
import type { ClientId, Session } from '../../protocol/session.ts';
import { FRONT_COMMANDS } from '../commands/command-table.ts';
import { isRunning } from '../commands/facts.ts';
import { type Keymap, makeKeymap } from '../commands/keymap.ts';
import { parseSlash, slashCommands } from '../commands/slash.ts';
import { DraftKeeper } from './draft-keeper.ts';
import { drawScreen, placeScene } from './draw-screen.ts';
import { draftContent } from './editor/editor-state.ts';
import { LayoutCache } from './editor/layout.ts';
import { type EffectParts, performEffect } from './effects.ts';
import type { Painter } from './frame/painter.ts';
import type { Rect } from './frame/rect.ts';
import { shiftedPainter } from './frame/shifted-painter.ts';
import { chordOf, type InputEvent } from './input/event.ts';
import { type Layout, promptColumns } from './layout.ts';
import { emptied } from './prompt-state.ts';
import { belowRows } from './regions/below.ts';
import { CardList } from './regions/card-list.ts';
import { moves, type Scene } from './scene.ts';
import { newScreen, type Screen, type ScreenOptions, withNote } from './screen.ts';
import type { Context, ScreenEffect, ScreenEvent } from './screen-event.ts';
import { type LinkClock, SessionLink } from './session-link.ts';
import { type SideStatus, sideArea } from './side-area.ts';
import type { SideWindow } from './side-door.ts';
import type { Theme } from './theme.ts';
import { updateScreen } from './update-screen.ts';

export interface SideParts {
  /** The side conversation itself. */
  readonly session: Session;
  readonly client: ClientId;
  readonly clock: LinkClock & { now(): number };
  readonly screen: ScreenOptions;
  readonly keybindings: Readonly<Record<string, string>>;
  /** Starts it over; null once the new one stands, else one line why not. */
  readonly reset: () => Promise<string | null>;
  /** What the window around it carries out effects with, for this session. */
  readonly effects: (session: Session) => EffectParts;
  /** It is to be drawn anew. */
  readonly changed: () => void;
  readonly hide: () => void;
  readonly guarded: (work: () => void) => void;
  readonly onCode: Scene['onCode'];
}

/** Of the commands those that mean a conversation, not the window around it. */
const INSIDE = FRONT_COMMANDS.filter(
  ({ name, slash }) =>
    !(slash && !['expand', 'collapse', 'queue'].includes(name)) &&
    !/^(panel-.*|pin|trail|watch|primary.*|redraw|column.*|info.*)$/.test(name),
);
const ONLY_RESET = 'The only command of a side conversation is /reset';

export function createSideWindow(parts: SideParts): SideWindow {
  const { session, client, clock } = parts;
  const keymap: Keymap = makeKeymap(INSIDE, parts.keybindings);
  const cards = new CardList();
  const texts = new LayoutCache();
  let screen: Screen = newScreen({ ...parts.screen, ...sizeIn(parts.screen), panels: null });
  let inside: Rect = sideArea(parts.screen);
  let theme: Theme | null = null;
  let on = false;
  let unread = false;
  let ran = false;
  let resetting = false;
  const link = new SessionLink(
    session,
    client,
    emptyHead('', parts.screen.workspace, ''),
    cards.pages,
    clock,
    (event) => parts.guarded(() => dispatch(event)),
  );
  const drafts = new DraftKeeper({
    now: () => clock.now(),
    after: (ms, work) => clock.after(ms, () => parts.guarded(work)),
    send: (intent) => session.send(intent, client),
    onFailed: () => {
      screen = { ...screen, prompt: { ...screen.prompt, unsaved: true } };
    },
  });
  link.onChange = (change) => cards.follow(change);
  let layout: Layout = place();
  link.attach();

  function unplaced(): Omit<Scene, 'layout' | 'theme'> {
    return { view: link.view, screen, keymap, cards, panels: null, side: null, now: clock.now(), onCode: parts.onCode };
  }

  function place(): Layout {
    const text = texts.of(screen.prompt.editor.buffer.text, promptColumns(screen.columns));
    return placeScene({ ...unplaced(), theme: theme as Theme }, text, belowRows(link.view, screen, keymap));
  }

  function context(): Context {
    return {
      view: link.view,
      cards,
      keymap,
      panels: null,
      settled: 0,
      layout,
      textLayout: (text) => texts.of(text, promptColumns(screen.columns)),
      now: clock.now(),
    };
  }

  function dispatch(event: ScreenEvent): void {
    // What it was before it started over is no end of anything here.
    if (event.type === 'link' && event.link === 'ended') return;
    if (event.type === 'view') {
      if (event.draft !== undefined) drafts.forget();
      const runs = isRunning(link.view);
      if (ran && !runs && !on) unread = true;
      ran = runs;
    }
    take(event);
    parts.changed();
  }

  function take(event: ScreenEvent): void {
    const next = updateScreen(screen, context(), event);
    screen = onlyReset(next.screen);
    const { prompt } = screen;
    if (prompt.unsaved) drafts.changed({ buffer: prompt.editor.buffer, shell: prompt.shell !== 'off' }, saveDraft);
    for (const effect of next.effects) perform(effect);
  }

  function perform(effect: ScreenEffect): void {
    if (effect.kind === 'leave') {
      parts.hide();
      return;
    }
    if (effect.kind === 'send' && effect.intent.type === 'command') {
      screen = withNote(screen, ONLY_RESET, 'warning');
      return;
    }
    performEffect(
      {
        ...parts.effects(session),
        view: link.view,
        dispatch: (event) => parts.guarded(() => dispatch(event)),
        leave: parts.hide,
      },
      effect,
    );
    if (effect.kind === 'send' && effect.intent.type === 'say') saveDraft();
  }

  function saveDraft(): void {
    const { prompt } = screen;
    if (!prompt.unsaved) return;
    screen = { ...screen, prompt: { ...prompt, unsaved: false } };
    drafts.tell({ buffer: prompt.editor.buffer, shell: prompt.shell !== 'off' });
  }

  /** A line that begins a command: refused, or `/reset` (SI-5). False where it is none. */
  function commandLine(): boolean {
    const { text } = draftContent(screen.prompt.editor);
    if (screen.prompt.shell !== 'off' || screen.modals.length > 0 || screen.focus !== 'prompt') return false;
    if (text.trim() === '/reset') {
      screen = { ...screen, prompt: emptied(screen.prompt), completion: null };
      startOver();
      return true;
    }
    if (!/^\/reset\s/.test(text) && parseSlash(text, slashCommands(link.view.head.commands)).kind === 'prompt')
      return false;
    screen = withNote(screen, ONLY_RESET, 'warning');
    return true;
  }

  function startOver(): void {
    if (resetting) return;
    resetting = true;
    screen = withNote(screen, 'Starting over');
    void parts.reset().then((problem) =>
      parts.guarded(() => {
        resetting = false;
        const said = problem ?? 'A new side conversation; the one before stays on the disk';
        screen = withNote(screen, said, problem === null ? 'info' : 'error');
        parts.changed();
      }),
    );
  }

  return {
    input(input, target) {
      const chord = input.type === 'key' && input.key.kind !== 'release' ? chordOf(input.key) : null;
      // What lies over the conversation is closed first (SI-11).
      const covered = screen.modals.length > 0 || screen.completion !== null || screen.keyList;
      if (chord === 'escape' && !covered && screen.focus === 'prompt') return false;
      const command = chord === null ? null : keymap.commandOf(chord);
      if ((command === 'send' || command === 'send-now') && commandLine()) return true;
      take({ type: 'input', input: shifted(input, inside), target });
      return on;
    },
    draw(painter: Painter, look: Theme, area: Rect) {
      theme = look;
      inside = area;
      painter.fill(area, look.styles.text);
      painter.hit(area, { region: 'modal' });
      const text = texts.of(screen.prompt.editor.buffer.text, promptColumns(screen.columns));
      const drawn = drawScreen(shiftedPainter(painter, area), { ...unplaced(), theme: look }, text);
      layout = drawn.layout;
      const { prompt } = screen;
      if (drawn.promptTop !== prompt.top) screen = { ...screen, prompt: { ...prompt, top: drawn.promptTop } };
      if (drawn.ask !== null) {
        const before = screen.ask;
        take({ type: 'drawn', ask: drawn.ask });
        if (before?.seen !== screen.ask?.seen) parts.changed();
      }
      if (drawn.cards !== null && drawn.cards.from < link.view.transcript.first)
        link.readPages(drawn.cards.from - 8, drawn.cards.to);
    },
    resize(columns, rows) {
      inside = sideArea({ columns, rows });
      take({ type: 'resize', columns: inside.width, rows: inside.height });
    },
    shown(is) {
      on = is;
      if (is) unread = false;
      else saveDraft();
    },
    get status(): SideStatus {
      if (on) return 'none';
      if (link.view.asks.length > 0) return 'asks';
      return isRunning(link.view) ? 'working' : unread ? 'unread' : 'none';
    },
    get moves() {
      return on && moves(link.view);
    },
    close() {
      saveDraft();
      drafts.stop();
      link.close();
    },
  };
}

function sizeIn(screen: { readonly columns: number; readonly rows: number }): { columns: number; rows: number } {
  const { width, height } = sideArea(screen);
  return { columns: width, rows: height };
}

/** Commands are not offered here but for the one that is known. */
function onlyReset(screen: Screen): Screen {
  const calm: Screen = screen.completion?.kind === 'command' ? { ...screen, completion: null } : screen;
  const { text } = draftContent(calm.prompt.editor);
  return text.startsWith('/') && calm.ghostHidden !== text ? { ...calm, ghostHidden: text } : calm;
}

function shifted(input: InputEvent, { x, y }: Rect): InputEvent {
  return input.type === 'mouse' ? { ...input, column: input.column - x, row: input.row - y } : input;
}
