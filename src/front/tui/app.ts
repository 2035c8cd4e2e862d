import { Highlighter } from '../../base/highlight.ts';
import type { LinkedSession } from '../../protocol/link.ts';
import { emptyHead } from '../../protocol/reduce.ts';
import type { ClientId, Session } from '../../protocol/session.ts';
import type { TurnNews } from '../../protocol/turn-news.ts';
import type { Head, Transcript } from '../../protocol/view.ts';
import type { Clock } from '../../system/clock.ts';
import type { Environment } from '../../system/environment.ts';
import type { Processes } from '../../system/processes.ts';
import type { Terminal } from '../../system/terminal.ts';
import { FRONT_COMMANDS } from '../commands/command-table.ts';
import { isRunning } from '../commands/facts.ts';
import { type Keymap, makeKeymap } from '../commands/keymap.ts';
import { Announcer } from './announcer.ts';
import type { HooksShown } from './blocks/row.ts';
import { DraftKeeper } from './draft-keeper.ts';
import { type Drawn, drawScreen, type Ground, placeScene } from './draw-screen.ts';
import { LayoutCache } from './editor/layout.ts';
import type { ViKeys } from './editor/vi.ts';
import { performEffect } from './effects.ts';
import { type ColorDepth, colorDepthOf } from './frame/color.ts';
import { hasLightBackground } from './frame/detect.ts';
import { Frame } from './frame/frame.ts';
import type { Painter } from './frame/painter.ts';
import { FrameScheduler } from './frame/scheduler.ts';
import type { HostsDoor } from './hosts-door.ts';
import type { InputEvent } from './input/event.ts';
import { KeptRegions } from './kept-regions.ts';
import { type Layout, promptColumns } from './layout.ts';
import { notifyOfTurns } from './notifier.ts';
import { isPanel, type PanelName, type PanelStack } from './panels/stack.ts';
import { plainLine, sentBefore, withText } from './prompt-state.ts';
import { belowRows } from './regions/below.ts';
import { CardList } from './regions/card-list.ts';
import { Rest, type RestWork } from './rest.ts';
import { moves, ORBIT_STEP, type PanelDrawing } from './scene.ts';
import { newScreen, type Screen, withNote } from './screen.ts';
import type { Context, Dropped, PanelKeys, ScreenEffect, ScreenEvent } from './screen-event.ts';
import { sendPrompt } from './sending.ts';
import { SessionLink } from './session-link.ts';
import type { SessionsDoor } from './sessions-door.ts';
import type { SettingsDoor } from './settings-door.ts';
import type { SideWindow } from './side-door.ts';
import { TerminalDoor } from './terminal-door.ts';
import { makeTheme, type Theme, type ThemeChoice } from './theme.ts';
import { updateScreen } from './update-screen.ts';
import { withEditing } from './update-vi.ts';
import type { UpdatesDoor } from './updates-door.ts';
import { watchLink } from './watch-link.ts';

export interface MissionControl {
  readonly session: Session;
  /** The way to it, where it may break; absent where it cannot. */
  readonly link?: Pick<LinkedSession, 'state' | 'onLinkChange'>;
  readonly client: ClientId;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly environment: Environment;
  readonly options: MissionControlOptions;
}

/** What of the settings is the window's own: read at the start and by `/reload`. */
export interface Look {
  readonly theme?: ThemeChoice;
  readonly reducedMotion?: boolean;
  readonly sendMode?: 'steering' | 'queue';
  readonly maxPromptRows?: number;
  readonly wheelRows?: number;
  readonly hooks?: HooksShown;
  readonly delegateRows?: number;
  readonly keybindings?: Readonly<Record<string, string>>;
  /** Vi editing in the prompt. */
  readonly vi?: boolean;
}

export interface MissionControlOptions extends Look {
  /** What is known before the session is there: the first frame shows it. */
  readonly head?: Partial<Head>;
  /** The newest cards as they were when the session ended: shown until it is there and tells. */
  readonly transcript?: Transcript;
  /** Panels that are open from the start, the one that has the focus, and where their state is kept. */
  readonly panels?: PanelStack;
  readonly panelFocus?: PanelName | null;
  readonly savePanels?: (stack: PanelStack) => void;
  /** Sent at once, as if it had been typed. */
  readonly prompt?: string;
  /** What of the settings is this window's, as it is now; null where it can not be read. Absent: it never changes. */
  readonly readLook?: () => Promise<Look | null>;
  /** Keeps a choice of editing for later sessions; false where it could not be kept. */
  readonly saveEditing?: (vi: boolean) => Promise<boolean>;
  /** False leaves the window's title alone (TERM-7). */
  readonly terminalTitle?: boolean;
  /** The way to other sessions; absent where there is none. */
  readonly sessions?: SessionsDoor;
  /** The settings files of this machine; absent where the session's lie elsewhere. */
  readonly settings?: SettingsDoor;
  /** Other sessions that run, and what holds this one; absent where it runs in this very process. */
  readonly hosts?: HostsDoor;
  /** The session lies in this process and ends with it: it can only be left while nothing runs. */
  readonly inThisProcess?: boolean;
  /** To look, and send nothing: leaving ends nothing. */
  readonly readOnly?: boolean;
  /** Said once the screen stands. */
  readonly notice?: string;
  /** Prompts of earlier sessions, oldest first, and where new ones are kept. */
  readonly history?: PromptHistoryDoor;
  /** Newer releases of this program; absent where they are nobody's business. */
  readonly updates?: UpdatesDoor;
  /** Turns that end in any session here; absent where nothing is to be said of them. */
  readonly turnNews?: TurnNews;
  /** Reads what was dropped onto the window, where it is. */
  readonly readDropped?: (paths: readonly string[]) => Promise<Dropped>;
  /** Handed a function that gives the terminal back, for whoever catches what nobody else did. */
  readonly onTerminalTaken?: (giveBack: () => Promise<void>) => void;
  /** Done while nobody does anything. */
  readonly atRest?: RestWork;
  /** Called after each frame that was drawn; `drawWhole` draws it once more, every region anew. */
  readonly onFrame?: (frame: Frame, screen: Screen, drawWhole: (painter: Painter) => void) => void;
}

/** Where sent prompts are kept. A bare text is one whose time and place are not known. */
export interface PromptHistoryDoor {
  readonly load: () => Promise<readonly (string | { text: string; time: number | null; workspace: string | null })[]>;
  readonly add: (text: string) => void;
  /** Takes back the newest one with this text that was added from here (STOP-7, HIST-8). */
  readonly remove?: (text: string) => void;
  /** What `add` keeps prompts under; the folder where it is not said. */
  readonly workspace?: Promise<string>;
}

export interface ExitReport {
  /** `switched`: another session stands ready to be shown. `updating`: a newer release is to be installed; the session has ended cleanly. `quit` ended the session; after `detached` and `terminal-gone` it goes on where it runs. */
  readonly reason: 'switched' | 'updating' | 'quit' | 'detached' | 'ended' | 'terminal-gone' | 'signal' | 'crashed';
  readonly session: string;
  readonly title: string;
  readonly error: unknown;
  /** The panels as they stand, for the next session in this window (LA-22). */
  readonly panels: PanelStack;
  readonly panelFocus: PanelName | null;
}

/** Cards out of sight are counted once nobody pressed a key for so long, about so many rows at a time. */
const MEASURE_DELAY = 40;
const MEASURE_ROWS = 200;
/** How long leaving waits for the session to end, and a lost terminal for anything at all. */
const LEAVE_LIMIT = 2000;

/** Mission Control, until the person leaves, the session ends or the terminal is gone. Never rejects. */
export function runMissionControl(control: MissionControl): Promise<ExitReport> {
  return new Loop(control).run();
}

const NO_HOOKS: HooksShown = { rows: false, injected: 'hidden' };

function screenLook({ theme, reducedMotion, sendMode, maxPromptRows, wheelRows, hooks, delegateRows }: Look) {
  return {
    themeChoice: theme ?? 'auto',
    reducedMotion: reducedMotion ?? false,
    sendMode: sendMode ?? 'steering',
    maxPromptRows: Math.max(1, maxPromptRows ?? 10),
    wheelRows: Math.max(1, wheelRows ?? 3),
    hooks: hooks ?? NO_HOOKS,
    ...(delegateRows === undefined ? {} : { delegateRows }),
  } as const;
}

const OUT_OF_REACH = 'The session is out of reach';
const LOOKS_ON = 'This window looks on: nothing can be sent from it';

/** What a person does; what the terminal says of itself is the whole window's. */
function takes(input: InputEvent): boolean {
  return input.type === 'key' || input.type === 'paste' || input.type === 'mouse';
}

function leavingBy(how: 'quit' | 'detach', link: Screen['link']): ExitReport['reason'] {
  if (link === 'ended') return 'ended';
  return how === 'quit' ? 'quit' : 'detached';
}

/** The loop: event in, state, frame out. All state is `screen`, the View, and memos over both. */
class Loop {
  readonly #control: MissionControl;
  readonly #cards = new CardList();
  readonly #texts = new LayoutCache();
  readonly #frame: Frame;
  readonly #door: TerminalDoor;
  readonly #link: SessionLink;
  readonly #scheduler: FrameScheduler;
  readonly #highlighter: Highlighter;
  readonly #announcer: Announcer;
  readonly #drafts: DraftKeeper;
  readonly #rest: Rest;
  readonly #depth: ColorDepth;
  #keymap: Keymap;
  readonly #done = Promise.withResolvers<ExitReport>();
  readonly #subscriptions: (() => void)[] = [];
  readonly #regions: KeptRegions;
  #panels: (PanelDrawing & PanelKeys) | null = null;
  #panelsAsked = false;
  #side: SideWindow | null = null;
  #sideAsked = false;
  #screen: Screen;
  #layout: Layout;
  #theme: Theme;
  #themeFrom: readonly unknown[] = [];
  #ground: number | null = null;
  #handedOver = false;
  #leaving = false;
  #vi: ViKeys | null = null;
  #cancelTick: (() => void) | null = null;
  #cancelMeasure: (() => void) | null = null;
  #moved: Ground = { all: 0, settled: 0 };

  constructor(control: MissionControl) {
    this.#control = control;
    const { terminal, clock, environment, options, session, client } = control;
    const size = terminal.size();
    this.#depth = colorDepthOf(environment.all(), terminal.isInteractive.output);
    this.#keymap = makeKeymap(FRONT_COMMANDS, options.keybindings);
    this.#screen = newScreen({
      ...size,
      client,
      workspace: environment.folder,
      refPrefix: `${clock.now().toString(36)}.`,
      color: this.#depth !== 'none',
      ...screenLook(options),
      ...(options.panels === undefined ? {} : { panels: options.panels, panelFocus: options.panelFocus ?? null }),
    });
    if (options.vi === true) this.#screen = withEditing(this.#screen, true);
    this.#frame = new Frame(size.columns, size.rows);
    this.#regions = new KeptRegions(this.#frame);
    this.#scheduler = new FrameScheduler(clock, () => this.#guarded(() => this.#draw()));
    this.#door = new TerminalDoor(
      terminal,
      clock,
      (events) => this.#guarded(() => this.#input(events)),
      () => this.#leave('terminal-gone'),
    );
    const head: Head = { ...emptyHead('', environment.folder, ''), home: environment.home, ...options.head };
    this.#link = new SessionLink(
      session,
      client,
      head,
      this.#cards.pages,
      clock,
      (event) => this.#guarded(() => this.#dispatch(event)),
      options.readOnly,
    );
    if (options.transcript !== undefined) this.#link.view.transcript = options.transcript;
    this.#link.onChange = (change) => {
      this.#cards.follow(change);
      this.#move(change.type !== 'delta' && change.type !== 'activity' && change.type !== 'call-output');
    };
    this.#highlighter = new Highlighter(
      (work) => void clock.after(0, work),
      () => {
        this.#move(false);
        this.#scheduler.soon();
      },
    );
    this.#announcer = new Announcer((text) => this.#door.write(text), options.terminalTitle !== false);
    this.#drafts = new DraftKeeper({
      now: () => clock.now(),
      after: (ms, work) => clock.after(ms, () => this.#guarded(work)),
      send: (intent) => session.send(intent, client),
      // A draft that could not be kept is tried again with the next key.
      onFailed: () => {
        this.#screen = { ...this.#screen, prompt: { ...this.#screen.prompt, unsaved: true } };
      },
    });
    this.#rest = new Rest(clock, options.atRest);
    this.#theme = this.#makeTheme();
    this.#layout = this.#place();
  }

  run(): Promise<ExitReport> {
    const { terminal, options } = this.#control;
    this.#guarded(() => {
      this.#door.enter();
      // What was just taken is empty: the first frame need not write what stays so.
      this.#frame.cleared();
      options.onTerminalTaken?.(() => this.#door.leaveQuietly());
      this.#subscriptions.push(
        terminal.onResize(() => this.#guarded(() => this.#resize())),
        terminal.onSignal((name) => this.#guarded(() => this.#signal(name))),
      );
      // The first frame stands before anybody reaches for the session.
      this.#scheduler.now();
      this.#door.ask();
      this.#link.attach();
      this.#rest.begin();
      if (options.vi === true) void this.#loadVi();
      const { link, clock } = this.#control;
      if (link !== undefined)
        this.#subscriptions.push(watchLink(link, clock, (event) => this.#guarded(() => this.#dispatch(event))));
      if (options.turnNews !== undefined)
        this.#subscriptions.push(
          notifyOfTurns(options.turnNews, clock, {
            session: () => this.#link.view.head.session,
            focused: () => this.#screen.focused,
            write: (text) => this.#door.write(text),
          }),
        );
      if (options.updates !== undefined)
        this.#subscriptions.push(
          options.updates.watch((version) => this.#guarded(() => this.#dispatch({ type: 'update-ready', version }))),
        );
      if (options.prompt !== undefined) this.#sendFirst(options.prompt);
      if (options.history !== undefined) this.#loadHistory(options.history);
      const notice = options.notice ?? (options.readOnly === true ? LOOKS_ON : undefined);
      if (notice !== undefined) this.#dispatch({ type: 'note', level: 'info', text: notice });
    });
    return this.#done.promise;
  }

  #loadHistory({ load, workspace }: PromptHistoryDoor): void {
    Promise.all([load(), workspace ?? this.#screen.workspace]).then(
      ([kept, place]) =>
        this.#guarded(() => this.#dispatch({ type: 'history', sent: kept.map(sentBefore), workspace: place })),
      () => undefined,
    );
  }

  #sendFirst(text: string): void {
    const prompt = withText(this.#screen.prompt, plainLine(text));
    if (prompt === null) return;
    const sent = sendPrompt({ ...this.#screen, prompt }, this.#context(), null);
    this.#take(sent.screen, sent.effects);
    this.#scheduler.soon();
  }

  /** What a person did: every event of one read, then one frame, at once. What the terminal answers by itself can wait. */
  #input(events: readonly InputEvent[]): void {
    this.#rest.disturbed();
    this.#cancelMeasure?.();
    this.#cancelMeasure = null;
    for (const input of events) {
      const target = input.type === 'mouse' ? this.#frame.hitAt(input.column, input.row) : null;
      const side = this.#sideInFront;
      if (side !== null && takes(input)) {
        if (!side.input(input, target)) this.#hideSide();
      } else this.#step({ type: 'input', input, target });
      if (this.#leaving || this.#handedOver) return;
    }
    if (events.every((event) => event.type === 'reply')) this.#scheduler.soon();
    else this.#scheduler.now();
  }

  /** What happened elsewhere: frames of a stream are drawn together. */
  #dispatch(event: ScreenEvent): void {
    if (this.#leaving) return;
    this.#rest.disturbed();
    // A whole View comes from a session that may have started anew.
    if (event.type === 'view' && event.draft !== undefined) this.#drafts.forget();
    this.#move(event.type !== 'view');
    this.#step(event);
    this.#scheduler.soon();
  }

  /** What kept regions stand on is not what it was; `settled` where more than a stream went on. */
  #move(settled: boolean): void {
    const { all, settled: before } = this.#moved;
    this.#moved = { all: all + 1, settled: before + (settled ? 1 : 0) };
  }

  #step(event: ScreenEvent): void {
    const next = updateScreen(this.#screen, this.#context(), event);
    this.#take(next.screen, next.effects);
  }

  #take(screen: Screen, effects: readonly ScreenEffect[]): void {
    this.#screen = screen;
    const { prompt } = screen;
    if (prompt.unsaved)
      this.#drafts.changed({ buffer: prompt.editor.buffer, shell: prompt.shell !== 'off' }, () => this.#saveDraft());
    for (const effect of effects) {
      performEffect(this.#effectParts(), effect);
      // Behind it: whoever dies in between leaves what was said twice rather than not at all.
      if (effect.kind === 'send' && effect.intent.type === 'say') this.#saveDraft();
    }
  }

  #context(): Context {
    return {
      view: this.#link.view,
      cards: this.#cards,
      panels: this.#panels,
      settled: this.#moved.settled,
      keymap: this.#keymap,
      layout: this.#layout,
      textLayout: (text) => this.#texts.of(text, promptColumns(this.#screen.columns)),
      now: this.#control.clock.now(),
      ...(this.#vi === null ? {} : { vi: this.#vi }),
    };
  }

  #effectParts(): Parameters<typeof performEffect>[0] {
    const { session, client, terminal, clock, processes, environment, options } = this.#control;
    return {
      session,
      client,
      terminal,
      clock,
      processes,
      environment,
      view: this.#link.view,
      dispatch: (event) => this.#guarded(() => this.#dispatch(event)),
      handOver: (work, keepRaw) => this.#handOver(work, keepRaw),
      redraw: () => this.#frame.invalidate(),
      update: () => void this.#update(),
      chooseEditing: (vi) => void this.#chooseEditing(vi),
      readLook: () => void this.#readLook(),
      sessions: options.sessions,
      hosts: options.hosts,
      settings: options.settings,
      openSide: () => this.#openSide(),
      leave: (how) => this.#goAway(how),
      readDropped: options.readDropped,
      savePanels: options.savePanels,
      remember: (text) => options.history?.add(text),
      forget: (text) => options.history?.remove?.(text),
      write: (text) => this.#door.write(text),
    };
  }

  /** Loaded where it is on: nobody else pays for it. Until then the box takes text as in INSERT. */
  async #loadVi(): Promise<void> {
    this.#vi ??= await import('./editor/vi.ts');
  }

  async #useEditing(vi: boolean): Promise<void> {
    if (vi) await this.#loadVi();
    this.#guarded(() => this.#dispatch({ type: 'editing', vi }));
  }

  async #chooseEditing(vi: boolean): Promise<void> {
    await this.#useEditing(vi);
    const saved = (await this.#control.options.saveEditing?.(vi).catch(() => false)) ?? true;
    const text = vi ? 'Vi editing: Esc for commands, i to write' : 'Ordinary editing';
    const said = saved
      ? ({ level: 'info', text } as const)
      : ({
          level: 'warning',
          text: `${text}; the settings file could not be written, so for this session only`,
        } as const);
    this.#guarded(() => this.#dispatch({ type: 'note', ...said }));
  }

  /** The keys of a file that can not be read stay what they were. */
  async #readLook(): Promise<void> {
    const look = (await this.#control.options.readLook?.().catch(() => null)) ?? null;
    if (look === null) return;
    this.#guarded(() => {
      this.#keymap = makeKeymap(FRONT_COMMANDS, look.keybindings);
      const { sendMode: defaultSendMode, ...own } = screenLook(look);
      this.#screen = { ...this.#screen, ...own, defaultSendMode };
      if (look.vi !== undefined) void this.#useEditing(look.vi);
      const [problem] = this.#keymap.problems;
      if (problem !== undefined) this.#screen = withNote(this.#screen, problem, 'warning');
      this.#move(true);
      this.#scheduler.soon();
    });
  }

  #scene() {
    return {
      view: this.#link.view,
      screen: this.#screen,
      theme: this.#theme,
      keymap: this.#keymap,
      cards: this.#cards,
      panels: this.#panels,
      side: this.#side,
      now: this.#control.clock.now(),
      onCode: (block: Parameters<Highlighter['want']>[0]) => this.#highlighter.want(block),
    };
  }

  #place(): Layout {
    const text = this.#texts.of(this.#screen.prompt.editor.buffer.text, promptColumns(this.#screen.columns));
    return placeScene(this.#scene(), text, belowRows(this.#link.view, this.#screen, this.#keymap));
  }

  #draw(): void {
    if (this.#handedOver || this.#leaving) return;
    if (this.#screen.panels.stack.open.length > 0 && !this.#panelsAsked) this.#loadPanels();
    this.#theme = this.#makeTheme();
    const text = this.#texts.of(this.#screen.prompt.editor.buffer.text, promptColumns(this.#screen.columns));
    const scene = this.#scene();
    this.#regions.begin(this.#screen.modals.length > 0);
    const drawn = drawScreen(this.#frame.painter(), scene, text, this.#regions, this.#moved);
    this.#layout = drawn.layout;
    const { synchronized, background: ground } = this.#door.facts;
    // Fewer colours are chosen for the ground they stand on: another ground, other colours in every cell.
    if (ground !== this.#ground && this.#depth !== 'truecolor') this.#frame.invalidate();
    this.#ground = ground;
    this.#door.write(this.#frame.flush({ depth: this.#depth, synchronized: synchronized === true, ground }));
    this.#afterDrawing(drawn);
    this.#control.options.onFrame?.(this.#frame, this.#screen, (painter) => void drawScreen(painter, scene, text));
  }

  /** The side conversation, where it is in front. */
  get #sideInFront(): SideWindow | null {
    return this.#screen.modals.at(-1)?.kind === 'side' ? this.#side : null;
  }

  #hideSide(): void {
    this.#screen = { ...this.#screen, modals: this.#screen.modals.filter(({ kind }) => kind !== 'side') };
    this.#side?.shown(false);
    this.#move(true);
    this.#scheduler.soon();
  }

  /** It is opened by its first `/side`; most sessions never have one. */
  #openSide(): void {
    if (this.#side !== null) {
      this.#side.shown(true);
      return;
    }
    if (this.#sideAsked) return;
    this.#sideAsked = true;
    void this.#makeSide().then((problem) =>
      this.#guarded(() => {
        this.#sideAsked = false;
        if (problem !== null) {
          this.#hideSide();
          this.#dispatch({ type: 'note', level: 'warning', text: problem });
        }
        // Put away while it was being opened.
        else this.#side?.shown(this.#sideInFront !== null);
        this.#move(true);
        this.#scheduler.soon();
      }),
    );
  }

  async #makeSide(): Promise<string | null> {
    const { session, client, clock, options } = this.#control;
    if (options.readOnly === true) return LOOKS_ON;
    const lost = { accepted: false, refusal: { identifier: 'out-of-reach', message: OUT_OF_REACH } } as const;
    const sent = await session.send({ type: 'side-open' }, client).catch(() => lost);
    if (!sent.accepted) return sent.refusal.message;
    const [{ createSideWindow }, { sideOf }] = await Promise.all([
      import('./side-part.ts'),
      import('../../protocol/side-of.ts'),
    ]);
    const { columns, rows, workspace, refPrefix, color, themeChoice, reducedMotion } = this.#screen;
    const { maxPromptRows, wheelRows, hooks, defaultSendMode: sendMode } = this.#screen;
    this.#side = createSideWindow({
      session: sideOf(session),
      ...{ client, clock },
      screen: {
        ...{ columns, rows, client, workspace, refPrefix: `${refPrefix}s`, color, themeChoice, reducedMotion },
        ...{ maxPromptRows, wheelRows, hooks, sendMode },
        inside: true,
      },
      keybindings: options.keybindings ?? {},
      reset: async () => {
        const answer = await session.send({ type: 'side-reset' }, client).catch(() => lost);
        return answer.accepted ? null : answer.refusal.message;
      },
      effects: (inner) => ({
        ...{ ...this.#effectParts(), session: inner },
        ...{ sessions: undefined, hosts: undefined, settings: undefined },
      }),
      changed: () => {
        this.#move(true);
        this.#scheduler.soon();
      },
      hide: () => this.#hideSide(),
      guarded: (work) => this.#guarded(work),
      onCode: (block) => this.#highlighter.want(block),
    });
    return null;
  }

  /** Most windows never open a panel. */
  #loadPanels(): void {
    this.#panelsAsked = true;
    void import('./panels/column.ts').then(
      ({ createPanels }) =>
        this.#guarded(() => {
          this.#panels = createPanels();
          this.#move(true);
          this.#scheduler.soon();
        }),
      (error: unknown) => this.#leave('crashed', error),
    );
  }

  #afterDrawing(drawn: Drawn): void {
    const { prompt } = this.#screen;
    if (drawn.promptTop !== prompt.top) this.#screen = { ...this.#screen, prompt: { ...prompt, top: drawn.promptTop } };
    if (drawn.ask !== null) {
      const before = this.#screen.ask;
      this.#step({ type: 'drawn', ask: drawn.ask });
      // The keys look different once everything was read.
      if (before?.seen !== this.#screen.ask?.seen) this.#scheduler.soon();
    }
    if (drawn.cards !== null && drawn.cards.from < this.#link.view.transcript.first)
      this.#link.readPages(drawn.cards.from - 8, drawn.cards.to);
    this.#announcer.look(this.#link.view, this.#control.client, this.#screen.focused);
    this.#tickSoon();
    this.#measureSoon();
  }

  /** The scrollbar is exact: what was never drawn is counted off the path of keys, then the bar is drawn anew. */
  #measureSoon(counted = false): void {
    if (!counted && !this.#cards.wantsMeasuring) return;
    this.#cancelMeasure ??= this.#control.clock.after(MEASURE_DELAY, () => {
      this.#cancelMeasure = null;
      this.#guarded(() => {
        if (this.#handedOver || this.#leaving) return;
        const more = this.#cards.measure(this.#link.view, MEASURE_ROWS);
        if (more) this.#move(false);
        if (more) this.#measureSoon(true);
        else if (counted) this.#scheduler.soon();
      });
    });
  }

  /** One timer while something on the screen moves by itself; none at rest. */
  #tickSoon(): void {
    const { view } = this.#link;
    if (this.#cancelTick !== null || !(moves(view) || this.#side?.moves === true)) return;
    // Hours of sleep: what counts down shows whole seconds, and nothing else moves.
    const slow = this.#screen.reducedMotion || (view.activity.phase === 'sleeping' && this.#side?.moves !== true);
    const step = slow ? 1000 : ORBIT_STEP;
    this.#cancelTick = this.#control.clock.after(step, () => {
      this.#cancelTick = null;
      // While frames come anyway, as in a stream, what moves moves with them.
      this.#guarded(() => (this.#scheduler.idleFor < step / 2 ? this.#tickSoon() : this.#scheduler.soon()));
    });
  }

  #makeTheme(): Theme {
    const { themeChoice, color } = this.#screen;
    const { background, foreground } = this.#door.facts;
    const [ownChoice, ownBackground, ownForeground, ownColor] = this.#themeFrom;
    const same = themeChoice === ownChoice && background === ownBackground && foreground === ownForeground;
    if (same && color === ownColor) return this.#theme;
    this.#themeFrom = [themeChoice, background, foreground, color];
    const light = hasLightBackground(this.#door.facts, this.#control.environment.get('COLORFGBG'));
    const choice = themeChoice === 'auto' ? (light ? 'light' : 'dark') : themeChoice;
    return makeTheme(choice, { background, foreground }, color);
  }

  #resize(): void {
    const { columns, rows } = this.#control.terminal.size();
    this.#frame.resize(columns, rows);
    this.#step({ type: 'resize', columns, rows });
    this.#side?.resize(columns, rows);
    this.#scheduler.now();
  }

  #signal(name: 'TERM' | 'HUP' | 'INT' | 'CONT'): void {
    if (name === 'HUP') this.#leave('terminal-gone');
    else if (name === 'TERM' || name === 'INT') this.#leave('signal');
    else if (!this.#handedOver) {
      // Somebody stopped and continued us from outside: the terminal may hold anything by now.
      this.#door.leave();
      this.#door.enter();
      this.#frame.invalidate();
      this.#scheduler.now();
    }
  }

  /** Gives the terminal to something else and takes it back, whatever came of it (EDITR-10). */
  async #handOver(work: () => Promise<void>, keepRaw: boolean): Promise<void> {
    this.#handedOver = true;
    this.#scheduler.stop();
    this.#door.leave(keepRaw);
    try {
      await work();
    } finally {
      this.#handedOver = false;
      if (!this.#leaving) {
        this.#guarded(() => {
          this.#door.enter();
          this.#scheduler.resume();
          const { columns, rows } = this.#control.terminal.size();
          this.#frame.resize(columns, rows);
          this.#announcer.forget();
          this.#step({ type: 'resize', columns, rows });
          this.#scheduler.now();
        });
      }
    }
  }

  #saveDraft(): void {
    const { prompt } = this.#screen;
    if (!prompt.unsaved || this.#control.options.readOnly === true) return;
    this.#screen = { ...this.#screen, prompt: { ...prompt, unsaved: false } };
    this.#drafts.tell({ buffer: prompt.editor.buffer, shell: prompt.shell !== 'off' });
  }

  /** Leaves for the package manager, once it is sure that there is something to install and nothing that runs. */
  async #update(): Promise<void> {
    const { updates, readOnly } = this.#control.options;
    const warn = (text: string): void => this.#guarded(() => this.#dispatch({ type: 'note', level: 'warning', text }));
    if (updates === undefined || readOnly === true) return warn('Not from this window: houston update does it');
    const ready = await updates.ready();
    if (!ready.ok) return warn(ready.refusal.message);
    const { view } = this.#link;
    if (isRunning(view) || view.queue.rows.length > 0 || this.#screen.unanswered > 0)
      return warn('Something runs here again: /update once it is done');
    this.#leave('updating');
  }

  #goAway(how: 'quit' | 'detach' | 'switch'): void {
    const { options } = this.#control;
    if (how === 'detach' && options.inThisProcess === true && isRunning(this.#link.view)) {
      const text = 'Not while a turn runs: this session lies in this window, and moving it would stop the turn';
      this.#dispatch({ type: 'note', level: 'warning', text });
      return;
    }
    const { link } = this.#screen;
    this.#leave(how === 'switch' ? 'switched' : leavingBy(options.readOnly === true ? 'detach' : how, link));
  }

  /** The one way out. The terminal is given back first, then the rest is closed (EX-1). */
  #leave(reason: ExitReport['reason'], error: unknown = null): void {
    if (this.#leaving) return;
    const { clock, session, client } = this.#control;
    this.#leaving = true;
    if (reason !== 'crashed') this.#saveDraft();
    this.#scheduler.stop();
    this.#cancelTick?.();
    this.#rest.stop();
    this.#drafts.stop();
    this.#cancelMeasure?.();
    const left = this.#door.leaveQuietly();
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    const { head } = this.#link.view;
    const { focus } = this.#screen;
    const { stack } = this.#screen.panels;
    const panelFocus = isPanel(focus) ? focus : null;
    const report: ExitReport = { reason, session: head.session, title: head.title, error, panels: stack, panelFocus };
    const finish = async (clean = true) => {
      this.#link.close();
      this.#side?.close();
      await left;
      // What could not be ended is not updated under.
      this.#done.resolve(clean || reason !== 'updating' ? report : { ...report, reason: 'quit' });
    };
    if (reason !== 'quit' && reason !== 'updating') {
      void finish();
      return;
    }
    const late = clock.after(LEAVE_LIMIT, () => void finish(false));
    const ended = (clean: boolean) => {
      late();
      void finish(clean);
    };
    session.send({ type: 'end' }, client).then(
      (sent) => ended(sent.accepted),
      () => ended(false),
    );
  }

  /** A bug anywhere in here gives the terminal back and says so; it never leaves a dead screen. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#leave('crashed', error);
    }
  }
}
